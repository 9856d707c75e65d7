# SPDX-License-Identifier: BSD-3-Clause
"""Help of parameters and attributes that several estimators have."""

from dyad._help import help_of

with_help = help_of(
    """
preset : {"auto", "paper"}, default="auto"
    What parameters that are None stand for: what predicts well without a choice of the user, or what the
    paper's experiments took. The first value named below is that of ``"auto"``.
optimise : {"balanced", "error", "auc", "logloss"}, default="balanced"
    What ``preset="auto"`` makes small: the mean of the classes' error rates, the share of wrong classes,
    the share of pairs of rows that are ranked wrongly, or the mean of -log P(class).
engine : {"counts", "exact"}, default="counts"
    How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
grid : int, default=128
    Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
coordinate : {"robust", "none", "standard"}, default=None
    Coordinate of a feature that its densities live in: logarithms of positive values that span decades,
    else asinh, which draws in tails, then standardised; the values as they are; or only standardised.
bandwidth : {"normal_scale", "plug_in", "plug_in_diagonal"}, default=None
    Rule for the bandwidths of the densities: ``"normal_scale"`` or ``"plug_in"``.
prior_rows : float, default=None
    Rows of a broad normal density added to each class, 3 or 0; they need a `coordinate` that is scaled.
floor : float, default=1e-16
    Smallest density, in units of the features' standard deviations.
categorical_features : list of str or int, or mask, default=None
    Columns to take as categories whatever they hold, by name, by number or as a mask. Those of text,
    booleans and pandas categories are in any case.
max_levels : int, default=50
    Levels of a category that are told apart; the rarest of more are one.
level_rows : float, default=10.0
    Rows that draw what is known of a level to what is known without it.
fdr : float, default=0.05
    False discovery rate of ``pairs="fdr"``.
n_pairs : int, default=10
    Number of pairs, over all classes, of ``pairs="count"``.
min_hsic : float, default=0.01
    Smallest HSIC of ``pairs="threshold"``.
feature_mode : {"auto", "resubstitution", "leave_one_out", "cross_fit", "split"}, default=None
    Rows that a training row's own densities rest on: those of other folds for three classes or more of at
    most 10000 rows, else all but itself; all; all but itself; those of other folds; or one half while
    the SVM is fitted to the other.
cross_fit_folds : int, default=5
    Folds of ``feature_mode="cross_fit"``.
linear_terms : bool, default=None
    Whether the features themselves, in their coordinates, are further terms: True or False.
term_scale : {"common", "unit"}, default=None
    What terms are divided by before the SVM, which penalises all weights alike: all by the same, or each
    by its own standard deviation.
n_average : int, default=10
    Settings that ``settings="average"`` takes the mean of.
blend : {"if_better", "never", "always"}, default=None
    Whether weights close to those of naive Bayes and TAN are among the settings to average: if the loss
    falls by a fifth, never or always.
cost : {"cv", "given"}, default=None
    Whether the cost is chosen in cross-validation, or `C`. None takes a `C` that is not None.
C : float, default=None
    Cost of a margin violation in the SVM; None stands for 1 with ``cost="given"``.
loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
    What a margin m costs: max(0, 1 - m), its square, or log(1 + exp(-m)).
penalty : {"l2", "l1", "elastic_net"}, default="l2"
    What weights cost: half the sum of their squares, the sum of their absolute values, or a mixture.
    The latter two leave out terms; they need the loss ``"squared_hinge"`` or ``"logistic"``.
l1_ratio : float, default=0.5
    Share of the absolute values in ``penalty="elastic_net"``, between 0 and 1.
norm_bound : float, default=0.0
    If positive, the SVM is fitted subject to this bound on the norm of its weights instead of with `C`.
multiclass : {"auto", "one_vs_rest", "direct"}, default="auto"
    How weights of more than two classes are fitted: an SVM for each class against the others, or all
    together, with ``settings="average"`` by multinomial logistic regression, else by the SVM of Crammer
    and Singer. Together needs ``loss="hinge"``, and is what "auto" does for averages.
intercept : {"free", "penalised"}, default="free"
    Whether the intercept of the SVM is penalised as the weights are.
tol : float, default=1e-4
    The SVM of ``settings="best"`` is solved when its duality gap is below this share of the objective.
max_iter : int, default=10000000
    Steps of the SVM before it gives up, with a warning; those to average take few in any case.
class_weight : dict or "balanced", default=None
    Weights of the classes in the SVM: by label (1 for those left out, and so for all in an empty dict),
    or such that classes weigh the same. None means the latter for ``preset="auto"``, else no weights.
    Weights by label also count in the choice of settings and in probabilities, in place of `optimise`.
calibration : {"platt", "isotonic", "none"}, default="platt"
    How probabilities follow from scores of training rows that had no part in them: by a logistic
    function, by any function that does not fall, or with scores taken as log odds.
costs : dict or array-like of shape (n_classes, n_classes), default=None
    What it costs to predict a class for a row of another: by ``(true, predicted)``, 1 for those left out
    and 0 for the right class, or a row for each of ``classes_``. The class of least expected cost is
    then predicted, and probabilities are those of classes as frequent as in the training rows.
cv : int, list of (train, test) or splitter, default=None
    Folds of the inner cross-validation, 5 or 3: a number of stratified folds, row numbers, or an object
    with ``split(X, y)``.
random_state : int, RandomState instance or None, default=1
    Seed of all folds that are drawn. None draws one from NumPy's global generator.
n_jobs : int, default=None
    Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
    a result.
verbose : int, default=0
    Whether to show progress on standard error.
classes_ : ndarray of shape (n_classes,)
    The labels, in increasing order.
n_features_in_ : int
    Number of features seen during `fit`.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names, if all are strings.
coordinates_ : dict of str
    By feature what its coordinate is made by, ``"linear"``, ``"asinh"`` or ``"log"``; empty for
    ``coordinate="none"``.
levels_ : dict of list of str
    By feature that is categorical the levels that are told apart.
terms_ : list of Term
    The terms of the model: name, label, features and kind of each.
pairs_ : dict of list of Pair
    For each label the pairs of features kept, with their HSIC, largest first.
coef_ : ndarray of shape (n_scores, n_terms)
    Weights of the terms: one row for two classes, else one a class.
intercept_ : ndarray of shape (n_scores,)
    Intercepts.
feature_importances_ : ndarray of shape (n_features_in_,)
    How much the scores of training rows vary with a feature: the mean absolute deviation, over at most
    1000 rows, of what its terms and, by half, its pairs contribute; they sum to 1.
settings_ : list of Setting
    What was tried, the smallest loss first: terms, cost and blend, the loss over rows held out, and
    whether it is part of the model, as one is for ``settings="best"``. Empty if pairs and cost are given.
n_iter_ : int
    Steps of the SVM.
priors : {"equal", "estimated"}, default=None
    Whether the classes' priors are all the same, or their shares of the training rows. ``"auto"`` takes
    the same to optimise ``"balanced"`` and ``"auc"``, else shares.
"""
)

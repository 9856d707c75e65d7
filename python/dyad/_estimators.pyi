# SPDX-License-Identifier: BSD-3-Clause
# Written by tools/estimator_stub.py; do not edit.
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from typing_extensions import Self

from dyad._base import TermClassifier, TermEstimator

class SLBClassifier(TermClassifier):
    r"""Sparse log-bivariate density classifier.

    A linear SVM on the log densities of every feature and of those pairs of features that depend on each
    other, class by class [1]_. For two classes the score is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i)
            + \sum_y \sum_{(i,j) \in E_y} w_{y,ij} \log p_y(x_i, x_j),

    where the densities are Gaussian kernel estimates and :math:`E_y` are the pairs kept for class :math:`y`.
    It sees classes that differ in how features depend on each other, not only in the features' own
    distributions. By default densities are those of transformed features, which are terms themselves, and the
    weights are the mean of SVMs with the best choices of pairs and cost: ``preset="auto"``.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Where the defaults come from. ``"auto"``: the best predictions without tuning; ``"paper"``: as in the
        paper's experiments. The preset sets the parameters that are None.
    optimise : {"balanced", "auc", "logloss"}, default="balanced"
        Metric to minimise, with ``settings="average"``; sets the priors of NB and TAN in the preset auto.
        ``"balanced"``: the mean of the classes' error rates; ``"auc"``: the share of wrongly ranked pairs of
        rows; ``"logloss"``: the mean of -log P(class). Requires ``preset="auto"``. ``"error"`` is an alias of
        ``"logloss"``: the fit is the same.
    engine : {"exact", "counts"}, default="counts"
        How sums over rows are computed. ``"exact"``: exact sums; ``"counts"``: sums of binned counts, in time
        linear in the rows.
    grid : int between 16 and 128, default=128
        Nodes of an axis of the counts engine; more where tails are long.
    coordinate : {"none", "standard", "robust"}, default=None
        Coordinate of a feature that its densities live in. ``"none"``: the values unchanged; ``"standard"``:
        standardised; ``"robust"``: the logarithm of positive values that span decades, else asinh, then
        standardised. None: ``"robust"`` for ``preset="auto"``, ``"none"`` for ``preset="paper"``.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default=None
        Rule for the bandwidths of the densities. ``"plug_in"``: two-stage plug-in, a full matrix for pairs;
        ``"plug_in_diagonal"``: two-stage plug-in, a diagonal matrix for pairs; ``"normal_scale"``: optimal
        for normal samples. None: ``"normal_scale"`` for ``preset="auto"``, ``"plug_in"`` for
        ``preset="paper"``.
    prior_rows : float between 0 and 1e+06, default=None
        Rows of a broad normal density added to each class; needs `coordinate`. None: 3 for ``preset="auto"``,
        0 for ``preset="paper"``.
    floor : float greater than 0 and finite, default=1e-16
        Smallest density, in units of the features' standard deviations.
    categorical_features : list of str or int, or mask, default=None
        Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas
        categories always are.
    max_levels : int between 2 and 256, default=50
        Most levels of a category; the rarest of more are pooled.
    level_rows : float between 0 and 1e+06, default=10.0
        Pseudo-count that shrinks each level's estimate towards the pooled one.
    pairs : {"cv", "fdr", "count", "threshold", "all"}, default="cv"
        Rule for the pairs that SLB keeps; `fdr`, `n_pairs` or `min_hsic` selects its own. ``"cv"``: the share
        of pairs that is best in inner cross-validation; ``"fdr"``: pairs with a q-value of at most `fdr`;
        ``"count"``: the `n_pairs` pairs of largest HSIC; ``"threshold"``: pairs with an HSIC of at least
        `min_hsic`; ``"all"``: every pair, the method SLB-.
    fdr : float between 0 and 1, default=0.05
        False discovery rate of ``pairs="fdr"``.
    n_pairs : int at least 0, default=10
        Number of pairs, over all classes, of ``pairs="count"``.
    min_hsic : float at least 0, default=0.01
        Smallest HSIC of ``pairs="threshold"``.
    max_pairs : int at least 0, default=None
        Most pairs over all classes that ``settings="average"`` takes. None: 4000 for ``preset="auto"``, no
        limit for ``preset="paper"``.
    feature_mode : {"resubstitution", "leave_one_out", "cross_fit", "split", "auto"}, default=None
        Rows that the densities of a training row are estimated from. ``"resubstitution"``: all rows of the
        class; ``"leave_one_out"``: all but the row itself; ``"cross_fit"``: rows of the other folds;
        ``"split"``: one half of the rows, the SVM being fitted to the other half; ``"auto"``: ``"cross_fit"``
        for three classes or more of at most 10000 rows, else ``"leave_one_out"``. None: ``"auto"`` for
        ``preset="auto"``, ``"resubstitution"`` for ``preset="paper"``.
    cross_fit_folds : int between 2 and 1000, default=5
        Folds of ``feature_mode="cross_fit"``.
    linear_terms : bool, default=None
        The features themselves as further terms. None: True for ``preset="auto"``, False for
        ``preset="paper"``.
    term_scale : {"unit", "common", "none"}, default=None
        What terms are divided by before weights are fitted; `norm_bound` and C are in these units.
        ``"unit"``: each by its own standard deviation; ``"common"``: all by the same number; ``"none"``: no
        scaling. None: ``"common"`` for ``preset="auto"``, ``"unit"`` for ``preset="paper"``.
    settings : {"best", "average"}, default=None
        One setting of pairs and cost, or the mean of the best. ``"best"``: the setting with the smallest
        balanced error in inner cross-validation; ``"average"``: the mean of the `n_average` settings with the
        smallest held-out loss. None: ``"average"`` for ``preset="auto"``, ``"best"`` for ``preset="paper"``.
    n_average : int at least 1, default=10
        Settings that ``settings="average"`` takes the mean of.
    blend : {"never", "if_better", "always"}, default=None
        Whether weights of NB and TAN are among the settings to average. ``"if_better"``: if the held-out loss
        falls by a fifth. None: ``"if_better"`` for ``preset="auto"``, ``"never"`` for ``preset="paper"``.
    cost : {"given", "cv"}, default=None
        Whether C is as given or chosen with the pairs. ``"given"``: `C`; ``"cv"``: chosen in inner
        cross-validation. A given `C` implies ``"given"``. None: ``"cv"`` for ``preset="auto"``, ``"given"``
        for ``preset="paper"``.
    C : float greater than 0 and at most 1e+06, default=None
        Cost of a margin violation. None: 1, used with ``cost="given"``.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        What rows on the wrong side of their margin cost. ``"hinge"``: max(0, 1 - m) at the margin m;
        ``"squared_hinge"``: max(0, 1 - m)^2; ``"logistic"``: log(1 + exp(-m)).
    penalty : {"l2", "l1", "elastic_net"}, default="l2"
        What weights cost; l1 and elastic_net make some of them 0. ``"l2"``: half the sum of squares;
        ``"l1"``: the sum of absolute values; ``"elastic_net"``: a mixture of both. ``"l1"`` and
        ``"elastic_net"`` require the loss ``"squared_hinge"`` or ``"logistic"``.
    l1_ratio : float between 0 and 1, default=0.5
        Share of the absolute values in ``penalty="elastic_net"``.
    norm_bound : float at least 0, default=0.0
        Largest norm |w| of a single SVM, in units of `term_scale`, in place of C; 0 for C. Requires
        ``settings="best"``.
    multiclass : {"auto", "one_vs_rest", "direct"}, default="auto"
        How weights of more than two classes are fitted. ``"auto"``: ``"direct"`` for averages with the hinge
        loss, else ``"one_vs_rest"``; ``"one_vs_rest"``: one SVM for each class against the others;
        ``"direct"``: one multinomial logistic regression; requires ``settings="average"``.
    tol : float greater than 0 and finite, default=0.0001
        Stop when the duality gap is below this share of the objective.
    max_iter : int at least 1, default=10000000
        Steps before giving up. A ConvergenceWarning reports it.
    class_weight : dict or "balanced", default=None
        Weights of the classes in the SVM. A dict has weights by label, 1 for labels left out: ``{}`` for no
        weights. They also count in the choice of settings and in probabilities, in place of `optimise`. None:
        ``"balanced"`` for ``preset="auto"``, no weights for ``preset="paper"``.
    calibration : {"none", "platt", "isotonic"}, default="platt"
        How probabilities follow from scores. ``"none"``: scores are taken as log odds; ``"platt"``: by a
        logistic function; ``"isotonic"``: by a non-decreasing function. Functions are fitted to scores of
        held-out training rows.
    costs : dict or array-like of shape (n_classes, n_classes), default=None
        Cost of predicting a class for a row of another: by ``(true, predicted)``, 1 for pairs left out and 0
        for the right class, or a row for each of ``classes_``. Predictions have the least expected cost;
        probabilities are those of classes as frequent as in the training rows.
    cv : int, list of (train, test) or splitter, default=None
        Folds of the inner cross-validation. A number of stratified folds, a list of row numbers or masks, or
        an object with ``split(X, y)``. None: 5 for ``preset="auto"``, 3 for ``preset="paper"``.
    random_state : int, RandomState instance or None, default=1
        Seed of the folds. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Number of threads; results do not depend on it. None: 1, unless in a ``joblib.parallel_config``
        context; -1: all cores.
    verbose : int, default=0
        Show progress on standard error, if not 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.
    coordinates_ : dict of str
        Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
    levels_ : dict of list of str
        Levels of each categorical feature that the model distinguishes.
    terms_ : list of Term
        The terms of the model: name, label, features and kind of each.
    pairs_ : dict of list of Pair
        Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one per class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts: of naive Bayes and TAN the log prior ratio of two classes, else the log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Variation of the scores of training rows with each feature: the mean absolute deviation, over at most
        1000 rows, of the contributions of its terms and half those of its pairs, scaled to sum to 1.
    settings_ : list of Setting
        Settings tried, smallest loss first: terms, cost, blend, held-out loss and whether the model includes
        it, as it does one for ``settings="best"``. Empty if pairs and cost are given.
    n_iter_ : int
        Steps of the SVM.

    See Also
    --------
    LUClassifier : Terms of single features only.
    TANClassifier : Pairs that form a tree, without an SVM.
    LogDensityTransformer : The log densities alone.

    References
    ----------
    .. [1] Y. Tenzer, A. Moscovich, M. F. Dorn, B. Nadler, C. Spiegelman. Beyond Trees: Classification with
       Sparse Pairwise Dependencies. Journal of Machine Learning Research 21, 2020.

    Examples
    --------
    Two classes with the same marginal distributions, told apart by the sign of a correlation:

    >>> import numpy as np
    >>> from dyad import SLBClassifier
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["down", "up"], 200)
    >>> X = rng.normal(size=(400, 3))
    >>> X[:, 1] = np.where(y == "up", X[:, 0], -X[:, 0]) + 0.3 * X[:, 1]
    >>> model = SLBClassifier(pairs="fdr").fit(X, y)
    >>> [(label, [(pair.i, pair.j) for pair in pairs]) for label, pairs in model.pairs_.items()]
    [('down', [(0, 1)]), ('up', [(0, 1)])]
    >>> model.predict([[1.5, 1.5, 0], [1.5, -1.5, 0]])
    array(['up', 'down'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] = "balanced",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        pairs: Literal["cv", "fdr", "count", "threshold", "all"] = "cv",
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        max_pairs: int | None = None,
        feature_mode: Literal["resubstitution", "leave_one_out", "cross_fit", "split", "auto"] | None = None,
        cross_fit_folds: int = 5,
        linear_terms: bool | None = None,
        term_scale: Literal["unit", "common", "none"] | None = None,
        settings: Literal["best", "average"] | None = None,
        n_average: int = 10,
        blend: Literal["never", "if_better", "always"] | None = None,
        cost: Literal["given", "cv"] | None = None,
        C: float | None = None,
        loss: Literal["hinge", "squared_hinge", "logistic"] = "hinge",
        penalty: Literal["l2", "l1", "elastic_net"] = "l2",
        l1_ratio: float = 0.5,
        norm_bound: float = 0.0,
        multiclass: Literal["auto", "one_vs_rest", "direct"] = "auto",
        tol: float = 0.0001,
        max_iter: int = 10000000,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LUClassifier(TermClassifier):
    r"""Log-univariate density classifier.

    A linear SVM on the log densities of single features: naive Bayes with weights. For two classes the score
    is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i),

    by default with the transformed features themselves as further terms (``preset="auto"``).

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Where the defaults come from. ``"auto"``: the best predictions without tuning; ``"paper"``: as in the
        paper's experiments. The preset sets the parameters that are None.
    optimise : {"balanced", "auc", "logloss"}, default="balanced"
        Metric to minimise, with ``settings="average"``; sets the priors of NB and TAN in the preset auto.
        ``"balanced"``: the mean of the classes' error rates; ``"auc"``: the share of wrongly ranked pairs of
        rows; ``"logloss"``: the mean of -log P(class). Requires ``preset="auto"``. ``"error"`` is an alias of
        ``"logloss"``: the fit is the same.
    engine : {"exact", "counts"}, default="counts"
        How sums over rows are computed. ``"exact"``: exact sums; ``"counts"``: sums of binned counts, in time
        linear in the rows.
    grid : int between 16 and 128, default=128
        Nodes of an axis of the counts engine; more where tails are long.
    coordinate : {"none", "standard", "robust"}, default=None
        Coordinate of a feature that its densities live in. ``"none"``: the values unchanged; ``"standard"``:
        standardised; ``"robust"``: the logarithm of positive values that span decades, else asinh, then
        standardised. None: ``"robust"`` for ``preset="auto"``, ``"none"`` for ``preset="paper"``.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default=None
        Rule for the bandwidths of the densities. ``"plug_in"``: two-stage plug-in, a full matrix for pairs;
        ``"plug_in_diagonal"``: two-stage plug-in, a diagonal matrix for pairs; ``"normal_scale"``: optimal
        for normal samples. None: ``"normal_scale"`` for ``preset="auto"``, ``"plug_in"`` for
        ``preset="paper"``.
    prior_rows : float between 0 and 1e+06, default=None
        Rows of a broad normal density added to each class; needs `coordinate`. None: 3 for ``preset="auto"``,
        0 for ``preset="paper"``.
    floor : float greater than 0 and finite, default=1e-16
        Smallest density, in units of the features' standard deviations.
    categorical_features : list of str or int, or mask, default=None
        Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas
        categories always are.
    max_levels : int between 2 and 256, default=50
        Most levels of a category; the rarest of more are pooled.
    level_rows : float between 0 and 1e+06, default=10.0
        Pseudo-count that shrinks each level's estimate towards the pooled one.
    feature_mode : {"resubstitution", "leave_one_out", "cross_fit", "split", "auto"}, default=None
        Rows that the densities of a training row are estimated from. ``"resubstitution"``: all rows of the
        class; ``"leave_one_out"``: all but the row itself; ``"cross_fit"``: rows of the other folds;
        ``"split"``: one half of the rows, the SVM being fitted to the other half; ``"auto"``: ``"cross_fit"``
        for three classes or more of at most 10000 rows, else ``"leave_one_out"``. None: ``"auto"`` for
        ``preset="auto"``, ``"resubstitution"`` for ``preset="paper"``.
    cross_fit_folds : int between 2 and 1000, default=5
        Folds of ``feature_mode="cross_fit"``.
    linear_terms : bool, default=None
        The features themselves as further terms. None: True for ``preset="auto"``, False for
        ``preset="paper"``.
    term_scale : {"unit", "common", "none"}, default=None
        What terms are divided by before weights are fitted; `norm_bound` and C are in these units.
        ``"unit"``: each by its own standard deviation; ``"common"``: all by the same number; ``"none"``: no
        scaling. None: ``"common"`` for ``preset="auto"``, ``"unit"`` for ``preset="paper"``.
    settings : {"best", "average"}, default=None
        One setting of pairs and cost, or the mean of the best. ``"best"``: the setting with the smallest
        balanced error in inner cross-validation; ``"average"``: the mean of the `n_average` settings with the
        smallest held-out loss. None: ``"average"`` for ``preset="auto"``, ``"best"`` for ``preset="paper"``.
    n_average : int at least 1, default=10
        Settings that ``settings="average"`` takes the mean of.
    blend : {"never", "if_better", "always"}, default=None
        Whether weights of NB and TAN are among the settings to average. ``"if_better"``: if the held-out loss
        falls by a fifth. None: ``"if_better"`` for ``preset="auto"``, ``"never"`` for ``preset="paper"``.
    cost : {"given", "cv"}, default=None
        Whether C is as given or chosen with the pairs. ``"given"``: `C`; ``"cv"``: chosen in inner
        cross-validation. A given `C` implies ``"given"``. None: ``"cv"`` for ``preset="auto"``, ``"given"``
        for ``preset="paper"``.
    C : float greater than 0 and at most 1e+06, default=None
        Cost of a margin violation. None: 1, used with ``cost="given"``.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        What rows on the wrong side of their margin cost. ``"hinge"``: max(0, 1 - m) at the margin m;
        ``"squared_hinge"``: max(0, 1 - m)^2; ``"logistic"``: log(1 + exp(-m)).
    penalty : {"l2", "l1", "elastic_net"}, default="l2"
        What weights cost; l1 and elastic_net make some of them 0. ``"l2"``: half the sum of squares;
        ``"l1"``: the sum of absolute values; ``"elastic_net"``: a mixture of both. ``"l1"`` and
        ``"elastic_net"`` require the loss ``"squared_hinge"`` or ``"logistic"``.
    l1_ratio : float between 0 and 1, default=0.5
        Share of the absolute values in ``penalty="elastic_net"``.
    norm_bound : float at least 0, default=0.0
        Largest norm |w| of a single SVM, in units of `term_scale`, in place of C; 0 for C. Requires
        ``settings="best"``.
    multiclass : {"auto", "one_vs_rest", "direct"}, default="auto"
        How weights of more than two classes are fitted. ``"auto"``: ``"direct"`` for averages with the hinge
        loss, else ``"one_vs_rest"``; ``"one_vs_rest"``: one SVM for each class against the others;
        ``"direct"``: one multinomial logistic regression; requires ``settings="average"``.
    tol : float greater than 0 and finite, default=0.0001
        Stop when the duality gap is below this share of the objective.
    max_iter : int at least 1, default=10000000
        Steps before giving up. A ConvergenceWarning reports it.
    class_weight : dict or "balanced", default=None
        Weights of the classes in the SVM. A dict has weights by label, 1 for labels left out: ``{}`` for no
        weights. They also count in the choice of settings and in probabilities, in place of `optimise`. None:
        ``"balanced"`` for ``preset="auto"``, no weights for ``preset="paper"``.
    calibration : {"none", "platt", "isotonic"}, default="platt"
        How probabilities follow from scores. ``"none"``: scores are taken as log odds; ``"platt"``: by a
        logistic function; ``"isotonic"``: by a non-decreasing function. Functions are fitted to scores of
        held-out training rows.
    costs : dict or array-like of shape (n_classes, n_classes), default=None
        Cost of predicting a class for a row of another: by ``(true, predicted)``, 1 for pairs left out and 0
        for the right class, or a row for each of ``classes_``. Predictions have the least expected cost;
        probabilities are those of classes as frequent as in the training rows.
    cv : int, list of (train, test) or splitter, default=None
        Folds of the inner cross-validation. A number of stratified folds, a list of row numbers or masks, or
        an object with ``split(X, y)``. None: 5 for ``preset="auto"``, 3 for ``preset="paper"``.
    random_state : int, RandomState instance or None, default=1
        Seed of the folds. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Number of threads; results do not depend on it. None: 1, unless in a ``joblib.parallel_config``
        context; -1: all cores.
    verbose : int, default=0
        Show progress on standard error, if not 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.
    coordinates_ : dict of str
        Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
    levels_ : dict of list of str
        Levels of each categorical feature that the model distinguishes.
    terms_ : list of Term
        The terms of the model: name, label, features and kind of each.
    pairs_ : dict of list of Pair
        Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one per class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts: of naive Bayes and TAN the log prior ratio of two classes, else the log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Variation of the scores of training rows with each feature: the mean absolute deviation, over at most
        1000 rows, of the contributions of its terms and half those of its pairs, scaled to sum to 1.
    settings_ : list of Setting
        Settings tried, smallest loss first: terms, cost, blend, held-out loss and whether the model includes
        it, as it does one for ``settings="best"``. Empty if pairs and cost are given.
    n_iter_ : int
        Steps of the SVM.

    See Also
    --------
    SLBClassifier : Adds terms of pairs of features.
    NaiveBayesKDE : Naive Bayes' weights for the log densities.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import LUClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LUClassifier().fit(X, y)
    >>> model.terms_[0].name, model.terms_[4].name
    ('x0', 'log p(x0 | 0)')
    >>> model.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] = "balanced",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        feature_mode: Literal["resubstitution", "leave_one_out", "cross_fit", "split", "auto"] | None = None,
        cross_fit_folds: int = 5,
        linear_terms: bool | None = None,
        term_scale: Literal["unit", "common", "none"] | None = None,
        settings: Literal["best", "average"] | None = None,
        n_average: int = 10,
        blend: Literal["never", "if_better", "always"] | None = None,
        cost: Literal["given", "cv"] | None = None,
        C: float | None = None,
        loss: Literal["hinge", "squared_hinge", "logistic"] = "hinge",
        penalty: Literal["l2", "l1", "elastic_net"] = "l2",
        l1_ratio: float = 0.5,
        norm_bound: float = 0.0,
        multiclass: Literal["auto", "one_vs_rest", "direct"] = "auto",
        tol: float = 0.0001,
        max_iter: int = 10000000,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class NaiveBayesKDE(TermClassifier):
    r"""Naive Bayes with kernel densities.

    Features count as independent within a class :math:`y` of prior :math:`\pi_y`. For two classes, 1 and 0,
    the score is their log odds

    .. math::

        s(x) = \log \frac{\pi_1}{\pi_0} + \sum_i \log p_1(x_i) - \sum_i \log p_0(x_i);

    for more, each has the score :math:`\log \pi_y + \sum_i \log p_y(x_i)`. Probabilities are the posterior,
    calibrated: features that depend on each other would make it too sure.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Where the defaults come from. ``"auto"``: the best predictions without tuning; ``"paper"``: as in the
        paper's experiments. The preset sets the parameters that are None.
    optimise : {"balanced", "auc", "logloss"}, default="balanced"
        Metric to minimise, with ``settings="average"``; sets the priors of NB and TAN in the preset auto.
        ``"balanced"``: the mean of the classes' error rates; ``"auc"``: the share of wrongly ranked pairs of
        rows; ``"logloss"``: the mean of -log P(class). Requires ``preset="auto"``. ``"error"`` is an alias of
        ``"logloss"``: the fit is the same.
    engine : {"exact", "counts"}, default="counts"
        How sums over rows are computed. ``"exact"``: exact sums; ``"counts"``: sums of binned counts, in time
        linear in the rows.
    grid : int between 16 and 128, default=128
        Nodes of an axis of the counts engine; more where tails are long.
    coordinate : {"none", "standard", "robust"}, default=None
        Coordinate of a feature that its densities live in. ``"none"``: the values unchanged; ``"standard"``:
        standardised; ``"robust"``: the logarithm of positive values that span decades, else asinh, then
        standardised. None: ``"robust"`` for ``preset="auto"``, ``"none"`` for ``preset="paper"``.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default=None
        Rule for the bandwidths of the densities. ``"plug_in"``: two-stage plug-in, a full matrix for pairs;
        ``"plug_in_diagonal"``: two-stage plug-in, a diagonal matrix for pairs; ``"normal_scale"``: optimal
        for normal samples. None: ``"normal_scale"`` for ``preset="auto"``, ``"plug_in"`` for
        ``preset="paper"``.
    prior_rows : float between 0 and 1e+06, default=None
        Rows of a broad normal density added to each class; needs `coordinate`. None: 3 for ``preset="auto"``,
        0 for ``preset="paper"``.
    floor : float greater than 0 and finite, default=1e-16
        Smallest density, in units of the features' standard deviations.
    categorical_features : list of str or int, or mask, default=None
        Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas
        categories always are.
    max_levels : int between 2 and 256, default=50
        Most levels of a category; the rarest of more are pooled.
    level_rows : float between 0 and 1e+06, default=10.0
        Pseudo-count that shrinks each level's estimate towards the pooled one.
    priors : {"estimated", "equal"}, default=None
        Class priors of NB and TAN. ``"estimated"``: shares of the training rows; ``"equal"``: equal priors.
        None: ``"equal"`` for ``optimise="balanced"`` and ``"auc"``; ``"estimated"`` for ``"logloss"`` and for
        ``preset="paper"``.
    calibration : {"none", "platt", "isotonic"}, default="platt"
        How probabilities follow from scores. ``"none"``: scores are taken as log odds; ``"platt"``: by a
        logistic function; ``"isotonic"``: by a non-decreasing function. Functions are fitted to scores of
        held-out training rows.
    costs : dict or array-like of shape (n_classes, n_classes), default=None
        Cost of predicting a class for a row of another: by ``(true, predicted)``, 1 for pairs left out and 0
        for the right class, or a row for each of ``classes_``. Predictions have the least expected cost;
        probabilities are those of classes as frequent as in the training rows.
    n_jobs : int, default=None
        Number of threads; results do not depend on it. None: 1, unless in a ``joblib.parallel_config``
        context; -1: all cores.
    verbose : int, default=0
        Show progress on standard error, if not 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.
    coordinates_ : dict of str
        Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
    levels_ : dict of list of str
        Levels of each categorical feature that the model distinguishes.
    terms_ : list of Term
        The terms of the model: name, label, features and kind of each.
    pairs_ : dict of list of Pair
        Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one per class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts: of naive Bayes and TAN the log prior ratio of two classes, else the log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Variation of the scores of training rows with each feature: the mean absolute deviation, over at most
        1000 rows, of the contributions of its terms and half those of its pairs, scaled to sum to 1.

    See Also
    --------
    LUClassifier : Weights from an SVM for the log densities.
    TANClassifier : Adds a tree of pairs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import NaiveBayesKDE
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NaiveBayesKDE().fit(X, y)
    >>> model.predict_proba(X[[0, 70]]).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.01, 0.34, 0.65]])
    """

    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] = "balanced",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        priors: Literal["estimated", "equal"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class TANClassifier(TermClassifier):
    r"""Tree-augmented naive Bayes with kernel densities.

    Within each class :math:`y` the features form the tree :math:`T_y` of largest mutual information, and the
    log likelihood is

    .. math::

        \log p_y(x) = \sum_{(i,j) \in T_y} \log p_y(x_i, x_j) - \sum_i (\deg_y(i) - 1) \log p_y(x_i).

    The score of two classes is their log odds, that of more classes the log likelihood plus the log prior.
    Probabilities are the posterior, calibrated.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Where the defaults come from. ``"auto"``: the best predictions without tuning; ``"paper"``: as in the
        paper's experiments. The preset sets the parameters that are None.
    optimise : {"balanced", "auc", "logloss"}, default="balanced"
        Metric to minimise, with ``settings="average"``; sets the priors of NB and TAN in the preset auto.
        ``"balanced"``: the mean of the classes' error rates; ``"auc"``: the share of wrongly ranked pairs of
        rows; ``"logloss"``: the mean of -log P(class). Requires ``preset="auto"``. ``"error"`` is an alias of
        ``"logloss"``: the fit is the same.
    engine : {"exact", "counts"}, default="counts"
        How sums over rows are computed. ``"exact"``: exact sums; ``"counts"``: sums of binned counts, in time
        linear in the rows.
    grid : int between 16 and 128, default=128
        Nodes of an axis of the counts engine; more where tails are long.
    coordinate : {"none", "standard", "robust"}, default=None
        Coordinate of a feature that its densities live in. ``"none"``: the values unchanged; ``"standard"``:
        standardised; ``"robust"``: the logarithm of positive values that span decades, else asinh, then
        standardised. None: ``"robust"`` for ``preset="auto"``, ``"none"`` for ``preset="paper"``.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default=None
        Rule for the bandwidths of the densities. ``"plug_in"``: two-stage plug-in, a full matrix for pairs;
        ``"plug_in_diagonal"``: two-stage plug-in, a diagonal matrix for pairs; ``"normal_scale"``: optimal
        for normal samples. None: ``"normal_scale"`` for ``preset="auto"``, ``"plug_in"`` for
        ``preset="paper"``.
    prior_rows : float between 0 and 1e+06, default=None
        Rows of a broad normal density added to each class; needs `coordinate`. None: 3 for ``preset="auto"``,
        0 for ``preset="paper"``.
    floor : float greater than 0 and finite, default=1e-16
        Smallest density, in units of the features' standard deviations.
    categorical_features : list of str or int, or mask, default=None
        Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas
        categories always are.
    max_levels : int between 2 and 256, default=50
        Most levels of a category; the rarest of more are pooled.
    level_rows : float between 0 and 1e+06, default=10.0
        Pseudo-count that shrinks each level's estimate towards the pooled one.
    priors : {"estimated", "equal"}, default=None
        Class priors of NB and TAN. ``"estimated"``: shares of the training rows; ``"equal"``: equal priors.
        None: ``"equal"`` for ``optimise="balanced"`` and ``"auc"``; ``"estimated"`` for ``"logloss"`` and for
        ``preset="paper"``.
    calibration : {"none", "platt", "isotonic"}, default="platt"
        How probabilities follow from scores. ``"none"``: scores are taken as log odds; ``"platt"``: by a
        logistic function; ``"isotonic"``: by a non-decreasing function. Functions are fitted to scores of
        held-out training rows.
    costs : dict or array-like of shape (n_classes, n_classes), default=None
        Cost of predicting a class for a row of another: by ``(true, predicted)``, 1 for pairs left out and 0
        for the right class, or a row for each of ``classes_``. Predictions have the least expected cost;
        probabilities are those of classes as frequent as in the training rows.
    forest : bool, default=False
        Drop the weak edges of the trees.
    forest_beta : float between 0 and 1, default=0.5
        TAN forest drops edges of information at most n^-beta.
    n_jobs : int, default=None
        Number of threads; results do not depend on it. None: 1, unless in a ``joblib.parallel_config``
        context; -1: all cores.
    verbose : int, default=0
        Show progress on standard error, if not 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.
    coordinates_ : dict of str
        Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
    levels_ : dict of list of str
        Levels of each categorical feature that the model distinguishes.
    terms_ : list of Term
        The terms of the model: name, label, features and kind of each.
    pairs_ : dict of list of Pair
        Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one per class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts: of naive Bayes and TAN the log prior ratio of two classes, else the log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Variation of the scores of training rows with each feature: the mean absolute deviation, over at most
        1000 rows, of the contributions of its terms and half those of its pairs, scaled to sum to 1.

    See Also
    --------
    NaiveBayesKDE : Terms of single features only.
    SLBClassifier : Pairs that need not form a tree, with weights from an SVM.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import TANClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TANClassifier().fit(X, y)
    >>> [(pair.i, pair.j) for pair in model.pairs_[0]]
    [(0, 1), (1, 3), (0, 2)]
    >>> model.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] = "balanced",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        priors: Literal["estimated", "equal"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        forest: bool = False,
        forest_beta: float = 0.5,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LogDensityTransformer(TransformerMixin, TermEstimator):
    r"""Rows to log densities: the features that `SLBClassifier` separates.

    A row :math:`x` becomes

    .. math::

        T(x) = \left( \log p_y(x_i) \right)_{y, i} \cup \left( \log p_y(x_i, x_j) \right)_{y, (i,j) \in E_y},

    Gaussian kernel densities of every feature and of the pairs :math:`E_y` kept for class :math:`y`, for use
    in any pipeline. Training rows are treated as any others: their own kernels are part of their densities.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Where the defaults come from. ``"auto"``: the best predictions without tuning; ``"paper"``: as in the
        paper's experiments. The preset sets the parameters that are None.
    engine : {"exact", "counts"}, default="counts"
        How sums over rows are computed. ``"exact"``: exact sums; ``"counts"``: sums of binned counts, in time
        linear in the rows.
    grid : int between 16 and 128, default=128
        Nodes of an axis of the counts engine; more where tails are long.
    coordinate : {"none", "standard", "robust"}, default=None
        Coordinate of a feature that its densities live in. ``"none"``: the values unchanged; ``"standard"``:
        standardised; ``"robust"``: the logarithm of positive values that span decades, else asinh, then
        standardised. None: ``"robust"`` for ``preset="auto"``, ``"none"`` for ``preset="paper"``.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default=None
        Rule for the bandwidths of the densities. ``"plug_in"``: two-stage plug-in, a full matrix for pairs;
        ``"plug_in_diagonal"``: two-stage plug-in, a diagonal matrix for pairs; ``"normal_scale"``: optimal
        for normal samples. None: ``"normal_scale"`` for ``preset="auto"``, ``"plug_in"`` for
        ``preset="paper"``.
    prior_rows : float between 0 and 1e+06, default=None
        Rows of a broad normal density added to each class; needs `coordinate`. None: 3 for ``preset="auto"``,
        0 for ``preset="paper"``.
    floor : float greater than 0 and finite, default=1e-16
        Smallest density, in units of the features' standard deviations.
    categorical_features : list of str or int, or mask, default=None
        Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas
        categories always are.
    max_levels : int between 2 and 256, default=50
        Most levels of a category; the rarest of more are pooled.
    level_rows : float between 0 and 1e+06, default=10.0
        Pseudo-count that shrinks each level's estimate towards the pooled one.
    pairs : {"cv", "fdr", "count", "threshold", "all", "none"} or list of (i, j), default="cv"
        Rule for the pairs that SLB keeps; `fdr`, `n_pairs` or `min_hsic` selects its own. ``"cv"``: the share
        of pairs that is best in inner cross-validation; ``"fdr"``: pairs with a q-value of at most `fdr`;
        ``"count"``: the `n_pairs` pairs of largest HSIC; ``"threshold"``: pairs with an HSIC of at least
        `min_hsic`; ``"all"``: every pair, the method SLB-; ``"none"``: no pair. A list holds columns, by
        number or name, for every class.
    fdr : float between 0 and 1, default=0.05
        False discovery rate of ``pairs="fdr"``.
    n_pairs : int at least 0, default=10
        Number of pairs, over all classes, of ``pairs="count"``.
    min_hsic : float at least 0, default=0.01
        Smallest HSIC of ``pairs="threshold"``.
    cv : int, list of (train, test) or splitter, default=None
        Folds of the inner cross-validation. A number of stratified folds, a list of row numbers or masks, or
        an object with ``split(X, y)``. None: 5 for ``preset="auto"``, 3 for ``preset="paper"``.
    random_state : int, RandomState instance or None, default=1
        Seed of the folds. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Number of threads; results do not depend on it. None: 1, unless in a ``joblib.parallel_config``
        context; -1: all cores.
    verbose : int, default=0
        Show progress on standard error, if not 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.
    coordinates_ : dict of str
        Coordinate of each feature, ``"linear"``, ``"asinh"`` or ``"log"``; empty for ``coordinate="none"``.
    levels_ : dict of list of str
        Levels of each categorical feature that the model distinguishes.
    terms_ : list of Term
        The terms of the model: name, label, features and kind of each.
    pairs_ : dict of list of Pair
        Pairs of features kept for each label, with their HSIC, largest first; of TAN the edges of the tree.

    See Also
    --------
    SLBClassifier : These features and a linear SVM.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dyad import LogDensityTransformer
    >>> X, y = load_iris(return_X_y=True)
    >>> densities = LogDensityTransformer(pairs=[(2, 3)])
    >>> densities.fit_transform(X, y).shape
    (150, 15)
    >>> densities.get_feature_names_out()[-1]
    'log p(x2, x3 | 2)'
    >>> model = make_pipeline(densities, StandardScaler(), LogisticRegression()).fit(X, y)
    >>> model.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        pairs: Literal["cv", "fdr", "count", "threshold", "all", "none"] | Sequence[tuple[Any, Any]] = "cv",
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any=None) -> Self: ...
    def transform(self, X: Any) -> NDArray[np.float64]: ...
    def get_feature_names_out(self, input_features: ArrayLike | None=None) -> NDArray[np.object_]: ...

def classifier_of(options: dict[str, Any]) -> TermClassifier: ...

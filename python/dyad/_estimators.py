# SPDX-License-Identifier: BSD-3-Clause
"""The estimators: their parameters, and which method of the core each stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from dyad import _core
from dyad._base import TermClassifier, TermEstimator
from dyad._input import check_pairs
from dyad._terms import kept_hsic, term_names

if TYPE_CHECKING:
    from typing_extensions import Self

# Ways to choose pairs.
_RULES = ("cv", "fdr", "count", "threshold", "all")


class SLBClassifier(TermClassifier):
    r"""Sparse log-bivariate density classifier.

    A linear SVM on the log densities of every feature and of those pairs of features that depend on each
    other, class by class [1]_. For two classes the score is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i)
            + \sum_y \sum_{(i,j) \in E_y} w_{y,ij} \log p_y(x_i, x_j),

    where the densities are Gaussian kernel estimates and :math:`E_y` are the pairs kept for class :math:`y`.
    It sees classes that differ in how features depend on each other, not only in the features' own
    distributions.

    Parameters
    ----------
    preset : {"paper"}, default="paper"
        Where the defaults come from.
    engine : {"counts", "exact"}, default="counts"
        How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
    grid : int, default=128
        Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default="plug_in"
        Rule for the bandwidths of the densities.
    floor : float, default=1e-16
        Smallest density, in units of the features' standard deviations.
    pairs : {"cv", "fdr", "count", "threshold", "all"}, default="cv"
        Which pairs to keep: the share that is best in cross-validation, those with a q-value of at most
        `fdr`, the `n_pairs` of largest HSIC, those whose HSIC is at least `min_hsic`, or all of them (SLB-).
    fdr : float, default=0.05
        False discovery rate of ``pairs="fdr"``.
    n_pairs : int, default=10
        Number of pairs, over all classes, of ``pairs="count"``.
    min_hsic : float, default=0.01
        Smallest HSIC of ``pairs="threshold"``.
    feature_mode : {"resubstitution", "leave_one_out", "cross_fit", "split"}, default="resubstitution"
        Rows that a training row's own densities rest on: all, all but itself, those of other folds, or one
        half while the SVM is fitted to the other.
    cross_fit_folds : int, default=5
        Folds of ``feature_mode="cross_fit"``.
    cost : {"given", "cv"}, default="given"
        Whether `C` is as given, or the best of 0.01, 0.1, 1 and 10 in cross-validation.
    C : float, default=1.0
        Cost of a margin violation in the SVM.
    norm_bound : float, default=0.0
        If positive, the SVM is fitted subject to this bound on the norm of its weights instead of with `C`.
    intercept : {"free", "penalised"}, default="free"
        Whether the intercept of the SVM is penalised as the weights are.
    tol : float, default=1e-4
        The SVM is solved when its duality gap is below this share of the objective.
    max_iter : int, default=10000000
        Steps of the SVM before it gives up, with a warning.
    class_weight : dict or "balanced", default=None
        Weights of the classes in the SVM: by label (1 for those left out), or such that classes weigh the
        same.
    cv : int, list of (train, test) or splitter, default=3
        Folds of ``pairs="cv"`` and ``cost="cv"``: a number of stratified folds, row numbers, or an object
        with ``split(X, y)``.
    random_state : int, RandomState instance or None, default=1
        Seed of all folds that are drawn. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
        a result.
    verbose : int, default=0
        Whether to show progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    terms_ : list of Term
        The log densities of the model: name, label and features of each.
    pairs_ : dict of list of Pair
        For each label the pairs of features kept, with their HSIC, largest first.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one a class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much the scores of training rows vary with a feature: the mean absolute deviation, over at most
        1000 rows, of what its terms and, by half, its pairs contribute; they sum to 1.
    n_iter_ : int
        Steps of the SVM.

    See Also
    --------
    LUClassifier : The same without pairs.
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

    _methods = ("slb", "slb-")

    def __init__(
        self,
        *,
        preset: str = "paper",
        engine: str = "counts",
        grid: int = 128,
        bandwidth: str = "plug_in",
        floor: float = 1e-16,
        pairs: str = "cv",
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        feature_mode: str = "resubstitution",
        cross_fit_folds: int = 5,
        cost: str = "given",
        C: float = 1.0,
        norm_bound: float = 0.0,
        intercept: str = "free",
        tol: float = 1e-4,
        max_iter: int = 10_000_000,
        class_weight: dict | str | None = None,
        cv: Any = 3,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.preset = preset
        self.engine = engine
        self.grid = grid
        self.bandwidth = bandwidth
        self.floor = floor
        self.pairs = pairs
        self.fdr = fdr
        self.n_pairs = n_pairs
        self.min_hsic = min_hsic
        self.feature_mode = feature_mode
        self.cross_fit_folds = cross_fit_folds
        self.cost = cost
        self.C = C
        self.norm_bound = norm_bound
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _core_options(self) -> dict[str, Any]:
        if not (isinstance(self.pairs, str) and self.pairs in _RULES):
            raise ValueError(f"pairs must be one of {', '.join(_RULES)}, got {self.pairs!r}")
        options = super()._core_options()
        return {**options, "method": "slb-", "pairs": "cv"} if self.pairs == "all" else options

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        params = super()._parameters_of(options)
        return {**params, "pairs": "all"} if options["method"] == "slb-" else params


class LUClassifier(TermClassifier):
    r"""Log-univariate density classifier.

    A linear SVM on the log densities of single features: naive Bayes with weights. For two classes the score
    is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i).

    Parameters
    ----------
    preset : {"paper"}, default="paper"
        Where the defaults come from.
    engine : {"counts", "exact"}, default="counts"
        How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
    grid : int, default=128
        Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default="plug_in"
        Rule for the bandwidths of the densities.
    floor : float, default=1e-16
        Smallest density, in units of the features' standard deviations.
    feature_mode : {"resubstitution", "leave_one_out", "cross_fit", "split"}, default="resubstitution"
        Rows that a training row's own densities rest on: all, all but itself, those of other folds, or one
        half while the SVM is fitted to the other.
    cross_fit_folds : int, default=5
        Folds of ``feature_mode="cross_fit"``.
    cost : {"given", "cv"}, default="given"
        Whether `C` is as given, or the best of 0.01, 0.1, 1 and 10 in cross-validation.
    C : float, default=1.0
        Cost of a margin violation in the SVM.
    norm_bound : float, default=0.0
        If positive, the SVM is fitted subject to this bound on the norm of its weights instead of with `C`.
    intercept : {"free", "penalised"}, default="free"
        Whether the intercept of the SVM is penalised as the weights are.
    tol : float, default=1e-4
        The SVM is solved when its duality gap is below this share of the objective.
    max_iter : int, default=10000000
        Steps of the SVM before it gives up, with a warning.
    class_weight : dict or "balanced", default=None
        Weights of the classes in the SVM: by label (1 for those left out), or such that classes weigh the
        same.
    cv : int, list of (train, test) or splitter, default=3
        Folds of ``cost="cv"``: a number of stratified folds, row numbers, or an object with ``split(X, y)``.
    random_state : int, RandomState instance or None, default=1
        Seed of all folds that are drawn. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
        a result.
    verbose : int, default=0
        Whether to show progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    terms_ : list of Term
        The log densities of the model: name, label and features of each.
    pairs_ : dict of list of Pair
        An empty list for each label.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one a class.
    intercept_ : ndarray of shape (n_scores,)
        Intercepts.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much the scores of training rows vary with a feature: the mean absolute deviation, over at most
        1000 rows, of what its terms contribute; they sum to 1.
    n_iter_ : int
        Steps of the SVM.

    See Also
    --------
    SLBClassifier : The same with pairs of features.
    NaiveBayesKDE : The same terms with naive Bayes' weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import LUClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LUClassifier().fit(X, y)
    >>> model.terms_[0].name
    'log p(x0 | 0)'
    >>> model.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    _methods = ("lu",)

    def __init__(
        self,
        *,
        preset: str = "paper",
        engine: str = "counts",
        grid: int = 128,
        bandwidth: str = "plug_in",
        floor: float = 1e-16,
        feature_mode: str = "resubstitution",
        cross_fit_folds: int = 5,
        cost: str = "given",
        C: float = 1.0,
        norm_bound: float = 0.0,
        intercept: str = "free",
        tol: float = 1e-4,
        max_iter: int = 10_000_000,
        class_weight: dict | str | None = None,
        cv: Any = 3,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.preset = preset
        self.engine = engine
        self.grid = grid
        self.bandwidth = bandwidth
        self.floor = floor
        self.feature_mode = feature_mode
        self.cross_fit_folds = cross_fit_folds
        self.cost = cost
        self.C = C
        self.norm_bound = norm_bound
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NaiveBayesKDE(TermClassifier):
    r"""Naive Bayes with kernel densities.

    Features count as independent within a class :math:`y` of prior :math:`\pi_y`. For two classes, 1 and 0,
    the score is their log odds

    .. math::

        s(x) = \log \frac{\pi_1}{\pi_0} + \sum_i \log p_1(x_i) - \sum_i \log p_0(x_i);

    for more, each has the score :math:`\log \pi_y + \sum_i \log p_y(x_i)`. Probabilities are the posterior.

    Parameters
    ----------
    preset : {"paper"}, default="paper"
        Where the defaults come from.
    engine : {"counts", "exact"}, default="counts"
        How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
    grid : int, default=128
        Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default="plug_in"
        Rule for the bandwidths of the densities.
    floor : float, default=1e-16
        Smallest density, in units of the features' standard deviations.
    priors : {"estimated", "equal"}, default="estimated"
        Whether the classes' priors are their shares of the training rows, or all the same.
    n_jobs : int, default=None
        Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
        a result.
    verbose : int, default=0
        Whether to show progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    terms_ : list of Term
        The log densities of the model: name, label and features of each.
    pairs_ : dict of list of Pair
        An empty list for each label.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one a class.
    intercept_ : ndarray of shape (n_scores,)
        Log prior ratio, or log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much the scores of training rows vary with a feature: the mean absolute deviation, over at most
        1000 rows, of what its terms contribute; they sum to 1.

    See Also
    --------
    LUClassifier : The same terms with weights from an SVM.
    TANClassifier : With a tree of pairs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import NaiveBayesKDE
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NaiveBayesKDE().fit(X, y)
    >>> model.predict_proba(X[[0, 70]]).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.19, 0.81]])
    """

    _methods = ("nb",)

    def __init__(
        self,
        *,
        preset: str = "paper",
        engine: str = "counts",
        grid: int = 128,
        bandwidth: str = "plug_in",
        floor: float = 1e-16,
        priors: str = "estimated",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.preset = preset
        self.engine = engine
        self.grid = grid
        self.bandwidth = bandwidth
        self.floor = floor
        self.priors = priors
        self.n_jobs = n_jobs
        self.verbose = verbose


class TANClassifier(TermClassifier):
    r"""Tree-augmented naive Bayes with kernel densities.

    Within each class :math:`y` the features form the tree :math:`T_y` of largest mutual information, and the
    log likelihood is

    .. math::

        \log p_y(x) = \sum_{(i,j) \in T_y} \log p_y(x_i, x_j) - \sum_i (\deg_y(i) - 1) \log p_y(x_i).

    The score of two classes is their log odds, that of more classes the log likelihood plus the log prior.
    Probabilities are the posterior.

    Parameters
    ----------
    preset : {"paper"}, default="paper"
        Where the defaults come from.
    engine : {"counts", "exact"}, default="counts"
        How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
    grid : int, default=128
        Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default="plug_in"
        Rule for the bandwidths of the densities.
    floor : float, default=1e-16
        Smallest density, in units of the features' standard deviations.
    priors : {"estimated", "equal"}, default="estimated"
        Whether the classes' priors are their shares of the training rows, or all the same.
    forest : bool, default=False
        Whether to drop the trees' weak edges.
    forest_beta : float, default=0.5
        Weak is an edge whose information, among n rows of the class, is at most ``n ** -forest_beta``.
    n_jobs : int, default=None
        Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
        a result.
    verbose : int, default=0
        Whether to show progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    terms_ : list of Term
        The log densities of the model: name, label and features of each.
    pairs_ : dict of list of Pair
        For each label the edges of its tree, with their HSIC, largest first.
    coef_ : ndarray of shape (n_scores, n_terms)
        Weights of the terms: one row for two classes, else one a class.
    intercept_ : ndarray of shape (n_scores,)
        Log prior ratio, or log priors.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much the scores of training rows vary with a feature: the mean absolute deviation, over at most
        1000 rows, of what its terms and, by half, its pairs contribute; they sum to 1.

    See Also
    --------
    NaiveBayesKDE : The same without pairs.
    SLBClassifier : Pairs that need not form a tree, with weights from an SVM.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dyad import TANClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TANClassifier().fit(X, y)
    >>> [(pair.i, pair.j) for pair in model.pairs_[0]]
    [(0, 1), (1, 3), (2, 3)]
    >>> model.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    _methods = ("tan", "tan-forest")

    def __init__(
        self,
        *,
        preset: str = "paper",
        engine: str = "counts",
        grid: int = 128,
        bandwidth: str = "plug_in",
        floor: float = 1e-16,
        priors: str = "estimated",
        forest: bool = False,
        forest_beta: float = 0.5,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.preset = preset
        self.engine = engine
        self.grid = grid
        self.bandwidth = bandwidth
        self.floor = floor
        self.priors = priors
        self.forest = forest
        self.forest_beta = forest_beta
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _method(self) -> str:
        return "tan-forest" if self.forest else "tan"

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {**super()._parameters_of(options), "forest": options["method"] == "tan-forest"}


class LogDensityTransformer(TransformerMixin, TermEstimator):
    r"""Rows to log densities: the features that `SLBClassifier` separates.

    A row :math:`x` becomes

    .. math::

        T(x) = \left( \log p_y(x_i) \right)_{y, i} \cup \left( \log p_y(x_i, x_j) \right)_{y, (i,j) \in E_y},

    Gaussian kernel densities of every feature and of the pairs :math:`E_y` kept for class :math:`y`, for use
    in any pipeline. Training rows are treated as any others: their own kernels are part of their densities.

    Parameters
    ----------
    preset : {"paper"}, default="paper"
        Where the defaults come from.
    engine : {"counts", "exact"}, default="counts"
        How sums over rows are computed: from binned counts, in time that grows with the rows, or exactly.
    grid : int, default=128
        Nodes of an axis of the counts engine, 16 to 128; more are used where tails are long.
    bandwidth : {"plug_in", "plug_in_diagonal", "normal_scale"}, default="plug_in"
        Rule for the bandwidths of the densities.
    floor : float, default=1e-16
        Smallest density, in units of the features' standard deviations.
    pairs : {"cv", "fdr", "count", "threshold", "all", "none"} or list of (i, j), default="cv"
        Which pairs to keep: the share with which `SLBClassifier` is best in cross-validation, those with a
        q-value of at most `fdr`, the `n_pairs` of largest HSIC, those whose HSIC is at least `min_hsic`, all,
        none, or the given columns, by number or name, for every class.
    fdr : float, default=0.05
        False discovery rate of ``pairs="fdr"``.
    n_pairs : int, default=10
        Number of pairs, over all classes, of ``pairs="count"``.
    min_hsic : float, default=0.01
        Smallest HSIC of ``pairs="threshold"``.
    cv : int, list of (train, test) or splitter, default=3
        Folds of ``pairs="cv"``: a number of stratified folds, row numbers, or an object with ``split(X, y)``.
    random_state : int, RandomState instance or None, default=1
        Seed of all folds that are drawn. None draws one from NumPy's global generator.
    n_jobs : int, default=None
        Threads; None means 1 unless in a ``joblib.parallel_config`` context, -1 all cores. They never change
        a result.
    verbose : int, default=0
        Whether to show progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    terms_ : list of Term
        The log densities: name, label and features of each.
    pairs_ : dict of list of Pair
        For each label the pairs of features kept, with their HSIC, largest first.

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

    _methods = ("slb",)

    def __init__(
        self,
        *,
        preset: str = "paper",
        engine: str = "counts",
        grid: int = 128,
        bandwidth: str = "plug_in",
        floor: float = 1e-16,
        pairs: Any = "cv",
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        cv: Any = 3,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.preset = preset
        self.engine = engine
        self.grid = grid
        self.bandwidth = bandwidth
        self.floor = floor
        self.pairs = pairs
        self.fdr = fdr
        self.n_pairs = n_pairs
        self.min_hsic = min_hsic
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _core_options(self) -> dict[str, Any]:
        rules = (*_RULES, "none")
        if isinstance(self.pairs, str) and self.pairs not in rules:
            raise ValueError(f"pairs must be one of {', '.join(rules)} or a list, got {self.pairs!r}")
        options = super()._core_options()
        if not isinstance(self.pairs, str) or self.pairs == "none":
            return {**options, "method": "lu", "pairs": "cv"}
        return {**options, "method": "slb-", "pairs": "cv"} if self.pairs == "all" else options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the densities from rows of known classes.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Finite numbers: a NumPy array, a pandas, polars or Arrow table, or lists.
        y : array-like of shape (n_samples,)
            The class of each row: numbers, strings or booleans, of two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, 1 by default: numbers of rows from 0 to 2**20, not shares. A row of weight 2
            counts as two equal rows, one of weight 0 as none. Bandwidths shrink as the sum of the weights
            grows.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        with self._unchanged_on_failure():
            sample = self._check_sample(X, y, sample_weight)
            given = None
            if not isinstance(self.pairs, str):
                pairs = check_pairs(self.pairs, self)
                given = [(code, i, j) for code in range(len(sample.classes)) for i, j in pairs]
            model = self._fit_core(_core.fit_terms, sample, pairs=given)
            hsic = kept_hsic(model, sample.X, sample.codes, sample.weights, self._n_threads())
            self._set_terms(model, sample.classes, hsic)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Log densities of rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.

        Returns
        -------
        T : ndarray of shape (n_samples, n_terms), or data frame
            Columns in the order of ``terms_``.
        """
        return self._term_values(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X; None for those that `fit` saw, or x0, x1, ...

        Returns
        -------
        names : ndarray of str
            As in ``log p(x0, x1 | a)``.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        texts = [str(label) for label in self.classes_.tolist()]
        return np.asarray(term_names(self._model.terms, names, texts), dtype=object)

    def __sklearn_tags__(self):
        """Labels are needed: densities are those of classes."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

# SPDX-License-Identifier: BSD-3-Clause
"""The estimators. Their parameters are those of the table in `_parameters`."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from dyad import _core
from dyad._base import TermClassifier, TermEstimator
from dyad._estimator_help import with_help
from dyad._input import Sample, check_pairs
from dyad._parameters import parameters_of, with_parameters
from dyad._terms import kept_hsic, term_names

if TYPE_CHECKING:
    from typing_extensions import Self

# Folds of cross-fitted values unless `cv` is a number.
_FOLDS = 5


@with_help
@with_parameters
class SLBClassifier(TermClassifier):
    r"""Sparse log-bivariate density classifier.

    A linear classifier of the log densities of every feature and of some pairs of features, class by class
    [1]_. For two classes the score is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i)
            + \sum_y \sum_{(i,j) \in E_y} w_{y,ij} \log p_y(x_i, x_j),

    where the densities are Gaussian kernel estimates and :math:`E_y` are the pairs kept for class :math:`y`.
    It sees classes that differ in how features depend on each other, not only in the features' own
    distributions. By default (``preset="auto"``) densities are those of transformed features, which are terms
    themselves, and the mean of a few multinomial regressions keeps the few pairs that add something. The
    paper's classifier (``preset="paper"``) is a linear SVM.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {classes_ n_features_in_ feature_names_in_ coordinates_ levels_ terms_ pairs_ coef_ intercept_}
    {feature_importances_ settings_ n_iter_}

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

    _methods = ("slb", "slb-")

    def _core_options(self) -> dict[str, Any]:
        rules = parameters_of("SLBClassifier")["pairs"].choices
        if isinstance(self.pairs, str) and self.pairs not in rules:
            raise ValueError(f"pairs must be one of {', '.join(rules)} or a list, got {self.pairs!r}")
        options = super()._core_options()
        if not (self.pairs is None or isinstance(self.pairs, str)):
            del options["pairs"]  # the core's argument `structure` has them
            return options
        return {**options, "method": "slb-", "pairs": "cv"} if self.pairs == "all" else options

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        params = super()._parameters_of(options)
        return {**params, "pairs": "all"} if options["method"] == "slb-" else params


@with_help
@with_parameters
class LUClassifier(TermClassifier):
    r"""Log-univariate density classifier.

    A linear SVM on the log densities of single features: naive Bayes with weights. For two classes the score
    is

    .. math::

        s(x) = b + \sum_y \sum_i w_{y,i} \log p_y(x_i),

    by default with the transformed features themselves as further terms (``preset="auto"``).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {classes_ n_features_in_ feature_names_in_ coordinates_ levels_ terms_}
    {pairs_ coef_ intercept_ feature_importances_ settings_ n_iter_}

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

    _methods = ("lu",)


@with_help
@with_parameters
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
    {parameters}

    Attributes
    ----------
    {classes_ n_features_in_ feature_names_in_ coordinates_ levels_ terms_}
    {pairs_ coef_ intercept_ feature_importances_}

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

    _methods = ("nb",)


@with_help
@with_parameters
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
    {parameters}

    Attributes
    ----------
    {classes_ n_features_in_ feature_names_in_ coordinates_ levels_ terms_}
    {pairs_ coef_ intercept_ feature_importances_}

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

    _methods = ("tan", "tan-forest")

    def _method(self) -> str:
        return "tan-forest" if self.forest else "tan"

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {**super()._parameters_of(options), "forest": options["method"] == "tan-forest"}


@with_help
@with_parameters
class LogDensityTransformer(TransformerMixin, TermEstimator):
    r"""Rows to log densities: the features that `SLBClassifier` separates.

    A row :math:`x` becomes

    .. math::

        T(x) = \left( \log p_y(x_i) \right)_{y, i} \cup \left( \log p_y(x_i, x_j) \right)_{y, (i,j) \in E_y},

    Gaussian kernel densities of every feature and of the pairs :math:`E_y` kept for class :math:`y`, for use
    in any pipeline. `fit_transform`, which pipelines call, returns cross-fitted values of the training rows:
    the densities of a row are those of the other folds, as in scikit-learn's `TargetEncoder`. `transform`
    treats training rows as any others: their own kernels are part of their densities, and tell their classes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {classes_ n_features_in_ feature_names_in_ coordinates_ levels_ terms_ pairs_}

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

    def _core_options(self) -> dict[str, Any]:
        rules = parameters_of("LogDensityTransformer")["pairs"].choices
        if isinstance(self.pairs, str) and self.pairs not in rules:
            raise ValueError(f"pairs must be one of {', '.join(rules)} or a list, got {self.pairs!r}")
        options = super()._core_options()
        # Pairs are those with which a single SVM on log densities is best; its cost does not matter then.
        options |= {"settings": "best", "linear_terms": False, "cost": "given"}
        if self.preset == "auto":  # SVMs that choose pairs give a rare class as much weight as others
            options["optimise"] = "balanced"
        if not (self.pairs is None or (isinstance(self.pairs, str) and self.pairs == "cv")):
            options.pop("inner_folds", None)  # no cross-validation chooses pairs
        if not (self.pairs is None or isinstance(self.pairs, str)) or self.pairs == "none":
            return {**options, "method": "lu", "pairs": "cv"}
        return {**options, "method": "slb-", "pairs": "cv"} if self.pairs == "all" else options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the densities from rows of known classes.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            A NumPy array, a pandas, polars or Arrow table, or lists. Columns of text, booleans or pandas
            categories are categories, others finite numbers; NaN, None, NA and null are missing values.
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
            self._fit_sample(self._check_sample(X, y, sample_weight))
        return self

    def _fit_sample(self, sample: Sample) -> None:
        given = None
        if not (self.pairs is None or isinstance(self.pairs, str)):
            pairs = check_pairs(self.pairs, self)
            given = [(code, i, j) for code in range(len(sample.classes)) for i, j in pairs]
        model, sample = self._fit_core(_core.fit_terms, sample, pairs=given)
        hsic = kept_hsic(model, sample.X, sample.codes, sample.weights, self._n_threads())
        self._set_terms(model, sample.classes, hsic)

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """Estimate the densities and return cross-fitted log densities of the same rows.

        Rows are dealt to folds, class by class, as many as `cv` says, 5 if it is no number. The values of a
        row are those of densities of the rows in other folds, for all columns that `fit` chooses. They are
        like those of new rows, so that a classifier behind this transformer does not take a row's own kernel
        for evidence. A class with fewer rows than folds has them in as many folds; the single row of a class
        is in all densities. Rows of weight zero have the values of new rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows, as for `fit`.
        y : array-like of shape (n_samples,)
            The class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, as for `fit`.

        Returns
        -------
        T : ndarray of shape (n_samples, n_terms), or data frame
            Columns in the order of ``terms_``. Not the same as ``fit(X, y).transform(X)``.
        """
        with self._unchanged_on_failure():
            sample = self._check_sample(X, y, sample_weight)
            self._fit_sample(sample)
            values = self._cross_fitted(sample)
        if sample.kept is None:
            return values
        result = self._term_values(X)
        result[sample.kept] = values
        return result

    def _cross_fitted(self, sample: Sample) -> NDArray[np.float64]:
        with self._progress() as tell:
            return _core.cross_fitted_terms(
                sample.X,
                sample.codes,
                len(sample.classes),
                self._checked_options(),
                pairs=[(code, i, j) for code, i, j in self._model.terms if i != j],
                n_folds=self.cv if isinstance(self.cv, numbers.Integral) else _FOLDS,
                sample_weight=sample.weights,
                levels=sample.levels,
                n_threads=self._n_threads(),
                progress=tell,
            )

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


def classifier_of(options: dict[str, Any]) -> TermClassifier:
    """The classifier, not fitted, that has the core's options as parameters."""
    kinds = (SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier)
    kind = next(kind for kind in kinds if options["method"] in kind._methods)
    return kind(**kind._parameters_of(options))

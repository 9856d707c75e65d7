# SPDX-License-Identifier: BSD-3-Clause
"""Why a model predicts what it does: contributions, importances and changes that flip a prediction."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from dyad import _core
from dyad._input import check_rows, feature_names

if TYPE_CHECKING:
    from typing_extensions import Self

# What `importances` may be of: the place in what the core tells.
_PARTS = {"term": 0, "effect": 1, "feature": 2}

# The value of a flip to a level that training rows had too few of to have a name.
OTHER_LEVEL = "(all others)"


class Importance(NamedTuple):
    """How much a part of the model matters to a score: a mean over rows, with a 95 % interval."""

    name: str  #: of the term, the feature or the pair, as in ``mass, light``
    features: tuple[int, ...]  #: columns of X, one or two
    label: Any  #: the class whose score it is, as in ``classes_``
    mean: float  #: of the absolute contribution
    low: float
    high: float


class Change(NamedTuple):
    """A change of one feature."""

    feature: int  #: column of X
    name: str  #: its name
    before: Any  #: the row's value: a number, the name of a level, or None for a missing one
    after: Any  #: another value


class Flip(NamedTuple):
    """A change of one feature, or of two, that changes a prediction."""

    feature: int  #: column of X
    name: str  #: its name
    before: Any  #: the row's value: a number, the name of a level, or None for a missing one
    after: Any  #: the nearest value with another prediction
    label: Any  #: that prediction, as in ``classes_``
    distance: float  #: share of the range in the model's coordinate, 1 between levels; of two their sum
    second: Change | None = None  #: a further change that is needed as well


class Band(NamedTuple):
    """The curve of a feature with a band of uncertainty."""

    values: list[Any]  #: of the feature: numbers, names of levels, None for a missing value
    points: NDArray[np.float64]  #: the same as the model reads them
    effect: NDArray[np.float64]  #: of the feature on the score
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class ExplanationMixin:
    """Explanations of classifiers whose scores are weighted sums of log densities."""

    def _contributions(self, values: NDArray) -> NDArray:
        """Rows x scores x terms."""
        scores = range(len(self._model.intercepts))
        return np.stack([self._model.contributions(values, score) for score in scores], axis=1)

    @property
    def baseline_(self) -> NDArray[np.float64]:
        """What the effects of a row are added to: its scores without any of them, one a score."""
        check_is_fitted(self)
        return np.array(_core.baselines(self._model))

    def explain(self, X: Any, *, by: str = "term", as_frame: bool | str | None = None) -> Any:
        """What the parts of the model add to the scores of rows.

        An effect is what a feature, or a pair of features beyond each alone, adds to a score: all its terms,
        purified so that a pair has the mean zero over the training rows at each value of either feature, and
        a feature over all rows. ``explain(X, by="effect").sum(axis=-1) + baseline_`` is
        ``decision_function(X)``, for more than two classes with softmax less the mean of a row's scores.

        A term adds weight times (value of the term - its centre); the value is a log density, or a feature in
        its coordinate: ``explain(X).sum(axis=-1) + intercept_`` is ``decision_function(X)``.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.
        by : {"term", "effect"}, default="term"
            What a part is.
        as_frame : bool or {"pandas", "polars"}, default=None
            Whether to return a data frame, and which; True stands for pandas, and None for what `set_output`
            or ``sklearn.set_config(transform_output=...)`` say.

        Returns
        -------
        contributions : ndarray of shape (n_samples, [n_classes,] n_parts), or data frame
            One axis more for more than two classes. Data frames have a column a part, named as in ``terms_``,
            or as ``mass`` and ``mass, light``; for more than two classes one a class and part, named
            ``class: part``.
        """
        if by == "effect":
            contributions = self._effect_values(X)
            names = [name for name, _ in self._parts("effect")]
        elif by == "term":
            contributions = self._contributions(self._term_values(X))
            names = [term.name for term in self.terms_]
        else:
            raise ValueError(f"by must be one of 'term', 'effect', got {by!r}")
        container = self._frame_kind(as_frame)
        if container == "default":
            return contributions[:, 0] if len(self.classes_) == 2 else contributions
        if len(self.classes_) > 2:
            names = [f"{label}: {name}" for label in self.classes_.tolist() for name in names]
        return _frame(
            container, contributions.reshape(len(contributions), -1), names, getattr(X, "index", None)
        )

    def _effect_values(self, X: Any) -> NDArray:
        """Rows x scores x effects."""
        check_is_fitted(self)
        rows = check_rows(self, X, self._model)
        values = _core.effect_values(self._model, rows, n_threads=self._n_threads())
        return np.ascontiguousarray(values.transpose(2, 0, 1))

    def _frame_kind(self, as_frame: bool | str | None) -> str:
        if as_frame is None:
            return _get_output_config("transform", self)["dense"]
        return {True: "pandas", False: "default"}.get(as_frame, as_frame)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set what `explain` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            Arrays, or data frames of pandas or polars; None leaves it as it is.

        Returns
        -------
        self : object
            The estimator.
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def importances(
        self, X: Any, *, by: str = "effect", label: Any = None, as_frame: bool = False
    ) -> list[Importance] | Any:
        r"""How much the parts of the model matter to the scores of rows.

        .. math:: \frac1n \sum_{r=1}^n | f(x_r) |

        for what a part adds to the score of row :math:`x_r`, as `explain` tells: an effect, a term, or all
        effects that a feature is in.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order. Of more than 20000 as many are drawn.
        by : {"effect", "term", "feature"}, default="effect"
            What a part is: a feature alone or a pair beyond its features, a term, or a feature with its
            pairs.
        label : object, default=None
            Whose score, one of ``classes_``. None takes, for more than two classes, the score to which each
            part matters most. The two scores of two classes have the same importances.
        as_frame : bool, default=False
            Whether to return a data frame of pandas.

        Returns
        -------
        importances : list of Importance, or data frame
            Name, features, label, mean, low and high of each part, the largest mean first. Between low and
            high lie 95 % of the means of samples drawn from the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 3))
        >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
        >>> model = SLBClassifier().fit(X, y)
        >>> model.importances(X)[0].name
        'x0, x1'
        """
        check_is_fitted(self)
        if by not in _PARTS:
            raise ValueError(f"by must be one of {', '.join(map(repr, _PARTS))}, got {by!r}")
        found = _core.importances(self._model, check_rows(self, X, self._model), n_threads=self._n_threads())
        values = found[_PARTS[by]]
        n_parts = values.shape[1]
        if label is None:
            scores = values[:, :, 0].argmax(axis=0)
        else:
            scores = np.full(n_parts, score_of(self, label)[0])
        parts = self._parts(by)
        labels = self.classes_.tolist()[-len(values) :]  # the one score of two classes is that of the second
        result = [
            Importance(*parts[k], labels[scores[k]], *values[scores[k], k].tolist())
            for k in np.argsort(-values[scores, np.arange(n_parts), 0], kind="stable")
        ]
        if not as_frame:
            return result
        import pandas as pd

        return pd.DataFrame(result, columns=Importance._fields)

    def _parts(self, by: str) -> list[tuple[str, tuple[int, ...]]]:
        """Name and features of the parts of the model."""
        if by == "term":
            return [(term.name, term.features) for term in self.terms_]
        names = feature_names(self)
        if by == "feature":
            return [(name, (j,)) for j, name in enumerate(names)]
        return [
            (names[i], (i,)) if i == j else (f"{names[i]}, {names[j]}", (i, j))
            for i, j, _ in _core.effects(self._model)
        ]

    def effect_band(
        self,
        X: Any,
        y: Any,
        feature: str | int,
        *,
        label: Any = None,
        sample_weight: Any = None,
        n_refits: int = 20,
        level: float = 0.9,
        n_points: int = 41,
        seed: int = 0,
    ) -> Band:
        """The curve of a feature with a band of uncertainty, from refits to reweighted rows.

        Everything is fitted anew `n_refits` times, pairs and settings included, with independent exponential
        weights of the rows (the Bayesian bootstrap); the band lies between quantiles of the refitted curves,
        each with the mean zero over the rows. It tells how far the curve depends on the rows that happened to
        be there, not how far the model is from being right.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            The rows of the fit.
        y : array-like of shape (n_samples,)
            Their classes.
        feature : str or int
            Name or number of a column.
        label : object, default=None
            Whose score, one of ``classes_``. None stands for the last.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fit.
        n_refits : int, default=20
            Number of fits; each takes as long as `fit`.
        level : float, default=0.9
            Share of the refitted curves that lie within the band at a value.
        n_points : int, default=41
            Number of values of a feature of numbers.
        seed : int, default=0
            Seed of the weights.

        Returns
        -------
        band : Band
            Values, effects, and the ends of the band.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import NaiveBayesKDE
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> y = np.where(X[:, 0] > 0, "right", "left")
        >>> band = NaiveBayesKDE().fit(X, y).effect_band(X, y, 0, n_points=5)
        >>> bool((band.low <= band.high).all())
        True
        """
        check_is_fitted(self)
        if n_refits < 2:
            raise ValueError(f"n_refits must be at least 2, got {n_refits!r}")
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level!r}")
        j = feature_place(self, feature)
        label = self.classes_.tolist()[-1] if label is None else label
        levels = self._model.levels[j] if self._model.levels else None
        points = _core.points(self._model, j, n_points)
        rows = check_rows(self, X, self._model)
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        rng = np.random.default_rng(seed)
        curves = []
        for _ in range(n_refits):
            refit = clone(self).fit(X, y, sample_weight=weights * rng.exponential(size=len(rows)))
            if levels is not None and refit._model.levels[j] != levels:
                raise ValueError(
                    f"column {feature!r} has levels too rare to keep in every refit; a larger max_levels "
                    "keeps all"
                )
            curves.append(_curve_over_rows(refit, points, rows, j, label))
        low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return Band(
            values=[value_in_words(levels, point) for point in points],
            points=points,
            effect=_curve_over_rows(self, points, rows, j, label),
            low=low,
            high=high,
        )

    def flips(self, X: Any, *, immutable: Iterable[str | int] = ()) -> list[list[Flip]]:
        """The smallest changes of one feature, or else of two, that change a prediction.

        Numbers change within the range of the training rows, to whole numbers where all of those are whole,
        categories to levels with a name. A value in between that is predicted yet otherwise may be overlooked
        if its neighbours are not. Rows whose prediction no single feature changes get up to five changes of
        two features, in ``feature`` and ``second``.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.
        immutable : iterable of str or int, default=()
            Features, by name or number, that stay as they are.

        Returns
        -------
        flips : list of list of Flip
            For each row the nearest change of each feature that can change its prediction, nearest first:
            feature, name, values before and after, the label predicted then, and the distance.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 2))
        >>> y = np.where(X[:, 0] > 1, "right", "left")
        >>> model = SLBClassifier().fit(X, y)
        >>> nearest = model.flips([[0.0, 0.0]])[0][0]
        >>> print(f"{nearest.name} from {nearest.before:.0f} to {nearest.after:.0f}: {nearest.label}")
        x0 from 0 to 1: right
        """
        check_is_fitted(self)
        rows = check_rows(self, X, self._model)
        names = feature_names(self)
        labels = self.classes_.tolist()
        levels = self._model.levels or [None] * len(names)
        fixed = [feature_place(self, feature) for feature in immutable]

        def change(row: NDArray, j: int, value: float) -> Change:
            return Change(j, names[j], value_in_words(levels[j], row[j]), value_in_words(levels[j], value))

        all_found = _core.flips(self._model, rows, self._n_threads(), fixed)
        return [
            [
                Flip(*change(row, j, value), labels[code], distance, second and change(row, *second))
                for j, value, distance, code, second in found
            ]
            for row, found in zip(rows, all_found, strict=True)
        ]


def _curve_over_rows(estimator: Any, points: NDArray, rows: NDArray, j: int, label: Any) -> NDArray:
    """The curve of feature j with the mean zero over rows."""
    score, sign = score_of(estimator, label)
    at_points = _core.effect_curve(estimator._model, j, points)[:, score]
    at_rows = _core.effect_curve(estimator._model, j, np.ascontiguousarray(rows[:, j]))[:, score]
    return sign * (at_points - at_rows.mean())


def value_in_words(levels: tuple[list[str], bool] | None, value: float) -> Any:
    """A number, the name of the level that a code stands for, or None for a missing value."""
    if np.isnan(value):
        return None
    if levels is None:
        return float(value)
    return levels[0][int(value)] if value < len(levels[0]) else OTHER_LEVEL


def score_of(estimator: Any, label: Any) -> tuple[int, int]:
    """The place of the score of a label, and its sign: of two classes there is only that of the second."""
    code = label_place(estimator, label)
    return (0, 2 * code - 1) if len(estimator.classes_) == 2 else (code, 1)


def label_place(estimator: Any, label: Any) -> int:
    """The place of a label in `classes_`."""
    labels = estimator.classes_.tolist()
    if label not in labels:
        raise ValueError(f"label must be one of {', '.join(map(repr, labels))}, got {label!r}")
    return labels.index(label)


def feature_place(estimator: Any, feature: Any) -> int:
    """The column of a feature that is given by its name or number."""
    names = feature_names(estimator)
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool) and 0 <= feature < len(names):
        return int(feature)
    listed = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    raise ValueError(
        f"no feature {feature!r}; there are {listed}, or their numbers from 0 to {len(names) - 1}"
    )


def _frame(container: str, values: NDArray, columns: list[str], index: Any) -> Any:
    if container == "pandas":
        import pandas as pd

        return pd.DataFrame(values, columns=columns, index=index if isinstance(index, pd.Index) else None)
    if container == "polars":
        import polars as pl

        return pl.DataFrame(values, schema=columns, orient="row")
    raise ValueError(f"as_frame must be a bool, 'pandas' or 'polars', got {container!r}")

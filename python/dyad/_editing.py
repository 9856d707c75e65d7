# SPDX-License-Identifier: BSD-3-Clause
"""Edits of fitted classifiers, effect by effect, and SHAP values of their features."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from dyad import _core
from dyad._explanation import feature_place
from dyad._input import check_rows, feature_names

if TYPE_CHECKING:
    from typing_extensions import Self

# The attributes that are about the fit's own model.
_OF_THE_FIT = ("feature_importances_", "n_iter_")


class EditingMixin:
    """Edits of classifiers whose scores are sums of effects. Each returns a new fitted estimator.

    The score of the new one is the sum of the edited effects, for every row. `describe` and `edits_` tell
    what was done.
    """

    @property
    def edits_(self) -> list[str]:
        """What was done to the model after its fit, first to last."""
        check_is_fitted(self)
        return _core.edits(self._model)

    @property
    def monotone_(self) -> dict[str, str]:
        """The features along which the score has a direction: ``"increasing"`` or ``"decreasing"``."""
        check_is_fitted(self)
        names = feature_names(self)
        return {names[feature]: direction for feature, direction in _core.directions(self._model)}

    def _edited(self, model: _core.Model) -> Self:
        """A copy of the estimator with another model."""
        result = copy.copy(self)
        for name in _OF_THE_FIT:
            if hasattr(result, name):
                delattr(result, name)
        labels = self.classes_.tolist()
        hsic = {
            (labels.index(label), pair.i, pair.j): pair.hsic
            for label, pairs in self.pairs_.items()
            for pair in pairs
        }
        may_lack_names = self._may_lack_names
        result._set_model(model, self.classes_, hsic)
        result._may_lack_names = may_lack_names
        return result

    def _effect_place(self, effect: Any) -> tuple[int, int]:
        """The columns of a feature, both the same, or of a pair."""
        if isinstance(effect, (tuple, list)):
            if len(effect) != 2:
                raise ValueError(f"an effect is a feature or a pair of two, got {effect!r}")
            i, j = sorted(feature_place(self, feature) for feature in effect)
            if i == j:
                raise ValueError(f"a pair has two features, got {effect!r}")
            return i, j
        i = feature_place(self, effect)
        return i, i

    def remove_effects(self, effects: Iterable[Any]) -> Self:
        """Remove effects: their mean over the training rows, which is zero, takes their place.

        What a pair lends to its features, and a feature to its pairs, stays.

        Parameters
        ----------
        effects : iterable
            Features, by name or number, and pairs of them, as ``["age", ("age", "balance")]``.

        Returns
        -------
        estimator : object
            A new fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 3))
        >>> y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, "same", "other")
        >>> model = SLBClassifier().fit(X, y)
        >>> edited = model.remove_effects(["x2"])
        >>> edited.edits_
        ['x2 removed']
        """
        check_is_fitted(self)
        places = [self._effect_place(effect) for effect in effects]
        return self._edited(_core.scaled_effects(self._model, places, 0.0))

    def scale_effect(self, effect: Any, factor: float) -> Self:
        """Multiply an effect by a factor.

        Parameters
        ----------
        effect : str, int or pair of them
            A feature, by name or number, or a pair.
        factor : float
            The factor; 0 removes the effect.

        Returns
        -------
        estimator : object
            A new fitted estimator.
        """
        check_is_fitted(self)
        return self._edited(_core.scaled_effects(self._model, [self._effect_place(effect)], float(factor)))

    def set_shape(self, effect: Any, values: Any, at: Any = None) -> Self:
        """Replace an effect by a function of your own.

        Between points it is linear in the model's coordinate of the feature, and beyond them constant; at
        missing values it stays as it was. Its mean over the training rows goes to `baseline_`, and what the
        function of a pair says of one feature alone to that feature.

        Parameters
        ----------
        effect : str, int or pair of them
            A feature, by name or number, or a pair that the model has.
        values : array-like, or mapping of a feature
            The effect at the points: ``(n,)`` of a feature, ``(n, m)`` of a pair, for more than two classes
            with one more axis for the classes. A mapping has a value for each point, without `at`.
        at : array-like, or pair of them, default=None
            The points: ascending numbers, or all levels of a category. Of a pair one array for each feature.
            None takes the levels in the order of ``levels_``.

        Returns
        -------
        estimator : object
            A new fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 2))
        >>> model = SLBClassifier().fit(X, X[:, 0] + X[:, 1] > 0)
        >>> flat = model.set_shape("x0", {-1: -2.0, 1: 2.0})
        >>> float(np.round(np.ptp(flat.explain([[-3, 0], [3, 0]], by="effect")[:, 0]), 6))
        4.0
        """
        check_is_fitted(self)
        i, j = self._effect_place(effect)
        if isinstance(values, Mapping):
            if i != j or at is not None:
                raise ValueError("a mapping of values is for one feature, without `at`")
            at, values = list(values), list(values.values())
        given = (at,) if i == j else (None, None) if at is None else tuple(at)
        features = (i,) if i == j else (i, j)
        if i != j and feature_place(self, effect[0]) == j:  # as named, not as numbered
            given = given[::-1]
            values = np.swapaxes(np.asarray(values, dtype=np.float64), 0, 1)
        points, orders = zip(
            *(self._shape_points(f, of) for f, of in zip(features, given, strict=True)), strict=True
        )
        values = np.asarray(values, dtype=np.float64)
        n_scores = len(self._model.intercepts)
        shape = (*map(len, points), *(() if n_scores == 1 else (n_scores,)))
        if values.shape != shape:
            raise ValueError(f"values: expected the shape {shape}, got {values.shape}")
        for axis, order in enumerate(orders):
            values = np.take(values, order, axis=axis)
        values = np.ascontiguousarray(values.reshape(-1, n_scores))
        y = points[1] if i != j else []
        return self._edited(_core.with_shape(self._model, (i, j), points[0], y, values))

    def _shape_points(self, feature: int, at: Any) -> tuple[list[float], NDArray[np.intp]]:
        """Points as the core has them, and the places that they were given at."""
        name = feature_names(self)[feature]
        levels = self._model.levels[feature] if self._model.levels else None
        if levels is None:
            if at is None:
                raise ValueError(f"set_shape needs the numbers `at` which {name!r} has values")
            points = np.asarray(at, dtype=np.float64)
            order = np.argsort(points, kind="stable")
            return points[order].tolist(), order
        names = [*levels[0], *(["(all others)"] if levels[1] else [])]
        given = names if at is None else [str(level) for level in at]
        if sorted(given) != sorted(names):
            raise ValueError(f"set_shape of {name!r} needs all its levels: {', '.join(map(repr, names))}")
        return [float(k) for k in range(len(names))], np.array([given.index(level) for level in names])

    def monotonize(self, features: Any, direction: str | None = None) -> Self:
        """Make the score of the second of two classes never fall, or never rise, as a number grows.

        A feature and its pairs become tables between whose nodes scores are linear. What falls is replaced by
        its isotonic regression over the training rows, together with the pairs of the feature, so that the
        direction holds for every row. Features that had a direction before keep it.

        Parameters
        ----------
        features : str, int or dict
            A feature of numbers, by name or number; or directions by feature.
        direction : {"increasing", "decreasing"}, default=None
            The direction of one feature.

        Returns
        -------
        estimator : object
            A new fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 2))
        >>> model = SLBClassifier().fit(X, X[:, 0] + X[:, 1] > 0)
        >>> model.monotonize("x0", "increasing").monotone_
        {'x0': 'increasing'}
        """
        check_is_fitted(self)
        directions = features if isinstance(features, Mapping) else {features: direction}
        return self._edited(_core.monotone_features(self._model, self._directions(directions)))

    def _directions(self, directions: Mapping[Any, Any] | None) -> list[tuple[int, str]]:
        """Directions by column."""
        if directions is None:
            return []
        if not isinstance(directions, Mapping):
            raise ValueError(f"monotone must be a dict of directions by feature, got {directions!r}")
        for name, direction in directions.items():
            if direction not in ("increasing", "decreasing"):
                raise ValueError(
                    f"the direction of {name!r} must be 'increasing' or 'decreasing', got {direction!r}"
                )
        return [(feature_place(self, name), direction) for name, direction in directions.items()]

    def _with_directions(self, model: _core.Model, directions: Sequence[tuple[int, str]]) -> _core.Model:
        """The model of a fit with the parameter `monotone`."""
        return _core.monotone_features(model, directions, leaves_trace=False) if directions else model

    def simplify(self, *, max_effects: int) -> Self:
        """Keep the largest effects alone, without a new fit.

        Parameters
        ----------
        max_effects : int
            Number of effects to keep, of features and pairs together, by their mean size over the training
            rows. The parameter of that name fits those that it keeps anew, which predicts better.

        Returns
        -------
        estimator : object
            A new fitted estimator.
        """
        check_is_fitted(self)
        if not isinstance(max_effects, (int, np.integer)) or max_effects < 0:
            raise ValueError(f"max_effects must be a whole number, 0 or more, got {max_effects!r}")
        return self._edited(_core.largest_effects(self._model, int(max_effects)))

    def shap_values(self, X: Any, background: ArrayLike, *, as_explanation: bool = False) -> Any:
        """SHAP values of the features, exact and in closed form.

        The Shapley values of the game in which features that are not known are those of background rows
        (interventional): ``shap_values(X, background).sum(axis=1)`` is ``decision_function(X)`` less its mean
        over the background.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.
        background : array-like or dataframe of shape (n_background, n_features)
            Rows that X is compared with; a hundred are a usual number.
        as_explanation : bool, default=False
            Whether to return a ``shap.Explanation``; requires the package shap.

        Returns
        -------
        values : ndarray of shape (n_samples, n_features, [n_classes]), or shap.Explanation
            Scores are those of `decision_function`; one axis more for more than two classes.

        Examples
        --------
        >>> import numpy as np
        >>> from dyad import SLBClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 2))
        >>> model = SLBClassifier().fit(X, X[:, 0] + X[:, 1] > 0)
        >>> values = model.shap_values(X[:5], X[:100])
        >>> difference = model.decision_function(X[:5]) - model.decision_function(X[:100]).mean()
        >>> bool(np.allclose(values.sum(axis=1), difference))
        True
        """
        check_is_fitted(self)
        rows = check_rows(self, X, self._model)
        base, values = _core.shap_values(
            self._model, rows, check_rows(self, background, self._model), self._n_threads()
        )
        values = np.ascontiguousarray(values.transpose(2, 1, 0))
        if len(self.classes_) == 2:
            base, values = base[0], values[:, :, 0]
        if not as_explanation:
            return values
        import shap

        names = feature_names(self)
        base_values = np.broadcast_to(base, (len(values), *np.shape(base))).copy()
        return shap.Explanation(values, base_values=base_values, data=rows, feature_names=names)

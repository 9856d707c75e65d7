# SPDX-License-Identifier: BSD-3-Clause
"""Surfaces of pairs of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad import _core
from dyad._explanation import feature_place, label_place, score_of
from dyad.plot._drawing import (
    NEUTRAL,
    SEQUENTIAL,
    axes_or_new,
    chosen_label,
    diverging,
    known_rows,
    require_fitted,
    shown,
)
from dyad.plot._feature_axis import FeatureAxis, feature_axis
from dyad.plot._help import with_help

_SURFACE_POINTS = 101

# Log densities further below the largest are drawn alike.
_DEEPEST = 7.0

# Scores and ratios are told apart as far as they go where a class has this share of its largest density.
_LEAST_SHARE = 0.1


@with_help
def pair(
    estimator: Any,
    i: str | int,
    j: str | int,
    *,
    kind: str = "score",
    label: Any = None,
    X: Any = None,
    rows: int | Sequence[int] | None = None,
    ax: Any = None,
) -> Any:
    """The surface of a pair of features.

    Cells without training rows are pale.

    Parameters
    ----------
    {estimator}
    i, j : str or int
        Names or numbers of two columns, the first along the x axis.
    kind : {"score", "total", "ratio", "density"}, default="score"
        What the terms of the pair contribute to the score; the same with the own terms of both features; the
        log density of the label's class less the mean of those of the others; or that log density. A class
        that does not keep the pair takes its features as independent.
    label : object, default=None
        Whose score or density, one of ``classes_``. None stands for the second of two.
    X : array-like or dataframe of shape (n_samples, n_features), default=None
        Rows to draw as dots; those beyond the picture are at its border.
    rows : int or sequence of int, default=None
        Numbers of rows of `X` to mark by a star.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> ax = dyad.plot.pair(dyad.SLBClassifier().fit(X, y), 0, 1, X=X, rows=5)
    >>> print(ax.get_xlabel(), ax.get_ylabel(), ax.get_title())
    x0 x1 What x0 and x1 say as a pair
    """
    require_fitted(estimator)
    label = chosen_label(estimator, label)
    label_place(estimator, label)
    if kind not in _PAIR_KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, _PAIR_KINDS))}, got {kind!r}")
    columns = feature_place(estimator, i), feature_place(estimator, j)
    if columns[0] == columns[1]:
        raise ValueError(f"a pair needs two features, got {i!r} twice")
    values_of_rows = None if X is None else known_rows(estimator, X)[:, list(columns)]
    marked = _marked_rows(rows, values_of_rows)
    axes = [feature_axis(estimator, column, _SURFACE_POINTS) for column in columns]
    values = _surface(estimator, columns, axes, kind, label)
    ax = axes_or_new(ax, 6.0, 4.8)
    names = [shown(axis.name) for axis in axes]
    title, colour_label = _PAIR_KINDS[kind]
    mesh = draw_surface(ax, axes, values, kind, *_colour_range(estimator, columns, axes, values, kind))
    _veil(ax, axes, _of_pair(_core.cells_with_rows, estimator, columns, axes)[:, :, 0])
    fill = {"label": shown(label), "others": _others_text(estimator, label)}
    ax.figure.colorbar(
        mesh, ax=ax, label=colour_label.format(**fill), extend="min" if kind == "density" else "both"
    )
    ax.set_title(title.format(*names, **fill))
    if values_of_rows is not None:
        _draw_rows(ax, axes, values_of_rows, marked)
    return ax


# Title, and label of the colours.
_PAIR_KINDS = {
    "score": ("What {0} and {1} say as a pair", "contribution to the score of {label}"),
    "total": ("What {0} and {1} say together", "contribution to the score of {label}"),
    "ratio": ("{0} and {1}: {label} against {others}", "log density ratio, above 0 for {label}"),
    "density": ("{0} and {1} in {label}", "log density in the model's coordinates"),
}


def pair_log_densities(
    estimator: Any, columns: Sequence[int], axes: Sequence[FeatureAxis]
) -> NDArray[np.float64]:
    """n_x x n_y x n_classes, whichever column comes first."""
    return _of_pair(_core.log_densities, estimator, columns, axes)


def _of_pair(function: Any, estimator: Any, columns: Sequence[int], axes: Sequence[FeatureAxis]) -> NDArray:
    if columns[0] < columns[1]:
        return function(estimator._model, *columns, axes[0].points, axes[1].points)
    swapped = function(estimator._model, columns[1], columns[0], axes[1].points, axes[0].points)
    return swapped.transpose(1, 0, 2)


def _surface(
    estimator: Any, columns: Sequence[int], axes: Sequence[FeatureAxis], kind: str, label: Any
) -> NDArray[np.float64]:
    code = label_place(estimator, label)
    if kind in ("ratio", "density"):
        values = pair_log_densities(estimator, columns, axes)
        if np.isnan(values).any():
            raise ValueError("the model has no densities of " + _quoted(axes))
        if kind == "density":
            return values[:, :, code]
        return values[:, :, code] - np.delete(values, code, axis=2).mean(axis=2)
    is_pair = any({i, j} == set(columns) for _, i, j in estimator._model.terms)
    if kind == "score" and not is_pair:
        names = " and ".join(repr(axis.name) for axis in axes)
        raise ValueError(
            f"{names} are no pair of the model; kind='total', 'ratio' and 'density' show any two"
        )
    score, sign = score_of(estimator, label)
    values = _of_pair(_core.effect_surface, estimator, columns, axes)[:, :, score]
    if kind == "total":
        of_x, of_y = (
            _core.effect_curve(estimator._model, column, axis.points)[:, score]
            for column, axis in zip(columns, axes, strict=True)
        )
        values = values + of_x[:, np.newaxis] + of_y
    return sign * values


def _quoted(axes: Sequence[FeatureAxis]) -> str:
    return " and ".join(repr(axis.name) for axis in axes)


def _colour_range(
    estimator: Any, columns: Sequence[int], axes: Sequence[FeatureAxis], values: NDArray, kind: str
) -> tuple[float, float]:
    """Smallest and largest value that is told apart."""
    if kind == "density":
        return density_range(values)
    densities = pair_log_densities(estimator, columns, axes)
    largest = np.nanmax(densities, axis=(0, 1), initial=-np.inf)
    is_common = (densities > largest + np.log(_LEAST_SHARE)).any(axis=2)
    most = float(np.abs(values[is_common] if is_common.any() else values).max()) or 1.0
    return -most, most


def density_range(values: NDArray) -> tuple[float, float]:
    """Log densities that are told apart."""
    largest = float(np.nanmax(values))
    return largest - _DEEPEST, largest


def _others_text(estimator: Any, label: Any) -> str:
    others = [one for one in estimator.classes_.tolist() if one != label]
    return shown(others[0]) if len(others) == 1 else "the others"


def draw_surface(
    ax: Any, axes: Sequence[FeatureAxis], values: NDArray, kind: str, low: float, high: float
) -> Any:
    """Draw values at the points of two axes as a mesh, which is returned, with colours from low to high."""
    cells = np.ma.masked_invalid(axes[1].mesh_cells(axes[0].mesh_cells(values, 0), 1).T)
    edges = [axis.mesh_edges() for axis in axes]
    colours = SEQUENTIAL if kind == "density" else diverging()
    mesh = ax.pcolormesh(*edges, cells, cmap=colours, vmin=low, vmax=high, shading="flat", rasterized=True)
    numbers = all(axis.levels is None for axis in axes)
    inner = values[: axes[0].n_known, : axes[1].n_known]
    if kind != "density" and numbers and np.nanmin(inner) < 0 < np.nanmax(inner):
        known = [axis.places[: axis.n_known] for axis in axes]
        ax.contour(*known, inner.T, levels=[0], colors=NEUTRAL, linewidths=0.8)
    axes[0].dress(ax, "x")
    axes[1].dress(ax, "y")
    return mesh


def _veil(ax: Any, axes: Sequence[FeatureAxis], with_rows: NDArray) -> None:
    """Fade the cells without training rows."""
    cells = np.where(with_rows > 0, np.nan, 1.0)
    cells = np.ma.masked_invalid(axes[1].mesh_cells(axes[0].mesh_cells(cells, 0), 1).T)
    edges = [axis.mesh_edges() for axis in axes]
    from matplotlib.colors import ListedColormap

    white = ListedColormap(["white"])
    ax.pcolormesh(*edges, cells, cmap=white, alpha=0.7, shading="flat", rasterized=True, zorder=1.5)


def _marked_rows(rows: int | Sequence[int] | None, values: NDArray | None) -> list[int]:
    """Numbers of rows that are there."""
    marked = [] if rows is None else np.atleast_1d(rows).tolist()
    if marked and values is None:
        raise ValueError("rows are numbers of rows of X, which is not given")
    for row in marked:
        if not 0 <= row < len(values):
            raise ValueError(f"rows has {row}, but X has rows 0 to {len(values) - 1}")
    return marked


def _draw_rows(ax: Any, axes: Sequence[FeatureAxis], values: NDArray, marked: Sequence[int]) -> None:
    places = [axis.spread_out(values[:, k], seed=k) for k, axis in enumerate(axes)]
    ax.scatter(*places, s=7, color="black", alpha=min(0.5, 60 / len(values) + 0.1), linewidths=0, zorder=3)
    for row in marked:
        place = places[0][row], places[1][row]
        star(ax, *place)
        ax.annotate(str(row), place, (6, 5), textcoords="offset points", zorder=5)


def star(ax: Any, x: float, y: float) -> None:
    """Mark a place that must be seen on any colour."""
    ax.scatter([x], [y], s=150, marker="*", color="white", edgecolors="black", linewidths=1, zorder=4)

# SPDX-License-Identifier: BSD-3-Clause
"""What a model says at all: importances, curves and densities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad import _core
from dyad._explanation import feature_place, label_place, score_of
from dyad.plot._drawing import (
    FAINT,
    NEUTRAL,
    axes_or_new,
    class_colour,
    class_line,
    in_legend,
    known_rows,
    require_fitted,
    shown,
)
from dyad.plot._feature_axis import FeatureAxis, feature_axis
from dyad.plot._help import with_help

_CURVE_POINTS = 201


@with_help
def importances(
    estimator: Any, X: Any, *, by: str = "effect", label: Any = None, top: int = 15, ax: Any = None
) -> Any:
    """Bars of the parts of the model that matter most, with their 95 % intervals.

    Parameters
    ----------
    {estimator}
    X : array-like or dataframe of shape (n_samples, n_features)
        Rows that importances are means over.
    by : {"effect", "term", "feature"}, default="effect"
        What a part is, and `label` whose score: as for the method ``importances``.
    label : object, default=None
        One of ``classes_``; None for the score to which each part matters most.
    top : int, default=15
        How many.
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
    >>> ax = dyad.plot.importances(dyad.SLBClassifier().fit(X, y), X)
    >>> ax.get_yticklabels()[0].get_text()
    'x0, x1'
    """
    require_fitted(estimator)
    found = estimator.importances(X, by=by, label=label)
    kept = found[:top]
    ax = axes_or_new(ax, height=1.4 + 0.26 * max(len(kept), 1))
    places = np.arange(len(kept))
    means = np.array([part.mean for part in kept])
    ends = np.array([[part.mean - part.low, part.high - part.mean] for part in kept]).reshape(-1, 2).T
    by_class = len(estimator.classes_) > 2 and label is None
    codes = [label_place(estimator, part.label) if by_class else 0 for part in kept]
    ax.barh(places, means, color=[class_colour(code) for code in codes], height=0.7)
    ax.errorbar(means, places, xerr=np.maximum(ends, 0), fmt="none", ecolor="black", elinewidth=1, capsize=2)
    longest = 60 if by == "term" else 40
    ax.set_yticks(places, [shown(part.name, longest) for part in kept])
    ax.set_ylim(len(kept) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("mean absolute contribution to the score")
    what = {"effect": "features and pairs", "term": "terms", "feature": "features"}[by]
    of = "" if label is None or len(estimator.classes_) == 2 else f" to {shown(label)}"
    more = f" ({len(kept)} of {len(found)})" if len(kept) < len(found) else ""
    ax.set_title(f"What matters{of}: {what}{more}")
    if by_class:
        _class_legend(ax, estimator, sorted(set(codes)), "score of")
    return ax


@with_help
def feature(
    estimator: Any, feature: str | int, *, label: Any = None, X: Any = None, band: Any = None, ax: Any = None
) -> Any:
    """The curve of a feature: what its own terms, without pairs, contribute to the score.

    Parameters
    ----------
    {estimator feature}
    label : object, default=None
        Whose score, one of ``classes_``. None stands for the second of two, or for all of more.
    X : array-like or dataframe of shape (n_samples, n_features), default=None
        Rows whose histogram is drawn along the axis.
    band : Band, default=None
        What ``effect_band`` returned for the feature and label: a band of uncertainty to draw.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ax = dyad.plot.feature(dyad.NaiveBayesKDE().fit(X, X[:, 0] > 0), 0)
    >>> x, y = ax.lines[0].get_data()
    >>> bool(y[0] < 0 < y[-1])
    True
    """
    require_fitted(estimator)
    j = feature_place(estimator, feature)
    labels = estimator.classes_.tolist()
    if label is not None:
        labels = [labels[label_place(estimator, label)]]
    elif len(labels) == 2:
        labels = labels[1:]
    axis = feature_axis(estimator, j, _CURVE_POINTS)
    curves = _core.effect_curve(estimator._model, j, axis.points)
    ax = axes_or_new(ax)
    for k, one in enumerate(labels):
        score, sign = score_of(estimator, one)
        shift = _beside(k, len(labels)) if axis.levels is not None else 0
        _draw_curve(ax, axis, sign * curves[:, score], label_place(estimator, one), one, shift)
    if band is not None:
        _draw_band(ax, axis, band)
    ax.axhline(0, color=FAINT, linewidth=1, zorder=0)
    if X is not None:
        _draw_histogram(ax, axis, known_rows(estimator, X)[:, j])
    axis.dress(ax, "x")
    if len(labels) > 1:
        ax.legend(title="score of", frameon=False)
        ax.set_ylabel("contribution to the score")
    else:
        ax.set_ylabel(f"contribution to the score of {shown(labels[0])}")
    ax.set_title(f"What {shown(axis.name)} says alone")
    return ax


def _draw_band(ax: Any, axis: FeatureAxis, band: Any) -> None:
    """Draw a band over numbers, and bars over levels and missing values."""
    places = axis.place_of(band.points.copy())
    apart = np.isnan(band.points) | (axis.levels is not None)
    ax.fill_between(places[~apart], band.low[~apart], band.high[~apart], color=FAINT, alpha=0.6, zorder=0.5)
    ax.vlines(places[apart], band.low[apart], band.high[apart], color=NEUTRAL, linewidth=2, zorder=4)


@with_help
def densities(estimator: Any, feature: str | int, *, X: Any = None, ax: Any = None) -> Any:
    """The densities of a feature in the classes.

    Those of numbers are densities in the coordinate that the model has for the feature, drawn at its values;
    those of categories are shares of levels.

    Parameters
    ----------
    {estimator feature}
    X : array-like or dataframe of shape (n_samples, n_features), default=None
        Rows whose histogram is drawn along the axis of numbers.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ax = dyad.plot.densities(dyad.NaiveBayesKDE().fit(X, X[:, 0] > 0), 0)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['False', 'True']
    """
    require_fitted(estimator)
    j = feature_place(estimator, feature)
    axis = feature_axis(estimator, j, _CURVE_POINTS)
    values = np.exp(_core.log_densities(estimator._model, j, axis.points))
    if np.isnan(values).all():
        raise ValueError(f"the model has no densities of {axis.name!r}")
    ax = axes_or_new(ax)
    labels = estimator.classes_.tolist()
    for code, label in enumerate(labels):
        if axis.levels is None:
            _draw_curve(ax, axis, values[:, code], code, label)
        else:
            width = 0.8 / len(labels)
            places = axis.places + (code - (len(labels) - 1) / 2) * width
            ax.bar(places, values[:, code], width, color=class_colour(code), label=in_legend(label))
    if X is not None and axis.levels is None:
        _draw_histogram(ax, axis, known_rows(estimator, X)[:, j])
    axis.dress(ax, "x")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("share of rows" if axis.levels is not None else "density in the model's coordinate")
    ax.legend(frameon=False)
    ax.set_title(f"{shown(axis.name)} in each class")
    return ax


def _draw_curve(
    ax: Any, axis: FeatureAxis, values: NDArray, code: int, label: Any, shift: float = 0.0
) -> None:
    """A line of numbers, or dots of levels; a dot for missing values."""
    n = axis.n_known
    name, colour = in_legend(label), class_colour(code)
    if axis.levels is None:
        ax.plot(axis.places[:n], values[:n], linewidth=2, label=name, **class_line(code))
    else:
        ax.plot(axis.places[:n] + shift, values[:n], "o", markersize=7, color=colour, label=name)
    if axis.missing_edges is not None:
        ax.plot(axis.places[n:] + shift, values[n:], "o", markersize=7, color=colour)


def _beside(k: int, count: int) -> float:
    """Shift of the dots of one of several classes at a level."""
    return 0.6 * (k + 0.5) / count - 0.3 if count > 1 else 0.0


def _draw_histogram(ax: Any, axis: FeatureAxis, values: NDArray) -> None:
    """Grey bars at the bottom, a tenth of the picture high."""
    left, width, counts = axis.histogram(values)
    height = 0.12 * counts / max(counts.max(), 1)
    ax.bar(
        left,
        height,
        width,
        align="edge",
        color=FAINT,
        zorder=0,
        transform=ax.get_xaxis_transform(),
        alpha=0.8,
    )


def _class_legend(ax: Any, estimator: Any, codes: Sequence[int], title: str) -> None:
    from matplotlib.patches import Patch

    labels = estimator.classes_.tolist()
    handles = [Patch(color=class_colour(code), label=in_legend(labels[code])) for code in codes]
    ax.legend(handles=handles, title=title, frameon=False)

# SPDX-License-Identifier: BSD-3-Clause
"""What a model says of one row: contributions, its place among the densities of pairs, and flips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad import _core
from dyad._explanation import label_place, score_of, value_in_words
from dyad._input import feature_names
from dyad.plot._drawing import (
    FAINT,
    NEUTRAL,
    axes_or_new,
    change_texts,
    class_colour,
    effects_of_row,
    number_text,
    one_row,
    pyplot,
    require_fitted,
    shown,
    value_text,
)
from dyad.plot._feature_axis import feature_axis
from dyad.plot._help import with_help
from dyad.plot._pair import density_range, draw_surface, pair_log_densities, star

_SURFACE_POINTS = 81
_RANGE_POINTS = 65  # those that flips are found among
_MISSING_PLACE = -0.1


@with_help
def waterfall(estimator: Any, x: Any, *, label: Any = None, top: int = 10, ax: Any = None) -> Any:
    """How the score of a row comes about: from the baseline, effect by effect, to the score.

    Parameters
    ----------
    {estimator x}
    label : object, default=None
        Whose score, one of ``classes_``. None stands for the second of two, or for the class that is
        predicted.
    top : int, default=10
        Effects with a bar of their own, those of largest size; the others share one.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = dyad.NaiveBayesKDE().fit(X, X[:, 0] > 0)
    >>> ax = dyad.plot.waterfall(model, X[0])
    >>> last = ax.patches[-1]  # the bar of the last effect ends at the score
    >>> bool(np.isclose(last.get_x() + last.get_width(), model.decision_function(X[:1])[0]))
    True
    """
    require_fitted(estimator)
    row = one_row(estimator, x)
    if label is None:
        label = estimator.classes_.tolist()[1 if len(estimator.classes_) == 2 else _predicted(estimator, row)]
    score, sign = score_of(estimator, label)
    effects = _core.effects(estimator._model)
    parts = sign * effects_of_row(estimator, row)[score]
    start = sign * estimator.baseline_[score]
    order = np.argsort(-np.abs(parts), kind="stable")
    texts = [_effect_text(estimator, row, effects[k]) for k in order[:top]]
    steps = parts[order[:top]].tolist()
    if len(order) > top:
        texts.append(f"{len(order) - top} more")
        steps.append(float(parts[order[top:]].sum()))
    total = start + sum(steps)
    ax = axes_or_new(ax, 7.0, 1.5 + 0.32 * (len(steps) + 2))
    _draw_steps(ax, start, steps, _sides(estimator, label))
    ax.set_yticks(range(len(steps) + 2), ["baseline", *texts, "score"])
    ax.set_ylim(len(steps) + 1.6, -0.6)
    two = len(estimator.classes_) == 2
    ax.set_xlabel(f"score, above 0 for {shown(label)}" if two else f"score of {shown(label)}")
    ax.set_title(f"How the score {number_text(total)} of {shown(label)} comes about")
    return ax


def _sides(estimator: Any, label: Any) -> list[tuple[str, str]]:
    """Colour and text of what speaks for a class, and of what speaks against it."""
    code = label_place(estimator, label)
    if len(estimator.classes_) > 2:
        return [(class_colour(code), f"for {shown(label)}"), (NEUTRAL, f"against {shown(label)}")]
    other = estimator.classes_.tolist()[1 - code]
    return [(class_colour(code), f"for {shown(label)}"), (class_colour(1 - code), f"for {shown(other)}")]


def _draw_steps(ax: Any, start: float, steps: Sequence[float], sides: Sequence[tuple[str, str]]) -> None:
    """Bars between where each step begins and ends, with what it adds."""
    from matplotlib.patches import Patch

    places = np.concatenate([[start], start + np.cumsum(steps)])
    for k, step in enumerate(steps, start=1):
        ax.barh(k, step, left=places[k - 1], height=0.66, color=sides[step < 0][0], zorder=2)
    for k, place in enumerate(places):
        ax.plot([place, place], [k, k + 1], color=NEUTRAL, linewidth=0.8, zorder=1)
    ax.plot(places[[0, -1]], [0, len(steps) + 1], "D", color="black", markersize=6, zorder=3)
    ax.axvline(0, color=FAINT, linewidth=1, zorder=0)
    low, high = min(0, places.min()), max(0, places.max())
    room = (high - low) or 1.0
    ax.set_xlim(low - 0.06 * room, high + 0.2 * room)
    texts = [(start, number_text(start, 3))]
    for k, step in enumerate(steps, start=1):
        texts.append((max(places[k - 1], places[k]), f"{'+' if step > 0 else ''}{number_text(step, 3)}"))
    texts.append((places[-1], number_text(places[-1], 3)))
    for k, (place, text) in enumerate(texts):
        ax.annotate(text, (place, k), (7, 0), textcoords="offset points", va="center", fontsize="small")
    ax.legend(handles=[Patch(color=c, label=t) for c, t in sides], frameon=False, fontsize="small")


def _predicted(estimator: Any, row: NDArray) -> int:
    scores = estimator._model.scores(row[np.newaxis], 1)
    return int(estimator._model.classify(scores)[0])


def _effect_text(estimator: Any, row: NDArray, effect: tuple[int, int, list[int]]) -> str:
    """Names and values of the features of an effect."""
    i, j, _ = effect
    names = feature_names(estimator)
    levels = estimator._model.levels or [None] * len(names)
    columns = (i,) if i == j else (i, j)
    values = [value_text(value_in_words(levels[k], row[k]), _points(estimator, k), 14) for k in columns]
    return ", ".join(f"{shown(names[k], 18)} = {text}" for k, text in zip(columns, values, strict=True))


@with_help
def row_in_pairs(estimator: Any, x: Any, *, top: int = 3, axes: Any = None) -> NDArray:
    """Where a row lies among the densities of the pairs that say most of it.

    Parameters
    ----------
    estimator : object
        A fitted classifier with pairs.
    {x}
    top : int, default=3
        Number of pairs: those that contribute most, for or against, to the score of the predicted class.
    axes : array of matplotlib.axes.Axes of shape (n_pairs, 2), default=None
        Where to draw; None for a new figure.

    Returns
    -------
    axes : array of matplotlib.axes.Axes of shape (n_pairs, 2)
        A line a pair; on the left the predicted class and on the right the other, or the next of more.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> axes = dyad.plot.row_in_pairs(dyad.SLBClassifier(pairs="fdr").fit(X, y), [1.0, 1.2, 0.0], top=1)
    >>> [ax.get_title() for ax in axes[0]]
    ['same (predicted)', 'other']
    """
    require_fitted(estimator)
    row = one_row(estimator, x)
    all_effects = _core.effects(estimator._model)
    places = [k for k, (i, j, _) in enumerate(all_effects) if i != j]
    effects = [all_effects[k] for k in places]
    if not effects:
        raise ValueError("the model has no pairs")
    first, second = _two_classes(estimator, row)
    labels = estimator.classes_.tolist()
    score, sign = score_of(estimator, labels[first])
    parts = sign * effects_of_row(estimator, row)[score, places]
    chosen = np.argsort(-np.abs(parts), kind="stable")[:top]
    if axes is None:
        size = (9.2, 3.1 * len(chosen) + 0.3)
        axes = pyplot().subplots(len(chosen), 2, squeeze=False, figsize=size, layout="constrained")[1]
    axes = np.asarray(axes).reshape(-1, 2)
    if len(axes) != len(chosen):
        raise ValueError(f"axes must be of shape {(len(chosen), 2)}, got {axes.shape}")
    for line, k in zip(axes, chosen, strict=True):
        columns = effects[k][:2]
        both = [feature_axis(estimator, column, _SURFACE_POINTS) for column in columns]
        values = pair_log_densities(estimator, columns, both)[:, :, [first, second]]
        colours = density_range(values)
        for side, (ax, code) in enumerate(zip(line, (first, second), strict=True)):
            mesh = draw_surface(ax, both, values[:, :, side], "density", *colours)
            places = [axis.place_of(row[[c]])[0] for axis, c in zip(both, columns, strict=True)]
            star(ax, *places)
            ax.set_title(f"{shown(labels[code])}{' (predicted)' if side == 0 else ''}")
        text = f"log density\n(adds {number_text(parts[k], 3)} for {shown(labels[first], 16)})"
        line[0].figure.colorbar(mesh, ax=list(line), label=text, extend="min")
    return axes


def _two_classes(estimator: Any, row: NDArray) -> tuple[int, int]:
    """The class that is predicted, and that of the largest score among the others."""
    first = _predicted(estimator, row)
    if len(estimator.classes_) == 2:
        return first, 1 - first
    scores = estimator._model.scores(row[np.newaxis], 1)[0].copy()
    scores[first] = -np.inf
    return first, int(scores.argmax())


@with_help
def flips(estimator: Any, x: Any, *, top: int = 10, ax: Any = None) -> Any:
    """The nearest changes of one feature, or else of two, that change the prediction of a row.

    A line a feature: from the row's value, a dot, to the nearest value that is predicted otherwise, within
    the range of the training rows. Two features that have to change together have two lines, the second of
    which begins with "and".

    Parameters
    ----------
    {estimator x}
    top : int, default=10
        Most features, those of the smallest changes.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> model = dyad.SLBClassifier().fit(X, np.where(X[:, 0] > 1, "right", "left"))
    >>> ax = dyad.plot.flips(model, [0.0, 0.0])
    >>> ax.get_title()
    'Predicted left; smallest changes for another class'
    """
    require_fitted(estimator)
    row = one_row(estimator, x)
    found = _lines(_core.flips(estimator._model, row[np.newaxis], 1)[0][:top])
    labels = estimator.classes_.tolist()
    own = _predicted(estimator, row)
    ax = axes_or_new(ax, 7.4, 1.4 + 0.42 * max(len(found), 1))
    levels = estimator._model.levels or [None] * estimator.n_features_in_
    names = feature_names(estimator)
    for k, (j, value, code, _) in enumerate(found):
        begin, end = _shares(estimator, j, np.array([row[j], value]))
        ax.plot([0, 1], [k, k], color=FAINT, linewidth=3, solid_capstyle="round", zorder=1)
        arrow = {"arrowstyle": "-|>", "color": class_colour(code), "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (end, k), (begin, k), arrowprops=arrow, zorder=2)
        ax.plot([begin], [k], "o", color=class_colour(own), markersize=7, zorder=3)
        words = (value_in_words(levels[j], v) for v in (row[j], value))
        before, after = change_texts(*words, _points(estimator, j), 20)
        change = f"{before} \N{RIGHTWARDS ARROW} {after}: {shown(labels[code], 16)}"
        ax.annotate(change, (1.06, k), va="center", color=class_colour(code))
    if not found:
        ax.text(0.5, 0, "no change of one or two features does", ha="center", va="center")
    ax.set_yticks(range(len(found)), [prefix + shown(names[j], 24) for j, _, _, prefix in found])
    ax.set_ylim(max(len(found), 1) - 0.4, -0.6)
    ax.set_xlim(-0.14, 1.9)
    ax.set_xticks([0, 0.5, 1], ["low", "middle", "high"])
    ax.set_xlabel("place in the feature's range", loc="left")
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(f"Predicted {shown(labels[own])}; smallest changes for another class")
    return ax


def _lines(found: list) -> list[tuple[int, float, int, str]]:
    """Feature, value and class of each line, and what its name begins with."""
    lines = []
    for j, value, _, code, second in found:
        lines.append((j, value, code, ""))
        if second:
            lines.append((*second, code, "and "))
    return lines


def _points(estimator: Any, feature: int) -> NDArray[np.float64]:
    """Values over the range of a feature, NaN last if some were missing."""
    return _core.points(estimator._model, feature, _RANGE_POINTS)


def _shares(estimator: Any, feature: int, values: NDArray) -> NDArray:
    """Places between 0 and 1 of values in the range of a feature, in its coordinate; before 0 if missing."""
    points = _points(estimator, feature)
    points = points[~np.isnan(points)]
    known = _core.training_range(estimator._model, feature)
    if known is not None and known[0] < known[1]:
        points = np.array(known)
    shares = _core.positions(estimator._model, feature, points, values) / max(len(points) - 1, 1)
    return np.where(np.isnan(values), _MISSING_PLACE, np.clip(shares, 0, 1))

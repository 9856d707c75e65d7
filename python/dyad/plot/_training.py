# SPDX-License-Identifier: BSD-3-Clause
"""How a model came about: dependence of its features, what was tried, and how long it took."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dyad._functions import screen
from dyad.plot._drawing import (
    FAINT,
    SEQUENTIAL,
    axes_or_new,
    class_colour,
    number_text,
    require_fitted,
    shown,
)
from dyad.plot._help import with_help

_SIGNIFICANT = 0.05


@with_help
def hsic(X: Any, y: ArrayLike, label: Any, *, top: int = 30, engine: str = "counts", ax: Any = None) -> Any:
    """How strongly features depend on each other within a class: HSIC of every pair.

    A dot marks pairs with a q-value of at most 0.05 among all pairs of the class.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        The rows, as :func:`dyad.screen` takes them.
    y : array of shape (n,)
        The class of each row.
    label : object
        The class.
    top : int, default=30
        Most features that are drawn: those with the largest HSIC.
    engine : {"counts", "exact"}
        How HSIC is computed; see :func:`dyad.hsic`.
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
    >>> ax = dyad.plot.hsic(X, y, "same")
    >>> ax.get_title()
    'Dependence within same: 1 pair with q ≤ 0.05'
    """
    found = screen(X, y, fdr=_SIGNIFICANT, engine=engine)
    labels = np.unique(found.label).tolist()
    if label not in labels:
        raise ValueError(f"label must be one of {', '.join(map(repr, labels))}, got {label!r}")
    found = found[found.label == label]
    d = len(found.feature_names)
    values = np.full((d, d), np.nan)
    values[found.i, found.j] = values[found.j, found.i] = found.hsic
    marked = np.zeros((d, d), dtype=bool)
    marked[found.i, found.j] = marked[found.j, found.i] = found.q_value <= _SIGNIFICANT
    kept = np.arange(d)
    if d > top:
        kept = np.sort(np.argsort(-np.nanmax(values, axis=1), kind="stable")[:top])
    ax = axes_or_new(ax, max(5.6, 2.6 + 0.3 * len(kept)), max(4.2, 2.0 + 0.3 * len(kept)))
    edges = np.arange(len(kept) + 1) - 0.5
    mesh = ax.pcolormesh(
        edges, edges, np.ma.masked_invalid(values[np.ix_(kept, kept)]), cmap=SEQUENTIAL, vmin=0
    )
    ax.figure.colorbar(mesh, ax=ax, label="HSIC")
    rows, columns = np.nonzero(marked[np.ix_(kept, kept)])
    ax.scatter(columns, rows, s=28, color="white", edgecolors="black", linewidths=0.8)
    names = [shown(found.feature_names[j], 20) for j in kept]
    ax.set_xticks(range(len(kept)), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(kept)), names)
    ax.set_ylim(len(kept) - 0.5, -0.5)
    ax.set_aspect("equal")
    n = int((found.q_value <= _SIGNIFICANT).sum())
    text = f"{n} pair{'' if n == 1 else 's'} with q \N{LESS-THAN OR EQUAL TO} {_SIGNIFICANT:g}"
    ax.set_title(f"Dependence within {shown(label)}: {text}")
    return ax


@with_help
def selection(estimator: Any, *, ax: Any = None) -> Any:
    """Loss over rows held out against the number of pairs: what a fit has tried.

    Every setting of ``settings_`` is a dot, those that are part of the model a ring; the line joins the least
    loss of each number of pairs. Settings of much larger losses are above the picture. The loss is logistic,
    or 1 - AUC to optimise ``"auc"``; with ``settings="best"`` it is the balanced error, and one setting is
    the model.

    Parameters
    ----------
    estimator : object
        A fitted classifier that has chosen among settings.
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
    >>> model = dyad.SLBClassifier().fit(X, X[:, 0] * X[:, 1] > 0)
    >>> ax = dyad.plot.selection(model)
    >>> bool(ax.lines[0].get_ydata().min() == model.settings_[0].loss)
    True
    """
    require_fitted(estimator)
    settings = getattr(estimator, "settings_", [])
    if not settings:
        raise ValueError("there are no settings to compare: the fit has tried none")
    n_pairs = np.array([_pair_count(setting.terms) for setting in settings])
    losses = np.array([setting.loss for setting in settings])
    averaged = np.array([setting.averaged for setting in settings])
    counts = np.unique(n_pairs)
    measure = _measure(estimator)
    ax = axes_or_new(ax)
    best = [losses[n_pairs == count].min() for count in counts]
    ax.plot(counts, best, "o-", color=class_colour(0), label=f"least {measure}", zorder=3, markersize=5)
    ax.scatter(n_pairs, losses, s=14, color="#999999", alpha=0.5, linewidths=0, label="a setting", zorder=1)
    ax.scatter(
        n_pairs[averaged],
        losses[averaged],
        s=60,
        facecolors="none",
        edgecolors=class_colour(1),
        linewidths=1.5,
        label="part of the model",
        zorder=4,
    )
    if counts[-1] > 20:
        ax.set_xscale("symlog", linthresh=1)
        ticks = [0] + [
            tick for tick in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000) if tick <= counts[-1] * 1.2
        ]
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.set_xlim(-0.2, counts[-1] * 1.25)
    else:
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    highest = max(np.quantile(losses, 0.75), *best)
    spread = highest - losses.min() or 1.0
    ax.set_ylim(losses.min() - 0.08 * spread, highest + 0.15 * spread)
    ax.set_xlabel("pairs kept")
    ax.set_ylabel(f"{measure} over rows held out")
    n_taken = int(averaged.sum())
    taken = "one is the model" if n_taken == 1 else f"mean of {n_taken}"
    ax.set_title(f"What was tried: {len(settings)} settings, {taken}")
    ax.legend(frameon=False)
    return ax


def _measure(estimator: Any) -> str:
    """What the losses of settings are."""
    options = estimator._model.options
    if options["settings"] == "best":
        return "balanced error"
    return "1 \N{MINUS SIGN} AUC" if options["optimise"] == "auc" else "logistic loss"


def _pair_count(terms: str) -> int:
    """``30 pairs`` has 30, others none."""
    found = re.match(r"(\d+) pairs?", terms)
    return int(found[1]) if found else 0


# What the steps of a fit are, in their order.
_STEPS = {
    "screen": "screening of pairs",
    "density": "densities",
    "features": "terms of rows",
    "svm": "weights",
}


@with_help
def timings(estimator: Any, *, ax: Any = None) -> Any:
    """Seconds of each step of the fit.

    Parameters
    ----------
    estimator : object
        A classifier that was fitted, not loaded: files do not keep times.
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
    >>> ax = dyad.plot.timings(dyad.NaiveBayesKDE().fit(X, X[:, 0] > 0))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['screening of pairs', 'densities', 'terms of rows', 'weights', 'other']
    """
    require_fitted(estimator)
    seconds = estimator._model.report.get("seconds")
    if seconds is None:
        raise ValueError("the model was loaded, and files do not keep how long the fit took")
    steps = [seconds[step] for step in _STEPS]
    steps.append(max(seconds["total"] - sum(steps), 0.0))
    ax = axes_or_new(ax, height=2.8)
    bars = ax.barh(range(len(steps)), steps, color=class_colour(0), height=0.66)
    ax.bar_label(bars, [f"{number_text(step, 3)} s" for step in steps], padding=4, fontsize="small")
    ax.set_yticks(range(len(steps)), [*_STEPS.values(), "other"])
    ax.set_ylim(len(steps) - 0.4, -0.6)
    ax.set_xlim(0, max(max(steps), 1e-9) * 1.2)
    ax.set_xlabel("seconds")
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_title(f"The fit took {number_text(seconds['total'], 3)} seconds")
    return ax

# SPDX-License-Identifier: BSD-3-Clause
"""The pairs of a class as a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad._base import TermClassifier
from dyad._explanation import feature_place, label_place, score_of
from dyad._input import feature_names
from dyad._terms import Pair
from dyad.plot._drawing import FAINT, axes_or_new, centred, diverging, require_fitted, shown
from dyad.plot._help import with_help

# Of more features, names are turned so that they do not cover each other.
_MOST_UPRIGHT = 16


@with_help
def graph(estimator: Any, label: Any, *, tree: Any = None, top: int = 40, ax: Any = None) -> Any:
    """The pairs of features that are kept for a class, as a graph.

    Features are on a circle; a line is a pair, the wider the larger its HSIC, coloured by its weight in the
    score of the class.

    Parameters
    ----------
    {estimator}
    label : object
        The class, one of ``classes_``.
    tree : TANClassifier or list of (i, j), default=None
        Pairs to compare with, drawn as dotted lines: those of another fitted classifier for the same class,
        or pairs of names or numbers of columns.
    top : int, default=40
        Most pairs that are drawn: those of largest HSIC, or of largest weight where HSIC is not known.
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
    >>> ax = dyad.plot.graph(dyad.SLBClassifier(pairs="fdr").fit(X, y), "same")
    >>> ax.get_title()
    'Pairs kept for same: 1'
    """
    require_fitted(estimator)
    code = label_place(estimator, label)
    pairs = estimator.pairs_[estimator.classes_.tolist()[code]]
    weights = _pair_weights(estimator, label)
    kept = sorted(pairs, key=lambda p: -abs(weights[p.i, p.j]) if np.isnan(p.hsic) else -p.hsic)[:top]
    compared = _tree_edges(estimator, tree, label)
    nodes = sorted({j for p in kept for j in (p.i, p.j)} | {j for edge in compared for j in edge})
    nodes = nodes or list(range(min(estimator.n_features_in_, top)))
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(nodes)) / len(nodes)
    place = dict(zip(nodes, np.stack([np.cos(angles), np.sin(angles)], axis=1), strict=True))
    ax = axes_or_new(ax, *((8.4, 7.2) if len(nodes) > _MOST_UPRIGHT else (6.4, 5.2)))
    if kept:
        lines = _draw_pairs(ax, kept, np.array([weights[p.i, p.j] for p in kept]), place)
        ax.figure.colorbar(lines, ax=ax, label=f"weight in the score of {shown(label)}", shrink=0.8)
    if compared:
        _draw_tree(ax, compared, place)
    _draw_nodes(ax, place, feature_names(estimator))
    more = f" ({len(kept)} drawn)" if len(kept) < len(pairs) else ""
    ax.set_title(f"Pairs kept for {shown(label)}: {len(pairs)}{more}")
    return ax


def _pair_weights(estimator: Any, label: Any) -> dict[tuple[int, int], float]:
    """Weights of the pairs of a class in its score."""
    code = label_place(estimator, label)
    score, sign = score_of(estimator, label)
    return {
        (i, j): sign * estimator.coef_[score, t]
        for t, (c, i, j) in enumerate(estimator._model.terms)
        if c == code and i != j
    }


def _draw_pairs(ax: Any, pairs: Sequence[Pair], weights: NDArray, place: dict[int, NDArray]) -> Any:
    from matplotlib.collections import LineCollection

    hsic = np.array([pair.hsic for pair in pairs])
    known = not np.isnan(hsic).any() and hsic.max() > 0
    widths = 0.8 + 5.2 * hsic / hsic.max() if known else np.full(len(pairs), 2.0)
    ends = [[place[pair.i], place[pair.j]] for pair in pairs]
    # The weakest colours would not be seen on white.
    ax.add_collection(LineCollection(ends, linewidths=widths + 1.2, colors=FAINT, capstyle="round"))
    look = {"cmap": diverging(), "norm": centred(weights), "capstyle": "round"}
    return ax.add_collection(LineCollection(ends, linewidths=widths, array=weights, **look))


def _draw_tree(ax: Any, edges: Sequence[tuple[int, int]], place: dict[int, NDArray]) -> None:
    from matplotlib.collections import LineCollection

    ends = [[place[i], place[j]] for i, j in edges]
    dotted = LineCollection(ends, linewidths=1.4, colors="black", linestyles=":", label="tree")
    ax.add_collection(dotted)
    ax.legend(handles=[dotted], frameon=False, loc="lower left")


def _tree_edges(estimator: Any, tree: Any, label: Any) -> list[tuple[int, int]]:
    """Pairs to compare with, from another classifier or given as such."""
    if tree is None:
        return []
    if isinstance(tree, TermClassifier):
        require_fitted(tree)
        if label not in tree.pairs_:
            raise ValueError(f"the tree has no class {label!r}; it has {', '.join(map(repr, tree.pairs_))}")
        if tree.n_features_in_ != estimator.n_features_in_:
            raise ValueError(
                f"the tree has {tree.n_features_in_} features, the model {estimator.n_features_in_}"
            )
        return [(pair.i, pair.j) for pair in tree.pairs_[label]]
    return [(feature_place(estimator, i), feature_place(estimator, j)) for i, j in tree]


def _draw_nodes(ax: Any, place: dict[int, NDArray], names: Sequence[str]) -> None:
    points = np.array(list(place.values()))
    ax.scatter(points[:, 0], points[:, 1], s=46, color="white", edgecolors="black", linewidths=1.2, zorder=3)
    turned = len(place) > _MOST_UPRIGHT
    for node, (x, y) in place.items():
        side = "left" if x > 0 else "right"
        if turned:
            turn = np.degrees(np.arctan(y / x)) if abs(x) > 1e-9 else 90
            look = {
                "ha": side,
                "va": "center",
                "rotation": turn,
                "rotation_mode": "anchor",
                "fontsize": "small",
            }
        elif abs(x) < 0.15:
            look = {"ha": "center", "va": "bottom" if y > 0 else "top"}
        else:
            look = {"ha": side, "va": "center"}
        ax.text(1.09 * x, 1.09 * y, shown(names[node], 20), **look)
    ax.set_xlim(-1.75, 1.75)
    ax.set_ylim(*((-1.75, 1.75) if turned else (-1.3, 1.3)))
    ax.set_aspect("equal")
    ax.set_axis_off()

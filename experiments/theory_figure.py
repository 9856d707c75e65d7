# SPDX-License-Identifier: BSD-3-Clause
"""The figure of the study of the convergence theorem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures import pyplot_module
from experiments.theory_values import DISTANCES, SERIES, Sizes, Values

PANELS = {
    "Excess risk, disjoint rows": ["weights", "limit", "densities", "both"],
    "Excess risk, shared rows": ["both", "same", "resubstituted"],
    "Errors of the estimated densities": list(DISTANCES),
}
STYLES = {  # marker, and a colour of Okabe and Ito
    "weights": ("o", "#0072B2"),
    "limit": ("s", "#D55E00"),
    "densities": ("x", "#E69F00"),
    "both": ("D", "#009E73"),
    "same": ("^", "#CC79A7"),
    "resubstituted": ("v", "#000000"),
    "E": ("o", "#56B4E9"),
    "U": ("s", "#000000"),
}


def draw_figure(values: Values, sizes: Sizes, path: Path) -> None:
    """Write the figure as PNG and SVG."""
    pyplot = pyplot_module()
    with pyplot.rc_context({"font.size": 9, "svg.hashsalt": "theory", "legend.frameon": False}):
        figure, panels = pyplot.subplots(1, 3, figsize=(11, 4.8), layout="constrained")
        panels[1].sharey(panels[0])
        for axes, (title, names) in zip(panels, PANELS.items(), strict=True):
            axes.set(xscale="log", yscale="log", xlabel="rows $n$ of both classes")
            for name in names:
                _draw_series(axes, values, name, ({**SERIES, **DISTANCES}[name]).format(n1=sizes.large))
            axes.set_title(title, loc="left", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(alpha=0.25, linewidth=0.5)
        for axes, rates in zip(panels, ([(1, 2), (1, 3)], [], [(1, 3)]), strict=True):
            _draw_rates(axes, values.grid, rates)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), fontsize=8)
        figure.savefig(path.with_suffix(".png"), dpi=160)
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        pyplot.close(figure)


def _draw_series(axes: Any, values: Values, name: str, label: str) -> None:
    """Draw means with their standard errors, and the power law."""
    mean = values.mean(name)
    marker, colour = STYLES[name]
    n, slope = np.array(values.grid), values.slope(name)
    heights, errors = np.array([m.value for m in mean]), np.nan_to_num([m.error for m in mean])
    positive = heights > 0
    axes.errorbar(
        n[positive],
        heights[positive],
        np.minimum(errors, 0.99 * heights)[positive],
        fmt=marker,
        color=colour,
        markersize=5,
        capsize=2,
        label=f"{label}: slope {slope.text()}".replace("slope -", "slope \N{MINUS SIGN}"),
    )
    axes.plot(n, np.exp(slope.intercept) * n**slope.value, color=colour, linewidth=1)


def _draw_rates(axes: Any, grid: Sequence[int], rates: Sequence[tuple[int, int]]) -> None:
    """Draw dashed lines above the others, with the slopes of the bound."""
    top = 1.3 * axes.get_ylim()[1]
    n = np.array([grid[0], grid[-1]], dtype=float)
    for k, (over, under) in enumerate(rates):
        heights = top * (n / n[0]) ** (-over / under)
        label = "" if k else "rates of the bound"
        axes.plot(n, heights, "--", color="0.5", linewidth=1, label=label)
        text = f"$n^{{-{over}/{under}}}$"
        axes.annotate(text, (n[1], heights[1]), (3, 0), textcoords="offset points", va="center", color="0.35")
    axes.set_xlim(n[0] / 1.4, n[1] * 2.2)

# SPDX-License-Identifier: BSD-3-Clause
"""An axis that shows a feature: numbers at their values, levels side by side, and missing values apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad import _core
from dyad._explanation import OTHER_LEVEL
from dyad._input import feature_names
from dyad.plot._drawing import digits_among, number_text, shown

# Gap before the cell of missing values, and its width, as shares of the range of numbers.
_GAP = 0.03
_WIDTH = 0.07

# Ticks of more digits are texts of our own: matplotlib would write differences from an offset.
_DIGITS_OF_TICKS = 6


@dataclass(frozen=True)
class FeatureAxis:
    """Where the values of a feature are drawn."""

    name: str
    points: NDArray[np.float64]  #: values as the model reads them, NaN last if some were missing
    places: NDArray[np.float64]  #: where they are drawn
    edges: NDArray[np.float64]  #: of the cells around those that are not missing
    missing_edges: tuple[float, float] | None
    levels: list[str] | None  #: names of the levels of a category as they are drawn
    is_log: bool

    @property
    def n_known(self) -> int:
        """Number of points that are not missing."""
        return len(self.edges) - 1

    def place_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where values are drawn: at the border if they are beyond; NaN for those missing without a cell."""
        if self.levels is not None:
            ranks = np.argsort(self.points[: self.n_known])
            values = np.array([np.nan if np.isnan(code) else ranks[int(code)] for code in values])
        places = np.clip(values, self.edges[0], self.edges[-1])
        places[np.isnan(values)] = self.places[-1] if self.missing_edges else np.nan
        return places

    def spread_out(self, values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
        """The same with values that share a cell of levels, or of missing values, beside each other."""
        places = self.place_of(values)
        shift = np.random.default_rng(seed).uniform(-0.3, 0.3, size=len(places))
        if self.levels is not None:
            return places + shift
        if self.missing_edges is not None:
            low, high = self.missing_edges
            places[np.isnan(values)] = ((low + high) / 2 + shift * (high - low))[np.isnan(values)]
        return places

    def mesh_edges(self) -> NDArray[np.float64]:
        """Edges of all cells, that of the gap before missing values included."""
        return np.append(self.edges, self.missing_edges or ())

    def mesh_cells(self, values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        """Values at the points, NaN in the gap."""
        return np.insert(values, self.n_known, np.nan, axis=axis) if self.missing_edges else values

    def histogram(self, values: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
        """Left edges, widths and numbers of rows in up to 30 bins and those missing."""
        if self.levels is not None:
            values = np.where(np.isnan(values), np.nan, self.place_of(values))
        edges = (
            self.edges if self.levels else self.edges[np.linspace(0, self.n_known, 31).round().astype(int)]
        )
        counts = np.histogram(values[~np.isnan(values)], edges)[0]
        left, width = edges[:-1], np.diff(edges)
        if self.missing_edges is None:
            return left, width, counts
        low, high = self.missing_edges
        return np.append(left, low), np.append(width, high - low), np.append(counts, np.isnan(values).sum())

    def dress(self, ax: Any, which: str) -> None:
        """Set scale, ticks, limits and label of the x or the y axis."""
        axis = ax.xaxis if which == "x" else ax.yaxis
        set_scale, set_limits = (ax.set_xscale, ax.set_xlim) if which == "x" else (ax.set_yscale, ax.set_ylim)
        if self.is_log:
            set_scale("log")
        set_limits(self.edges[0], self.missing_edges[1] if self.missing_edges else self.edges[-1])
        axis.set_label_text(shown(self.name))
        ticks = self._ticks()
        if ticks is None:
            return
        from matplotlib.ticker import NullLocator

        axis.set_ticks([place for place, _ in ticks], [text for _, text in ticks])
        axis.set_minor_locator(NullLocator())
        if which == "x" and (len(ticks) > 8 or sum(len(text) for _, text in ticks) > 45):
            for text in axis.get_ticklabels():
                text.set(rotation=40, ha="right", rotation_mode="anchor")

    def _ticks(self) -> list[tuple[float, str]] | None:
        """Places and texts of ticks; None for numbers of few digits alone, where matplotlib chooses."""
        missing = [(float(self.places[-1]), "missing")] if self.missing_edges else []
        if self.levels is not None:
            step = -(-len(self.levels) // 20)  # texts of more than 20 levels would cover each other
            return [(float(k), shown(self.levels[k], 16)) for k in range(0, len(self.levels), step)] + missing
        low, high = self.edges[0], self.edges[-1]
        if not missing and (self.is_log or digits_among(self.points, high) <= _DIGITS_OF_TICKS):
            return None
        from matplotlib.ticker import LogLocator, MaxNLocator

        locator = LogLocator(numticks=6) if self.is_log else MaxNLocator(5)
        ticks = [place for place in locator.tick_values(low, high) if low <= place <= high]
        texts = [number_text(place, digits_among(self.points, place)) for place in ticks]
        return list(zip(ticks, texts, strict=True)) + missing


def feature_axis(estimator: Any, feature: int, n_numbers: int) -> FeatureAxis:
    """The axis of a column, with this many points if it is one of numbers."""
    model = estimator._model
    points = _core.points(model, feature, n_numbers)
    known = points[~np.isnan(points)]
    name = feature_names(estimator)[feature]
    levels = model.levels[feature] if model.levels else None
    is_log = levels is None and bool(model.curves) and model.curves[feature] == "log" and known[0] > 0
    names = None if levels is None else [*levels[0], *([OTHER_LEVEL] if levels[1] else [])]
    drawn = known if levels is None else np.arange(len(known), dtype=float)
    t = np.log(drawn) if is_log else drawn
    middles = (t[1:] + t[:-1]) / 2
    edges = np.concatenate([[t[0] - 0.5], middles, [t[-1] + 0.5]])
    if levels is None:
        edges[0], edges[-1] = t[0], t[-1]
        if not edges[-1] > edges[0]:  # a constant column
            edges[0], edges[-1] = t[0] - max(abs(t[0]), 1) / 10, t[-1] + max(abs(t[-1]), 1) / 10
    missing = None
    if len(points) > len(known):
        unit = edges[-1] - edges[0] if levels is None else 1.0
        gap, width = (_GAP, _WIDTH) if levels is None else (0.2, 1.0)
        missing = np.array([edges[-1] + gap * unit, edges[-1] + (gap + width) * unit])
    return FeatureAxis(
        name=name,
        points=points,
        places=np.append(drawn, [] if missing is None else _drawn(missing.mean(), is_log)),
        edges=_drawn(edges, is_log),
        missing_edges=None if missing is None else tuple(_drawn(missing, is_log).tolist()),
        levels=None if names is None else [names[int(code)] for code in known],
        is_log=is_log,
    )


def _drawn(t: Any, is_log: bool) -> Any:
    return np.exp(t) if is_log else t

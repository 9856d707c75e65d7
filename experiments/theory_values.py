# SPDX-License-Identifier: BSD-3-Clause
"""What the study of the convergence theorem measures: its series, their values, and their slopes."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.tables import Mean

SERIES = {
    "weights": r"exact, $n_1 = n$",
    "limit": r"estimated, $n_0 = n$, $n_1 \to \infty$",
    "densities": r"estimated, $n_0 = n$, $n_1 = {n1}$",
    "both": r"estimated, $n_0 = n_1 = n$",
    "same": r"the same $n$ rows, left out",
    "resubstituted": r"the same $n$ rows, resubstituted",
}
DISTANCES = {"E": "log densities, mean distance $E(n)$", "U": "densities, largest error $U(n)$"}
RATES = {  # of the bound, without logarithms: n0^(-beta / (2 beta + 2)), beta = 2 for kernels of order two
    "weights": "-1/2",
    "limit": "-1/3",
    "densities": "-1/3",
    "both": "-1/3",
    "same": "none stated",
    "resubstituted": "none stated",
    "E": "-1/3",
    "U": "-1/3",
}

Matrix = NDArray[np.float64]


class Sizes(NamedTuple):
    """Numbers of rows, of both classes together, and of nodes."""

    grid: list[int]  # the n of the figure
    large: int  # the n1 that is fixed and large
    oracle: int  # rows that the oracle's weights are from
    test: int
    nodes: int = 8


class Result(NamedTuple):
    """A value of a series at n rows of a pair of networks: an excess risk, or a distance of densities."""

    seed: int
    series: str
    n: int
    value: float


class Slope(NamedTuple):
    """Least-squares slope of log mean value on log n, and its jackknife standard error over replicates."""

    value: float
    error: float
    intercept: float

    def text(self) -> str:
        """Return slope and error: -0.50 ± 0.02, or -0.500 ± 0.002."""
        digits = 2 if self.error >= 0.005 else 3
        error = "" if math.isnan(self.error) else f" ± {self.error:.{digits}f}"
        return f"{self.value:.{digits}f}{error}"


def write_results(results: Sequence[Result], path: Path) -> None:
    """Write a line for each value."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Result._fields)
        writer.writerows([*result[:3], f"{result.value:.6g}"] for result in results)


class Values:
    """Results by series, a row for each replicate and a column for each n."""

    def __init__(self, results: Sequence[Result], grid: Sequence[int]):
        self.grid = list(grid)
        self.replicates = len({result.seed for result in results})
        by_series: dict[str, list[float]] = {}
        for result in results:
            by_series.setdefault(result.series, []).append(result.value)
        shape = self.replicates, -1
        self._by_series = {name: np.reshape(values, shape) for name, values in by_series.items()}

    def __getitem__(self, series: str) -> Matrix:
        return self._by_series[series]

    def mean(self, series: str) -> list[Mean]:
        """Return the mean over replicates for each n."""
        return [Mean.of(column) for column in self[series].T]

    def slope(self, series: str, first: int = 0) -> Slope:
        """Return the slope over all n but the `first`."""
        return fit_slope(self.grid[first:], self[series][:, first:])


def fit_slope(n: Sequence[int], values: Matrix) -> Slope:
    """Fit a power law to the mean of the rows of `values`; sizes whose mean is not positive are left out."""

    def line(rows: Matrix) -> tuple[float, float]:
        mean = rows.mean(axis=0)
        known = mean > 0
        if known.sum() < 2:
            return math.nan, math.nan
        slope, intercept = np.polyfit(np.log(np.asarray(n)[known]), np.log(mean[known]), 1)
        return float(slope), float(intercept)

    slope, intercept = line(values)
    count = len(values)
    if count < 2:
        return Slope(slope, math.nan, intercept)
    left_out = np.array([line(np.delete(values, k, axis=0))[0] for k in range(count)])
    error = math.sqrt((count - 1) / count * np.square(left_out - left_out.mean()).sum())
    return Slope(slope, error, intercept)

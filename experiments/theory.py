# SPDX-License-Identifier: BSD-3-Clause
"""The convergence theorem as an experiment: excess hinge risk over the oracle as samples grow.

Section 4 of the paper bounds the excess of the hinge risk of SLB over that of the best linear classifier of
the exact log densities by

  B (E(n0) + sqrt(d (d + 1) ln(n1) / n1) (2 L + 2 U(n0) / p_min)),

with densities from n0 rows, weights of norm at most B from n1 other rows, E the mean distance of estimated
and exact log densities, U the largest error of a density, and L the largest exact log density in absolute
value. Here both classes are Gaussian forests, so that the exact densities of all features and pairs are
known, and samples grow in six ways:

  weights        exact densities, n1 = n
  limit          estimated densities, n0 = n, and n1 without end
  densities      estimated densities, n0 = n, and n1 fixed and large
  both           n0 = n and n1 = n other rows
  same           the same n rows for both, each left out of its own densities
  resubstituted  the same n rows for both, each part of its own densities

Densities are Gaussian kernel estimates with plug-in bandwidths. All densities, exact or estimated, are
clipped to [1e-4, 0.8], bounds as the theory wants them; no exact one exceeds 0.4, the p_max. Sizes count both
classes, which are equally frequent. B is the norm of the weights that make the log-likelihood ratio.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dyad import Simulation
from experiments import progress
from experiments.theory_densities import (
    SMALLEST,
    Estimates,
    Matrix,
    bayes_weights,
    covariance,
    exact_features,
)
from experiments.theory_figure import draw_figure
from experiments.theory_hinge import hinge_risk, train
from experiments.theory_table import table
from experiments.theory_values import SERIES, Result, Sizes, Values, write_results

FULL = Sizes([100 * 2**k for k in range(9)], 51_200, 300_000, 100_000)
QUICK = Sizes([100, 400, 1600], 6_400, 30_000, 20_000)
REPLICATES, QUICK_REPLICATES = 12, 3

TEST, ORACLE, DENSITIES, WEIGHTS = range(4)  # independent draws of rows, by what they are for

Rows = tuple[Matrix, NDArray[np.int64]]  # and their classes, -1 or 1


def draw_rows(simulation: Simulation, rows: int, draw: int) -> Rows:
    """Draw rows of classes -1 and 1 in turn, so that the first of them are balanced as well."""
    X, y = simulation.sample(rows, draw=draw)
    return np.stack([X[y == 0], X[y == 1]], axis=1).reshape(rows, -1), np.tile([-1, 1], rows // 2)


class Oracle:
    """A pair of networks, test rows, and the least risk of weights for the exact densities."""

    def __init__(self, sizes: Sizes, seed: int):
        self.simulation = Simulation("forest-normal", seed, d=sizes.nodes)
        self.covariances = [covariance(network) for network in self.simulation.parents]
        self.radius = float(np.linalg.norm(bayes_weights(self.simulation.parents)))
        self.X, self.y = draw_rows(self.simulation, sizes.test, TEST)
        self.T = self.exact(self.X)
        self.gap = 0.0  # the largest of all fits
        X, y = draw_rows(self.simulation, sizes.oracle - sizes.test // 2, ORACLE)
        self.risk = self.least_risk(self.exact(X), y, self.T)

    def exact(self, X: Matrix) -> Matrix:
        """Return exact features of rows."""
        return exact_features(X, self.covariances)

    def least_risk(self, T: Matrix, y: NDArray[np.int64], T_test: Matrix) -> float:
        """Estimate the least risk with some features, from many rows.

        Half of the test rows are added to the rows for training: to first order, what the risk of a fit gains
        on rows it has seen is what it loses on others, so that the mean over both is the least risk.
        """
        half = len(self.y) // 2
        w = self._weights(np.vstack([T_test[:half], T]), np.concatenate([self.y[:half], y]))
        return hinge_risk(w, T_test, self.y)

    def excess(self, T: Matrix, y: NDArray[np.int64], T_test: Matrix) -> float:
        """Train weights and return by how much their risk on the test rows exceeds the oracle's."""
        return hinge_risk(self._weights(T, y), T_test, self.y) - self.risk

    def _weights(self, T: Matrix, y: NDArray[np.int64]) -> NDArray[np.float64]:
        fit = train(T, y, self.radius)
        self.gap = max(self.gap, fit.gap)
        return fit.w


def replicate_values(sizes: Sizes, seed: int) -> Iterator[tuple[str, int, float]]:
    """Draw a pair of networks and go through series, n and value; smaller samples are part of larger ones."""
    oracle = Oracle(sizes, seed)
    X0, y0 = draw_rows(oracle.simulation, sizes.grid[-1], DENSITIES)
    X1, y1 = draw_rows(oracle.simulation, sizes.large, WEIGHTS)
    T1 = oracle.exact(X1)
    yield "risk", sizes.oracle, oracle.risk
    yield "radius", sizes.oracle, oracle.radius
    yield "clipped", sizes.oracle, float(np.isclose(oracle.T[:, :-1], math.log(SMALLEST)).mean())
    for n in sizes.grid:
        estimates = Estimates(X0[:n], y0[:n])
        T_test, T_large = estimates.features(oracle.X), estimates.features(X1)
        yield "weights", n, oracle.excess(T1[:n], y1[:n], oracle.T)
        yield "limit", n, oracle.least_risk(T_large, y1, T_test) - oracle.risk
        yield "densities", n, oracle.excess(T_large, y1, T_test)
        yield "both", n, oracle.excess(T_large[:n], y1[:n], T_test)
        yield "same", n, oracle.excess(estimates.left_out_features(), y0[:n], T_test)
        yield "resubstituted", n, oracle.excess(estimates.features(X0[:n]), y0[:n], T_test)
        yield "E", n, float(np.linalg.norm(T_test - oracle.T, axis=1).mean())
        yield "U", n, float(np.abs(np.exp(T_test) - np.exp(oracle.T)).max())
    yield "gap", sizes.oracle, oracle.gap


def study(folder: Path, *, quick: bool = False, replicates: int | None = None, seed: int = 0) -> None:
    """Go through pairs of networks of consecutive seeds, write all files to `folder`, and print the table."""
    sizes = QUICK if quick else FULL
    replicates = replicates or (QUICK_REPLICATES if quick else REPLICATES)
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    bar = progress.bar(replicates * len(sizes.grid) * len(SERIES))
    try:
        for pair in range(seed, seed + replicates):
            for series, n, value in replicate_values(sizes, pair):
                results.append(Result(pair, series, n, value))
                if series in SERIES:
                    bar.set_postfix_str(f"{series} {n} {pair}: {value:.4f}", refresh=False)
                    bar.update()
            write_results(results, folder / "theory.csv")
    finally:
        bar.close()
    values = Values(results, sizes.grid)
    text = table(values, sizes)
    (folder / "theory.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    draw_figure(values, sizes, folder / "theory")


def run(arguments: argparse.Namespace) -> int:
    """Run the study and return the exit code."""
    study(arguments.out, quick=arguments.quick, replicates=arguments.replicates, seed=arguments.seed)
    return 0

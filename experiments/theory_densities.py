# SPDX-License-Identifier: BSD-3-Clause
"""Exact and estimated densities of Gaussian networks: all features and all pairs, in each class."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dyad import Density

SMALLEST, LARGEST = 1e-4, 0.8  # densities are clipped to these: p_min, and twice the p_max

Matrix = NDArray[np.float64]
Network = Sequence[Sequence[int]]  # the parents of each node
Subset = tuple[int, ...]  # one feature, or two


def subsets(d: int) -> list[Subset]:
    """Return all features and all pairs."""
    return [*((i,) for i in range(d)), *itertools.combinations(range(d), 2)]


def clipped(log_density: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log densities within the bounds that the theory asks for."""
    return np.clip(log_density, math.log(SMALLEST), math.log(LARGEST))


def covariance(network: Network) -> Matrix:
    """Return the covariance of a Gaussian network: (I - A)^-1 (I - A)^-T, A having a 1 for each parent."""
    A = np.zeros((len(network), len(network)))
    for node, parents in enumerate(network):
        A[node, list(parents)] = 1
    inverse = np.linalg.inv(np.eye(len(network)) - A)
    return inverse @ inverse.T


def normal_log_density(X: Matrix, S: Matrix) -> NDArray[np.float64]:
    """Return log densities of the normal distribution with mean 0 and covariance S."""
    Z = np.linalg.solve(np.linalg.cholesky(S), X.T)
    return -0.5 * (np.square(Z).sum(axis=0) + np.linalg.slogdet(2 * np.pi * S)[1])


def exact_features(X: Matrix, covariances: Sequence[Matrix]) -> Matrix:
    """Return the oracle's map: clipped log densities by class and subset, then a column of ones."""
    columns = [
        clipped(normal_log_density(X[:, subset], S[np.ix_(subset, subset)]))
        for S in covariances
        for subset in subsets(len(S))
    ]
    return np.column_stack([*columns, np.ones(len(X))])


def bayes_weights(networks: Sequence[Network]) -> NDArray[np.float64]:
    """Return the weights with which exact features, not clipped, are the log-likelihood ratio of forests."""
    weights = []
    for sign, network in zip((-1, 1), networks, strict=True):
        edges = {tuple(sorted((parent, node))) for node, parents in enumerate(network) for parent in parents}
        degree = np.bincount([end for edge in edges for end in edge], minlength=len(network))
        for subset in subsets(len(network)):
            weights.append(sign * (subset in edges if len(subset) == 2 else 1 - degree[subset[0]]))
    return np.array([*weights, 0], dtype=float)


class Estimates:
    """Kernel densities of all features and pairs within each class, from rows X of classes y, -1 or 1."""

    def __init__(self, X: Matrix, y: NDArray[np.int64]):
        self._X, self._y = X, y
        self._densities = [
            (label, subset, Density(X[y == label][:, subset]))
            for label in (-1, 1)
            for subset in subsets(X.shape[1])
        ]

    def features(self, X: Matrix) -> Matrix:
        """Return clipped log densities of rows, then a column of ones."""
        columns = [clipped(density.log_density(X[:, subset])) for _, subset, density in self._densities]
        return np.column_stack([*columns, np.ones(len(X))])

    def left_out_features(self) -> Matrix:
        """Return the same of the rows that the densities are from, each without its own kernel."""
        X, y = self._X, self._y
        columns = []
        for label, subset, density in self._densities:
            own, n = y == label, np.count_nonzero(y == label)
            p = np.exp(density.log_density(X[:, subset]))
            p[own] = (n * p[own] - _kernel_at_zero(density)) / (n - 1)
            columns.append(clipped(np.log(np.maximum(p, SMALLEST))))
        return np.column_stack([*columns, np.ones(len(X))])


def _kernel_at_zero(density: Density) -> float:
    H = density.bandwidth
    if isinstance(H, float):
        return 1 / (math.sqrt(2 * math.pi) * H)
    return 1 / (2 * math.pi * math.sqrt(np.linalg.det(H)))

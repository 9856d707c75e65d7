# SPDX-License-Identifier: BSD-3-Clause
"""Which methods are as good as the best one: signed-rank tests on the same folds or replicates."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from scipy.stats import wilcoxon

from experiments.tables import Folds

LEVEL = 0.05  # of all tests of a line together
SAME = 1e-12  # scores that differ by less are equal


def mean(folds: Folds) -> float:
    """Return the mean score."""
    return float(np.mean(list(folds.values())))


def p_value(folds: Folds, others: Folds) -> float:
    """Return that of Wilcoxon's two-sided signed-rank test on what both have; 1 if nothing differs."""
    differences = np.array([folds[fold] - others[fold] for fold in folds if fold in others])
    if np.all(np.abs(differences) < SAME):
        return 1.0
    return float(wilcoxon(np.where(np.abs(differences) < SAME, 0, differences)).pvalue)


def level(compared: int) -> float:
    """Return the level of a test of one of `compared` methods against the best of them (Bonferroni)."""
    return LEVEL / max(compared - 1, 1)


def least_p_value(count: int) -> float:
    """Return the smallest p-value that `count` folds can have."""
    return 2.0 ** (1 - count)


def best(scores: Mapping[str, Folds], compared: Collection[str]) -> str:
    """Return the method with the smallest mean among those `compared`, of all if none of them is there."""
    candidates = [method for method in scores if method in compared] or list(scores)
    return min(candidates, key=lambda method: mean(scores[method]))


def tied(scores: Mapping[str, Folds], compared: Collection[str]) -> set[str]:
    """Return the best of the methods `compared`, and all that are not significantly worse than that.

    The level is that of the methods compared; others are tested in the same way, and may also be better.
    """
    first = best(scores, compared)
    alpha = level(sum(method in compared for method in scores))

    def worse(method: str) -> bool:
        folds = scores[method]
        return mean(folds) > mean(scores[first]) and p_value(folds, scores[first]) < alpha

    return {method for method in scores if not worse(method)}

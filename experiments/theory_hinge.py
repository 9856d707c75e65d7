# SPDX-License-Identifier: BSD-3-Clause
"""Weights of the least hinge risk within a ball, to a known accuracy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

TOLERANCE = 1e-5  # of the hinge risk that is minimised, by its duality gap
RIDGE = 1e-10  # added to second derivatives: of weights of equal risk, those of small norm

Matrix = NDArray[np.float64]


class Fit(NamedTuple):
    """Weights, and the most by which their hinge risk on the training rows exceeds the least."""

    w: NDArray[np.float64]
    gap: float


def hinge_risk(w: NDArray[np.float64], T: Matrix, y: NDArray[np.int64]) -> float:
    """Return the mean of max(0, 1 - y w'T)."""
    return float(np.maximum(0, 1 - y * (T @ w)).mean())


def train(T: Matrix, y: NDArray[np.int64], radius: float, tolerance: float = TOLERANCE) -> Fit:
    """Minimise the hinge risk over weights of norm at most `radius`.

    The hinge is rounded off over a width that shrinks until the duality gap is at most `tolerance`: any a
    with 0 <= a_i <= 1 bounds the least risk from below by mean(a) - radius |mean(a_i y_i T_i)|. For each
    width, Newton steps minimise quadratic models over the ball, damped after steps that had to be cut short.
    """
    Z = T * y[:, np.newaxis]
    w, width, damping = np.zeros(T.shape[1]), 1.0, 0.0
    best = Fit(w, math.inf)
    for _ in range(300):
        violations = 1 - Z @ w
        a = np.clip(violations / width, 0, 1)
        gradient = -(a @ Z) / len(Z)
        rounding = float((np.maximum(0, violations) - a * violations).mean())
        descent = float(gradient @ w + radius * np.linalg.norm(gradient))
        best = min(best, Fit(w, rounding + descent), key=lambda fit: fit.gap)
        if best.gap <= tolerance:
            break
        if descent <= max(rounding, tolerance) / 4:
            width /= 2
            continue
        near = Z[(violations > 0) & (violations < width)]
        H = near.T @ near / (width * len(Z)) + damping * np.eye(len(w))
        step = _minimise_in_ball(H, gradient, w, radius) - w
        length = _step_length(violations, Z @ step, width)
        w = w + length * step
        damping = 10 * max(damping, RIDGE) if length < 0.1 else damping / 10
    return best


def _minimise_in_ball(H: Matrix, gradient: NDArray, w: NDArray, radius: float) -> NDArray[np.float64]:
    """Return the v of norm at most `radius` with the least gradient'(v - w) + (v - w)'H(v - w) / 2."""
    values, Q = np.linalg.eigh(H)
    values = np.maximum(values, 0) + RIDGE
    target = Q.T @ (H @ w - gradient)

    def excess(shift: float) -> float:
        return float(np.linalg.norm(target / (values + shift)) - radius)

    largest = np.linalg.norm(target) / radius
    shift = brentq(excess, 0, largest, xtol=1e-14) if excess(0) > 0 else 0.0
    return Q @ (target / (values + shift))


def _step_length(violations: NDArray, change: NDArray, width: float) -> float:
    """Return the length in [0, 1] that minimises the rounded hinge risk along a step, by bisection."""

    def derivative(length: float) -> float:
        return float(-np.clip((violations - length * change) / width, 0, 1) @ change)

    low, high = 0.0, 1.0
    if derivative(high) <= 0:
        return 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if derivative(middle) > 0 else (middle, high)
    return (low + high) / 2

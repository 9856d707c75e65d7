"""Bivariate densities at arbitrary points against KDEpy with SciPy and against scikit-learn."""
import numpy as np
from KDEpy import FFTKDE
from scipy.interpolate import RegularGridInterpolator
from sklearn.neighbors import KernelDensity

import data
from common import best_time, load, ours, require, save, versus

GRID = 128


def kdepy_log_density(x, points, h):
    """KDEpy on a grid that covers sample and points, then SciPy's linear interpolation."""
    low = np.minimum(x.min(axis=0), points.min(axis=0)) - 3 * h
    high = np.maximum(x.max(axis=0), points.max(axis=0)) + 3 * h
    axes = np.linspace(low, high, GRID).T
    grid = np.stack(np.meshgrid(*(axes / h[:, None]), indexing="ij"), axis=-1).reshape(-1, 2)
    values = FFTKDE(kernel="gaussian", bw=1).fit(x / h).evaluate(grid) / h.prod()
    return np.log(np.maximum(RegularGridInterpolator(tuple(axes), values.reshape(GRID, GRID))(points), 1e-300))


def errors(values, exact):
    """Median and 99 % quantile of the absolute differences."""
    return tuple(np.quantile(np.abs(values - exact), [0.5, 0.99]))


def run(bench):
    n, pairs, exact_pairs, exact_points = (3000, 6, 2, 200) if bench.quick else (100_000, 100, 4, 200)
    task = f"2-D density of {n} rows at {n} points, {pairs} pairs"
    X = data.dependent_features(n, 2 * pairs, seed=1)
    Q = data.dependent_features(n, 2 * pairs, seed=2)
    h = X.std(axis=0, ddof=1).reshape(pairs, 2) * n ** (-1 / 6)
    save(bench.folder, X=X, Q=Q, h=h)
    seconds = ours("density", bench.folder, repeat=2)["seconds"]
    values = load(bench.folder, "log_density")

    def columns(k):
        return slice(2 * k, 2 * k + 2)

    kdepy_seconds, kdepy = best_time(
        lambda: [kdepy_log_density(X[:, columns(k)], Q[:, columns(k)], h[k]) for k in range(pairs)], 2)

    def scikit(k):
        exact = KernelDensity(bandwidth=1).fit(X[:, columns(k)] / h[k])
        return exact.score_samples(Q[:exact_points, columns(k)] / h[k]) - np.log(h[k].prod())

    exact_seconds, exact = best_time(lambda: np.concatenate([scikit(k) for k in range(exact_pairs)]), 1)
    exact_seconds *= pairs / exact_pairs * n / exact_points
    error = errors(np.concatenate([values[:exact_points, k] for k in range(exact_pairs)]), exact)
    kdepy_error = errors(np.concatenate([kdepy[k][:exact_points] for k in range(exact_pairs)]), exact)
    difference = errors(values, np.stack(kdepy, axis=1))
    require(error[0] <= 0.01 and error[1] <= 0.05, f"log densities differ from the exact ones, by {error}")
    require(difference[0] <= 0.05 and difference[1] <= 0.5, f"log densities differ from KDEpy's, by {difference}")
    text = "median (99 %) error of the log density {:.1g} ({:.1g})".format
    yield versus(task, f"KDEpy FFTKDE, {GRID} x {GRID}, + SciPy", seconds, kdepy_seconds, target=">= 3",
                 note=f"{text(*error)}, KDEpy's {kdepy_error[0]:.1g} ({kdepy_error[1]:.1g})")
    yield versus(task, "scikit-learn KernelDensity", seconds, exact_seconds, target=">= 1000",
                 note=f"exact; {exact_points} points of {exact_pairs} pairs timed and scaled")

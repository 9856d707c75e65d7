"""HSIC of all pairs of features against NumPy, hyppo and the R package dHSIC."""
import warnings

import numpy as np
from hyppo.independence import Hsic

import data
from common import best_time, load, ours, require, save, versus

# dHSIC: 3.4 s (the faster of two runs) for 380 pairs of 500 rows, hence 9 ms a pair; the time grows with n^2 (r_times.csv).
DHSIC_SECONDS, DHSIC_ROWS = 3.4 / 380, 500


def median_bandwidths(X):
    """s of each column: s^2 is half the upper median of the squared distances."""
    first, second = np.triu_indices(len(X), 1)
    middle = len(first) // 2
    return np.array([np.sqrt(np.partition((x[first] - x[second]) ** 2, middle)[middle] / 2) for x in X.T])


def numpy_hsic(X, s, block=4):
    """HSIC of all pairs of columns: mean(K.L) + mean(K) mean(L) - 2 mean(rowmean(K) rowmean(L)), as matrix products.

    A few rows of all kernel matrices at a time, so that they stay in the cache, and only their upper triangles.
    """
    n, d = X.shape
    Z = X.T / (s[:, None] * np.sqrt(2))
    products, sums = np.zeros((d, d)), np.zeros((d, n))
    for a in range(0, n, block):
        b = min(a + block, n)
        K = Z[:, a:b, None] - Z[:, None, a:]
        np.multiply(K, K, out=K)
        np.negative(K, out=K)
        np.exp(K, out=K)
        sums[:, a:b] += K.sum(axis=2)
        sums[:, b:] += K[:, :, b - a:].sum(axis=1)
        diagonal, rest = K[:, :, : b - a].reshape(d, -1), K[:, :, b - a:].reshape(d, -1)
        products += diagonal @ diagonal.T + 2 * (rest @ rest.T)
    means = sums / n
    total = means.mean(axis=1)
    return products / n**2 + np.outer(total, total) - 2 * (means @ means.T) / n


def run(bench):
    n, d = (500, 20) if bench.quick else (2000, 100)
    task = f"HSIC of all pairs, n = {n}, d = {d}"
    X = data.dependent_features(n, d, seed=1)
    save(bench.folder, X=X)
    seconds = ours("hsic", bench.folder, repeat=3)["seconds"]
    upper = np.triu_indices(d, 1)
    values = load(bench.folder, "hsic").ravel()

    median_seconds, s = best_time(lambda: median_bandwidths(X), 1)
    require(np.allclose(s, load(bench.folder, "s").ravel(), rtol=1e-3), "the kernels' bandwidths differ")
    product_seconds, H = best_time(lambda: numpy_hsic(X, s), 2)
    expected = H[upper]
    error = np.abs(values - expected)
    require(np.all(error <= np.maximum(0.01 * expected, 1e-5)), f"HSIC differs from NumPy's, by {error.max():.2g}")
    agreement = f"largest difference {error.max():.1g}; "
    yield versus(task, "NumPy", seconds, median_seconds + product_seconds, target=">= 100",
                 note=agreement + f"NumPy's medians take {median_seconds:.3g} s of its time")

    pairs = list(zip(*upper))[:: max(1, len(upper[0]) // 20)][:20]
    hyppo = Hsic(bias=True, gamma=0.5)
    Z = X / s  # hyppo takes one kernel width for both features; it gives the root of HSIC(x, y) / sqrt(HSIC(x, x) HSIC(y, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hyppo.statistic(Z[:50, :1], Z[:50, 1:2])  # compiles its loops
        hyppo_seconds, statistics = best_time(lambda: [hyppo.statistic(Z[:, [i]], Z[:, [j]]) for i, j in pairs], 1)
    scaled = [H[i, j] / np.sqrt(H[i, i] * H[j, j]) for i, j in pairs]
    require(np.allclose(np.square(statistics), scaled, rtol=1e-6, atol=1e-9), "hyppo's HSIC is another one")
    yield versus(task, "hyppo", seconds, hyppo_seconds * len(expected) / len(pairs),
                 note=f"{len(pairs)} pairs timed, {1000 * hyppo_seconds / len(pairs):.0f} ms each, and scaled; kernel widths given")

    dhsic_seconds = DHSIC_SECONDS * (n / DHSIC_ROWS) ** 2 * len(expected)
    yield versus(task, "R: dHSIC", seconds, dhsic_seconds, target=">= 1000", note="timed at n = 500, scaled with n^2; not run here")

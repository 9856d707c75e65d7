"""The data sets of the comparisons, from seeds."""
import numpy as np

LINKS = [lambda x: x, lambda x: (x * x - 1) / np.sqrt(2), lambda x: np.sqrt(2) * np.sin(2 * x), lambda x: (np.abs(x) - 0.8) / 0.6]


def forest(n, d, seed):
    """n x d features and their class 0 or 1: a forest of dependencies per class.

    Each feature but the roots (one in five) is a link function of one earlier feature, plus noise; the features' means and variances
    are nearly alike in both classes, so that pairs tell them apart. In a quarter of the features the classes differ, by the sign of the
    link or by its form.
    """
    structure = np.random.default_rng(d)  # the same net for any n and seed: test rows are drawn with another seed
    parents = [int(structure.integers(max(0, j - 5), j)) if j % 5 else None for j in range(d)]
    forms = structure.integers(len(LINKS), size=d)
    differs = structure.permutation(d) < -(-d // 4)
    by_sign = structure.random(d) < 0.5

    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.standard_normal((n, d))
    for j, parent in enumerate(parents):
        if parent is None:
            continue
        link = LINKS[forms[j]](X[:, parent])
        if differs[j]:
            link = np.where(y == 1, link, -link if by_sign[j] else LINKS[(forms[j] + 1) % len(LINKS)](X[:, parent]))
        X[:, j] = 0.6 * link + 0.8 * X[:, j]
    return X, y


def dependent_features(n, d, seed):
    """n x d; every second feature depends on the one before it, more and more weakly."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    for j in range(1, d, 2):
        X[:, j] += X[:, j - 1] ** 2 / (1 + j / 10)
    return X


def log_density_features(n, p, seed):
    """n x p standardised columns as a linear SVM of dyad meets them, and signs +1 or -1: logarithms of normal densities of
    features and of pairs of features within each class, of the rows of `forest`."""
    d = max(p // 10, 10)
    X, y = forest(n, d, seed)
    rng = np.random.default_rng(seed + 1)
    pairs = rng.permutation([(c, i, j) for c in (0, 1) for i in range(d) for j in range(i)])[: p - 2 * d]
    T = np.empty((n, p), order="F")
    places = [(c, [i]) for c in (0, 1) for i in range(d)] + [(c, [i, j]) for c, i, j in pairs]
    for t, (c, columns) in enumerate(places):
        Z = X[:, columns] - X[y == c][:, columns].mean(axis=0)
        precision = np.linalg.inv(np.atleast_2d(np.cov(Z[y == c], rowvar=False)))
        T[:, t] = -0.5 * np.sum((Z @ precision) * Z, axis=1)
    T -= T.mean(axis=0)
    T /= T.std(axis=0, ddof=1)
    return T, 2.0 * y - 1

"""The linear SVM with hinge loss against LIBLINEAR, as scikit-learn's LinearSVC, to the same primal objective."""
import warnings

import numpy as np
from sklearn.svm import LinearSVC

import data
from common import best_time, load, ours, require, save, versus

TOLERANCE = 1e-3
PASSES = [10, 20, 25, 30, 40, 60, 100, 300]  # over the rows, that LIBLINEAR is given until it gets there


def objective(X, y, w, C):
    """|w|^2 / 2 + C sum of hinge losses, for weights w with the intercept as their last entry."""
    return 0.5 * w[:-1] @ w[:-1] + C * np.maximum(0, 1 - y * (X @ w[:-1] + w[-1])).sum()


def liblinear(X, y, C, passes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it stopped after so many passes
        svm = LinearSVC(C=C, loss="hinge", tol=1e-9, max_iter=passes, random_state=1).fit(X, y)
    return np.append(svm.coef_[0], svm.intercept_)


def run(bench):
    n, p = (1500, 60) if bench.quick else (100_000, 300)
    X, y = data.log_density_features(n, p, seed=1)
    save(bench.folder, X=X, y=y)
    X = np.ascontiguousarray(X)  # LinearSVC would copy it
    for C in (1, 0.01):
        told = ours("svm", bench.folder, C=C, tolerance=TOLERANCE)
        mine = objective(X, y, load(bench.folder, "w").ravel(), C)
        require(told["gap"] <= TOLERANCE, f"C = {C}: duality gap {told['gap']:.2g}")
        for passes in PASSES:
            seconds, w = best_time(lambda: liblinear(X, y, C, passes), 1)
            theirs = objective(X, y, w, C)
            if theirs <= mine * (1 + TOLERANCE):
                break
        require(mine <= theirs * (1 + TOLERANCE), f"C = {C}: objective {mine:.6g}, LIBLINEAR's {theirs:.6g}")
        reached = theirs <= mine * (1 + TOLERANCE)
        yield versus(f"linear SVM, n = {n}, p = {p}, C = {C}", "LinearSVC (LIBLINEAR)", told["seconds"], seconds, target=">= 3",
                     note=f"objective {mine:.6g}, LIBLINEAR's {theirs:.6g} after {passes} passes"
                     + ("" if reached else ": not there yet, the ratio is a lower bound"))

"""Fits, predicts, explains, saves and loads for a while in one process, and tells whether its memory grows.

    bench/trust/soak.py [--seconds 600] [--settle 60]

Exit code 1 if the resident memory afterwards is more than 1 % above that of the time to settle.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time

import numpy as np

import dyad


def resident_bytes():
    """Memory of this process that is in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def tables():
    """Small tables of two and three classes, some with gaps."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2 + seed % 2, 300)
        X = rng.normal(size=(300, 5)) + y[:, None] * 0.5
        if seed % 3 == 0:
            X[rng.random(X.shape) < 0.05] = np.nan
        yield X, y


def use(estimator, X, y, path):
    """One round of what a program that runs for months does."""
    estimator.fit(X, y)
    estimator.predict_proba(X)
    estimator.save(path)
    again = type(estimator).load(path)
    assert np.array_equal(again.decision_function(X), estimator.decision_function(X))
    again.importances(X)
    try:
        again.predict(X[:, 1:])
    except ValueError:
        pass
    else:
        raise AssertionError("a table with a column too few was taken")


def soak(seconds, settle):
    """The highest memory before and after the time to settle, and the rounds done."""
    estimators = [
        dyad.SLBClassifier(),
        dyad.SLBClassifier(preset="paper"),
        dyad.TANClassifier(),
        dyad.NaiveBayesKDE(),
    ]
    rounds = itertools.cycle(itertools.product(estimators, list(tables())))
    start = time.monotonic()
    first, last, n_rounds = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while (passed := time.monotonic() - start) < seconds:
            estimator, (X, y) = next(rounds)
            use(estimator, X, y, os.path.join(folder, "model.dyad"))
            n_rounds += 1
            if passed < settle or n_rounds <= 64:  # each estimator has met each table twice
                first = max(first, resident_bytes())
            else:
                last = max(last, resident_bytes())
    return first, last, n_rounds


def main():
    """Prints one line and ends with 1 if memory grew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--settle", type=float, default=60)
    arguments = parser.parse_args()
    first, last, n_rounds = soak(arguments.seconds, arguments.settle)
    growth = last / first - 1
    print(
        f"{n_rounds} rounds: {first / 1e6:.1f} MB at first, at most {last / 1e6:.1f} MB later ({growth:+.2%})"
    )
    return int(growth > 0.01)


if __name__ == "__main__":
    sys.exit(main())

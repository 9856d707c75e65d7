# SPDX-License-Identifier: BSD-3-Clause
"""What a call from Python costs beyond the same call in C++: the binding, and the estimators on top of it.

All three take turns on the same rows, and the quickest repeats are compared: whatever else the machine does
only adds to them. "within one call" is what the binding adds to the library's part of the same fit: the
median of the repeats. The limit is on the binding, for fits, and for predictions of rows by columns, as the
library reads them: rows in C order cost the change of layout beside. Needs an idle machine.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dyad
from dyad import _core

PROGRAM = Path(__file__).parents[2] / "build/bench/dyad_calls"
ESTIMATORS = {
    "slb": dyad.SLBClassifier,
    "lu": dyad.LUClassifier,
    "nb": dyad.NaiveBayesKDE,
}


def sample(n, d):
    """Two classes that differ in how neighbouring features depend on each other."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    y = (np.arange(n) % 2).astype(np.int32)
    X[:, 1::2] += np.where(y == 1, 1.0, -1.0)[:, None] * X[:, ::2]
    return X, y


class Program:
    """The C++ side, which waits for the word."""

    def __init__(self, X, y, method, n_threads):
        with tempfile.NamedTemporaryFile() as file:
            file.write(np.array(X.shape, dtype=np.int64).tobytes() + X.tobytes(order="F") + y.tobytes())
            file.flush()
            command = [PROGRAM, file.name, method, str(n_threads)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.seconds("fit")  # once it answers, the file is read

    def seconds(self, call):
        print(call, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def share_of_binding(X, y, method, n_threads, repeats):
    """What the binding adds to a fit, as a share of the library's part of the same call: the median."""
    shares = []
    for _ in range(repeats):
        start = time.perf_counter()
        inside = fit(X, y, method, n_threads).report["seconds"]["total"]
        shares.append((time.perf_counter() - start) / inside - 1)
    return statistics.median(shares)


def fit(X, y, method, n_threads):
    names = {"features": [f"x{j}" for j in range(X.shape[1])], "classes": ["0", "1"]}
    return _core.fit(X, y, 2, {"method": method, "preset": "paper"}, n_threads=n_threads, **names)


def compare(X, y, method, n_threads, repeats):
    """(fit or predict, who) -> seconds of the quickest repeat."""
    model = fit(X, y, method, n_threads)
    estimator = ESTIMATORS[method](preset="paper", n_jobs=n_threads).fit(X, y)
    program = Program(X, y, method, n_threads)
    calls = {
        ("fit", "C++"): lambda: program.seconds("fit"),
        ("fit", "binding"): lambda: seconds_of(lambda: fit(X, y, method, n_threads)),
        ("fit", "estimator"): lambda: seconds_of(lambda: estimator.fit(X, y)),
        ("predict", "C++"): lambda: program.seconds("predict"),
        ("predict", "binding"): lambda: seconds_of(lambda: model.scores(X, n_threads)),
        ("predict", "estimator"): lambda: seconds_of(lambda: estimator.predict(X)),
    }
    times = {key: [] for key in calls}
    for _ in range(repeats):
        for key, call in calls.items():
            times[key].append(call())
    program.close()
    return {key: min(values) for key, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--limit", type=float, default=0.05, help="share that the binding may add to a call")
    arguments = parser.parse_args()
    X, y = sample(arguments.rows, arguments.features)
    worst = 0.0
    print(f"{'method':<8}{'layout':<10}{'call':<10}{'C++':>10}{'binding':>18}{'estimator':>18}")
    for method in ESTIMATORS:
        for layout, rows in (("C", X), ("Fortran", np.asfortranarray(X))):
            quickest = compare(rows, y, method, arguments.threads, arguments.repeats)
            for call in ("fit", "predict"):
                base, *others = (quickest[call, who] for who in ("C++", "binding", "estimator"))
                added = "".join(f"{1e3 * t:>9.2f} {100 * (t / base - 1):>+7.1f}%" for t in others)
                print(f"{method:<8}{layout:<10}{call:<10}{1e3 * base:>7.2f} ms{added}")
            share = share_of_binding(rows, y, method, arguments.threads, arguments.repeats)
            print(f"{method:<8}{layout:<10}{'fit':<10}{'within one call':>28}{100 * share:>+7.1f}%")
            predict = quickest["predict", "binding"] / quickest["predict", "C++"] - 1
            worst = max(worst, share, predict if layout == "Fortran" else 0)
    print(f"binding: at most {100 * worst:+.1f}%, limit {100 * arguments.limit:.0f}%")
    sys.exit(worst > arguments.limit)


if __name__ == "__main__":
    main()

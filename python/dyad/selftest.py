# SPDX-License-Identifier: BSD-3-Clause
"""``python -m dyad.selftest`` fits, predicts, saves and loads a small model and compares it with a stored result."""

import sys
import tempfile
from pathlib import Path

import numpy as np

from dyad import SLBClassifier, __version__

#: Probabilities of the second class, of every 20th row, that a correct installation finds.
EXPECTED = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
TOLERANCE = 1e-6


def small_table():
    """120 rows of two classes, 40 and 80, which differ in how the two features go together; no random numbers."""
    angle = np.arange(120) * 2.399963  # the golden angle, which fills a disc evenly
    radius = np.sqrt((np.arange(120) + 0.5) / 120)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    y = np.where(np.arange(120) % 3 == 0, "slope", "disc")
    X[y == "slope", 1] = X[y == "slope", 0] + 0.3 * X[y == "slope", 1]
    return X, y


def main():
    """Runs the test; returns 0 if all agrees, else 1."""
    X, y = small_table()
    model = SLBClassifier().fit(X, y)
    found = model.predict_proba(X)[::20, 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.dyad"
        model.save(path)
        loaded = SLBClassifier.load(path)
    problems = []
    if not np.allclose(found, EXPECTED, rtol=0, atol=TOLERANCE):
        problems.append(f"probabilities are {found.tolist()}, expected {EXPECTED}")
    if not np.array_equal(loaded.predict_proba(X), model.predict_proba(X)):
        problems.append("a loaded model predicts otherwise than the one that was saved")
    for problem in problems:
        print(f"dyad {__version__}: {problem}", file=sys.stderr)
    if not problems:
        print(f"dyad {__version__}: fit, predict, save and load agree with the stored result")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""``python -m dyad.selftest`` fits, saves and loads a small model and compares it with a stored result."""

import sys
import tempfile
from pathlib import Path

import numpy as np

from dyad import SLBClassifier, __version__

#: Probabilities of the second class, of every 20th row, that a correct installation finds.
EXPECTED = [0.031597687, 0.682308419, 0.155195228, 0.875021371, 0.053138683, 0.013861079]
TOLERANCE = 0.01  # iterations stop a little earlier or later from machine to machine


def small_table():
    """120 rows in two classes that differ in how the two features go together; no random numbers."""
    angle = np.arange(120) * 2.399963  # the golden angle, which fills a disc evenly
    radius = np.sqrt((np.arange(120) + 0.5) / 120)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    y = np.where(np.arange(120) % 3 == 0, "slope", "disc")
    X[y == "slope", 1] = X[y == "slope", 0] + 0.3 * X[y == "slope", 1]
    return X, y


def main():
    """Runs the test; returns 0 if all agrees, else 1."""
    X, y = small_table()
    model = SLBClassifier(pairs="cv").fit(X, y)  # named: the default may change, EXPECTED must not
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

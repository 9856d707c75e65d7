# SPDX-License-Identifier: BSD-3-Clause
"""Samples that several tests use."""

import os
from pathlib import Path

# scikit-learn skips its checks with array API dispatch unless SciPy was imported with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def stars():
    """Rows, labels and column names of examples/stars.csv: classes that only pairs of features tell apart."""
    header, *lines = (ROOT / "examples" / "stars.csv").read_text().splitlines()
    fields = np.array([line.split(",") for line in lines])
    return fields[:, :-1].astype(float), fields[:, -1], header.split(",")[:-1]


@pytest.fixture(scope="session")
def three_classes():
    """120 rows of 4 features in three classes, labelled 3, 5 and 7."""
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 3
    X = rng.normal(size=(120, 4)) + codes[:, np.newaxis] * [1.5, 0, 0.5, 0]
    return X, 3 + 2 * codes

# SPDX-License-Identifier: BSD-3-Clause
"""Samples that several tests use."""

import os
import signal
from pathlib import Path

# scikit-learn skips its checks with array API dispatch unless SciPy was imported with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--differential-cases", type=int, default=150, help="cases of test_differential.py")
    parser.addoption("--differential-first", type=int, default=0, help="the seed of the first of them")


@pytest.fixture(scope="module")
def browser():
    """Chromium, for tests of pages."""
    from report_pages import a_browser

    with a_browser() as browser:
        yield browser


@pytest.fixture
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, even if it was ignored before, as in background jobs of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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


@pytest.fixture(scope="session")
def tree_rows():
    """A function that makes rows of numbers over decades, numbers with gaps, and text."""

    def make(n=300, n_classes=2):
        rng = np.random.default_rng(7)
        y = np.array(["ash", "elm", "oak"])[np.arange(n) % n_classes]
        shift = (np.arange(n) % n_classes).astype(float)
        table = pd.DataFrame(
            {
                "width": np.exp(2 * rng.normal(size=n) + shift),
                "age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n) + shift),
                "bark": rng.choice(["grey", "ridged", "smooth"], size=n),
            }
        )
        table.loc[(table["bark"] == "grey") & (y == "ash"), "age"] += 2
        return table, y

    return make

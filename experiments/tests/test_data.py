# SPDX-License-Identifier: BSD-3-Clause
"""The project's tables are those that data/README.md lists. Tables that were removed are skipped."""

import gzip
import hashlib
import re

import numpy as np
import pytest

from experiments.datasets import FOLDER, load, paper_sets, set_names, table_file

LINE = re.compile(r"\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| `([0-9a-f]{64})` \|")


def listed():
    """Rows, features, class counts and check sum of each table in the list of the README."""
    page = FOLDER / "README.md"
    lines = map(LINE.fullmatch, page.read_text().splitlines() if page.exists() else [])
    return {line[1]: (*map(int, line.group(2, 3, 4, 5)), line[6]) for line in lines if line}


def needed(name):
    """The file of a table; the test is skipped without it."""
    try:
        return table_file(FOLDER, name)
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", paper_sets())
def test_a_table_is_the_one_listed(name):
    path = needed(name)
    n, d, n_positive, n_negative, digest = listed()[name]
    raw = path.read_bytes()
    text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    table = load(path)
    assert hashlib.sha256(text).hexdigest() == digest
    assert table.X.shape == (n, d)
    assert np.isfinite(table.X).all()
    assert np.bincount(table.y).tolist() == [n_negative, n_positive]


@pytest.mark.parametrize("name", paper_sets())
def test_a_table_names_creators_source_licence_and_changes(name):
    needed(name)
    rows = [line.split(" | ") for line in (FOLDER / "LICENSES.md").read_text().splitlines()]
    (row,) = [row for row in rows if row[0] == f"| {name}"]
    assert len(row) == 5
    assert all(cell.strip("| ") for cell in row)


def test_every_file_is_listed():
    if not any(FOLDER.glob("*.csv*")):
        pytest.skip(f"no tables in {FOLDER}")
    assert set(set_names(FOLDER)) <= set(listed())

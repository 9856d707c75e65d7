# SPDX-License-Identifier: BSD-3-Clause
"""Tables of two classes from a folder of CSV files, and their folds."""

from __future__ import annotations

import csv
import functools
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

FOLDER_VARIABLE = "DYAD_DATA"
LABEL = "label"


class Table(NamedTuple):
    """Rows and their classes, coded 0 and 1 in the order of the labels."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]


class Split(NamedTuple):
    """Row numbers of one fold."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


def data_folder(given: str | None) -> Path:
    """Return the folder given, or else that of the environment variable DYAD_DATA."""
    name = given or os.environ.get(FOLDER_VARIABLE)
    if not name:
        raise ValueError(f"no folder of data sets: give --data DIR or set {FOLDER_VARIABLE}")
    folder = Path(name)
    if not folder.is_dir():
        raise ValueError(f"no such folder: {folder}")
    return folder


def set_names(folder: Path, chosen: list[str] | None = None) -> list[str]:
    """Return the chosen data sets (default: all) of a folder, one for each CSV file."""
    present = sorted(path.stem for path in folder.glob("*.csv"))
    if not present:
        raise ValueError(f"no CSV files in {folder}")
    return pick(chosen, present, "data set")


def pick(chosen: list[str] | None, present: list[str], kind: str) -> list[str]:
    """Return `chosen` (default: all), or say which of them are not `present`."""
    unknown = [name for name in chosen or [] if name not in present]
    if unknown:
        raise ValueError(f"unknown {kind} {', '.join(unknown)}; there are: {', '.join(present)}")
    return present if chosen is None else list(dict.fromkeys(chosen))


@functools.lru_cache(maxsize=32)
def load(path: Path) -> Table:
    """Read a CSV file with a header, numeric columns and a column ``label`` of two values."""
    with path.open(newline="") as file:
        header, *rows = [row for row in csv.reader(file) if row] or [[]]
    if LABEL not in header:
        raise ValueError(f"{path} has no column {LABEL!r}")
    column = header.index(LABEL)
    labels, y = np.unique([row[column] for row in rows], return_inverse=True)
    if len(labels) != 2:
        raise ValueError(f"{path} has {len(labels)} classes, not 2")
    try:
        X = np.array([row[:column] + row[column + 1 :] for row in rows], dtype=float)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return Table(X, y)


@functools.lru_cache(maxsize=32)
def splits(path: Path, seed: int, folds: int) -> list[Split]:
    """Return the stratified folds of a table that every method is given."""
    table = load(path)
    shuffled = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return [Split(train, test) for train, test in shuffled.split(table.X, table.y)]

# SPDX-License-Identifier: BSD-3-Clause
"""Tables of two classes from a folder of CSV files, plain or gzipped, and their folds."""

from __future__ import annotations

import csv
import functools
import gzip
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

FOLDER = Path(__file__).resolve().parents[1] / "data"  # the paper's tables
FOLDER_VARIABLE = "DYAD_DATA"
ENDINGS = (".csv", ".csv.gz")  # of files of tables; the first that is there is read
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
    """Return the folder given, or else that of the environment variable DYAD_DATA, or else the project's."""
    folder = Path(given or os.environ.get(FOLDER_VARIABLE) or FOLDER)
    if not folder.is_dir():
        raise ValueError(f"no such folder: {folder}; name one by --data DIR or {FOLDER_VARIABLE}")
    return folder


@functools.cache
def paper_sets() -> tuple[str, ...]:
    """Return the data sets of the paper's table 1."""
    with (Path(__file__).parent / "paper" / "table1.csv").open(newline="") as file:
        return tuple(dict.fromkeys(line["setting"] for line in csv.DictReader(file)))


def table_file(folder: Path, name: str) -> Path:
    """Return the file of a table; raise ValueError if the folder does not have it."""
    for ending in ENDINGS:
        if (path := folder / f"{name}{ending}").exists():
            return path
    raise ValueError(f"no table {name} in {folder}")


def set_names(folder: Path, chosen: list[str] | None = None) -> list[str]:
    """Return the chosen data sets (default: all) of a folder, one for each CSV file.

    Tables of the paper that the folder lacks are left out with a message.
    """
    present = sorted(
        {path.name.removesuffix(ending) for ending in ENDINGS for path in folder.glob(f"*{ending}")}
    )
    if not present:
        raise ValueError(f"no CSV files in {folder}")
    missing = [name for name in chosen or [] if name in paper_sets() and name not in present]
    if missing:
        chosen = [name for name in chosen or [] if name not in missing]
        if not chosen:
            raise ValueError(f"{folder} has none of the paper's sets: {', '.join(missing)}")
        print(f"left out, as {folder} does not have them: {', '.join(missing)}", file=sys.stderr)
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
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
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

# SPDX-License-Identifier: BSD-3-Clause
"""Options that several studies have, and the types of their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from experiments.simulation import TRAINING_ROWS


def names(text: str) -> list[str]:
    """Split a list at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def count(text: str, least: int = 1) -> int:
    """Read a number of at least `least`."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}: {text}")
    return number


def folds(text: str) -> int:
    """Read a number of folds."""
    return count(text, 2)


def rows(text: str) -> list[int]:
    """Read numbers of training rows, which two classes share."""
    return [count(number, 4) for number in names(text)]


def paper_rows(text: str) -> list[int]:
    """Read numbers of training rows that the paper has."""
    chosen = rows(text)
    for number in chosen:
        if number not in TRAINING_ROWS:
            known = ", ".join(map(str, TRAINING_ROWS))
            raise argparse.ArgumentTypeError(f"the paper has {known} training rows, not {number}")
    return chosen


def add_data(option: Callable, repeats: int) -> None:
    """Declare options of real tables."""
    told = "folder of tables, .csv or .csv.gz (default: $DYAD_DATA, or else data)"
    option("--data", metavar="DIR", help=told)
    option("--sets", metavar="A,B", type=names, help="tables, without .csv or .csv.gz (default: all)")
    told = f"draws of folds, seeds 0, 1, ... (default: {repeats})"
    option("--repeats", metavar="N", type=count, default=repeats, help=told)


def add_folds(option: Callable) -> None:
    """Declare options of studies that choose their folds."""
    option(
        "--folds",
        metavar="N",
        type=folds,
        default=5,
        help="folds of a draw; results of another number need a file of their own (default: 5)",
    )
    option(
        "--slow",
        metavar="SECONDS",
        type=float,
        default=float("inf"),
        help="no further repeats where a fit takes longer (default: no limit)",
    )


def add_file(option: Callable) -> None:
    """Declare the file of results of studies that have just one."""
    told = "file of results, read and added to, a line a fit"
    option("--results", metavar="FILE.csv", type=Path, help=told)


def add_folders(option: Callable) -> None:
    """Declare the folders of the paper's tables."""
    told = "folder of the results, a file a table and a line a fit (default: results)"
    option("--results", metavar="DIR", type=Path, default=Path("results"), help=told)
    told = "folder of tables and figures (default: that of the results)"
    option("--out", metavar="DIR", type=Path, help=told)


def add_running(option: Callable) -> None:
    """Declare how fits are run."""
    option("--redo", action="store_true", help="compute again what the results already have")
    option("--jobs", metavar="N", type=count, default=1, help="processes, of one thread each (default: 1)")

# SPDX-License-Identifier: BSD-3-Clause
"""Results of single fits, and the file that keeps them, a line each."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple


class Key(NamedTuple):
    """A fit: of `method` to all folds of data set `set` but `fold`, folds being drawn with seed `seed`."""

    set: str
    seed: int
    fold: int
    method: str


@dataclasses.dataclass(frozen=True)
class Scores:
    """How well a fit did on rows that it had not seen; NaN where a method has no such value."""

    error: float
    ber: float  # mean of the classes' error rates
    auc: float
    log_loss: float
    seconds: float  # of the fit alone
    version: str  # package that the method is from, and its version


COLUMNS = [*Key._fields, *(field.name for field in dataclasses.fields(Scores))]


class Results:
    """Scores by key, kept in a CSV file if there is one.

    A line is on disk as soon as its fit is done, so that a run that was interrupted goes on where it stopped.
    """

    def __init__(self, path: Path | None = None):
        self._path = path
        self._scores: dict[Key, Scores] = {}
        if path is None:
            return
        if path.exists():
            self._scores = dict(_read(path))
        self._write()

    def __contains__(self, key: Key) -> bool:
        return key in self._scores

    def __len__(self) -> int:
        return len(self._scores)

    def items(self) -> Iterator[tuple[Key, Scores]]:
        """Go through all keys and scores, in the order of the file."""
        yield from self._scores.items()

    def add(self, key: Key, scores: Scores) -> None:
        """Keep the scores of a fit, also in the file."""
        self._scores[key] = scores
        if self._path is not None:
            with self._path.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(_row(key, scores))

    def drop(self, keys: Collection[Key]) -> None:
        """Forget the scores of these fits, also in the file."""
        self._scores = {key: scores for key, scores in self._scores.items() if key not in keys}
        if self._path is not None:
            self._write()

    def _write(self) -> None:
        """Replace the file as a whole, which also mends a last line that was cut off."""
        assert self._path is not None
        draft = self._path.with_name(self._path.name + ".new")
        with draft.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(_row(key, scores) for key, scores in self.items())
        draft.replace(self._path)


def _row(key: Key, scores: Scores) -> list[str]:
    *values, version = dataclasses.astuple(scores)
    return [*map(str, key), *("" if math.isnan(value) else f"{value:.6g}" for value in values), version]


def _read(path: Path) -> Iterator[tuple[Key, Scores]]:
    with path.open(newline="") as file:
        lines = file.read().splitlines(keepends=True)
    header, *rows = list(csv.reader(lines)) or [[]]
    if header != COLUMNS:
        raise ValueError(f"{path} is not a file of results: its first line should be {','.join(COLUMNS)}")
    for number, row in enumerate(rows, start=2):
        if number == len(lines) and not lines[-1].endswith("\n"):
            return  # cut off while it was written
        try:
            name, seed, fold, method, *values, version = row
            scores = Scores(*(float(value) if value else math.nan for value in values), version)
            yield Key(name, int(seed), int(fold), method), scores
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: not a line of results: {','.join(row)}") from error

# SPDX-License-Identifier: BSD-3-Clause
"""The paper's three tables of results: what they compare, and the numbers that they print."""

from __future__ import annotations

import csv
import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.methods import BAYES, BOOSTING, OURS, PAPER
from experiments.simulation import FORESTS, GENERAL, PRINTED, TRAINING_ROWS, Setting


class Case(NamedTuple):
    """A line of a table: what results call it, then the paper's name and number of rows."""

    set: str
    setting: str
    n: int


class Printed(NamedTuple):
    """A value of the paper, in percent, and whether it is in bold: the best one, or tied with it."""

    mean: float
    sd: float
    tied: bool


@dataclasses.dataclass(frozen=True)
class Design:
    """A table of the paper, with methods of ours beside its own."""

    name: str
    title: str
    score: str  # ber or error
    compared: tuple[str, ...]  # the paper's methods
    further: tuple[str, ...]
    networks: tuple[Setting, ...] = ()  # none: real tables

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods, in the order of columns."""
        return (*self.compared, *self.further)

    @functools.cached_property
    def printed(self) -> dict[tuple[str, int, str], Printed]:
        """The paper's numbers by setting, number of rows and method."""
        file = Path(__file__).parent / "paper" / f"{self.name}.csv"
        return {
            (line["setting"], int(line["n"]), line["method"]): Printed(
                float(line["mean"]), float(line["sd"]), line["tied"] == "1"
            )
            for line in csv.DictReader(file.read_text().splitlines())
        }

    @functools.cached_property
    def cases(self) -> tuple[Case, ...]:
        """The lines of the table."""
        return tuple(self._cases())

    @functools.cached_property
    def paper_cases(self) -> tuple[Case, ...]:
        """The lines that the paper has."""
        known = {(setting, n) for setting, n, _ in self.printed}
        return tuple(case for case in self.cases if case[1:] in known)

    def _cases(self) -> Iterator[Case]:
        if self.networks:
            for setting in self.networks:
                yield from (Case(setting.set(n), setting.name, n) for n in TRAINING_ROWS)
        else:
            for name, n in dict.fromkeys((setting, n) for setting, n, _ in self.printed):
                yield Case(name, name, n)


TABLE1 = Design("table1", "Balanced errors on real tables", "ber", PAPER, ("slb-", *OURS, *BOOSTING))
TABLE2 = Design(
    "table2",
    "Errors on forests of 20 features",
    "error",
    PAPER,
    ("slb-", *OURS, BAYES),
    networks=(*FORESTS, *PRINTED),
)
TABLE3 = Design(
    "table3",
    "Errors on networks of 20 features with three parents a node",
    "error",
    ("slb-", *PAPER),
    (*OURS, BAYES),
    networks=tuple(GENERAL),
)
DESIGNS = (TABLE1, TABLE2, TABLE3)

# SPDX-License-Identifier: BSD-3-Clause
"""What the paper leaves open about its networks, chosen by the errors of other classifiers.

Random forest, SVM, 5 nearest neighbours and naive Bayes are fitted to networks drawn in several ways. The
score of a way is the root mean square difference of their mean errors to those of the paper's tables, in
percentage points. Methods that use pairs (SLB, TAN) have no say.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad import Simulation
from experiments import evaluation
from experiments.designs import TABLE2, TABLE3
from experiments.evaluation import Method, Task, score
from experiments.methods import METHODS
from experiments.results import Key, Results, Scores
from experiments.simulation import CLASS_0, FITTED_FORESTS, draw_tables
from experiments.tables import Column, markdown

RIVALS = ("nb", "rf", "svm", "5nn")


class Way(NamedTuple):
    """A way to draw the networks of a scenario, and the options of the simulation that say it."""

    scenario: str
    about: str
    options: dict[str, Any]

    def set(self, classes: str, n: int) -> str:
        """What results call n training rows of it."""
        return f"{self.scenario}: {self.about}, {classes} {n}"

    def printed(self, classes: str, n: int, method: str) -> float:
        """Return the error that the paper has, in percent."""
        structure, marginals = self.scenario.split("-")
        if structure == "forest":
            return TABLE2.printed[f"{marginals}-{classes}", n, method].mean
        return TABLE3.printed[f"{marginals}-none-{classes}", n, method].mean


ANYWHERE = {"root_places": "anywhere", "window": 0}
FIRST = {"root_places": "first", "window": 0}

FOREST_STRUCTURES = {
    "a node is a root with probability 0.15": {**ANYWHERE, "roots": 0.15},
    "0.2": {**ANYWHERE, "roots": 0.2},
    "0.25": {**ANYWHERE, "roots": 0.25},
    "0.3": {**ANYWHERE, "roots": 0.3},
    "0.25, an order of nodes for each class": {**ANYWHERE, "roots": 0.25, "node_order": "own"},
    "the first 25 % are roots": {**FIRST, "roots": 0.25},
}
FOREST_MIXTURES = {
    "as printed, case drawn by row": {"mixture": "row"},
    "as printed, case drawn by node": {"mixture": "node"},
    "t z for t + z, by row": {"forest_mixture": "product"},
    "t z for t + z, by row, 0.2 shared": FITTED_FORESTS,
    "t z for t + z, by row, 1/3 shared": {"forest_mixture": "product", "shared": 1 / 3},
    "t z for t + z, by node, 0.2 shared": {**FITTED_FORESTS, "mixture": "node"},
}
GENERAL_STRUCTURES = {
    "a node is a root with probability 0.25": {**ANYWHERE, "roots": 0.25},
    "the first 40 % are roots": {**FIRST, "roots": 0.4},
    "the first 40 %, parents of the 10 before": {**FIRST, "roots": 0.4, "window": 10},
    "the first 35 %, parents of the 9 before": {**FIRST, "roots": 0.35, "window": 9},
    "the first 30 %, parents of the 8 before": {**FIRST, "roots": 0.3, "window": 8},
    "the first 35 %, an order for each class": {**FIRST, "roots": 0.35, "window": 9, "node_order": "own"},
}


def ways() -> Iterator[Way]:
    """Go through all ways that are tried."""
    for about, options in FOREST_STRUCTURES.items():
        yield Way("forest-normal", about, options)
    for about, options in FOREST_MIXTURES.items():
        yield Way("forest-complex", about, options)
    for about, options in GENERAL_STRUCTURES.items():
        yield Way("general-normal", about, options)
    for about, options in GENERAL_STRUCTURES.items():
        for mixture in ("row", "node"):
            yield Way("general-complex", f"{about}; case by {mixture}", {**options, "mixture": mixture})


def score_way(method: Method, way: Way, classes: str, n: int, seed: int) -> Scores:
    """Fit `method` to n rows of a pair of networks drawn in that way, and score it on others."""
    return score(method, *draw_tables(Simulation(way.scenario, seed, **way.options), n, classes))


def tasks(rows: list[int], replicates: int) -> list[Task]:
    """Return all fits."""
    return [
        Task(
            Key(way.set(classes, n), seed, 0, name),
            METHODS[name].cost * n,
            functools.partial(score_way, METHODS[name], way, classes, n, seed),
        )
        for way in ways()
        for classes in CLASS_0
        for n in rows
        for name in RIVALS
        for seed in range(replicates)
    ]


def differences(column: Column, way: Way, rows: list[int]) -> NDArray[np.float64]:
    """Return by how many points errors exceed the paper's: a row for each case, a column for each rival."""
    return np.array(
        [
            [
                100 * column.mean(way.set(classes, n), method).value - way.printed(classes, n, method)
                for method in RIVALS
            ]
            for classes in CLASS_0
            for n in rows
        ]
    )


def as_markdown(results: Results, rows: list[int]) -> str:
    """Return a table of the ways and their scores, the least of each scenario in bold."""
    column = Column(results, "error")
    found = [(way, differences(column, way, rows)) for way in ways()]
    scores = [(way.scenario, float(np.sqrt(np.mean(np.square(by_rival))))) for way, by_rival in found]
    lines = []
    for (way, by_rival), (scenario, value) in zip(found, scores, strict=True):
        best = value == min(other for of, other in scores if of == scenario)
        means = [f"{mean:+.1f}" for mean in by_rival.mean(axis=0)]
        lines.append([scenario, way.about, f"**{value:.1f}**" if best else f"{value:.1f}", *means])
    sizes = " and ".join(map(str, rows))
    notes = (
        "Score: root mean square difference to the paper's errors in points, over four methods, balanced and "
        f"imbalanced classes, and {sizes} training rows. Behind it, the mean difference of each method."
    )
    header = ["scenario", "networks", "score", *(method.upper() for method in RIVALS)]
    return "\n\n".join([markdown(header, lines, text_columns=2), notes])


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its table, and return the exit code."""
    results = Results(arguments.results)
    fits = tasks(arguments.n, arguments.replicates)
    failures = evaluation.run(fits, results, arguments.jobs, arguments.redo)
    if failures:
        return 1
    print(as_markdown(results, arguments.n))
    return 0

# SPDX-License-Identifier: BSD-3-Clause
"""Simulated Bayesian networks: SLB beside TAN, which is made for forests.

Two classes of rows, each from a network of its own, of 20 nodes: forests and networks with three parents a
node, with normal conditional distributions and with complex ones (Student's t, two modes). The docstring of
dyad.experiments.networks has the details.
"""

from __future__ import annotations

import argparse
import functools
import itertools
from typing import NamedTuple

from dyad import SLBClassifier, TANClassifier
from dyad.experiments import evaluation, tables
from dyad.experiments.datasets import Table, pick
from dyad.experiments.evaluation import Method, Task, score
from dyad.experiments.networks import CONDITIONALS, STRUCTURES, Conditionals, simulate
from dyad.experiments.results import Key, Results, Scores

OURS = "dyad"

METHODS = {
    method.name: method
    for method in [
        Method(OURS, SLBClassifier),
        Method("dyad-paper", functools.partial(SLBClassifier, preset="paper")),
        Method("tan", TANClassifier),
        Method("tan-paper", functools.partial(TANClassifier, preset="paper")),
    ]
}


class Setting(NamedTuple):
    """A kind of networks and the number of training rows drawn from a pair of them."""

    structure: str
    conditionals: Conditionals
    rows: int

    @property
    def name(self) -> str:
        """The data set that results call it."""
        return f"{self.structure} {self.conditionals} {self.rows}"


def settings(rows: list[int]) -> list[Setting]:
    """Return all kinds of networks with each of these numbers of training rows."""
    return [Setting(*each) for each in itertools.product(STRUCTURES, CONDITIONALS, rows)]


def score_replicate(method: Method, setting: Setting, replicate: int) -> Scores:
    """Fit `method` to rows of a pair of networks, and score it on others of the same pair."""
    train, test = simulate(*setting, replicate)
    return score(method, Table(*train), Table(*test))


def replicate_tasks(chosen: list[Setting], methods: list[Method], replicates: int) -> list[Task]:
    """Return the fits of methods to simulated networks; a replicate counts as a repeat with one fold."""
    return [
        Task(
            Key(setting.name, replicate, 0, method.name),
            method.cost * setting.rows,
            functools.partial(score_replicate, method, setting, replicate),
        )
        for setting in chosen
        for method in methods
        for replicate in range(replicates)
    ]


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its table, and return the exit code."""
    methods = [METHODS[name] for name in pick(arguments.methods, list(METHODS), "method")]
    chosen = settings(arguments.n)
    results = Results(arguments.results)
    tasks = replicate_tasks(chosen, methods, arguments.replicates)
    failures = evaluation.run(tasks, results, arguments.jobs, redo=arguments.redo)
    print(tables.networks(results, [setting.name for setting in chosen], list(METHODS), OURS))
    return 1 if failures else 0

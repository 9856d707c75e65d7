# SPDX-License-Identifier: BSD-3-Clause
"""A classifier, and the same with one ingredient exchanged or switched off.

By default this is done to the recipe of our defaults; with --preset paper to SLB as the paper has it: without
screening, without pairs, with densities that leave out the row itself, with exact sums in the place of
counts, and with our recipe in its place. Variants are compared with the whole fold by fold, on real tables
and, with --networks, on simulated Bayesian networks.
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

from dyad import LUClassifier, SLBClassifier
from experiments import evaluation, tables
from experiments.datasets import data_folder, pick, set_names
from experiments.evaluation import Method, Task, fold_tasks
from experiments.results import Results
from experiments.simulation import FORESTS, GENERAL, replicate_tasks


def slb(**parameters: Any) -> functools.partial[SLBClassifier]:
    """Return the maker of a classifier with these parameters."""
    return functools.partial(SLBClassifier, **parameters)


def balanced(**parameters: Any) -> functools.partial[SLBClassifier]:
    """Return the maker of a classifier that minimises the balanced error, the score of the study."""
    return slb(optimise="balanced", **parameters)


def lu(**parameters: Any) -> functools.partial[LUClassifier]:
    """Return the maker of a classifier without pairs."""
    return functools.partial(LUClassifier, **parameters)


RECIPE: dict[str, functools.partial[Any]] = {
    "recipe": balanced(),
    "paper": slb(preset="paper"),
    "only-standardised": balanced(coordinate="standard"),
    "plug-in": balanced(bandwidth="plug_in"),
    "plug-in-diagonal": balanced(bandwidth="plug_in_diagonal"),
    "no-prior-rows": balanced(prior_rows=0),
    "resubstitution": balanced(feature_mode="resubstitution"),
    "cross-fit": balanced(feature_mode="cross_fit"),
    "no-linear-terms": balanced(linear_terms=False),
    "unit-scale": balanced(term_scale="unit"),
    "all-pairs": balanced(pairs="all"),
    "no-pairs": lu(optimise="balanced"),
    "cost-given": balanced(cost="given"),
    "best-setting": slb(settings="best", linear_terms=False),
    "average-1": balanced(n_average=1),
    "average-30": balanced(n_average=30),
    "never-blend": balanced(blend="never"),
    "always-blend": balanced(blend="always"),
    "optimise-auc": slb(optimise="auc"),
    "optimise-logloss": slb(optimise="logloss"),
}


PAPER: dict[str, functools.partial[Any]] = {
    "slb": slb(preset="paper"),
    "no-screening": slb(preset="paper", pairs="all"),
    "no-pairs": lu(preset="paper"),
    "leave-one-out": slb(preset="paper", feature_mode="leave_one_out"),
    "exact": slb(preset="paper", engine="exact"),
    "auto": balanced(),
}
PRESETS = {"auto": RECIPE, "paper": PAPER}  # the first variant of each is what the others are compared with
COSTS = {"exact": 20.0}  # relative to others, of variants that take longer
NETWORKS = [setting for setting in [*FORESTS, *GENERAL] if setting[2:] == ("none", "balanced")]


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its tables, and return the exit code."""
    variants = PRESETS[arguments.preset]
    base = next(iter(variants))
    chosen = pick(arguments.variants, list(variants), "variant")
    methods = [
        Method(name, variants[name], cost=COSTS.get(name, 1)) for name in dict.fromkeys([base, *chosen])
    ]
    results = Results(arguments.results)
    sets, tasks = _real(arguments, methods)
    if arguments.networks:
        tasks += replicate_tasks(NETWORKS, arguments.n, methods, arguments.replicates)
    failures = evaluation.run(tasks, results, arguments.jobs, arguments.redo, arguments.slow)
    if sets:
        print(tables.ablation(results, sets, list(variants), base))
    for n in arguments.n if arguments.networks else []:
        print(f"\nSimulated networks, {n} training rows:\n")
        print(tables.ablation(results, [setting.set(n) for setting in NETWORKS], list(variants), base))
    return 1 if failures else 0


def _real(arguments: argparse.Namespace, methods: list[Method]) -> tuple[list[str], list[Task]]:
    """Return real tables and their fits; none with --networks alone."""
    if arguments.networks and not (arguments.data or arguments.sets):
        return [], []
    folder = data_folder(arguments.data)
    sets = set_names(folder, arguments.sets)
    return sets, fold_tasks(folder, sets, methods, arguments.repeats, arguments.folds)

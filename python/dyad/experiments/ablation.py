# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of the defaults, and the same with one ingredient exchanged or switched off.

Variants are compared with the recipe fold by fold, on real tables and, with --networks, on simulated
Bayesian networks.
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

from dyad import LUClassifier, SLBClassifier
from dyad.experiments import evaluation, tables
from dyad.experiments.datasets import data_folder, pick, set_names
from dyad.experiments.evaluation import Method, fold_tasks
from dyad.experiments.results import Results
from dyad.experiments.simulation import replicate_tasks, settings


def slb(**parameters: Any) -> functools.partial[SLBClassifier]:
    """Return the maker of a classifier with these parameters."""
    return functools.partial(SLBClassifier, **parameters)


def lu(**parameters: Any) -> functools.partial[LUClassifier]:
    """Return the maker of a classifier without pairs."""
    return functools.partial(LUClassifier, **parameters)


BASE = "recipe"
VARIANTS: dict[str, functools.partial[Any]] = {
    BASE: slb(),
    "paper": slb(preset="paper"),
    "only-standardised": slb(coordinate="standard"),
    "plug-in": slb(bandwidth="plug_in"),
    "plug-in-diagonal": slb(bandwidth="plug_in_diagonal"),
    "no-prior-rows": slb(prior_rows=0),
    "resubstitution": slb(feature_mode="resubstitution"),
    "cross-fit": slb(feature_mode="cross_fit"),
    "no-linear-terms": slb(linear_terms=False),
    "unit-scale": slb(term_scale="unit"),
    "all-pairs": slb(pairs="all"),
    "no-pairs": lu(),
    "cost-given": slb(cost="given"),
    "best-setting": slb(settings="best", linear_terms=False),
    "average-1": slb(n_average=1),
    "average-30": slb(n_average=30),
    "never-blend": slb(blend="never"),
    "always-blend": slb(blend="always"),
    "no-class-weights": slb(class_weight={}),  # by label: 1 for those left out
    "optimise-error": slb(optimise="error"),
    "optimise-auc": slb(optimise="auc"),
    "optimise-logloss": slb(optimise="logloss"),
}


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its tables, and return the exit code."""
    folder = data_folder(arguments.data)
    sets = set_names(folder, arguments.sets)
    chosen = pick(arguments.variants, list(VARIANTS), "variant")
    methods = [Method(name, VARIANTS[name]) for name in dict.fromkeys([BASE, *chosen])]
    results = Results(arguments.results)
    tasks = fold_tasks(folder, sets, methods, arguments.repeats, arguments.folds)
    networks = settings(arguments.n) if arguments.networks else []
    tasks += replicate_tasks(networks, methods, arguments.replicates)
    failures = evaluation.run(tasks, results, arguments.jobs, arguments.redo, arguments.slow)
    print(tables.ablation(results, sets, list(VARIANTS), BASE))
    if networks:
        print("\nSimulated networks:\n")
        print(tables.ablation(results, [setting.name for setting in networks], list(VARIANTS), BASE))
    return 1 if failures else 0

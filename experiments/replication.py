# SPDX-License-Identifier: BSD-3-Clause
"""The paper's tables again: every method fitted for real, our numbers beside those printed."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments import claims, comparison, evaluation, figures, theory
from experiments.datasets import data_folder, pick, set_names
from experiments.designs import DESIGNS, TABLE1, TABLE2, TABLE3, Design
from experiments.evaluation import Method, Task, available, fold_tasks
from experiments.methods import BOOSTING, METHODS
from experiments.results import Results
from experiments.simulation import TRAINING_ROWS, replicate_tasks

FOLDS = 5
REPLICATES = 100
QUICK_REPLICATES = 10
QUICK_ROWS = [200]
QUICK_SETS = ("blood", "liver", "parkinson", "spectf", "vertebral", "wpbc")


def results_file(folder: Path, design: Design) -> Path:
    """Return the file of the fits of a table."""
    return folder / f"{design.name}-fits.csv"


def out_folder(arguments: argparse.Namespace) -> Path:
    """Return the folder of tables and figures, which is made if it is not there."""
    folder = arguments.out or arguments.results
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _methods(design: Design, arguments: argparse.Namespace) -> list[Method]:
    names = list(design.methods)
    if not arguments.methods and arguments.quick:
        names = [name for name in names if name not in BOOSTING]
    return available([METHODS[name] for name in pick(arguments.methods, names, "method")])


def _real_tasks(design: Design, arguments: argparse.Namespace) -> list[Task]:
    folder = data_folder(arguments.data)
    quick = list(QUICK_SETS) if arguments.quick else None
    chosen = pick(arguments.sets or quick, [case.set for case in design.cases], "data set of the paper")
    sets = set_names(folder, chosen)
    return fold_tasks(folder, sets, _methods(design, arguments), arguments.repeats, FOLDS)


def _simulated_tasks(design: Design, arguments: argparse.Namespace) -> list[Task]:
    settings = {setting.name: setting for setting in design.networks}
    chosen = [settings[name] for name in pick(arguments.settings, list(settings), "setting")]
    rows = arguments.n or (QUICK_ROWS if arguments.quick else list(TRAINING_ROWS))
    replicates = arguments.replicates or (QUICK_REPLICATES if arguments.quick else REPLICATES)
    return replicate_tasks(chosen, rows, _methods(design, arguments), replicates)


def run_table(design: Design, arguments: argparse.Namespace) -> int:
    """Fit what is missing, write and print the table, and return the exit code."""
    tasks = (_simulated_tasks if design.networks else _real_tasks)(design, arguments)
    arguments.results.mkdir(parents=True, exist_ok=True)
    results = Results(results_file(arguments.results, design))
    failures = evaluation.run(tasks, results, arguments.jobs, arguments.redo)
    table = comparison.as_markdown(results, design)
    folder = out_folder(arguments)
    (folder / f"{design.name}.md").write_text(table + "\n")
    (folder / f"{design.name}.csv").write_text(comparison.as_csv(comparison.rows(results, design)))
    print(table)
    return 1 if failures else 0


def run_table1(arguments: argparse.Namespace) -> int:
    """Run the real tables."""
    return run_table(TABLE1, arguments)


def run_table2(arguments: argparse.Namespace) -> int:
    """Run the forests."""
    return run_table(TABLE2, arguments)


def run_table3(arguments: argparse.Namespace) -> int:
    """Run the general networks."""
    return run_table(TABLE3, arguments)


def _read(arguments: argparse.Namespace) -> dict[str, Results]:
    """Return the results of each table, empty ones where there is no file."""
    files = {design.name: results_file(arguments.results, design) for design in DESIGNS}
    read = {name: Results(file if file.exists() else None) for name, file in files.items()}
    if not any(len(results) for results in read.values()):
        raise ValueError(f"no results in {arguments.results}: run table1, table2 or table3 first")
    return read


def run_claims(arguments: argparse.Namespace) -> int:
    """Write and print what the paper says of its tables beside what ours say."""
    text = claims.as_markdown(_read(arguments))
    (out_folder(arguments) / "claims.md").write_text(text + "\n")
    print(text)
    return 0


def run_figures(arguments: argparse.Namespace) -> int:
    """Draw the figures of the simulations."""
    read = _read(arguments)
    for design in (TABLE2, TABLE3):
        for path in figures.draw_settings(read[design.name], design, out_folder(arguments)):
            print(path)
    for path in figures.draw_summary(read, out_folder(arguments)):
        print(path)
    return 0


def run_theory(arguments: argparse.Namespace) -> int:
    """Run the study of the convergence theorem, with networks and files of its own."""
    theory.study(out_folder(arguments), quick=arguments.quick)
    return 0


def run_all(arguments: argparse.Namespace) -> int:
    """Run the three tables, then the claims, figures and the convergence theorem."""
    steps = [run_table1, run_table2, run_table3, run_claims, run_figures, run_theory]
    codes = []
    for number, step in enumerate(steps):
        print("" if number == 0 else "\n", end="")
        codes.append(step(arguments))
    return max(codes)

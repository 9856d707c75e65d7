# SPDX-License-Identifier: BSD-3-Clause
"""Fitting methods, scoring them on rows that they have not seen, and going through many such tasks."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

from experiments import INSTALL, progress
from experiments.datasets import Table, load, splits, table_file
from experiments.results import Key, Results, Scores


@dataclasses.dataclass(frozen=True)
class Method:
    """A classifier to compare, with its settings."""

    name: str
    make: Callable[[], Any]  # a fresh estimator; a function of a module, as it is sent to other processes
    description: str = ""
    cost: float = 1.0  # roughly how long a fit takes, relative to other methods: cheap ones are run first
    package: str = "dyad"  # that it is from
    weigh_rows: bool = False  # so that classes weigh the same, for methods without such an option

    @property
    def installed(self) -> bool:
        """Whether the package is there."""
        return importlib.util.find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """The package and its version."""
        version = importlib.import_module(self.package).__version__
        return f"{DISTRIBUTIONS.get(self.package, self.package)} {version}"


DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # of packages that are imported by another name


def available(methods: list[Method]) -> list[Method]:
    """Leave out, with a message, the methods whose package is not installed."""
    for method in methods:
        if not method.installed:
            missing = f"the package {method.package} is not installed; {INSTALL}"
            print(f"{method.name} is left out: {missing}", file=sys.stderr)
    return [method for method in methods if method.installed]


@dataclasses.dataclass(frozen=True)
class Task:
    """One fit: what it is called, how long it may take relative to others, and how it is done."""

    key: Key
    cost: float
    run: Callable[[], Scores]


def score(method: Method, train: Table, test: Table) -> Scores:
    """Fit `method` to `train` on one thread and score it on `test`."""
    model = method.make()
    weights = {"sample_weight": compute_sample_weight("balanced", train.y)} if method.weigh_rows else {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(train.X, train.y, **weights)
        seconds = time.perf_counter() - start
        labels = np.ravel(model.predict(test.X))
        probability = _probability(model, test.X)
        ranking = probability if probability is not None else model.decision_function(test.X)
    return Scores(
        error=1 - accuracy_score(test.y, labels),
        ber=1 - balanced_accuracy_score(test.y, labels),
        auc=roc_auc_score(test.y, ranking),
        log_loss=np.nan if probability is None else log_loss(test.y, probability, labels=[0, 1]),
        seconds=seconds,
        version=method.version,
    )


def _probability(model: Any, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else None


def score_fold(method: Method, path: Path, seed: int, fold: int, folds: int) -> Scores:
    """Fit `method` to all folds of a table but one, and score it on that one."""
    table = load(path)
    train, test = splits(path, seed, folds)[fold]
    return score(method, Table(table.X[train], table.y[train]), Table(table.X[test], table.y[test]))


def fold_tasks(folder: Path, sets: list[str], methods: list[Method], repeats: int, folds: int) -> list[Task]:
    """Return the fits of methods to tables; how long one may take goes by the size of the table."""
    files = {name: table_file(folder, name) for name in sets}
    return [
        Task(
            Key(name, seed, fold, method.name),
            method.cost * load(files[name]).X.size,
            functools.partial(score_fold, method, files[name], seed, fold, folds),
        )
        for name in sets
        for method in methods
        for seed in range(repeats)
        for fold in range(folds)
    ]


def run(
    tasks: list[Task], results: Results, jobs: int = 1, redo: bool = False, slow: float = float("inf")
) -> int:
    """Run the tasks that have no result yet (all with `redo`); return how many failed.

    Seeds come one after the other, and cheap tasks first. Where fits of earlier seeds took more than `slow`
    seconds on average, those of later ones are left out.
    """
    if redo:
        results.drop({task.key for task in tasks})
    left = [task for task in tasks if task.key not in results]
    if not left:
        return 0
    left.sort(key=lambda task: (task.key.seed, task.cost))
    bar = progress.bar(len(left))
    failures = 0
    try:
        for task, outcome in _outcomes(left, results, jobs, slow):
            name = f"{task.key.set} {task.key.seed}.{task.key.fold} {task.key.method}"
            if outcome is None:
                bar.set_postfix_str(f"{name}: left out, as earlier fits were slow", refresh=False)
            elif isinstance(outcome, Exception):
                failures += 1
                bar.write(f"{name}: failed: {type(outcome).__name__}: {outcome}", file=sys.stderr)
            else:
                results.add(task.key, outcome)
                told = f"{name}: {100 * outcome.ber:.1f} %, {outcome.seconds:.2f} s"
                bar.set_postfix_str(told, refresh=False)
            bar.update()
    finally:
        bar.close()
    return failures


def _outcomes(
    tasks: list[Task], results: Results, jobs: int, slow: float
) -> Iterator[tuple[Task, Scores | Exception | None]]:
    if jobs == 1:
        for task in tasks:
            yield task, None if _was_slow(task.key, results, slow) else _attempt(task)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"))  # OpenMP does not survive a fork
    try:
        for _, group in itertools.groupby(tasks, key=lambda task: task.key.seed):
            running = {}
            for task in group:
                if _was_slow(task.key, results, slow):
                    yield task, None
                else:
                    running[pool.submit(_attempt, task)] = task
            for future in as_completed(running):
                yield running[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _was_slow(key: Key, results: Results, slow: float) -> bool:
    if np.isinf(slow):
        return False
    earlier = [
        scores.seconds
        for other, scores in results.items()
        if (other.set, other.method) == (key.set, key.method) and other.seed < key.seed
    ]
    return bool(earlier) and float(np.mean(earlier)) > slow


def _attempt(task: Task) -> Scores | Exception:
    try:
        return task.run()
    except Exception as error:  # of any rival: the other tasks go on
        return error

# SPDX-License-Identifier: BSD-3-Clause
"""Fitting methods, scoring them on rows that they have not seen, and going through many such tasks."""

from __future__ import annotations

import dataclasses
import functools
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

from dyad.experiments.datasets import Table, load, splits
from dyad.experiments.results import Key, Results, Scores


@dataclasses.dataclass(frozen=True)
class Method:
    """A classifier to compare, with its settings."""

    name: str
    make: Callable[[], Any]  # a fresh estimator; a function of a module, as it is sent to other processes
    description: str = ""
    cost: float = 1.0  # roughly how long a fit takes, relative to other methods: cheap ones are run first
    package: str | None = None  # that must be there
    weigh_rows: bool = False  # so that classes weigh the same, for methods without such an option


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
        ber=1 - balanced_accuracy_score(test.y, labels),
        error=1 - accuracy_score(test.y, labels),
        auc=roc_auc_score(test.y, ranking),
        log_loss=np.nan if probability is None else log_loss(test.y, probability, labels=[0, 1]),
        fit_seconds=seconds,
    )


def _probability(model: Any, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else None


def score_fold(method: Method, path: Path, repeat: int, fold: int, folds: int) -> Scores:
    """Fit `method` to all folds of a table but one, and score it on that one."""
    table = load(path)
    train, test = splits(path, repeat, folds)[fold]
    return score(method, Table(table.X[train], table.y[train]), Table(table.X[test], table.y[test]))


def fold_tasks(folder: Path, sets: list[str], methods: list[Method], repeats: int, folds: int) -> list[Task]:
    """Return the fits of methods to tables; how long one may take goes by the size of the table."""
    return [
        Task(
            Key(name, repeat, fold, method.name),
            method.cost * load(folder / f"{name}.csv").X.size,
            functools.partial(score_fold, method, folder / f"{name}.csv", repeat, fold, folds),
        )
        for name in sets
        for method in methods
        for repeat in range(repeats)
        for fold in range(folds)
    ]


def run(
    tasks: list[Task], results: Results, jobs: int = 1, redo: bool = False, slow: float = float("inf")
) -> int:
    """Run the tasks that have no result yet (all with `redo`), cheap ones first; return how many failed.

    Where the fits of earlier repeats took more than `slow` seconds on average, later repeats are left out.
    """
    if redo:
        results.drop({task.key for task in tasks})
    left = sorted((task for task in tasks if task.key not in results), key=lambda task: task.cost)
    failures = 0
    for count, (task, outcome) in enumerate(_outcomes(left, results, jobs, slow), start=1):
        head = f"[{count}/{len(left)}] {task.key.set} {task.key.repeat}.{task.key.fold} {task.key.method}"
        if outcome is None:
            print(f"{head}: left out, as earlier repeats were slow", file=sys.stderr)
        elif isinstance(outcome, Exception):
            failures += 1
            print(f"{head}: failed: {type(outcome).__name__}: {outcome}", file=sys.stderr)
        else:
            results.add(task.key, outcome)
            print(f"{head}: {100 * outcome.ber:.1f} %, {outcome.fit_seconds:.2f} s", file=sys.stderr)
    return failures


def _outcomes(
    tasks: list[Task], results: Results, jobs: int, slow: float
) -> Iterator[tuple[Task, Scores | Exception | None]]:
    if jobs == 1:
        for task in tasks:
            yield task, None if _was_slow(task.key, results, slow) else _attempt(task)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:  # OpenMP does not survive a fork
        for repeat in sorted({task.key.repeat for task in tasks}):
            running = {}
            for task in (task for task in tasks if task.key.repeat == repeat):
                if _was_slow(task.key, results, slow):
                    yield task, None
                else:
                    running[pool.submit(_attempt, task)] = task
            for future in as_completed(running):
                yield running[future], future.result()


def _was_slow(key: Key, results: Results, slow: float) -> bool:
    earlier = [
        scores.fit_seconds
        for other, scores in results.items()
        if (other.set, other.method) == (key.set, key.method) and other.repeat < key.repeat
    ]
    return bool(earlier) and float(np.mean(earlier)) > slow


def _attempt(task: Task) -> Scores | Exception:
    try:
        return task.run()
    except Exception as error:  # of any rival: the other tasks go on
        return error

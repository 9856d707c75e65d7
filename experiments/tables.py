# SPDX-License-Identifier: BSD-3-Clause
"""Markdown tables of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from experiments.results import Results

Fold = tuple[int, int]  # seed and fold
Folds = dict[Fold, float]

NOTABLE = 0.002  # change of a set's error that is counted as better or worse


class Mean(NamedTuple):
    """Mean, its standard error over folds (NaN for a single one), and their number."""

    value: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Return the mean of at least one value."""
        count = len(values)
        error = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
        return cls(float(np.mean(values)), error, count)

    def text(self, sign: str = "") -> str:
        """Return both in percent: 12.3 ± 0.4."""
        value = f"{100 * self.value:{sign}.1f}"
        return value if np.isnan(self.error) else f"{value} ± {100 * self.error:.1f}"


class Column:
    """One score of every fold of every set and method."""

    def __init__(self, results: Results, score: str):
        self._folds: dict[tuple[str, str], Folds] = {}
        for key, scores in results.items():
            value = getattr(scores, score)
            if not np.isnan(value):
                self._folds.setdefault((key.set, key.method), {})[key.seed, key.fold] = value

    def has(self, name: str, method: str) -> bool:
        """Tell whether there is a fold of this set and method."""
        return (name, method) in self._folds

    def folds(self, name: str, method: str) -> Folds:
        """Return the scores of a set and method, none if there are none."""
        return self._folds.get((name, method), {})

    def mean(self, name: str, method: str) -> Mean:
        """Return the mean over folds."""
        return Mean.of(list(self._folds[name, method].values()))

    def difference(self, name: str, method: str, other: str) -> Mean:
        """Return the mean of `method` less `other` over the folds that both have."""
        folds, others = (self.folds(name, each) for each in (method, other))
        return Mean.of([folds[fold] - others[fold] for fold in folds if fold in others] or [np.nan])


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """Lay out a table; all columns but the first `text_columns` are aligned to the right."""
    lines = [header, ["---"] * text_columns + ["---:"] * (len(header) - text_columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def ranks(values: Sequence[float]) -> list[float]:
    """Return the places from smallest to largest, 1 being the first; ties share their mean place."""
    array = np.asarray(values)
    return [float(np.sum(array < value) + (np.sum(array == value) + 1) / 2) for value in array]


def rivals(results: Results, sets: Sequence[str], methods: Sequence[str], ours: str) -> str:
    """Return balanced errors by set and method, then the other scores by method."""
    ber = Column(results, "ber")
    sets = [name for name in sets if any(ber.has(name, method) for method in methods)]
    methods = [method for method in methods if any(ber.has(name, method) for name in sets)]
    if not sets:
        return "No results."
    shared = [name for name in sets if all(ber.has(name, method) for method in methods)]
    rows = [_set_row(ber, name, methods) for name in sets]
    rows.append([f"mean of {len(shared)} sets", *_means(ber, shared, methods)])
    if shared:
        table = np.array([[ber.mean(name, method).value for method in methods] for name in shared])
        places = np.mean([ranks(np.round(line, 9)) for line in table], axis=0)
        rows.append([f"mean rank of {len(methods)}", *(f"{place:.1f}" for place in places)])
    if ours in methods:
        rows.append([f"{ours} wins, ties, loses", *(_wins(ber, sets, ours, method) for method in methods)])
    notes = (
        "Balanced error in percent, mean ± standard error over folds. Folds of a set share rows, so true "
        "standard errors are larger. A number in brackets counts folds where others have more. Means and "
        f"ranks are of the sets that all methods have; wins of {ours} go by the folds that both methods have."
    )
    return "\n\n".join([markdown(["set", *methods], rows), notes, _other_scores(results, shared, methods)])


def ablation(results: Results, sets: Sequence[str], variants: Sequence[str], base: str) -> str:
    """Return by how much each variant is worse than `base`, over the sets that both have."""
    ber = Column(results, "ber")
    rows = []
    for variant in variants:
        shared = [name for name in sets if ber.has(name, variant) and ber.has(name, base)]
        if shared:
            mean = np.mean([ber.mean(name, variant).value for name in shared])
            rows.append(
                [variant, str(len(shared)), f"{100 * mean:.2f}", *_changes(ber, shared, variant, base)]
            )
    if not rows:
        return "No results."
    header = ["variant", "sets", "mean", "change ± SE", f"better / worse by > {100 * NOTABLE:.1f}"]
    notes = (
        f"Balanced error in percent, mean over sets. A change is that from {base}, paired by fold, mean over "
        "sets; its standard error counts folds as independent and sets as given, so true ones are larger. "
        "Better and worse count sets."
    )
    return "\n\n".join([markdown(header, rows), notes])


def _changes(ber: Column, sets: Sequence[str], variant: str, base: str) -> list[str]:
    if variant == base:
        return ["", ""]
    changes = [ber.difference(name, variant, base) for name in sets]
    value = np.mean([change.value for change in changes])
    error = np.sqrt(np.sum([change.error**2 for change in changes])) / len(sets)
    better = sum(change.value < -NOTABLE for change in changes)
    worse = sum(change.value > NOTABLE for change in changes)
    change = f"{100 * value:+.2f}" + ("" if np.isnan(error) else f" ± {100 * error:.2f}")
    return [change, f"{better} / {worse}"]


def _set_row(ber: Column, name: str, methods: Sequence[str]) -> list[str]:
    means = {method: ber.mean(name, method) for method in methods if ber.has(name, method)}
    least = min(mean.value for mean in means.values())
    most = max(mean.count for mean in means.values())

    def cell(mean: Mean) -> str:
        value = f"**{mean.text()}**" if np.isclose(mean.value, least, rtol=0, atol=1e-9) else mean.text()
        return value if mean.count == most else f"{value} ({mean.count})"

    return [name, *(cell(means[method]) if method in means else "" for method in methods)]


def _means(
    column: Column, sets: Sequence[str], methods: Sequence[str], form: str = "{:.1f}", unit: float = 100
) -> list[str]:
    """Return the mean over sets for each method; nothing for methods that lack one."""
    return [
        form.format(unit * np.mean([column.mean(name, method).value for name in sets]))
        if sets and all(column.has(name, method) for name in sets)
        else ""
        for method in methods
    ]


def _wins(ber: Column, sets: Sequence[str], ours: str, other: str) -> str:
    if ours == other:
        return ""
    changes = np.array([ber.difference(name, ours, other).value for name in sets])
    return f"{np.sum(changes < -1e-9)}, {np.sum(np.abs(changes) <= 1e-9)}, {np.sum(changes > 1e-9)}"


def _other_scores(results: Results, sets: Sequence[str], methods: Sequence[str]) -> str:
    columns = [
        _means(Column(results, "error"), sets, methods),
        _means(Column(results, "auc"), sets, methods, "{:.3f}", 1),
        _means(Column(results, "log_loss"), sets, methods, "{:.3f}", 1),
        _means(Column(results, "seconds"), sets, methods, "{:.2f}", 1),
    ]
    header = [f"method, mean of {len(sets)} sets", "error in percent", "AUC", "log loss", "seconds a fit"]
    return markdown(header, zip(methods, *columns, strict=True))

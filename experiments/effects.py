# SPDX-License-Identifier: BSD-3-Clause
"""Models with few effects, and whether effects have the signs of the rows, table by table.

The first table has the mean log loss of rows held out, of fits with the defaults and with at most so many
effects. The second, of tables with two classes and a fit to all rows, has cells of pairs (levels, or fifths
of numbers) with 30 rows or more, and the share of them in which the mean of the pair's effect and those of
its features has the sign of what the rows say beyond the baseline and all other effects. What they say is, by
means, the observed log odds less the mean of the others; by likelihood, the constant which, added to the
others in each row, makes the rows likeliest. Cells in which that is within two standard errors of 0 do not
count.

The first ignores that log odds of a mean are not the mean of log odds: where the others differ from row to
row, it is too near 0.5 in probability.

Columns of text are categories. Tables of more than 6000 rows are cut by a stratified draw, and classes of
fewer rows than folds are left out. The tables of experiments/held_back.txt are, unless they are named.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split

from dyad import SLBClassifier
from experiments.datasets import LABEL, data_folder, set_names, table_file

HELD_BACK = Path(__file__).parent / "held_back.txt"
LIMITS = (10, 20, 40)
MOST_ROWS = 6000
LEAST_ROWS = 30  # of a cell
N_BINS = 5
FIELDS = ["set", "kind", "limit", "seed", "fold", "value", "count"]


def read_table(path: Path, n_folds: int) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return features, text as categories, and labels."""
    table = pd.read_csv(path)
    counts = table[LABEL].value_counts()
    table = table[table[LABEL].isin(counts.index[counts >= n_folds])]
    if len(table) > MOST_ROWS:
        table, _ = train_test_split(table, train_size=MOST_ROWS, stratify=table[LABEL], random_state=0)
    table = table.reset_index(drop=True)
    return table.drop(columns=LABEL), table[LABEL].to_numpy()


def losses(X: pd.DataFrame, y: NDArray[Any], limit: int, seed: int, n_folds: int) -> list[float]:
    """Return the log loss of each fold of fits with at most `limit` effects, 0 for any number."""
    result = []
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y):
        model = SLBClassifier(max_effects=limit, random_state=0).fit(X.iloc[train], y[train])
        chances = model.predict_proba(X.iloc[test])
        result.append(float(log_loss(y[test], np.clip(chances, 1e-15, 1), labels=model.classes_)))
    return result


def bins_of(column: pd.Series) -> NDArray[np.int64]:
    """Return the level of each row, or the fifth of its number; missing values are one more."""
    if not pd.api.types.is_numeric_dtype(column):
        return pd.factorize(column, use_na_sentinel=False)[0]
    cuts = np.unique(np.nanquantile(column, np.linspace(0, 1, N_BINS + 1)[1:-1]))
    return np.where(column.isna(), N_BINS, np.searchsorted(cuts, column, side="right"))


def likeliest_constant(others: NDArray[np.float64], n_second: float) -> tuple[float, float]:
    """Return c at which probabilities of log odds others + c add up to n_second, and its error."""
    low, high = -40 - others.max(), 40 - others.min()
    for _ in range(60):
        middle = (low + high) / 2
        if (1 / (1 + np.exp(-others - middle))).sum() < n_second:
            low = middle
        else:
            high = middle
    p = 1 / (1 + np.exp(-others - low))
    return low, 1 / np.sqrt(max((p * (1 - p)).sum(), 1e-12))


def signs(X: pd.DataFrame, y: NDArray[Any]) -> dict[str, tuple[int, int]]:
    """Return in how many cells the effects have the sign of the rows, and of how many, by both ways."""
    model = SLBClassifier(random_state=0).fit(X, y)
    effects = model.explain(X, by="effect", as_frame=True)
    features = [of for _, of in model._parts("effect")]
    place = {of: k for k, of in enumerate(features)}
    values = effects.to_numpy()
    score = values.sum(axis=1) + model.baseline_[0]
    second = y == model.classes_[1]
    found: dict[str, list[bool]] = {"means": [], "likelihood": []}
    for pair in (of for of in features if len(of) == 2):
        i, j = pair
        own = values[:, [place[(i,)], place[(j,)], place[pair]]].sum(axis=1)
        cells = bins_of(X.iloc[:, i]) * 1000 + bins_of(X.iloc[:, j])
        for cell in np.unique(cells):
            rows = cells == cell
            if rows.sum() < LEAST_ROWS:
                continue
            of_second = second[rows].sum() + 0.5
            of_first = rows.sum() + 1 - of_second
            others = (score - own)[rows]
            by_means = np.log(of_second / of_first) - others.mean()
            ways = {
                "means": (by_means, np.sqrt(1 / of_second + 1 / of_first)),
                "likelihood": likeliest_constant(others, of_second * len(others) / (len(others) + 1)),
            }
            for way, (wanted, error) in ways.items():
                if abs(wanted) > 2 * error:
                    found[way].append(bool(np.sign(own[rows].mean()) == np.sign(wanted)))
    return {way: (sum(right), len(right)) for way, right in found.items()}


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its tables, and return the exit code."""
    folder = data_folder(arguments.data)
    held_back = HELD_BACK.read_text().splitlines()
    sets = [name for name in set_names(folder, arguments.sets) if arguments.sets or name not in held_back]
    results = _read(arguments.results)
    for name in sets:
        if name == "reference":
            continue
        X, y = read_table(table_file(folder, name), arguments.folds)
        for seed in range(arguments.repeats):
            for limit in (0, *LIMITS):
                if not _has(results, name, "loss", limit, seed):
                    for fold, loss in enumerate(losses(X, y, limit, seed, arguments.folds)):
                        _keep(results, arguments.results, name, "loss", limit, seed, fold, loss, 1)
        if len(np.unique(y)) == 2 and not _has(results, name, "likelihood", 0, 0):
            for way, (right, total) in signs(X, y).items():
                _keep(results, arguments.results, name, way, 0, 0, 0, right, total)
        print(f"{name}: done", file=sys.stderr, flush=True)
    _print_losses(results, sets)
    _print_signs(results, sets)
    return 0


def _read(path: Path | None) -> list[dict[str, str]]:
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _has(results: list[dict[str, str]], name: str, kind: str, limit: int, seed: int) -> bool:
    wanted = (name, kind, str(limit), str(seed))
    return any((row["set"], row["kind"], row["limit"], row["seed"]) == wanted for row in results)


def _keep(results: list[dict[str, str]], path: Path | None, *values: Any) -> None:
    row = dict(zip(FIELDS, map(str, values), strict=True))
    results.append(row)
    if path is None:
        return
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def _print_losses(results: list[dict[str, str]], sets: list[str]) -> None:
    means = {}
    for name in sets:
        for limit in (0, *LIMITS):
            found = [
                float(row["value"])
                for row in results
                if (row["set"], row["kind"], row["limit"]) == (name, "loss", str(limit))
            ]
            if found:
                means[name, limit] = statistics.mean(found)
    whole = [name for name in sets if all((name, limit) in means for limit in (0, *LIMITS))]
    print("| table | any number | " + " | ".join(map(str, LIMITS)) + " |")
    print("|---|---:" + "|---:" * len(LIMITS) + "|")
    for name in whole:
        print(f"| {name} | " + " | ".join(f"{means[name, limit]:.3f}" for limit in (0, *LIMITS)) + " |")
    if whole:
        of_all = [statistics.mean(means[name, limit] for name in whole) for limit in (0, *LIMITS)]
        print("| mean | " + " | ".join(f"{value:.4f}" for value in of_all) + " |")


def _print_signs(results: list[dict[str, str]], sets: list[str]) -> None:
    for way in ("means", "likelihood"):
        print(f"\nBy {way}:\n\n| table | cells | of the sign of the rows |")
        print("|---|---:|---:|")
        right = total = 0
        for row in results:
            if row["kind"] != way or row["set"] not in sets or row["count"] == "0":
                continue
            count = int(row["count"])
            right, total = right + int(row["value"]), total + count
            print(f"| {row['set']} | {count} | {100 * int(row['value']) / count:.1f} % |")
        if total:
            print(f"| all | {total} | {100 * right / total:.1f} % |")

# SPDX-License-Identifier: BSD-3-Clause
"""Shares of new rows beyond the 95 % quantile of the novelty of training rows.

New rows are those of the same source: further rows of simulations, or 30 % of the rows of a table.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dyad import NaiveBayesKDE, Simulation, SLBClassifier, TANClassifier
from experiments.datasets import LABEL, data_folder, set_names, table_file

CLASSIFIERS = {"nb": NaiveBayesKDE, "tan": TANClassifier, "slb": SLBClassifier}
FEWEST_ROWS = 200  # to fit to
MOST_ROWS = 2000
NEW_ROWS = 2000

Rows = tuple[NDArray | pd.DataFrame, NDArray]
Draw = Callable[[int, int], Rows]  # rows and seed


def _normal(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 6)) + y[:, None], y


def _mixture(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    centres = np.where(rng.random((n, 5)) < 0.7, 0.0, 4.0)
    return centres + rng.normal(size=(n, 5)) * np.where(centres > 0, 0.3, 1) + y[:, None], y


def _heavy(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.standard_t(2, size=(n, 5)) + y[:, None], y


def _lognormal(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 5)) + y[:, None]
    X[:, 1] += X[:, 0]
    return np.exp(X), y


def _categories(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    codes = np.floor(6 * rng.random((n, 5)) ** (1 + y[:, None])).astype(int)
    return pd.DataFrame(np.array(list("abcdef"))[codes], columns=list("ABCDE")), y


def _mixed(n: int, seed: int) -> Rows:
    X, y = _categories(n, seed)
    numbers, _ = _normal(n, seed)
    frame = X.iloc[:, :2].assign(u=numbers[:, 0] + y, v=numbers[:, 1] * (1 + y))
    frame.loc[np.random.default_rng(seed).random(n) < 0.1, "u"] = np.nan
    return frame, y


def _network(n: int, seed: int) -> Rows:
    return Simulation("forest-complex", 1).sample(n, draw=seed)


SOURCES: dict[str, Draw] = {
    "normal, 6 features": _normal,
    "mixture, 3 classes": _mixture,
    "Student's t, 2 degrees": _heavy,
    "lognormal": _lognormal,
    "5 categories": _categories,
    "numbers with gaps, categories": _mixed,
    "forest-complex": _network,
}


def simulated(repeats: int) -> Iterator[tuple[str, int, list[tuple[Rows, Rows]]]]:
    """Return sources with pairs of training rows and new rows."""
    for n in (FEWEST_ROWS, 1000):
        for name, draw in SOURCES.items():
            yield name, n, [(draw(n, seed), draw(NEW_ROWS, 1000 + seed)) for seed in range(repeats)]


def halves(X: pd.DataFrame, y: NDArray, seed: int) -> tuple[Rows, Rows]:
    """Return 70 % of the rows, at most MOST_ROWS, and 30 %."""
    order = np.random.default_rng(seed).permutation(len(X))
    cut = round(0.7 * len(X))
    train, new = order[:cut][:MOST_ROWS], order[cut:][:NEW_ROWS]
    return (X.iloc[train], y[train]), (X.iloc[new], y[new])


def tables(
    folder: str, left_out: set[str], repeats: int
) -> Iterator[tuple[str, int, list[tuple[Rows, Rows]]]]:
    """Return tables with pairs of training rows and new rows."""
    path = data_folder(folder)
    for name in set_names(path):
        frame = pd.read_csv(table_file(path, name))
        if name in left_out or LABEL not in frame or 0.7 * len(frame) < FEWEST_ROWS:
            continue
        X, y = frame.drop(columns=LABEL), frame[LABEL].to_numpy()
        pairs = [halves(X, y, seed) for seed in range(repeats)]
        yield name, len(pairs[0][0][1]), pairs


def share_beyond(classifier: type, pairs: list[tuple[Rows, Rows]]) -> float:
    """Return the share of new rows with a p-value below 0.05, of models that have densities."""
    beyond = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (X, y), (new, _) in pairs:
            p_values = classifier(n_jobs=-1).fit(X, y).novelty(new, return_p_values=True)[1]
            if not np.isnan(p_values).all():
                beyond.append(np.mean(p_values < 0.05))
    return float(np.mean(beyond)) if beyond else float("nan")


def run(arguments: argparse.Namespace) -> int:
    """Print a Markdown table of the shares."""
    left_out = set(arguments.leave_out or [])
    sources = (
        tables(arguments.data, left_out, arguments.replicates)
        if arguments.data
        else simulated(arguments.replicates)
    )
    print(f"| source | rows | {' | '.join(CLASSIFIERS)} |\n|---|---:|{'---:|' * len(CLASSIFIERS)}")
    for name, n, pairs in sources:
        shares = [f"{100 * share_beyond(kind, pairs):.1f}" for kind in CLASSIFIERS.values()]
        print(f"| {name} | {n} | {' | '.join(shares)} |", flush=True)
    return 0

# SPDX-License-Identifier: BSD-3-Clause
"""Small random tables with what tables in the wild have, each drawn from one seed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd

import dyad

GAP = None

TEXTS = ["red", "green", "blue", "a, b", 'say "no"', "été", "two\nlines", "x;y", "constructor", "inf."]
ODD_TEXTS = ["?", "NA", "nan", " red", "red ", "blue", " a b", "\tx", " ?"]
NUMBER_TEXTS = ["01", "+1", "1.0", "1e3", ".5", "1", "-0", "10", "9", "0x1"]
CODES = [0, 1, 2, 3, -1, 10, 9, 100000, 2**53 + 2]
REAL_CODES = [0.0, 1.0, 2.0, 0.5, -1.5, 1e-7, 1e22, 0.1, 123456.75]

POOLS = {"number text": NUMBER_TEXTS, "code": CODES, "code category": CODES, "real code": REAL_CODES}

LABELS = {
    "integer": [[0, 1], [1, 2, 3], [-1, 1], [10, 9, 2, 1], [2**60, 2**60 + 1]],
    "real": [[0.0, 1.0], [1.0, 2.0, 3.0, 10.0], [-1.0, 0.0, 1e6], [-3.0, 1e15]],
    "boolean": [[False, True]],
    "text": [["no", "yes"], ["b", "a", "c"], ["True", "False"], ["a,b", 'c"d', "e f", "été"]],
    "numbers as text": [["0", "1"], ["10", "9", "2"], ["01", "1.5"], ["1.0", "2.0"]],
}


@dataclasses.dataclass
class Column:
    """Values of a column, None where they are missing, and what they are to be taken for."""

    kind: str
    values: list[Any]
    named: bool = False  #: is in categorical_features

    @property
    def present(self) -> list[Any]:
        return [value for value in self.values if value is not GAP]

    @property
    def is_category(self) -> bool:
        if self.named or self.kind in ("category", "code category"):
            return True
        return self.kind != "mixed" and any(isinstance(value, (str, bool)) for value in self.present)

    def series(self) -> pd.Series:
        """The column as pandas users have it."""
        if self.kind in ("category", "code category"):
            return pd.Series(pd.Categorical(self.values))
        if self.kind in ("real", "whole", "real code", "code") and (
            self.kind.startswith("real") or GAP in self.values
        ):
            return pd.Series([np.nan if value is GAP else value for value in self.values], dtype=float)
        if self.kind in ("whole", "code"):
            return pd.Series(self.values, dtype="int64")
        if self.kind == "truth" and GAP not in self.values:
            return pd.Series(self.values, dtype=bool)
        if self.kind == "empty":
            return pd.Series([np.nan] * len(self.values), dtype=float)
        return pd.Series(self.values, dtype=object)

    def survives_csv(self) -> bool:
        """Whether a CSV file tells the same values: 1e22 and text that is a number are text in it."""
        return self.kind != "odd text" and not any(
            _looks_like_number(value) if isinstance(value, str) else self.named and abs(value) >= 1e16
            for value in self.present
        )


@dataclasses.dataclass
class Case:
    """A table to fit to, rows to predict, and an estimator."""

    seed: int
    columns: dict[str, Column]
    X: pd.DataFrame
    y: np.ndarray
    weights: np.ndarray | None
    new: pd.DataFrame
    label_kind: str
    estimator: Any

    @property
    def named(self) -> list[str]:
        return [name for name, column in self.columns.items() if column.named]

    @property
    def mixes(self) -> bool:
        """Whether some column has numbers and text."""
        return any(column.kind == "mixed" for column in self.columns.values())

    @property
    def survives_csv(self) -> bool:
        return self.label_kind != "numbers as text" and all(c.survives_csv() for c in self.columns.values())

    @property
    def can_be_predicted_from_csv(self) -> bool:
        """True if a model finds its levels in a CSV file: odd ones by spelling unless some are pooled."""
        return self.label_kind != "numbers as text" and all(
            column.survives_csv()
            or column.kind == "number text"
            or (column.kind == "odd text" and self.estimator.max_levels >= 10)
            for column in self.columns.values()
        )

    @property
    def survives_parquet(self) -> bool:
        """True if Parquet keeps the types: categories that are numbers become numbers in it."""
        return not self.mixes and all(column.kind != "code category" for column in self.columns.values())

    @property
    def survives_pandas(self) -> bool:
        """Whether pandas reads the same table from a CSV file as was written."""
        return self.survives_csv and self.survives_parquet and set(self.y) != {"True", "False"}

    def table(self) -> pd.DataFrame:
        """Rows with labels and weights as columns y and w."""
        table = self.X.assign(y=self.y)
        return table if self.weights is None else table.assign(w=self.weights)

    def csv(self) -> str:
        return self.table().to_csv(index=False)


def _looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def draw(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    n, n_new = int(rng.integers(10, 121)), 8
    label_kind = str(rng.choice(list(LABELS), p=[0.25, 0.2, 0.15, 0.25, 0.15]))
    classes = LABELS[label_kind][rng.integers(len(LABELS[label_kind]))]
    place = rng.integers(len(classes), size=n + n_new)
    columns = {name: _column(rng, place) for name in "abcd"[: rng.integers(1, 5)]}
    frame = pd.DataFrame({name: column.series() for name, column in columns.items()})
    y = np.asarray([classes[k] for k in place[:n]], dtype=object if isinstance(classes[0], str) else None)
    named = [name for name, column in columns.items() if column.named]
    return Case(
        seed=seed,
        columns=columns,
        X=frame[:n].copy(),
        y=y,
        weights=_weights(rng, n),
        new=frame[n:].reset_index(drop=True),
        label_kind=label_kind,
        estimator=_estimator(rng, named or None),
    )


def _estimator(rng: np.random.Generator, named: list[str] | None) -> Any:
    kind = rng.choice(["nb", "lu", "slb", "tan"], p=[0.6, 0.25, 0.1, 0.05])
    maker = {
        "nb": dyad.NaiveBayesKDE,
        "lu": dyad.LUClassifier,
        "slb": dyad.SLBClassifier,
        "tan": dyad.TANClassifier,
    }[str(kind)]
    extra = {"max_levels": int(rng.integers(2, 5))} if rng.random() < 0.2 else {}
    return maker(categorical_features=named, **extra)


def _weights(rng: np.random.Generator, n: int) -> np.ndarray | None:
    kind = rng.random()
    if kind < 0.7:
        return None
    return rng.integers(0, 4, size=n) if kind < 0.85 else rng.integers(0, 6, size=n) / 2


def _column(rng: np.random.Generator, place: np.ndarray) -> Column:
    n = len(place)
    kinds = {
        "real": 0.24,
        "whole": 0.12,
        "truth": 0.1,
        "text": 0.1,
        "odd text": 0.04,
        "number text": 0.1,
        "category": 0.06,
        "code category": 0.04,
        "code": 0.06,
        "real code": 0.05,
        "constant": 0.03,
        "empty": 0.03,
        "mixed": 0.03,
    }
    kind = str(rng.choice(list(kinds), p=list(kinds.values())))
    named = kind in ("code", "real code") or (
        kind in ("mixed", "empty", "number text") and rng.random() < 0.5
    )
    values = _values(rng, kind, place)
    if kind not in ("constant", "empty") and rng.random() < 0.4:
        share = rng.choice([0.05, 0.3, 0.9])
        values = [GAP if gap else value for value, gap in zip(values, rng.random(n) < share, strict=True)]
        if all(value is GAP for value in values[:-8]):
            kind = "empty" if kind in ("real", "whole") else kind
    return Column(kind, values, named)


def _values(rng: np.random.Generator, kind: str, place: np.ndarray) -> list[Any]:
    n = len(place)
    if kind == "empty":
        return [GAP] * n
    if kind == "real":
        values = rng.normal(size=n) + place
        values = np.exp(values) if rng.random() < 0.3 else np.round(values, int(rng.integers(0, 17)))
        return values.tolist()
    if kind == "whole":
        return (rng.integers(-5, int(rng.choice([6, 1000])), size=n) + place).tolist()
    if kind == "constant":
        return [[1.5, 3, "same", True][rng.integers(4)]] * n
    if kind == "mixed":
        pool: list[Any] = [1, 2.5, "green", "blue"]
    elif kind == "truth":
        pool = [False, True]
    else:
        pool = {
            "number text": NUMBER_TEXTS,
            "odd text": ODD_TEXTS,
            "code": CODES,
            "code category": CODES,
            "real code": REAL_CODES,
        }.get(kind, TEXTS)
        pool = [pool[k] for k in rng.permutation(len(pool))[: rng.integers(2, 7)]]
    # The last level is for rows to predict alone; levels lean on the class.
    most = max(1, len(pool) - 1)
    codes = np.where(rng.random(n) < 0.5, place % most, rng.integers(most, size=n))
    values = [pool[k] for k in codes]
    if kind != "truth" and rng.random() < 0.5:
        values[-1] = pool[-1]
    return values

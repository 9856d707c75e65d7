# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a model by name and place: log p(x_i | y), log p(x_i, x_j | y), x_i itself, free tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad import _core

# Class, i and j. The class of a linear term is _NO_CLASS, that of a table in the score of c is _TABLES - c.
Place = tuple[int, int, int]

_NO_CLASS = -1
_TABLES = -2


class Term(NamedTuple):
    """A log density of one feature or two within a class, a feature itself, or a free table."""

    name: str  #: as in ``log p(mass, light | orbit)``, ``mass`` or ``table(mass, light)``
    label: Any  #: the class of a density, as in ``classes_``; else None
    features: tuple[int, ...]  #: columns of X, one or two
    kind: str  #: ``"density"``, ``"linear"`` or ``"table"``


class Pair(NamedTuple):
    """A pair of features and how strongly it depends on each other within a class."""

    i: int  #: column of X
    j: int  #: column of X, i < j
    hsic: float  #: 0 for independent features; NaN if not known
    names: tuple[str, ...] = ()  #: of the two columns


class Setting(NamedTuple):
    """A way of fitting weights that was tried."""

    terms: str  #: which, as in ``linear``, ``univariate`` or ``30 pairs``
    C: float  #: cost of a margin violation
    blend: float  #: how much the weights of naive Bayes and TAN are preferred to 0
    loss: float  #: of scores of rows held out
    averaged: bool  #: whether it is part of the model


def term_names(places: Iterable[Place], features: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Names as ``log p(x0, x1 | a)``, ``x0`` for the feature itself, or ``table(x0, x1)`` for a table.

    A table of three classes or more is named with the class of its score, ``table(x0, x1 | a)``.
    """

    def name(c: int, i: int, j: int) -> str:
        names = features[i] if i == j else f"{features[i]}, {features[j]}"
        if c == _NO_CLASS:
            return names
        if c <= _TABLES:
            return f"table({names})" if len(classes) == 2 else f"table({names} | {classes[_TABLES - c]})"
        return f"log p({names} | {classes[c]})"

    return [name(*place) for place in places]


def named_terms(places: Sequence[Place], features: Sequence[str], labels: Sequence[Any]) -> list[Term]:
    """Terms with their names and places."""
    names = term_names(places, features, [str(label) for label in labels])
    kinds = {_NO_CLASS: "linear"}
    return [
        Term(name, labels[c], (i,) if i == j else (i, j), "density")
        if c >= 0
        else Term(name, None, (i,) if i == j else (i, j), kinds.get(c, "table"))
        for name, (c, i, j) in zip(names, places, strict=True)
    ]


def pairs_by_class(
    places: Iterable[Place], labels: Sequence[Any], hsic: dict[Place, float], features: Sequence[str]
) -> dict[Any, list[Pair]]:
    """The densities of two features of each class, those of largest HSIC first."""
    pairs: dict[Any, list[Pair]] = {label: [] for label in labels}
    for c, i, j in places:
        if i != j and c >= 0:
            value = hsic.get((c, i, j), float("nan"))
            pairs[labels[c]].append(Pair(i, j, value, (features[i], features[j])))
    return {label: sorted(found, key=lambda pair: -pair.hsic) for label, found in pairs.items()}


def importances(model: _core.Model, values: NDArray, weights: NDArray) -> NDArray:
    """Mean absolute deviation of each feature's part of the scores, as shares that sum to 1.

    A feature's part are the contributions of its own terms and half of those of its pairs, added up before
    their spread is taken: terms of one feature in several classes largely cancel. `values` are those of the
    terms, rows x terms.
    """
    result = np.zeros(model.n_features)
    for score in range(len(model.intercepts)):
        parts = model.feature_parts(values, score)
        spread = np.abs(parts - np.average(parts, axis=0, weights=weights))
        result += np.average(spread, axis=0, weights=weights)
    total = result.sum()
    return result / total if total > 0 else result


def evenly_spaced(
    n_rows: int, weights: NDArray | None, most: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """At most `most` rows, and the weight of each.

    All rows if there are no more, nor more copies of them; else those at evenly spaced places of the
    cumulative weight, so that a weight of k and k copies in its place give the same rows.
    """
    if weights is None:
        weights = np.ones(n_rows)
    ends = np.cumsum(weights)
    if max(n_rows, ends[-1]) <= most:
        return np.arange(n_rows), weights
    places = (np.arange(most) + 0.5) * ends[-1] / most
    rows, counts = np.unique(np.searchsorted(ends, places, side="right"), return_counts=True)
    return rows, counts.astype(np.float64)


def kept_hsic(
    model: _core.Model, X: NDArray, codes: NDArray, weights: NDArray | None, n_threads: int
) -> dict[Place, float]:
    """HSIC of the model's pairs within their classes."""
    pairs = [place for place in model.terms if place[1] != place[2] and place[0] >= 0]
    if not pairs:
        return {}
    # Fits that choose pairs by HSIC tell it; trees and given pairs are chosen without.
    hsic = model.report["hsic"] or model.pair_hsic(X, codes, weights, n_threads).tolist()
    return dict(zip(pairs, hsic, strict=True))


_MOST_NAMED = 2


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _short(setting: Setting) -> str:
    blend = f" blend={_number(setting.blend)}" if setting.blend > 0 else ""
    return f"{setting.terms} C={_number(setting.C)}{blend} (loss {setting.loss:.3f})"


def chosen_settings(settings: Sequence[Setting]) -> str:
    """``mean of 10 of 104 settings: 12 pairs C=1 (loss 0.312), 12 pairs C=3 (loss 0.314), ...``."""
    averaged = [setting for setting in settings if setting.averaged]
    if len(averaged) == 1:
        return f"best of {len(settings)} settings: {_short(averaged[0])}"
    named = [_short(setting) for setting in averaged[:_MOST_NAMED]]
    named += ["..."] if len(averaged) > _MOST_NAMED else []
    return f"mean of {len(averaged)} of {len(settings)} settings: {', '.join(named)}"

# SPDX-License-Identifier: BSD-3-Clause
"""Pairs that a model is given, and features and pairs that are excluded, by the names of columns."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Names = list[str]
StructureNames = tuple[list[Names] | None, list[Names]]


def structure_names(pairs: Any, exclude: Any, names: Sequence[str]) -> StructureNames | None:
    """Pairs and excluded columns by name, as the core takes them; None if nothing is given."""
    given = None
    if not (pairs is None or isinstance(pairs, str)):
        given = [_names("pairs", pair, names) for pair in _items("pairs", pairs, "pairs (i, j)")]
    excluded = [] if exclude is None else _items("exclude", exclude, "columns and pairs (i, j)")
    found = [_names("exclude", item, names) for item in excluded]
    return None if given is None and not found else (given, found)


def structure_parameters(structure: StructureNames, names: Sequence[str], named: bool) -> dict[str, Any]:
    """Parameters that mean a structure: columns by name, or by number where the table had no names."""

    def column(name: str) -> str | int:
        return name if named else names.index(name)

    pairs, excluded = structure
    parameters: dict[str, Any] = {}
    if pairs is not None:
        parameters["pairs"] = [tuple(map(column, pair)) for pair in pairs]
    if excluded:
        columns = [tuple(map(column, item)) for item in excluded]
        parameters["exclude"] = [item if len(item) > 1 else item[0] for item in columns]
    return parameters


def excluded_columns(structure: StructureNames | None) -> set[str]:
    """Names of the columns that no term has."""
    return set() if structure is None else {item[0] for item in structure[1] if len(item) == 1}


def _items(parameter: str, given: Any, what: str) -> list[Any]:
    if isinstance(given, (str, bytes, Iterator)) or not np.iterable(given):
        raise ValueError(f"{parameter}: expected a list of {what}, got {given!r}")
    return list(given)


def _names(parameter: str, item: Any, names: Sequence[str]) -> Names:
    """The names in a column or a pair of columns."""
    is_pair = isinstance(item, (Sequence, np.ndarray)) and not isinstance(item, str)
    return [_name(parameter, column, names) for column in (item if is_pair else [item])]


def _name(parameter: str, column: Any, names: Sequence[str]) -> str:
    if isinstance(column, str):
        return str(column)
    if not isinstance(column, numbers.Integral) or isinstance(column, bool):
        raise ValueError(f"{parameter}: expected a column by name or number, got {column!r}")
    if not 0 <= column < len(names):
        raise ValueError(f"{parameter}: expected a number of a column below {len(names)}, got {column}")
    return names[int(column)]

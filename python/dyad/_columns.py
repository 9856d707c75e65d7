# SPDX-License-Identifier: BSD-3-Clause
"""Columns of numbers and of categories, as the core reads them: one array of numbers and codes of levels."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from dyad import _core

# How values that stand for none are written, whatever their type.
MISSING = {"None", "nan", "NaN", "NaT", "<NA>"}

# Frames between a method of an estimator and the warnings about the rows that it was given.
_OF_CALLER = 6

# Columns of these types are categories unless a model knows them as numbers.
_CATEGORY_TYPES = (nw.String, nw.Categorical, nw.Enum, nw.Boolean)


class Coded(NamedTuple):
    """Rows of numbers and of codes; NaN where a value is missing."""

    values: NDArray
    levels: list[list[str]]  #: of each column what its codes stand for; empty of numbers, or if all are
    level_types: Sequence[str] = ()  #: of each column the type of its levels; empty as `levels` is


class Known(NamedTuple):
    """The levels of a column that a model knows."""

    names: list[str]  #: ascending
    has_others: bool  #: whether the code behind the last name stands for all other levels


class Column(NamedTuple):
    """A column of a table before it is known what it holds."""

    name: str
    values: NDArray | list
    is_category: bool  #: by its type


def table_columns(frame: Any, estimator: Any = None) -> NDArray | list[Column]:
    """The columns of a pandas, polars or Arrow table; an array where all of them are of floats."""
    table = nw.from_native(frame, eager_only=True)
    if 0 in table.shape:
        check_array(np.empty(table.shape), input_name="X", estimator=estimator)
    if set(table.schema.values()) in ({nw.Float64()}, {nw.Float32()}):
        values = table.to_numpy()
        if values.dtype.kind == "f":  # pandas makes objects of Arrow's floats with gaps
            for j in np.flatnonzero(np.isinf(values).any(axis=0)):
                _raise_infinite(table.columns[j], values[:, j])
            return values
    return [_column(series) for series in table.iter_columns()]


def _column(series: nw.Series) -> Column:
    numeric = series.dtype.is_numeric() and not isinstance(series.dtype, nw.Decimal)
    is_category = isinstance(series.dtype, _CATEGORY_TYPES)
    return Column(series.name, series.to_numpy() if numeric else _objects(series), is_category)


def _objects(series: nw.Series) -> list[Any]:
    """The values as Python's objects, those of an Arrow dictionary by their codes: each is made once."""
    native = series.to_native()
    arrow = nw.dependencies.get_pyarrow()
    is_arrow = arrow is not None and isinstance(native, arrow.ChunkedArray)
    if not (is_arrow and arrow.types.is_dictionary(native.type)):
        return series.to_list()
    values: list[Any] = []
    for chunk in native.chunks:
        known = chunk.dictionary.to_pylist()
        objects = np.empty(len(known) + 1, dtype=object)  # the last stands for a missing value
        for code, value in enumerate(known):
            objects[code] = value
        codes = chunk.indices.cast(arrow.int64()).fill_null(len(known))
        values += objects[codes.to_numpy()].tolist()
    return values


def array_columns(array: NDArray, names: Sequence[str]) -> list[Column]:
    """The columns of a two-dimensional array.

    In an array of text, as NumPy makes it from numbers and text, columns are numbers if all their values are.
    """
    columns = [array[:, j].tolist() if array.dtype.kind in "OU" else array[:, j] for j in range(len(names))]
    if array.dtype.kind == "U":
        columns = [_parsed(column) for column in columns]
    return [Column(name, values, False) for name, values in zip(names, columns, strict=True)]


def _parsed(texts: list[str]) -> list[Any]:
    if any("_" in text or not text.isascii() for text in texts):  # numbers in Python's code alone
        return texts
    try:
        return [float(text) for text in texts]
    except ValueError:
        return texts


def code_new(columns: Sequence[Column], named: NDArray[np.bool_]) -> Coded:
    """Columns of a table to be fitted: those of text, and those `named`, as codes of their levels."""
    values = _empty_like(columns)
    levels: list[list[str]] = [[] for _ in columns]
    types = ["unknown" for _ in columns]
    for j, column in enumerate(columns):
        if named[j] or column.is_category or _holds_text(column):
            _require_one_kind(column)
            texts = _texts(column)
            levels[j] = sorted(set(texts.values()))
            values[:, j] = _coded(column, texts, levels[j])
            types[j] = _level_type(column, texts)
        else:
            values[:, j] = _numbers(column)
    return Coded(values, levels, types) if any(levels) else Coded(values, [])


def declared_orders(X: Any) -> dict[int, list[str]]:
    """The names of the levels of each ordered category of a pandas frame, in their order."""
    dtypes = getattr(X, "dtypes", ())
    orders = {}
    for j, dtype in enumerate(dtypes):
        if getattr(dtype, "ordered", False) and hasattr(dtype, "categories"):
            values = dtype.categories.tolist()
            texts = _texts(Column(str(j), values, True))
            orders[j] = [texts[value] for value in values]
    return orders


def code_known(
    columns: Sequence[Column], known: Sequence[tuple[list[str], bool] | None], used: set[int]
) -> NDArray:
    """Columns of a table to be predicted by a model that knows these levels, or None of numbers.

    Text in columns that are not `used` by the model is as good as no value.
    """
    values = _empty_like(columns)
    for j, column in enumerate(columns):
        if known and known[j] is not None:
            column = _with_truths_as_text(column)
            texts = _texts(column)
            values[:, j] = _coded(column, texts, *known[j])
            _warn_if_unknown(column, values[:, j], texts, *known[j])
        elif j not in used and not isinstance(column.values, np.ndarray):
            values[:, j] = np.nan
        else:
            values[:, j] = _numbers(column)
    return values


def _empty_like(columns: Sequence[Column]) -> NDArray[np.float64]:
    return np.empty((len(columns[0].values), len(columns)), order="F")


def recoded(
    values: NDArray, levels: list[list[str]], known: Sequence[tuple[list[str], bool] | None]
) -> NDArray:
    """Values whose codes stand for `levels` with the codes of a model instead."""
    known = known or [None] * len(levels)  # no column of a model of numbers alone
    if not levels or all(names == [*k[0]] for names, k in zip(levels, known, strict=True) if k is not None):
        return values
    values = values.copy()
    for j, names in enumerate(levels):
        if not names:
            continue
        places, other = _places(Known(*(known[j] or ([], False))))
        codes = np.array([places.get(name, other) for name in names])
        present = ~np.isnan(values[:, j])
        values[present, j] = codes[values[present, j].astype(np.intp)]
    return values


def column_mask(categorical_features: Any, names: Sequence[str], has_names: bool) -> NDArray[np.bool_]:
    """Which columns `categorical_features` means: names, numbers, a mask, or None for none."""
    mask = np.zeros(len(names), dtype=bool)
    if categorical_features is None:
        return mask
    given = np.asarray(categorical_features)
    if isinstance(categorical_features, str) or given.ndim != 1 or given.dtype.kind not in "biuUOf":
        raise ValueError(
            "categorical_features must be None, a list of names or numbers of columns, or a mask, "
            f"got {categorical_features!r}"
        )
    if given.dtype.kind == "b":
        if len(given) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(given)} columns, but X has {len(names)}"
            )
        return given.copy()
    place = {name: j for j, name in enumerate(names)} if has_names else {}
    for column in given.tolist():
        j = place.get(column) if isinstance(column, str) else column
        if not isinstance(j, numbers.Integral) or isinstance(j, bool) or not 0 <= j < len(names):
            what = "column" if isinstance(column, str) else "number of a column"
            raise ValueError(
                f"categorical_features has {column!r}, which is no {what} of X with {len(names)} columns"
            )
        mask[j] = True
    return mask


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT or NA."""
    if value is None or isinstance(value, str):
        return value is None
    return bool(value != value) if isinstance(value, numbers.Number) else str(value) in MISSING


def _holds_text(column: Column) -> bool:
    """Whether a column of objects is one of text or truths; refuses one of numbers and text."""
    if isinstance(column.values, np.ndarray):
        return False
    kinds = set(map(type, column.values))
    if not any(issubclass(kind, (str, bool, np.bool_)) for kind in kinds):
        return False
    number = next((v for v in column.values if _is_number(v) and not is_missing(v)), None)
    text = next((v for v in column.values if isinstance(v, str)), None)
    if number is not None and text is not None:
        raise ValueError(
            f"column {column.name!r} mixes numbers ({number!r}) and text ({text!r}); to take it as "
            "categories, name it in categorical_features"
        )
    return number is None


def _has_truths(column: Column) -> bool:
    if isinstance(column.values, np.ndarray):
        return False
    return any(issubclass(kind, (bool, np.bool_)) for kind in set(map(type, column.values)))


def _with_truths_as_text(column: Column) -> Column:
    """The column with truths by their names, as Python takes True and 1 for one value."""
    if not _has_truths(column):
        return column
    return column._replace(values=[str(v) if isinstance(v, (bool, np.bool_)) else v for v in column.values])


def _require_one_kind(column: Column) -> None:
    """Refuse truths beside numbers in a column of categories: Python takes True and 1 for one value."""
    if not _has_truths(column):
        return
    number = next((v for v in column.values if _is_number(v) and not is_missing(v)), None)
    if number is not None:
        truth = next(v for v in column.values if isinstance(v, (bool, np.bool_)))
        raise ValueError(
            f"column {column.name!r} mixes numbers ({number!r}) and truths ({truth!r}); "
            "convert it to one type"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number) and not isinstance(value, (bool, np.bool_))


def _numbers(column: Column) -> NDArray:
    values = column.values
    if not isinstance(values, np.ndarray):
        values = np.array(
            [_number(column.name, row, value) for row, value in enumerate(values)], dtype=np.float64
        )
    if values.dtype.kind == "f" and np.isinf(values).any():
        _raise_infinite(column.name, values)
    return values


def _raise_infinite(name: str, values: NDArray) -> None:
    row = int(np.argmax(np.isinf(values)))
    raise ValueError(f"column {name!r} has an infinite value in row {row}; those are not supported")


def _number(name: str, row: int, value: Any) -> float:
    if is_missing(value):
        return np.nan
    if isinstance(value, str):
        raise ValueError(f"column {name!r} has the text {value!r} in row {row}, where the model has numbers")
    if isinstance(value, bytes):
        raise TypeError(f"column {name!r} has bytes ({value!r}) in row {row}; decode them to text first")
    try:
        return float(value)
    except TypeError as error:
        raise TypeError(f"column {name!r} has neither a number nor text in row {row}: {error}") from None
    except OverflowError:
        raise ValueError(f"column {name!r} has a number too large for a double in row {row}") from None


def _values(column: Column) -> list[Any]:
    return column.values.tolist() if isinstance(column.values, np.ndarray) else column.values


def _texts(column: Column) -> dict[Any, str]:
    """The name of the level of each distinct value that is not missing."""
    texts = {
        value: _text(column, value) for value in _distinct(column, _values(column)) if not is_missing(value)
    }
    require_text(f"column {column.name!r}: the level", texts.values())
    return texts


def _coded(
    column: Column, texts: dict[Any, str], names: list[str], has_others: bool = False
) -> NDArray[np.float64]:
    """The code of each value among levels with these names."""
    codes = dict(zip(texts, _core.level_codes(names, has_others, list(texts.values())), strict=True))
    return np.array([codes.get(value, np.nan) for value in _values(column)], dtype=np.float64)


def _level_type(column: Column, texts: dict[Any, str]) -> str:
    """The type of the values of a column of categories; refuses a number and a text of the same name."""
    types: dict[str, set[str]] = {}
    for value, text in texts.items():
        kind = "text" if isinstance(value, str) else "integer" if _is_number(value) else "boolean"
        types.setdefault(kind, set()).add(text)
    both = types.get("text", set()) & types.get("integer", set())
    if both:
        raise ValueError(
            f"column {column.name!r} has {min(both)} both as a number and as text; convert it to one type"
        )
    return next(iter(types)) if len(types) == 1 else "text"


def _warn_if_unknown(
    column: Column, codes: NDArray[np.float64], texts: dict[Any, str], names: list[str], has_others: bool
) -> None:
    """Warn if the levels of some values, or of all, are unknown to the model."""
    values = _values(column)
    n_values = sum(value in texts for value in values)
    n_known = int(np.sum(codes < len(names)))
    if n_known == n_values:
        return
    unknown = next(
        texts[value]
        for value, code in zip(values, codes, strict=True)
        if value in texts and not code < len(names)
    )
    note = _core.note_on_unknown(column.name, names, has_others, n_values, n_known, unknown)
    if note:
        warnings.warn(note, UserWarning, stacklevel=_OF_CALLER)


def require_text(what: str, texts: Iterable[str]) -> None:
    """Refuse names, levels and labels that no file can hold."""
    for text in texts:
        if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError(f"{what} {text!r} has a NUL character or a lone surrogate; rename it")


def _distinct(column: Column, values: Iterable[Any]) -> set:
    try:
        return set(values)
    except TypeError as error:
        raise TypeError(f"column {column.name!r} has neither numbers nor text: {error}") from None


def _text(column: Column, value: Any) -> str:
    """The name of a level: of numbers their normal form."""
    if isinstance(value, bytes):
        raise TypeError(f"column {column.name!r} has bytes ({value!r}); decode them to text first")
    if isinstance(value, str) or not isinstance(value, (numbers.Real, Decimal)) or isinstance(value, bool):
        if not (column.is_category or isinstance(value, (str, bool, np.bool_))):
            raise TypeError(f"column {column.name!r} has neither numbers nor text: {value!r}")
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(value)
    if np.isinf(float(value)):
        raise ValueError(f"column {column.name!r} has an infinite value; those are not supported")
    return _core.normal_form(float(value))


def _places(known: Known) -> tuple[dict[str, float], float]:
    """The code of each level, and that of all others."""
    places = {name: float(j) for j, name in enumerate(known.names)}
    return places, float(len(known.names)) if known.has_others else np.nan

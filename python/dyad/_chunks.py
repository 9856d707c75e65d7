# SPDX-License-Identifier: BSD-3-Clause
"""Tables in chunks: where rows come from that are not at hand together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import narwhals as nw

from dyad import _core

Chunk = tuple[Any, Any, Any]  #: rows, labels, and weights or None


def chunk_source(chunks: Any, label: str | None, weight: str | None) -> Callable[[], Iterator[Chunk]]:
    """A function that goes over `chunks` from the beginning, as often as it is called."""
    if isinstance(chunks, (str, os.PathLike)):
        chunks = _dataset(chunks)
    if _is_arrow(chunks):
        return lambda: _batches(chunks, label, weight)
    if isinstance(chunks, Iterator):
        raise TypeError(
            "chunks is an iterator, which can be gone over once only; pass a list, or a function that "
            "returns one iterator after the other"
        )
    if label is None and isinstance(chunks, tuple) and len(chunks) in (2, 3) and hasattr(chunks[0], "shape"):
        return lambda: _slices(*chunks)
    make = chunks if callable(chunks) else lambda: chunks
    return lambda: (_parts(chunk, label, weight) for chunk in make())


def _dataset(path: str | os.PathLike) -> Any:
    import pyarrow.dataset

    path = Path(path)
    suffixes = [s for s in path.suffixes if s in (".csv", ".parquet", ".arrow", ".feather")]
    formats = {".csv": "csv", ".arrow": "ipc", ".feather": "feather"}
    form = formats.get(suffixes[-1] if suffixes else "", "parquet")
    dataset = pyarrow.dataset.dataset(path, format=form)
    _require_same_columns(dataset, has_types=form != "csv")
    return dataset


def _require_same_columns(dataset: Any, has_types: bool) -> None:
    """Refuse files with other columns than the first: Arrow leaves columns out, or fills them with nulls."""
    first = None
    for fragment in dataset.get_fragments():
        kinds = {field.name: _kind(field.type) for field in fragment.physical_schema}
        if first is None:
            first, first_path = kinds, fragment.path
        for name in first.keys() ^ kinds.keys():
            one, other = (first_path, fragment.path) if name in first else (fragment.path, first_path)
            raise ValueError(f"{other} has no column {name!r}, which {one} has")
        for name, kind in kinds.items():
            if has_types and None not in (kind, first[name]) and kind != first[name]:
                raise ValueError(
                    f"column {name!r} has {kind} in {fragment.path} and {first[name]} in {first_path}"
                )
            first[name] = first[name] or kind


def _kind(of: Any) -> str | None:
    """What a column of this Arrow type has; None of nulls alone."""
    from pyarrow import types

    if types.is_dictionary(of):
        of = of.value_type
    if types.is_null(of):
        return None
    if types.is_integer(of) or types.is_floating(of) or types.is_decimal(of):
        return "numbers"
    return "text" if types.is_string(of) or types.is_large_string(of) else str(of)


def _is_arrow(chunks: Any) -> bool:
    return hasattr(chunks, "to_batches") and hasattr(chunks, "schema")


def _batches(dataset: Any, label: str | None, weight: str | None) -> Iterator[Chunk]:
    import pyarrow

    rows = _core.default_chunk_rows(len(dataset.schema))
    for batch in dataset.to_batches():
        for first in range(0, batch.num_rows, rows):
            yield _parts(pyarrow.Table.from_batches([batch.slice(first, rows)]), label, weight)


def _slices(X: Any, y: Any, weights: Any = None) -> Iterator[Chunk]:
    """Rows of arrays, which may be mapped from a disk."""
    size = _core.default_chunk_rows(X.shape[1])
    for first in range(0, len(X), size):
        rows = slice(first, first + size)
        yield _part(X, rows), _part(y, rows), None if weights is None else _part(weights, rows)


def _part(of: Any, rows: slice) -> Any:
    """Rows by place: pandas 2 looks for the bounds of a slice among the labels of an index of floats."""
    return of.iloc[rows] if hasattr(of, "iloc") else of[rows]


def _parts(chunk: Any, label: str | None, weight: str | None) -> Chunk:
    """Rows, labels and weights of a chunk: a tuple of these, or a table that has them as columns."""
    if label is None:
        if not (isinstance(chunk, tuple) and len(chunk) in (2, 3)):
            raise TypeError(
                f"a chunk must be a tuple (X, y) or (X, y, weights), got {type(chunk).__name__}; for tables "
                "name the column of labels: label="
            )
        return (*chunk, None)[:3]
    table = nw.from_native(chunk, eager_only=True)
    named = [name for name in (label, weight) if name is not None]
    for name in named:
        if name not in table.columns:
            raise ValueError(f"a chunk has no column {name!r}; its columns are {table.columns}")
    return (
        table.drop(named).to_native(),
        table[label].to_native(),
        None if weight is None else table[weight].to_native(),
    )

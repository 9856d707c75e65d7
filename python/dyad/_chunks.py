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
        chunks = _dataset(chunks, kept=(label, weight))
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


def _dataset(path: str | os.PathLike, kept: tuple[str | None, ...]) -> Any:
    import pyarrow.dataset

    path = Path(path)
    suffixes = [s for s in path.suffixes if s in (".csv", ".parquet", ".arrow", ".feather")]
    suffix = suffixes[-1] if suffixes else ".parquet"
    form = {".csv": _csv_format(), ".parquet": "parquet"}.get(suffix, "ipc")
    dataset = pyarrow.dataset.dataset(path, format=form)
    schema = _common_schema(dataset, suffix != ".csv", kept)
    if suffix != ".csv" and any(_own_schema(f, schema) != schema for f in dataset.get_fragments()):
        return _FilesOfSeveralTypes(dataset, schema)
    return pyarrow.dataset.dataset(path, format=form, schema=schema)


class _FilesOfSeveralTypes:
    """Files that have integers where others have float64.

    An Arrow dataset refuses to round integers beyond 2^53.
    """

    def __init__(self, dataset: Any, schema: Any) -> None:
        self._dataset = dataset
        self.schema = schema

    def to_batches(self) -> Iterator[Any]:
        import pyarrow

        for fragment in self._dataset.get_fragments():
            own = _own_schema(fragment, self.schema)
            for batch in fragment.to_batches(schema=own):
                yield from pyarrow.Table.from_batches([batch]).cast(self.schema, safe=False).to_batches()


def _own_schema(fragment: Any, schema: Any) -> Any:
    """The schema, with integers where a file has these for its float64."""
    from pyarrow import schema as schema_of
    from pyarrow import types

    of_file = fragment.physical_schema
    fields = []
    for field in schema:
        own = of_file.field(field.name)
        is_rounded = types.is_float64(field.type) and types.is_integer(own.type)
        fields.append(field.with_type(own.type) if is_rounded else field)
    return schema_of(fields, metadata=schema.metadata)


def _csv_format() -> Any:
    """CSV files with line ends in quotes and gaps in text, where Arrow by itself has the text ""."""
    import pyarrow.csv

    words = [*pyarrow.csv.ConvertOptions().null_values, "?", "NAN", "Nan"]
    options = pyarrow.csv.ConvertOptions(null_values=words, strings_can_be_null=True)
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    return pyarrow.dataset.CsvFileFormat(parse_options=parsing, convert_options=options)


def _common_schema(dataset: Any, has_types: bool, kept: tuple[str | None, ...]) -> Any:
    """The columns of all files in types that hold all values; refuses other columns, and text for numbers.

    Arrow takes the columns and types of the first file: it leaves other columns out and rounds numbers.
    The index of a pandas frame is no column, unless it is one of those kept.
    """
    import pyarrow

    common = None
    for fragment in dataset.get_fragments():
        of_file = fragment.physical_schema
        index = (of_file.pandas_metadata or {}).get("index_columns", [])
        left_out = [name for name in index if name not in kept]
        schema = pyarrow.schema([_with_plain_text(field) for field in of_file if field.name not in left_out])
        if common is None:
            common, first = schema, fragment.path
        for name in set(common.names) ^ set(schema.names):
            one, other = (first, fragment.path) if name in common.names else (fragment.path, first)
            raise ValueError(f"{other} has no column {name!r}, which {one} has")
        if has_types:
            try:
                pair = _without_overflow(common, schema, kept), _without_overflow(schema, common, kept)
                common = pyarrow.unify_schemas(list(pair), promote_options="permissive")
            except (TypeError, ValueError) as error:
                raise ValueError(f"{fragment.path} does not go with {first}: {error}") from None
    return common if common is not None and has_types else dataset.schema


def _without_overflow(schema: Any, other: Any, kept: tuple[str | None, ...]) -> Any:
    """The schema, with float64 for uint64 where the other has signed integers.

    Arrow takes int64 for both, which holds no value from 2^63 on. Labels stay integers.
    """
    import pyarrow
    from pyarrow import types

    def is_promoted(field: Any) -> bool:
        of_other = other.field(field.name).type
        return field.name not in kept and types.is_uint64(field.type) and types.is_signed_integer(of_other)

    return pyarrow.schema([f.with_type(pyarrow.float64()) if is_promoted(f) else f for f in schema])


def _with_plain_text(field: Any) -> Any:
    from pyarrow import types

    is_coded = types.is_dictionary(field.type) and types.is_string(field.type.value_type)
    return field.with_type(field.type.value_type) if is_coded else field


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

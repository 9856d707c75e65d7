# SPDX-License-Identifier: BSD-3-Clause
"""A classifier of dyad fitted to the rows of a Spark data frame, which stay where they are.

    python examples/spark.py ROWS.parquet LABEL MODEL.dyad

Three passes over the rows: their numbers in each partition, a survey, counts. Each partition makes a state,
of some megabytes; states are merged and the model is planned and finished on the driver. Without a shuffle
between the passes a partition has the same rows each time, as those of files have. The rows are numbered in
the order of the partitions, so that the model is that of `fit_chunks` and of Dask on them, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import accumulate
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

import dyad


def first_rows(frame: DataFrame) -> list[int]:
    """The number of the first row of each partition."""

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        n_rows = sum(batch.num_rows for batch in batches)
        yield pa.RecordBatch.from_pydict({"part": [TaskContext.get().partitionId()], "n_rows": [n_rows]})

    sizes = {row.part: row.n_rows for row in frame.mapInArrow(count, "part long, n_rows long").collect()}
    return list(accumulate((sizes[part] for part in range(len(sizes))), initial=0))


def merged(frame: DataFrame, label: str, start: bytes, first: list[int]) -> dyad.State:
    """The state `start`, updated with the rows of each partition, merged."""
    given = frame.sparkSession.sparkContext.broadcast((start, first))

    def update(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        start, first = given.value
        state = dyad.State.from_bytes(start)
        row = first[TaskContext.get().partitionId()]
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            state.update(rows.drop_columns([label]), rows[label], first_row=row, n_jobs=1)
            row += batch.num_rows
        yield pa.RecordBatch.from_pydict({"state": [state.to_bytes()]}, pa.schema([("state", pa.binary())]))

    rows = frame.mapInArrow(update, "state binary").toLocalIterator()
    states = (dyad.State.from_bytes(row.state) for row in rows)
    return reduce(dyad.State.merge, (state for state in states if state.n_rows > 0))


def fit(frame: DataFrame, label: str, estimator: Any = None, sample_rows: int | None = None) -> Any:
    """A classifier fitted to all rows: the given one, or an SLBClassifier."""
    first = first_rows(frame)
    survey = merged(frame, label, dyad.State(sample_rows=sample_rows).to_bytes(), first)
    if survey.has_all_rows:
        return survey.finalize(estimator)
    plan = survey.plan(estimator)
    return merged(frame, label, plan.to_bytes(), first).finalize(estimator)


def main(path: str, label: str, model: str) -> None:
    """Fit to a Parquet file, or a folder of such files."""
    spark = SparkSession.builder.getOrCreate()
    fit(spark.read.parquet(path), label).save(model)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

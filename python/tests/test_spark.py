# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of examples/spark.py on a local Spark, which `make spark` installs."""

import importlib.util
import itertools
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

import dyad

pyspark = pytest.importorskip("pyspark", reason="make spark installs pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

EXAMPLE = Path(__file__).parents[2] / "examples" / "spark.py"


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("spark", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable  # of the workers
    session = (
        pyspark.sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.files.maxPartitionBytes", "1m")
        .getOrCreate()
    )
    session.sparkContext.addPyFile(str(EXAMPLE))  # a module to the workers, not the main program
    yield session
    session.stop()


def rows_with_text(n, seed=0):
    """Numbers with gaps, text, and labels that are text of digits."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    frame["b"] += frame["a"] * (2 * y - 1)
    frame["colour"] = np.array(["red", "green", "blue"])[rng.integers(3, size=n) * y]
    frame.loc[rng.random(n) < 0.05, "c"] = np.nan
    return frame.assign(label=y.astype(str))


def write_parts(frame, folder, n_parts=5):
    folder.mkdir()
    bounds = np.linspace(0, len(frame), n_parts + 1).astype(int)
    for k, (begin, end) in enumerate(itertools.pairwise(bounds)):
        frame.iloc[begin:end].to_parquet(folder / f"part{k}.parquet", index=False)


def in_order(spark, folder):
    """The files of a folder in the order of their names; Spark reads large ones first."""
    parts = [spark.read.parquet(str(path)).coalesce(1) for path in sorted(folder.glob("*.parquet"))]
    frame = parts[0]
    for part in parts[1:]:
        frame = frame.union(part)
    return frame


def test_a_model_of_spark_is_that_of_dask_and_of_chunks(recipe, spark, tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    import dyad.dask

    rows = rows_with_text(260_000)  # more than the sample has
    write_parts(rows, tmp_path / "rows")
    model = recipe.fit(in_order(spark, tmp_path / "rows"), "label", dyad.SLBClassifier())
    X, y = rows.drop(columns="label"), rows["label"]
    chunks = dyad.SLBClassifier().fit_chunks(
        pyarrow.dataset.dataset(sorted(map(str, (tmp_path / "rows").glob("*.parquet")))), label="label"
    )
    assert model._model.to_bytes() == chunks._model.to_bytes()
    frame = dask.from_pandas(rows, npartitions=7)
    of_dask = dyad.dask.SLBClassifier().fit(frame.drop(columns="label"), frame["label"])
    assert model._model.to_bytes() == of_dask._model.to_bytes()
    assert (model.predict(X[:5000]) == y[:5000]).mean() > 0.8  # labels are text again


def test_few_rows_give_the_model_of_a_fit_in_memory(recipe, spark, tmp_path):
    rows = rows_with_text(3000, seed=1)
    write_parts(rows, tmp_path / "rows")
    model = recipe.fit(in_order(spark, tmp_path / "rows"), "label", dyad.TANClassifier())
    whole = dyad.TANClassifier().fit(rows.drop(columns="label"), rows["label"])
    assert model._model.to_bytes() == whole._model.to_bytes()

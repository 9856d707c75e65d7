# SPDX-License-Identifier: BSD-3-Clause
"""One model and one prediction for a table, whichever front end reads it and however its rows are cut.

Every case comes from one seed; a failure prints it with the table and what was done. More cases, and one of
them again:

    python -m pytest python/tests/test_differential.py --differential-cases 10000
    python -m pytest python/tests/test_differential.py --differential-cases 1 --differential-first SEED
"""

from __future__ import annotations

import io
import itertools
import pickle
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from random_tables import Case, draw
from sklearn.base import clone
from test_model_files import PROGRAM

import dyad

Fit = Callable[[], Any]


class RefusedError(Exception):
    """The table is no table to fit to, or to predict."""


class Steps(list):
    """What was done, for the message of a failure; and random choices."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng([seed, 1])

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def choice(self, among: list[Any]) -> Any:
        return among[self.rng.integers(len(among))]

    def cuts(self, n: int, most: int = 5) -> list[slice]:
        """Slices of all rows, in order; some may be empty."""
        bounds = [0, *sorted(self.rng.integers(0, n + 1, size=self.rng.integers(0, most)).tolist()), n]
        self.append(f"cut at {bounds}")
        return [slice(first, last) for first, last in itertools.pairwise(bounds)]


def outcome(fit: Fit) -> Any:
    """What `fit` returns, or RefusedError."""
    try:
        return fit()
    except (ValueError, TypeError, RefusedError) as error:
        return RefusedError(str(error))


def rows_of(case: Case, rows: Any, X: pd.DataFrame | None = None) -> tuple[Any, ...]:
    X = case.X if X is None else X
    weights = () if case.weights is None else (case.weights[rows],)
    return X.iloc[rows], case.y[rows], *weights


# --- ways to fit -------------------------------------------------------------------------------------------


def in_memory(case: Case, X: Any = None) -> Any:
    return clone(case.estimator).fit(case.X if X is None else X, case.y, sample_weight=case.weights)


def in_chunks(case: Case, steps: Steps) -> Any:
    cuts = steps.cuts(len(case.X))
    if steps.chance(0.3):
        steps.append("chunks are tables")
        table = case.table()
        weight = None if case.weights is None else "w"
        return clone(case.estimator).fit_chunks([table.iloc[rows] for rows in cuts], label="y", weight=weight)
    return clone(case.estimator).fit_chunks(lambda: (rows_of(case, rows) for rows in cuts))


def in_chunks_read_anew(case: Case, steps: Steps) -> Any:
    """Chunks of a CSV file, in each of which pandas finds the types of columns anew."""
    table = case.table()
    chunks = []
    for rows in steps.cuts(len(table)):
        text = io.StringIO(table.iloc[rows].to_csv(index=False))
        chunks.append(pd.read_csv(text, float_precision="round_trip", keep_default_na=False, na_values=[""]))
    weight = None if case.weights is None else "w"
    return clone(case.estimator).fit_chunks(chunks, label="y", weight=weight)


def in_files(case: Case, steps: Steps, folder: Path) -> Any:
    """Parquet files of parts, in each of which Arrow finds the types of columns anew."""
    (folder / "files").mkdir()
    table = case.table()
    for k, rows in enumerate(steps.cuts(len(table))):
        part = table.iloc[rows].reset_index(drop=True)
        without_values = {name: object for name in part if part[name].isna().all()}
        part.astype(without_values).to_parquet(folder / "files" / f"{k}.parquet")
    weight = None if case.weights is None else "w"
    return clone(case.estimator).fit_chunks(folder / "files", label="y", weight=weight)


def in_a_csv_file(case: Case, folder: Path) -> Any:
    """A CSV file that Arrow reads."""
    (folder / "arrow.csv").write_text(case.csv())
    weight = None if case.weights is None else "w"
    return clone(case.estimator).fit_chunks(folder / "arrow.csv", label="y", weight=weight)


def sent(state: dyad.State, steps: Steps) -> dyad.State:
    """The state as another process gets it."""
    way = steps.choice(["itself", "bytes", "pickle", "copy"])
    steps.append(way)
    if way == "bytes":
        return dyad.State.from_bytes(state.to_bytes())
    return {"itself": state, "pickle": pickle.loads(pickle.dumps(state)), "copy": state.copy()}[way]


def merged(case: Case, steps: Steps, empty: Callable[[], dyad.State]) -> dyad.State:
    """States of parts of the rows, merged in random order."""
    parts = [
        sent(empty().update(*rows_of(case, rows), first_row=rows.start, n_jobs=1), steps)
        for rows in steps.cuts(len(case.X))
        if rows.stop > rows.start
    ]
    order = steps.rng.permutation(len(parts)).tolist()
    steps.append(f"merged in the order {order}")
    state = parts[order[0]]
    for k in order[1:]:
        state = sent(state.merge(parts[k]), steps)
    return state


def in_states(case: Case, steps: Steps) -> Any:
    survey = merged(case, steps, lambda: dyad.State(categorical_features=case.named or None))
    return survey.finalize(case.estimator)


def counted(case: Case, sample_rows: int | None, steps: Steps | None) -> Any:
    """A model of two passes over the rows: at once, or over parts."""

    def survey() -> dyad.State:
        return dyad.State(sample_rows=sample_rows, categorical_features=case.named or None)

    if steps is None:
        rows = rows_of(case, slice(None))
        return survey().update(*rows).plan(case.estimator).update(*rows).finalize(case.estimator)
    plan = sent(merged(case, steps, survey).plan(case.estimator), steps)
    return merged(case, steps, plan.copy).finalize(case.estimator)


def in_dask(case: Case, steps: Steps) -> Any:
    import dask
    import dask.dataframe as dd
    import dyad.dask

    n_parts = int(steps.rng.integers(1, 4))
    steps.append(f"{n_parts} partitions")
    local = type(case.estimator)
    lazy = getattr(dyad.dask, local.__name__)(**case.estimator.get_params(deep=False))
    objects = case.X.select_dtypes(object)
    as_text = objects.map(lambda value: value is None or isinstance(value, str)).all(axis=None)
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": bool(as_text)}):
        table = dd.from_pandas(case.table(), npartitions=n_parts, sort=False)
        weights = None if case.weights is None else table["w"]
        return lazy.fit(table[list(case.X.columns)], table["y"], sample_weight=weights)


def program(command: str, *arguments: Any) -> str:
    line = [PROGRAM, command, *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1, 2):
        raise AssertionError(f"{line} ended by {done.returncode}: {done.stderr}")
    if done.returncode != 0:
        raise RefusedError(done.stderr.strip())
    return done.stdout


METHODS = {"NaiveBayesKDE": "nb", "LUClassifier": "lu", "SLBClassifier": "slb", "TANClassifier": "tan"}


def by_program(case: Case, way: str, steps: Steps, folder: Path) -> Any:
    """A model of the program, at once, in chunks, or of states of parts, with or without a plan."""
    table = [f"--categorical={name}" for name, column in case.columns.items() if column.is_category]
    table += ["--label=y"] if case.weights is None else ["--label=y", "--weight=w"]
    method = [f"--method={METHODS[type(case.estimator).__name__]}"]
    method += [f"--max-levels={case.estimator.max_levels}"]
    model = folder / "program.dyad"
    if way in ("at once", "in chunks"):
        (folder / "t.csv").write_text(case.csv())
        chunked = "no" if way == "at once" else "yes"
        program("fit", folder / "t.csv", *table, *method, f"--chunked={chunked}", "-o", model)
        return load(case, model)

    def states(*options: Any) -> Path:
        files = []
        for rows in steps.cuts(len(case.X), 3):
            if rows.stop > rows.start:
                part = folder / f"{len(files)}.csv"
                part.write_text(case.table().iloc[rows].to_csv(index=False))
                files.append(part.with_suffix(".state"))
                program("count", part, *table, *options, f"--first-row={rows.start}", "-o", files[-1])
        order = steps.rng.permutation(len(files))
        program("merge", *[files[k] for k in order], "-o", folder / "all.state")
        return folder / "all.state"

    survey = states()
    if way == "of states":
        program("fit", "--state", survey, *method, "-o", model)
    else:
        program("plan", survey, *method, "-o", folder / "plan.state")
        program("fit", "--state", states("--plan", folder / "plan.state"), "-o", model)
    return load(case, model)


def load(case: Case, path: Path) -> Any:
    return type(case.estimator).load(path)


# --- the same table in other forms -------------------------------------------------------------------------


def in_other_types(X: pd.DataFrame, case: Case, steps: Steps) -> pd.DataFrame:
    """Columns in other types of pandas that have the same values."""
    types = {}
    for name, column in case.columns.items():
        if column.kind in ("text", "number text", "odd text"):
            types[name] = steps.choice(["string", "category", "string[pyarrow]"])
        elif column.kind in ("whole", "code", "real", "real code"):
            whole = column.kind in ("whole", "code")
            types[name] = steps.choice(
                ["Int64", "int64[pyarrow]"] if whole else ["Float64", "float64[pyarrow]"]
            )
        elif column.kind == "truth":
            types[name] = steps.choice(["boolean", "bool[pyarrow]", "category"])
        elif column.kind == "empty":
            types[name] = steps.choice(["float32", "Int64", "object"])
    steps.append(f"types {types}")
    return X.astype(types)


def forms(case: Case, steps: Steps) -> dict[str, Callable[[pd.DataFrame], Any]]:
    """Functions that make other tables of a frame; polars has no categories but text."""
    found: dict[str, Callable[[pd.DataFrame], Any]] = {
        "other types": lambda X: in_other_types(X, case, steps),
        "Arrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
    }
    if not any(column.kind == "code category" for column in case.columns.values()):
        found["polars"] = pl.from_pandas
    return found


def in_objects(X: pd.DataFrame) -> np.ndarray:
    return X.to_numpy(dtype=object)


def fit_to_objects(case: Case) -> Any:
    """A model of an array of objects, in which columns have no types."""
    codes = [
        j for j, column in enumerate(case.columns.values()) if column.named or column.kind == "code category"
    ]
    estimator = clone(case.estimator).set_params(categorical_features=codes or None)
    return estimator.fit(in_objects(case.X), case.y, sample_weight=case.weights)


# --- what must hold ----------------------------------------------------------------------------------------


def require_same(one: Any, other: Any, *, in_bytes: bool = True) -> None:
    """Models are equal, or both are refused."""
    refused = [isinstance(of, RefusedError) for of in (one, other)]
    assert refused[0] == refused[1], f"one refuses, the other does not: {one} | {other}"
    if refused[0]:
        return
    if in_bytes:
        assert one._model.to_bytes() == other._model.to_bytes(), "models differ"
        kinds = [of.classes_.dtype.kind.replace("U", "O") for of in (one, other)]
        assert kinds[0] == kinds[1], "classes have other types"
        assert one.classes_.tolist() == other.classes_.tolist(), "classes differ"


def require_same_answers(one: Any, other: Any, X: Any, other_X: Any) -> None:
    """Scores and probabilities of rows are equal, or both are refused."""
    for method in ("decision_function", "predict_proba"):
        answers = [
            outcome(lambda model=model, rows=rows, method=method: getattr(model, method)(rows))
            for model, rows in ((one, X), (other, other_X))
        ]
        require_same(*answers, in_bytes=False)
        if not isinstance(answers[0], RefusedError):
            np.testing.assert_array_equal(*answers)


def ways_to_fit(case: Case, steps: Steps, folder: Path) -> Iterator[tuple[str, Any]]:
    """Models that must have the bytes of the one in memory."""
    in_parts = not (case.mixes and case.named)  # numbers here and text there are an error
    if in_parts:
        yield "chunks", outcome(lambda: in_chunks(case, steps))
        yield "states", outcome(lambda: in_states(case, steps))
        if case.survives_pandas and steps.chance(0.3):
            yield "chunks read anew", outcome(lambda: in_chunks_read_anew(case, steps))
        if case.survives_parquet and steps.chance(0.3):
            yield "files", outcome(lambda: in_files(case, steps, folder))
        if case.survives_pandas and "0x" not in case.csv() and steps.chance(0.2):  # Arrow reads 0x1 as 1
            yield "CSV file by Arrow", outcome(lambda: in_a_csv_file(case, folder))
        if steps.chance(0.1):
            yield "Dask", outcome(lambda: in_dask(case, steps))
    if not case.mixes:
        name = steps.choice([*forms(case, steps)])
        yield name, outcome(lambda: in_memory(case, forms(case, steps)[name](case.X)))


def check_fits(case: Case, steps: Steps, folder: Path) -> Any:
    """The model in memory, if all other ways agree."""
    steps.append("fit in memory")
    model = outcome(lambda: in_memory(case))
    for way, other in ways_to_fit(case, steps, folder):
        steps.append(way)
        require_same(model, other)
    if case.survives_csv and PROGRAM.exists() and steps.chance(0.25):
        check_fit_of_the_program(case, steps, folder, model)
    steps.append("array of objects")
    objects = outcome(lambda: fit_to_objects(case))
    require_same(model, objects, in_bytes=False)
    if not isinstance(model, RefusedError):
        require_same_answers(model, objects, case.new, in_objects(case.new))
    if not (case.mixes and case.named) and steps.chance(0.5):
        sample_rows = int(steps.rng.integers(4, 60))
        steps.append(f"two passes, a sample of {sample_rows} rows")
        whole = outcome(lambda: counted(case, sample_rows, None))
        require_same(whole, outcome(lambda: counted(case, sample_rows, steps)))
    return model


def check_fit_of_the_program(case: Case, steps: Steps, folder: Path, model: Any) -> None:
    way = steps.choice(["at once", "in chunks", "of states", "of two passes"])
    steps.append(f"program, {way}")
    if way == "of two passes":
        model = outcome(lambda: counted(case, None, None))
    other = outcome(lambda: by_program(case, way, steps, folder))
    # A file does not tell truths from text, nor 1.0 from 1.
    require_same(model, other, in_bytes=case.label_kind in ("integer", "text"))
    if not isinstance(model, RefusedError):
        require_same_answers(model, other, case.new, case.new)


def check_predictions(case: Case, steps: Steps, folder: Path, model: Any) -> None:
    new = case.new
    steps.append("rows one by one")
    scores = outcome(lambda: model.decision_function(new))
    singles = outcome(
        lambda: np.concatenate([model.decision_function(new[k : k + 1]) for k in range(len(new))])
    )
    require_same(scores, singles, in_bytes=False)
    if isinstance(scores, RefusedError):
        return
    np.testing.assert_array_equal(scores, singles)
    steps.append("rows in another order")
    order = steps.rng.permutation(len(new))
    np.testing.assert_array_equal(model.decision_function(new.iloc[order]), scores[order])
    steps.append("file and pickle")
    model.save(folder / "m.dyad")
    for kept in (load(case, folder / "m.dyad"), pickle.loads(pickle.dumps(model))):
        require_same(model, kept)
        require_same_answers(model, kept, new, new)
    if not case.mixes:
        for name, form in forms(case, steps).items():
            steps.append(f"predicted in {name}")
            require_same_answers(model, model, new, form(new))
    if new.shape[1] > 1:
        steps.append("columns in another order")
        refused = outcome(lambda: model.decision_function(new[new.columns[::-1]]))
        assert isinstance(refused, RefusedError), "columns in another order are taken"
    if case.can_be_predicted_from_csv and PROGRAM.exists() and steps.chance(0.15):
        check_predictions_of_the_program(steps, folder, model, new)


def check_predictions_of_the_program(steps: Steps, folder: Path, model: Any, new: pd.DataFrame) -> None:
    steps.append("predicted by the program")
    new[new.columns[steps.rng.permutation(new.shape[1])]].to_csv(folder / "new.csv", index=False)
    text = program("predict", folder / "m.dyad", folder / "new.csv", "--scores", "--proba")
    answers = pd.read_csv(io.StringIO(text), float_precision="round_trip", dtype={"label": str})
    scores = answers[[name for name in answers if name.startswith("score")]].to_numpy()
    expected = model.decision_function(new)
    np.testing.assert_array_equal(scores.reshape(expected.shape), expected)
    probabilities = answers[[name for name in answers if name.startswith("proba_")]].to_numpy()
    np.testing.assert_array_equal(probabilities, model.predict_proba(new))


def difference(seed: int) -> str | None:
    """What differs in the case of a seed, with all that is needed to see it again."""
    case = draw(seed)
    steps = Steps(seed)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = check_fits(case, steps, Path(folder))
            if not isinstance(model, RefusedError):
                check_predictions(case, steps, Path(folder), model)
    except Exception as error:
        kinds = {name: (column.kind, str(case.X[name].dtype)) for name, column in case.columns.items()}
        return (
            f"seed {seed}: {type(error).__name__}: {error}\n{case.estimator}\n"
            f"columns {kinds}, labels {case.label_kind}\nsteps: {'; '.join(steps)}\n{case.csv()}"
            f"to predict:\n{case.new.to_csv(index=False)}"
        )
    return None


def require_no_difference(seeds: range) -> None:
    found = []
    for seed in seeds:
        text = difference(seed)
        if text is not None:
            found.append(text)
        if len(found) == 3:
            break
    assert not found, "\n".join(found)


def test_every_way_gives_one_model_and_one_prediction(request):
    first = request.config.getoption("--differential-first")
    require_no_difference(range(first, first + request.config.getoption("--differential-cases")))


@pytest.mark.slow
def test_every_way_gives_one_model_and_one_prediction_in_more_cases():
    require_no_difference(range(1_000_000, 1_001_000))

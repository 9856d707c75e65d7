# SPDX-License-Identifier: BSD-3-Clause
"""Fits to rows in parts."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from test_model_files import run

import dyad


def rows(n, seed=0, labels=("no", "yes")):
    """Two features that depend on each other with another sign in each class, and one of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 3))
    X[:, 1] = 0.5 * X[:, 1] + np.where(y == 1, 1, -1) * X[:, 0]
    return X, np.asarray(labels)[y]


def cut(X, y, size=700):
    return [(X[k : k + size], y[k : k + size]) for k in range(0, len(X), size)]


def frame(X, y):
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table["d"] = np.where(X[:, 2] > 0, "high", "low")
    table.loc[::9, "c"] = np.nan
    table["y"] = y
    return table


def small(estimator=None, sample_rows=1000):
    """An estimator whose surveys keep few rows."""
    estimator = dyad.SLBClassifier() if estimator is None else estimator
    estimator.state_ = dyad.State(sample_rows=sample_rows)
    return estimator


def two_passes(chunks, estimator=None, sample_rows=1000):
    survey = dyad.State(sample_rows=sample_rows)
    for chunk in chunks:
        survey.update(*chunk)
    counts = survey.plan(estimator)
    for chunk in chunks:
        counts.update(*chunk)
    return counts.finalize()


@pytest.mark.parametrize(
    "estimator",
    [dyad.SLBClassifier(), dyad.LUClassifier(), dyad.NaiveBayesKDE(), dyad.TANClassifier()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_few_rows_are_fitted_as_by_fit(estimator):
    X, y = rows(300)
    in_parts = estimator.fit_chunks(cut(X, y, 70))
    whole = type(estimator)().fit(X, y)
    np.testing.assert_array_equal(in_parts.decision_function(X), whole.decision_function(X))
    np.testing.assert_allclose(in_parts.feature_importances_, whole.feature_importances_)
    assert in_parts.pairs_ == whole.pairs_
    assert in_parts.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    "estimator",
    [
        dyad.SLBClassifier(),
        dyad.SLBClassifier(preset="paper"),
        dyad.LUClassifier(costs={("no", "yes"): 3}),
        dyad.NaiveBayesKDE(),
        dyad.TANClassifier(),
    ],
    ids=str,
)
def test_many_rows_are_counted_in_two_passes(estimator):
    X, y = rows(6000)
    new, truth = rows(4000, seed=1)
    fitted = two_passes(cut(X, y), estimator)
    assert type(fitted) is type(estimator)
    assert fitted.get_params()["preset"] == estimator.preset
    whole = estimator.fit(X, y)
    error, expected = (np.mean(of.predict(new) != truth) for of in (fitted, whole))
    assert abs(error - expected) < 0.02
    assert fitted.describe().count("rows") > 0


def test_rows_may_be_cut_anyhow_and_merged_in_any_order():
    X, y = rows(5000)
    whole = two_passes([(X, y)])
    parts = []
    for first in range(0, 5000, 900):
        part = dyad.State(sample_rows=1000)
        parts.append(part.update(X[first : first + 900], y[first : first + 900], first_row=first))
    survey = parts[3]
    for k in (5, 0, 2, 4, 1):
        survey = survey.merge(parts[k])
    plan = survey.plan()
    counts = plan.copy()
    for first in (2000, 0, 3500):
        last = {0: 2000, 2000: 3500, 3500: 5000}[first]
        part = dyad.State.from_bytes(plan.to_bytes()).update(X[first:last], y[first:last], first_row=first)
        counts = counts.merge(pickle.loads(pickle.dumps(part)))
    assert plan.n_rows == 0
    assert counts.n_rows == 5000
    np.testing.assert_array_equal(counts.finalize().decision_function(X), whole.decision_function(X))


def test_a_state_that_is_merged_twice_is_refused():
    X, y = rows(1000)
    parts = [dyad.State().update(X[k], y[k]) for k in (slice(0, 400), slice(400, 1000))]
    both = parts[0].copy().merge(parts[1])
    for part in (*parts, both, dyad.State.from_bytes(both.to_bytes()), pickle.loads(pickle.dumps(parts[1]))):
        with pytest.raises(ValueError, match="are in both states, so a part would be merged twice"):
            both.merge(part)
    assert both.n_rows == 1000


def test_rows_that_are_numbered_alike_are_refused():
    X, y = rows(1000)
    state = dyad.State().update(X[400:], y[400:], first_row=400).update(X[:400], y[:400], first_row=0)
    before = state.to_bytes()
    with pytest.raises(ValueError, match="rows 300 to 499 overlap rows 0 to 999, which were added before"):
        state.update(X[300:500], y[300:500], first_row=300)
    assert state.to_bytes() == before
    assert state.update(X[:5], y[:5]).n_rows == 1005  # without numbers, rows are new even if they are equal


def test_partial_fit_surveys_then_counts():
    X, y = rows(5000)
    estimator = small()
    for chunk in cut(X, y):
        estimator.partial_fit(*chunk)
    estimator.plan()
    for chunk in cut(X, y):
        estimator.partial_fit(*chunk)
    estimator.finalize()
    assert not hasattr(estimator, "state_")
    np.testing.assert_array_equal(estimator.decision_function(X), two_passes(cut(X, y)).decision_function(X))
    with pytest.raises(ValueError, match=r"finalize needs rows: call partial_fit\(\) first"):
        estimator.finalize()


def test_an_estimator_fits_itself_to_a_state():
    X, y = rows(500)
    state = dyad.State()
    state.update(X, y)
    model = dyad.NaiveBayesKDE()
    assert model.fit_state(state) is model
    np.testing.assert_array_equal(model.coef_, dyad.NaiveBayesKDE().fit(X, y).coef_)


def test_warnings_of_columns_point_to_the_caller():
    X, y = rows(500)
    X[:, 0] = 1
    state = dyad.State().update(X, y)
    for fit in (
        lambda: dyad.NaiveBayesKDE().fit_state(state),
        lambda: dyad.NaiveBayesKDE().fit_chunks([(X, y)]),
        lambda: dyad.NaiveBayesKDE().partial_fit(X, y).finalize(),
        lambda: state.finalize(dyad.NaiveBayesKDE()),
    ):
        with pytest.warns(UserWarning, match="constant columns carry no information") as found:
            fit()
        assert [warning.filename for warning in found] == [__file__]


def test_fit_state_takes_states_alone():
    with pytest.raises(TypeError, match=r"state: expected a dyad.State, got object"):
        dyad.NaiveBayesKDE().fit_state(object())


def test_finalize_says_if_rows_were_not_counted():
    X, y = rows(3000)
    estimator = small().partial_fit(X, y)
    with pytest.warns(UserWarning, match="fitted to a sample of the 3000 rows"):
        estimator.finalize()
    assert np.mean(estimator.predict(X) == y) > 0.8


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (1.0, 2.0), ("b", "a")])
def test_labels_keep_their_type(labels):
    X, y = rows(400, labels=labels)
    state = dyad.State().update(X, y)
    assert state.classes.dtype == y.dtype
    assert sorted(labels) == state.classes.tolist()
    fitted = pickle.loads(pickle.dumps(state)).finalize(dyad.NaiveBayesKDE())
    assert fitted.predict(X).dtype == y.dtype
    assert np.mean(fitted.predict(X) == y) > 0.5


def test_tables_of_categories_and_gaps_in_chunks(tmp_path):
    table = frame(*rows(6000))
    chunks = [table[k : k + 1000] for k in range(0, 6000, 1000)]
    expected = dyad.SLBClassifier().fit(table.drop(columns="y"), table["y"])
    pyarrow.parquet.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet", row_group_size=1500)
    table.to_csv(tmp_path / "t.csv", index=False)
    for source in (
        chunks,
        lambda: iter(chunks),
        tmp_path / "t.parquet",
        str(tmp_path / "t.csv"),
        pyarrow.dataset.dataset(tmp_path / "t.parquet"),
    ):
        fitted = dyad.SLBClassifier().fit_chunks(source, label="y")
        assert list(fitted.feature_names_in_) == ["a", "b", "c", "d"]
        new = table.drop(columns="y")[:50]
        np.testing.assert_array_equal(fitted.decision_function(new), expected.decision_function(new))
    counted = two_passes([(chunk.drop(columns="y"), chunk["y"]) for chunk in chunks])
    assert counted.levels_ == {"d": ["high", "low"]}
    fresh = frame(*rows(6000, seed=1))
    errors = [np.mean(of.predict(fresh.drop(columns="y")) != fresh["y"]) for of in (counted, expected)]
    assert abs(errors[0] - errors[1]) < 0.02


def test_arrays_may_be_mapped_from_a_disk(tmp_path):
    X, y = rows(3000, labels=(0, 1))
    X.tofile(tmp_path / "X")
    y.tofile(tmp_path / "y")
    mapped = (
        np.memmap(tmp_path / "X", dtype=float, shape=X.shape),
        np.memmap(tmp_path / "y", dtype=y.dtype),
    )
    fitted = dyad.NaiveBayesKDE().fit_chunks(mapped)
    np.testing.assert_array_equal(fitted.predict(X), dyad.NaiveBayesKDE().fit(X, y).predict(X))


def test_weights_are_numbers_of_rows():
    X, y = rows(3000)
    weights = np.arange(3000) % 3
    fitted = dyad.NaiveBayesKDE().fit_chunks(
        [(X[:1000], y[:1000], weights[:1000]), (X[1000:], y[1000:], weights[1000:])]
    )
    np.testing.assert_array_equal(
        fitted.decision_function(X), dyad.NaiveBayesKDE().fit(X, y, weights).decision_function(X)
    )


def test_weights_may_all_be_zero_in_a_chunk_but_not_in_all():
    X, y = rows(300)
    weights = np.where(np.arange(300) < 100, 0, 1)
    parts = [slice(100), slice(100, 300)]
    fitted = dyad.NaiveBayesKDE().fit_chunks([(X[k], y[k], weights[k]) for k in parts])
    expected = dyad.NaiveBayesKDE().fit(X, y, weights)
    np.testing.assert_array_equal(fitted.decision_function(X), expected.decision_function(X))
    with pytest.raises(ValueError, match="there is no row of positive weight"):
        dyad.NaiveBayesKDE().fit_chunks([(X, y, 0 * weights)])
    nothing = dyad.State.from_bytes(dyad.State().update(X, y, 0 * weights).to_bytes())
    assert nothing.n_rows == 0
    with pytest.raises(ValueError, match="no row has a positive weight"):
        nothing.finalize()


def test_verbose_shows_the_passes(capsys, monkeypatch):
    monkeypatch.setattr("dyad._progress.tqdm", None)
    monkeypatch.setattr(dyad.State, "has_all_rows", False)
    X, y = rows(400)
    dyad.NaiveBayesKDE(verbose=1).fit_chunks([(X[:200], y[:200]), (X[200:], y[200:])])
    shown = capsys.readouterr().err
    assert "NaiveBayesKDE, survey: 200\rNaiveBayesKDE, survey: 400\n" in shown
    assert "NaiveBayesKDE, counts: 200/400\rNaiveBayesKDE, counts: 400/400\n" in shown
    assert shown.index("axes") < shown.index("counts")


def test_what_is_wrong_is_named():
    X, y = rows(300)
    with pytest.raises(TypeError, match="chunks is an iterator, which can be gone over once only"):
        dyad.SLBClassifier().fit_chunks(iter([(X, y)]))
    with pytest.raises(TypeError, match="a chunk must be a tuple"):
        dyad.SLBClassifier().fit_chunks([X])
    with pytest.raises(ValueError, match="a chunk has no column 'z'"):
        dyad.SLBClassifier().fit_chunks([frame(X, y)], label="z")
    with pytest.raises(ValueError, match="there is no row"):
        dyad.SLBClassifier().fit_chunks([])
    bad = X.copy()
    bad[7, 1] = np.inf
    fitted = dyad.SLBClassifier().fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match=r"chunk 1, whose first row is row 300: .*infinity"):
        fitted.fit_chunks([(X, y), (bad, y)])
    np.testing.assert_array_equal(fitted.predict(X), before)
    with pytest.raises(ValueError, match="minimum of 1 is required by State"):
        dyad.State().update(X[:0], y[:0])
    with pytest.raises(ValueError, match="X has 2 features, but State is expecting 3"):
        dyad.State().update(X, y).update(X[:, :2], y)
    with pytest.raises(ValueError, match="state: this is not a dyad state file"):
        dyad.State.from_bytes(b"nothing")
    with pytest.raises(ValueError, match="cv must be a number of folds"):
        dyad.State().update(X, y).plan(dyad.SLBClassifier(cv=[(np.arange(200), np.arange(200, 300))]))
    counts = dyad.State(sample_rows=50).update(X, y).plan()
    with pytest.raises(ValueError, match="rows were counted, of"):
        counts.update(X[:100], y[:100]).finalize()
    assert repr(counts) == "<dyad.State: 100 rows counted, 2 classes>"


def test_chunks_may_be_empty():
    X, y = rows(300)
    chunks = [(X[:0], y[:0]), (X[:100], y[:100]), (X[:0], y[:0]), (X[100:], y[100:])]
    fitted = dyad.NaiveBayesKDE().fit_chunks(chunks)
    np.testing.assert_array_equal(fitted.predict_proba(X), dyad.NaiveBayesKDE().fit(X, y).predict_proba(X))
    table = frame(X, y)
    fitted = dyad.NaiveBayesKDE().fit_chunks([table[:0], table[:100], table[:0], table[100:]], label="y")
    table_rows = table.drop(columns="y")
    expected = dyad.NaiveBayesKDE().fit(table_rows, y).predict_proba(table_rows)
    np.testing.assert_array_equal(fitted.predict_proba(table_rows), expected)
    with pytest.raises(ValueError, match="there is no row"):
        dyad.NaiveBayesKDE().fit_chunks([(X[:0], y[:0])])


def test_files_are_those_of_the_program(tmp_path):
    X, y = rows(300)
    state = dyad.State().update(X, y)
    state.save(tmp_path / "s.state")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = dyad.State.load(tmp_path / "s.state")
    assert again.to_bytes() == state.to_bytes()
    np.testing.assert_array_equal(
        again.finalize().decision_function(X), dyad.SLBClassifier().fit(X, y).decision_function(X)
    )


@pytest.mark.parametrize("kinds", list(itertools.permutations([bool, int, float], 2)))
def test_labels_of_one_value_are_one_class(kinds):
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = (X[:, 0] > 0).astype(int)
    halves = [(X[:300], y[:300].astype(kinds[0])), (X[300:], y[300:].astype(kinds[1]))]
    both = np.concatenate([labels for _, labels in halves])
    model = dyad.NaiveBayesKDE().fit_chunks(halves)
    assert model.classes_.dtype == both.dtype
    np.testing.assert_array_equal(model.classes_, np.unique(both))
    np.testing.assert_array_equal(model.predict_proba(X), dyad.NaiveBayesKDE().fit(X, both).predict_proba(X))
    one, other = (dyad.State().update(*half, first_row=300 * k) for k, half in enumerate(halves))
    np.testing.assert_array_equal(one.merge(other).classes, np.unique(both))


@pytest.mark.parametrize("size", [2**53 + 1, 10**16])
@pytest.mark.parametrize("sign", [-1, 1])
def test_labels_that_share_a_double_have_one_order(size, sign):
    rng = np.random.default_rng(0)
    y = sign * (size - rng.integers(2, size=200))
    X = rng.normal(size=(200, 2)) + (y[:, np.newaxis] == sign * size)
    whole = dyad.NaiveBayesKDE().fit(X, y)
    parts = dyad.NaiveBayesKDE().fit_chunks([(X[:90], y[:90]), (X[90:], y[90:])])
    assert parts.classes_.tolist() == whole.classes_.tolist() == sorted(set(y.tolist()))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_text_and_numbers_as_labels_of_two_chunks_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 2
    text = np.where(y == 1, "1", "x")
    for first, second in ((y, text), (text, y)):
        with pytest.raises(
            ValueError, match=r"chunk 1.*numbers \(0\).*text \('1'\)|text \('1'\).*numbers \(0\)"
        ):
            dyad.NaiveBayesKDE().fit_chunks([(X, first), (X, second)])
        with pytest.raises(ValueError, match="convert them to one type"):
            dyad.State().update(X, first).merge(dyad.State().update(X, second, first_row=60))


def test_text_and_numbers_as_categories_of_two_chunks_are_refused():
    frame = pd.DataFrame({"size": np.arange(60.0), "code": np.arange(60) % 3})
    y = np.arange(60) % 2
    chunks = [(frame, y), (frame.astype({"code": str}), y)]
    model = dyad.NaiveBayesKDE(categorical_features=["code"])
    with pytest.raises(
        ValueError, match="column 'code' has categories of type integer in some rows and of type text"
    ):
        model.fit_chunks(chunks)


@pytest.mark.parametrize("kind", [bool, int, float, str])
def test_labels_keep_their_type_on_every_way(kind, tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = (X[:, 0] > 0).astype(int).astype(kind)
    classes = np.unique(y)
    state = dyad.State().update(X, y)
    model = dyad.NaiveBayesKDE().fit(X, y)
    model.save(tmp_path / "m.dyad")
    for kept in (
        dyad.State.from_bytes(state.to_bytes()).classes,
        pickle.loads(pickle.dumps(state)).classes,
        state.finalize(dyad.NaiveBayesKDE()).classes_,
        dyad.NaiveBayesKDE.load(tmp_path / "m.dyad").classes_,
        pickle.loads(pickle.dumps(model)).classes_,
    ):
        assert kept.dtype.kind == classes.dtype.kind
        np.testing.assert_array_equal(kept, classes)


def test_numbers_that_are_categories_stay_so_in_bytes():
    X = np.column_stack([np.random.default_rng(0).normal(size=60), np.arange(60) % 3])
    y = np.arange(60) % 2
    X[:10, 1] = np.nan
    bounds = [0, 10, 30, 60]
    parts = [dyad.State(categorical_features=[1]) for _ in range(2)]
    for part, first, last in zip(parts, bounds[:-2], bounds[1:-1], strict=True):
        part.update(X[first:last], y[first:last], first_row=first)
    survey = dyad.State.from_bytes(parts[0].to_bytes()).merge(dyad.State.from_bytes(parts[1].to_bytes()))
    survey.update(X[30:], y[30:], first_row=30)
    plan = dyad.State.from_bytes(survey.plan(dyad.NaiveBayesKDE()).to_bytes())
    assert plan.update(X, y).finalize().levels_ == {"x1": ["0", "1", "2"]}


@pytest.mark.parametrize(
    ("of_program", "of_python", "refused"),
    [
        (["1", "2"], [2, 1], False),
        (["1", "2"], ["2", "1"], False),
        (["True", "False"], [True, False], False),
        (["true", "false"], [True, False], True),
        (["1", "0"], [True, False], True),
        (["red", "blue"], [2, 1], True),
        (["01", "02"], [2, 1], True),
    ],
)
def test_categories_of_the_program_and_of_python_are_told_apart(of_program, of_python, refused, tmp_path):
    frame = pd.DataFrame({"size": np.arange(60.0), "code": of_program * 30})
    y = np.arange(60) % 4 // 2
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.state")
    run("count", str(tmp_path / "t.csv"), "--label", "y", "--categorical", "code", "-o", path)
    python = dyad.State(categorical_features=["code"])
    python.update(frame.assign(code=of_python * 30), y, first_row=60)
    if refused:
        for one, other in ((dyad.State.load(path), python), (python, dyad.State.load(path))):
            with pytest.raises(ValueError, match=r"column 'code' has categories of type .* in some rows"):
                one.merge(other)
    else:
        both = dyad.State.load(path).merge(python).finalize(dyad.NaiveBayesKDE())
        assert both.levels_ == {"code": sorted(of_program)}


def test_labels_without_an_integer_type_in_common_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    signs = np.arange(60) % 2
    chunks = [(X, signs - 1), (X, signs.astype(np.uint64) + np.uint64(2**64 - 2))]
    with pytest.raises(ValueError, match="the labels -1 and 18446744073709551615 have no integer type"):
        dyad.NaiveBayesKDE().fit_chunks(chunks)


@pytest.mark.parametrize("odd", [-1, 0.5, "a", 2**70], ids=repr)
def test_numbers_that_make_no_sense_are_refused_by_name(odd):
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    with pytest.raises((TypeError, ValueError), match="sample_rows"):
        dyad.State(sample_rows=odd)
    with pytest.raises((TypeError, ValueError), match="first_row"):
        dyad.State().update(X, y, first_row=odd)
    state = dyad.State().update(X, y)
    with pytest.raises((TypeError, ValueError), match="table_bytes"):
        state.plan(table_bytes=odd)
    assert state.n_rows == 60
    if not isinstance(odd, int):
        with pytest.raises(TypeError, match="n_jobs must be None or a whole number"):
            state.update(X, y, n_jobs=odd)


def test_files_of_a_folder_have_the_same_columns(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=60), "b": ["u", None] * 30, "y": np.arange(60) % 4 // 2})

    def fitted(other):
        for k, part in enumerate((table, other)):
            pa.parquet.write_table(part, tmp_path / f"{k}.parquet")
        return dyad.NaiveBayesKDE().fit_chunks(tmp_path, label="y")

    whole = fitted(table)
    same = [
        table.select(["y", "b", "a"]),
        table.set_column(1, "b", table["b"].dictionary_encode()),
        table.set_column(2, "y", table["y"].cast("int8")),
    ]
    for other in same:
        assert fitted(other)._model.to_bytes() == whole._model.to_bytes()
    assert fitted(table.set_column(1, "b", pa.nulls(60))).levels_ == {"b": ["u"]}
    with pytest.raises(ValueError, match=r"1.parquet has no column 'b', which .*0.parquet has"):
        fitted(table.drop(["b"]))
    with pytest.raises(ValueError, match=r"0.parquet has no column 'c', which .*1.parquet has"):
        fitted(table.append_column("c", table["a"]))
    with pytest.raises(ValueError, match=r"1.parquet does not go with .*0.parquet: .* b has incompatible"):
        fitted(table.set_column(1, "b", table["y"]))


def test_the_index_of_a_frame_in_a_parquet_file_is_no_feature(tmp_path):
    X, y = rows(100)
    frame(X, y).set_index(np.random.default_rng(0).permutation(100)).to_parquet(tmp_path / "t.parquet")
    fitted = dyad.NaiveBayesKDE().fit_chunks(tmp_path / "t.parquet", label="y")
    assert fitted.feature_names_in_.tolist() == frame(X, y).columns.drop("y").tolist()


@pytest.mark.parametrize("types", [("uint64", "int64"), ("int8", "uint64"), ("uint64", "double")], ids=str)
def test_integers_beyond_those_of_other_files_are_rounded(types, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4 // 2
    columns = []
    for k, name in enumerate(types):
        first, step = (2**63 + 1, 2**50) if name == "uint64" else (1, 1)
        values = [first + step * i for i in rng.integers(0, 100, 60).tolist()]
        columns.append(pa.array(values, type=pa.type_for_alias(name)))
        pa.parquet.write_table(pa.table({"a": columns[k], "y": y}), tmp_path / f"{k}.parquet")
    whole = pd.DataFrame({"a": np.concatenate([column.to_numpy().astype(float) for column in columns])})
    expected = dyad.NaiveBayesKDE().fit(whole, np.concatenate([y, y]))
    fitted = dyad.NaiveBayesKDE().fit_chunks(tmp_path, label="y")
    assert fitted._model.to_bytes() == expected._model.to_bytes()


@pytest.mark.parametrize("options", [{"label": "y"}, {"label": "y", "weight": "w"}], ids=str)
def test_an_index_of_labels_or_weights_is_taken(options, tmp_path):
    X, y = rows(100)
    table = frame(X, y).assign(w=np.arange(100) % 3 + 1.0)
    plain = table if "weight" in options else table.drop(columns="w")
    plain.to_parquet(tmp_path / "plain.parquet")
    plain.set_index(list(options.values())).to_parquet(tmp_path / "indexed.parquet")
    fitted = [
        dyad.NaiveBayesKDE().fit_chunks(tmp_path / f"{name}.parquet", **options)
        for name in ("plain", "indexed")
    ]
    assert fitted[0]._model.to_bytes() == fitted[1]._model.to_bytes()


def test_gaps_in_text_of_a_csv_file_are_missing(tmp_path):
    rng = np.random.default_rng(0)
    words = rng.choice(["u", "v", "", "NA", "?", "nan", "null"], 200)
    table = pd.DataFrame({"size": rng.normal(size=200), "word": words, "y": np.arange(200) % 2})
    table.loc[::7, "size"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    fitted = dyad.NaiveBayesKDE().fit_chunks(tmp_path / "t.csv", label="y")
    X = table[["size", "word"]].assign(word=table["word"].where(table["word"].isin(["u", "v"])))
    assert fitted._model.to_bytes() == dyad.NaiveBayesKDE().fit(X, table["y"])._model.to_bytes()


@pytest.mark.parametrize("first", [pa.float32(), pa.int8(), pa.decimal128(5, 2), pa.null()], ids=str)
def test_files_of_a_folder_may_have_numbers_of_other_types(first, tmp_path):
    rng = np.random.default_rng(0)
    numbers = pa.nulls(60) if first == pa.null() else pa.array(np.arange(60.0)).cast(first)
    columns = numbers, pa.array(rng.normal(size=60) * 1000)
    y = np.arange(60) % 4 // 2
    for k, column in enumerate(columns):
        pa.parquet.write_table(pa.table({"a": column, "y": y}), tmp_path / f"{k}.parquet")
    whole = pd.DataFrame({"a": np.concatenate([column.cast("double").to_numpy(False) for column in columns])})
    expected = dyad.NaiveBayesKDE().fit(whole, np.concatenate([y, y]))
    fitted = dyad.NaiveBayesKDE().fit_chunks(tmp_path, label="y")
    assert fitted._model.to_bytes() == expected._model.to_bytes()


@pytest.mark.parametrize("index", [np.arange(250.0), np.arange(250) / 2, np.arange(250)[::-1]], ids=str)
def test_chunks_of_frames_are_cut_by_place(index, monkeypatch):
    monkeypatch.setattr("dyad._core.default_chunk_rows", lambda n_columns: 100)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(250, 2)), columns=["a", "b"])
    y = pd.Series(np.arange(250) % 2)
    expected = dyad.NaiveBayesKDE().fit(X, y, sample_weight=1 + y)
    labelled = (X.set_index(index), y.set_axis(index), (1 + y).set_axis(index))
    assert dyad.NaiveBayesKDE().fit_chunks(labelled)._model.to_bytes() == expected._model.to_bytes()


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_the_program_and_of_python_make_one_model(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 150))
    classes = [[0, 1], ["no", "yes"], [10, 9]][seed % 3]
    place = rng.integers(2, size=n)
    y = np.array([classes[k] for k in place], dtype=object if isinstance(classes[0], str) else None)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n) + place,
            "colour": pd.Series(rng.choice(["u", "v w"], n)).where(rng.random(n) < 0.8),
            "code": pd.Series(rng.integers(1, 4, size=n)).where(rng.random(n) < (0.8 if seed % 2 else 1)),
            "old": rng.random(n) < 0.3 + 0.3 * place,
        }
    )
    cuts = itertools.pairwise([0, *sorted(rng.integers(1, n, size=2).tolist()), n])
    parts = [slice(*ends) for ends in cuts if ends[0] < ends[1]]
    columns = ["--label", "y", "--categorical", "colour", "--categorical", "code", "--categorical", "old"]
    bayes = dyad.NaiveBayesKDE(categorical_features=["code"])

    def state_of(rows, plan):
        path = tmp_path / "part.state"
        if rng.random() < 0.5:
            X.iloc[rows].assign(y=y[rows]).to_csv(tmp_path / "part.csv", index=False)
            more = [] if plan is None else ["--plan", str(plan)]
            first = ["--first-row", str(rows.start), "-o", str(path)]
            run("count", str(tmp_path / "part.csv"), *columns, *more, *first)
            return dyad.State.load(path)
        state = dyad.State(categorical_features=["code"]) if plan is None else dyad.State.load(plan)
        return state.update(X.iloc[rows], y[rows], first_row=rows.start)

    def merged(plan=None):
        states = [state_of(rows, plan) for rows in parts]
        whole, *others = [states[k] for k in rng.permutation(len(states))]
        for other in others:
            whole = whole.merge(other)
        return whole

    def require_same(model, expected):
        assert model.classes_.tolist() == expected.classes_.tolist()
        assert model.levels_ == expected.levels_
        np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))

    survey = dyad.State(categorical_features=["code"]).update(X, y)
    surveyed = merged()
    require_same(surveyed.finalize(bayes), survey.finalize(bayes))
    surveyed.plan(bayes).save(tmp_path / "plan.state")
    expected = survey.plan(bayes).update(X, y).finalize(bayes)
    require_same(merged(tmp_path / "plan.state").finalize(bayes), expected)


@pytest.mark.parametrize("sample_rows", [None, 20])
def test_fits_in_parts_warn_of_columns_as_a_fit_in_memory(sample_rows):
    X = pd.DataFrame(
        {"size": np.random.default_rng(0).normal(size=60), "one": 1.0, "none": np.nan, "same": "u"}
    )
    X["gap"] = np.where(np.arange(60) % 9 == 4, np.nan, 1.0)
    y = np.arange(60) % 2

    def in_parts(fit):
        with pytest.warns(UserWarning) as caught:
            fit()
        assert all(warning.filename == __file__ for warning in caught)
        return {str(warning.message) for warning in caught}

    def counted():
        plan = dyad.State(sample_rows=sample_rows).update(X, y).plan(dyad.NaiveBayesKDE())
        plan.update(X, y).finalize()

    expected = {
        "constant columns carry no information: 'one', 'same'",
        "columns without values carry no information: 'none'",
    }
    assert in_parts(lambda: dyad.NaiveBayesKDE().fit(X, y)) == expected
    assert in_parts(lambda: dyad.NaiveBayesKDE().fit_chunks([(X[:20], y[:20]), (X[20:], y[20:])])) == expected
    assert in_parts(lambda: dyad.State().update(X, y).finalize(dyad.NaiveBayesKDE())) == expected
    assert in_parts(counted) == expected


def test_columns_that_vary_beyond_the_sample_are_not_constant():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=400), "rare": "u", "gap": 1.0})
    y = np.arange(400) % 2
    survey = dyad.State(sample_rows=20).update(X, y)
    with pytest.warns(UserWarning, match="constant columns carry no information: 'rare', 'gap'"):
        survey.finalize(dyad.NaiveBayesKDE())
    X.loc[rng.permutation(400)[:8], "rare"] = "v"
    X.loc[rng.permutation(400)[:8], "gap"] = np.nan
    survey = dyad.State(sample_rows=20).update(X, y)
    assert (survey._sample().X[:, 1:] == survey._sample().X[0, 1:]).all()  # the sample has no others
    plan = survey.plan(dyad.NaiveBayesKDE())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        survey.finalize(dyad.NaiveBayesKDE())
        plan.update(X, y).finalize()

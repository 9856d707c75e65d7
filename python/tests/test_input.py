# SPDX-License-Identifier: BSD-3-Clause
"""What estimators take, NumPy, pandas, polars, Arrow and lists, and what they refuse, and how clearly."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import dyad
from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

ESTIMATORS = [SLBClassifier(), LUClassifier(), NaiveBayesKDE(), TANClassifier(), LogDensityTransformer()]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)


def arrow_of(columns):
    return pa.table(columns)


FRAMES = [pd.DataFrame, pl.DataFrame, arrow_of]
every_frame = pytest.mark.parametrize("frame_of", FRAMES, ids=["pandas", "polars", "arrow"])


def answers(model, X):
    """What the estimator says about rows."""
    return model.transform(X) if hasattr(model, "transform") else model.decision_function(X)


@every_estimator
@every_frame
def test_frames_say_the_same_as_arrays(estimator, frame_of, stars):
    X, y, names = stars
    frame = frame_of({name: X[:, j] for j, name in enumerate(names)})
    model = clone(estimator).fit(frame, y)
    assert list(model.feature_names_in_) == names
    np.testing.assert_array_equal(answers(model, frame), answers(clone(estimator).fit(X, y), X))


@every_frame
def test_columns_of_several_numeric_types_are_numbers(frame_of):
    rng = np.random.default_rng(0)
    columns = {
        "single": rng.normal(size=50).astype(np.float32),
        "integer": rng.integers(100, size=50),
        "small": rng.integers(100, size=50).astype(np.uint8),
    }
    y = rng.integers(2, size=50)
    as_array = np.column_stack([column.astype(float) for column in columns.values()])
    from_frame = NaiveBayesKDE().fit(frame_of(columns), y)
    from_array = NaiveBayesKDE().fit(as_array, y)
    np.testing.assert_array_equal(
        from_frame.decision_function(frame_of(columns)), from_array.decision_function(as_array)
    )


def test_nullable_columns_of_numbers_are_numbers():
    rng = np.random.default_rng(0)
    integers, reals, y = rng.integers(20, size=60), rng.normal(size=60), rng.integers(2, size=60)
    plain = pd.DataFrame({"a": integers, "b": reals, "c": integers % 3, "d": reals > 0})
    dressed = pd.DataFrame(
        {
            "a": plain["a"].astype("Int64"),
            "b": plain["b"].astype("Float64"),
            "c": plain["c"].astype("Int8"),
            "d": plain["d"].astype("boolean"),
        }
    )
    for frame in (dressed, plain.astype(object), plain.convert_dtypes(dtype_backend="pyarrow")):
        model = LUClassifier().fit(frame, y)
        np.testing.assert_array_equal(
            model.decision_function(frame), LUClassifier().fit(plain, y).decision_function(plain)
        )


@pytest.mark.parametrize(
    "labels_of",
    [
        list,
        tuple,
        np.asarray,
        lambda y: np.asarray(y, dtype=object),
        pd.Series,
        lambda y: pd.Series(y, dtype="string"),
        lambda y: pd.Series(y, dtype="category"),
        lambda y: pd.Series(y, dtype=object, index=range(1000, 1000 + len(y))),
        pl.Series,
        lambda y: pl.Series(y, dtype=pl.Categorical),
        pa.array,
        lambda y: pa.chunked_array([y]),
    ],
)
def test_labels_come_from_anywhere(stars, labels_of):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, labels_of(y.tolist()))
    assert model.classes_.tolist() == ["cloud", "orbit"]
    np.testing.assert_array_equal(model.predict(X).astype(str), NaiveBayesKDE().fit(X, y).predict(X))


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "category"])
def test_integer_labels_stay_integers(stars, dtype):
    X, y, _ = stars
    labels = pd.Series((y == "orbit").astype(int)).astype(dtype)
    for given in (labels, labels.array):
        assert NaiveBayesKDE().fit(X, given).classes_.dtype.kind == "i"


def test_nullable_truths_stay_truths_and_gaps_among_them_are_named(stars):
    X, y, _ = stars
    labels = pd.array(y == "orbit", dtype="boolean")
    for given in (labels, pd.Series(labels)):
        assert NaiveBayesKDE().fit(X, given).classes_.dtype.kind == "b"
    labels[5] = pd.NA
    with pytest.raises(ValueError, match="y contains NaN or null in row 5"):
        NaiveBayesKDE().fit(X, labels)


def test_lists_and_integers_are_rows_too():
    X = [[1, 5], [2, 7], [3, 6], [9, 1], [8, 2], [7, 0]]
    model = NaiveBayesKDE().fit(X, list("aaabbb"))
    assert model.predict([[2, 6], [8, 1]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("weights_of", [list, pd.Series, pl.Series, pa.array])
def test_weights_come_from_anywhere(stars, weights_of):
    X, y, _ = stars
    weights = np.arange(len(X)) % 3
    expected = NaiveBayesKDE().fit(X, y, sample_weight=weights).decision_function(X)
    model = NaiveBayesKDE().fit(X, y, sample_weight=weights_of(weights))
    np.testing.assert_array_equal(model.decision_function(X), expected)


@every_estimator
def test_rows_of_weight_zero_are_left_out(estimator, stars):
    X, y, _ = stars
    weights = (np.arange(len(X)) % 4 > 0).astype(float)
    model = clone(estimator).fit(X, y, sample_weight=weights)
    kept = weights > 0
    np.testing.assert_array_equal(answers(model, X), answers(clone(estimator).fit(X[kept], y[kept]), X))


def test_a_class_of_weight_zero_is_left_out(three_classes):
    X, y = three_classes
    model = NaiveBayesKDE().fit(X, y, sample_weight=(y != 5).astype(float))
    assert model.classes_.tolist() == [3, 7]
    with pytest.raises(ValueError, match="one class"):
        NaiveBayesKDE().fit(X, y, sample_weight=(y == 5).astype(float))


@every_estimator
def test_weights_of_one_are_no_weights(estimator, stars):
    X, y, _ = stars
    weighted = clone(estimator).fit(X, y, sample_weight=np.ones(len(X)))
    assert weighted._model.to_bytes() == clone(estimator).fit(X, y)._model.to_bytes()


@every_estimator
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda n: -np.ones(n), "sample_weight must not be negative, got -1.0 for row 0"),
        (np.zeros, "sample_weight is zero for every row"),
        (lambda n: np.full(n, np.nan), "sample_weight contains NaN"),
        (lambda n: np.full(n, np.inf), "sample_weight contains infinity"),
        (lambda n: np.ones(n - 1), "one number for each of 400 rows"),
        (lambda n: np.ones((n, 1)), "one number for each of 400 rows"),
        (lambda n: ["heavy"] * n, "sample_weight must be one number for each of 400 rows: .* 'heavy'"),
        (lambda n: np.r_[np.ones(n - 1), 2**20 + 1], "at most 1048576 rows, got 1048577.0 for row 399"),
    ],
    ids=["negative", "zero", "NaN", "infinite", "too few", "a column", "text", "too large"],
)
def test_bad_weights_are_refused(estimator, weights, message, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=weights(len(X)))


@every_estimator
def test_rows_must_not_be_infinite(estimator, stars):
    X, y, _ = stars
    bad = X.copy()
    bad[3, 2] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        clone(estimator).fit(bad, y)
    model = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match="contains infinity"):
        answers(model, bad)


@every_frame
@pytest.mark.parametrize("other", [np.float64, np.int64], ids=["all floats", "some integers"])
def test_infinite_values_of_frames_are_named(frame_of, other, stars):
    X, y, names = stars
    columns = {name: X[:, j].copy() for j, name in enumerate(names)}
    columns["east"] = columns["east"].astype(other)
    model = NaiveBayesKDE().fit(frame_of(columns), y)
    columns["mass"][3] = np.inf
    for ask in (lambda frame: NaiveBayesKDE().fit(frame, y), model.predict):
        with pytest.raises(ValueError, match="column 'mass' has an infinite value in row 3"):
            ask(frame_of(columns))


@every_frame
def test_missing_values_of_frames_are_those_of_arrays(frame_of, stars):
    X, y, names = stars
    X = X.copy()
    X[3, 2] = np.nan
    columns = {name: [None if np.isnan(x) else x for x in X[:, j]] for j, name in enumerate(names)}
    from_array = NaiveBayesKDE().fit(X, y)
    from_frame = NaiveBayesKDE().fit(frame_of(columns), y)
    np.testing.assert_array_equal(
        from_frame.decision_function(frame_of(columns)), from_array.decision_function(X)
    )


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "str", "float64"])
def test_tables_without_rows_are_refused(dtype):
    with pytest.raises(ValueError, match="0 sample"):
        NaiveBayesKDE().fit(pd.DataFrame({"a": pd.Series([], dtype=dtype)}), [])


def test_arrays_of_text_have_numbers_where_all_values_are():
    mixed = [[1.0, "red"], [2.0, "green"], [3.0, "red"], [4.0, "green"]]
    expected = NaiveBayesKDE().fit(np.array(mixed, dtype=object), [0, 1, 0, 1])
    model = NaiveBayesKDE().fit(np.array(mixed), [0, 1, 0, 1])
    assert model.levels_ == expected.levels_ == {"x1": ["green", "red"]}
    np.testing.assert_array_equal(model.decision_function(np.array(mixed)), expected.decision_function(mixed))


def test_masked_values_are_missing():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    values = rng.normal(size=(60, 2)) + y[:, np.newaxis]
    mask = rng.random((60, 2)) < 0.2
    gaps = np.where(mask, np.nan, values)
    expected = NaiveBayesKDE().fit(gaps, y)
    masked = np.ma.masked_array(np.where(mask, 1e20, values), mask)
    model = NaiveBayesKDE().fit(masked, y)
    np.testing.assert_array_equal(model.decision_function(masked), expected.decision_function(gaps))
    text = np.ma.masked_array(np.where(mask, "under", "red"), mask)
    assert NaiveBayesKDE().fit(text, y).levels_ == {"x0": ["red"], "x1": ["red"]}
    codes = np.ma.masked_array(np.arange(120).reshape(60, 2) % 3, mask)
    assert NaiveBayesKDE(categorical_features=[0]).fit(codes, y).levels_ == {"x0": ["0", "1", "2"]}
    hidden = np.ma.masked_array(y, mask=np.arange(60) == 7)
    with pytest.raises(ValueError, match="y contains NaN or null in row 7"):
        NaiveBayesKDE().fit(values, hidden)
    with pytest.raises(ValueError, match=r"sample_weight .*has masked values"):
        NaiveBayesKDE().fit(values, y, sample_weight=hidden)
    with pytest.raises(ValueError, match="has masked values"):
        dyad.bandwidth(masked[:, 0])
    np.testing.assert_array_equal(dyad.screen(masked, y).hsic, dyad.screen(gaps, y).hsic)
    np.testing.assert_array_equal(dyad.hsic_matrix(masked), dyad.hsic_matrix(gaps))


def test_integers_too_large_for_a_double_are_named():
    X = pd.DataFrame({"size": np.arange(20.0), "huge": [10**400, 1] * 10})
    with pytest.raises(ValueError, match="column 'huge' has a number too large for a double in row 0"):
        NaiveBayesKDE().fit(X, [0, 0, 1, 1] * 5)


@pytest.mark.parametrize("odd", ["1_000", "\u0661"], ids=["digits in groups", "Arabic digit"])
def test_arrays_of_text_have_numbers_as_files_write_them(odd):
    array = np.array([["1", odd], ["2", "3"]] * 20)
    assert NaiveBayesKDE().fit(array, [0, 1] * 20).levels_ == {"x1": sorted(["3", odd])}


def test_a_loaded_model_refuses_columns_named_by_number_in_another_order(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame({"x0": rng.normal(size=60), "x1": rng.normal(size=60) + y})
    NaiveBayesKDE().fit(X, y).save(tmp_path / "m.dyad")
    loaded = NaiveBayesKDE.load(tmp_path / "m.dyad")
    for turned in (X[["x1", "x0"]], pl.from_pandas(X[["x1", "x0"]]), pa.Table.from_pandas(X[["x1", "x0"]])):
        with pytest.raises(ValueError, match="column 0 is 'x1', where the model has 'x0'; order them alike"):
            loaded.predict(turned)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(loaded.predict(X), loaded.predict(X.to_numpy()))
    assert loaded.feature_names_in_.tolist() == ["x0", "x1"]


def test_a_loaded_model_of_an_array_takes_arrays_and_tables_as_before(tmp_path):
    """Its names, x0 and x1, may be those of a table or stand for none."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    model = NaiveBayesKDE().fit(X, y)
    model.save(tmp_path / "m.dyad")
    loaded = pickle.loads(pickle.dumps(NaiveBayesKDE.load(tmp_path / "m.dyad")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (X, X.tolist(), pd.DataFrame(X, columns=["x0", "x1"])):
            np.testing.assert_array_equal(loaded.predict(rows), model.predict(X))
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.warns(UserWarning, match="X has feature names, but NaiveBayesKDE was fitted without"):
        loaded.predict(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.fit(frame, y).predict(pd.DataFrame(X, columns=["x0", "x1"]))


@pytest.mark.parametrize("index", ["int8", "uint16", "int64"])
def test_dictionaries_of_arrow_have_the_values_of_their_text(index):
    rng = np.random.default_rng(0)
    texts = rng.choice(["red", "green", "", "blue", None], size=(2, 200))
    plain = pa.chunked_array([pa.array(part.tolist()) for part in texts])
    kind = pa.dictionary(getattr(pa, index)(), pa.string())
    chunks = [pa.array(part.tolist()).dictionary_encode().cast(kind) for part in texts]
    holds_null = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.array(["red", None]))
    y = np.arange(403) % 2
    given = pa.table({"colour": pa.chunked_array([*chunks, holds_null.cast(kind)]), "n": np.arange(403.0)})
    expected = given.set_column(0, "colour", pa.chunked_array([*plain.chunks, ["red", None, None]]))
    of_dictionary, of_text = (NaiveBayesKDE().fit(table, y) for table in (given, expected))
    assert of_dictionary.levels_ == of_text.levels_
    np.testing.assert_array_equal(of_dictionary.predict_proba(given), of_text.predict_proba(expected))


@every_estimator
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda y: np.full(len(y), "orbit"), "only one class, 'orbit'"),
        (lambda y: None, "requires y"),
        (lambda y: y[:-1], "inconsistent numbers of samples: 400 and 399"),
        (lambda y: np.where(y == "orbit", np.nan, 1.0), "y contains NaN"),
        (lambda y: np.linspace(0, 1, len(y)), "Unknown label type"),
        (lambda y: np.array([1, "a"] * (len(y) // 2), dtype=object), "y .* of type int and str"),
        (lambda y: [1, "1"] * (len(y) // 2), "y .* of type int and str"),
        (lambda y: ["a", True] * (len(y) // 2), "y .* of type bool and str"),
        (lambda y: ["a", None] * (len(y) // 2), "y contains NaN or null in row 1"),
        (lambda y: [None, *y[1:]], "y contains NaN or null in row 0"),
        (lambda y: ["a", "b", np.nan, "b"] * (len(y) // 4), "y contains NaN or null in row 2"),
        (lambda y: np.array(["a", np.nan] * (len(y) // 2), dtype=object), "y contains NaN or null in row 1"),
        (lambda y: np.array([pd.NA, 1] * (len(y) // 2), dtype=object), "y contains NaN or null in row 0"),
        (lambda y: y.astype("S"), "y has labels of type bytes"),
        (lambda y: y.astype("S").astype(object), "y has labels of type bytes"),
        (lambda y: pd.Series(["a", "b", None, "a"] * (len(y) // 4)), "y contains NaN or null in row 2"),
        (lambda y: np.column_stack([y, y]), "1d array"),
    ],
    ids=[
        "one class",
        "none",
        "too few",
        "NaN",
        "continuous",
        "mixed",
        "mixed in a list",
        "truths in a list of text",
        "None",
        "None first",
        "NaN in a list of text",
        "NaN among objects",
        "NA among objects",
        "bytes",
        "bytes as objects",
        "null",
        "two columns",
    ],
)
def test_bad_labels_are_refused(estimator, labels, message, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, labels(y))


@every_estimator
def test_a_fit_that_fails_leaves_an_earlier_one_as_it_was(estimator, stars):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names)
    model = clone(estimator).fit(frame, y)
    before = answers(model, frame)
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X[:, :3], np.zeros(len(X)))
    with pytest.raises(ValueError, match="grid"):
        model.set_params(grid=3).fit(frame.iloc[:, :3], y)
    assert model.n_features_in_ == 6
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(answers(model, frame), before)
    unfitted = clone(estimator)
    with pytest.raises(ValueError, match="only one class"):
        unfitted.fit(frame, np.zeros(len(X)))
    assert not hasattr(unfitted, "n_features_in_")


@every_estimator
def test_constant_columns_are_warned_of_by_name(estimator, stars):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names).assign(mass=1.5, noise_1=0.0)
    with pytest.warns(UserWarning, match="constant columns carry no information: 'mass', 'noise_1'"):
        model = clone(estimator).fit(frame, y)
    assert np.all(np.isfinite(answers(model, frame)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(estimator).fit(X, y)


@every_estimator
def test_arrays_of_any_kind_say_the_same(estimator, stars):
    X, y, _ = stars
    model = clone(estimator).fit(X, y)
    expected = answers(model, X)
    for rows in (X.tolist(), np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(answers(model, rows), expected)
    packed = np.frombuffer(b"x" + X[:5].tobytes(), np.uint8)[1:].view(np.float64).reshape(5, -1)
    np.testing.assert_array_equal(answers(model, packed), expected[:5])
    np.testing.assert_array_equal(
        answers(model, X.astype(np.float32)), answers(model, X.astype(np.float32).astype(float))
    )


@every_estimator
def test_rows_of_another_width_are_refused(estimator, stars):
    X, y, _ = stars
    model = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match=r"5 features, but .* is expecting 6"):
        answers(model, X[:, :5])
    with pytest.raises(ValueError, match="2D array"):
        answers(model, X[0])
    with pytest.raises(ValueError, match="0 sample"):
        answers(model, X[:0])


@every_frame
def test_columns_of_another_name_or_order_are_refused(frame_of, stars):
    X, y, names = stars
    columns = {name: X[:, j] for j, name in enumerate(names)}
    model = NaiveBayesKDE().fit(frame_of(columns), y)
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame_of(dict(reversed(columns.items()))))
    with pytest.raises(ValueError, match="yet now missing:\n- noise_2"):
        model.predict(frame_of({name: columns[name] for name in names[:-1]}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


@pytest.mark.parametrize(
    "frame_of",
    [
        lambda X: pd.DataFrame(X, columns=list("zaabcd")),
        lambda X: pa.table(list(X.T), names=list("zaabcd")),
    ],
    ids=["pandas", "arrow"],
)
def test_two_columns_of_one_name_are_refused(frame_of, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match="X has 2 columns named 'a'"):
        NaiveBayesKDE().fit(frame_of(X), y)


def test_columns_named_by_numbers_have_no_names(stars):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(pd.DataFrame(X).astype({0: "float32"}), y)
    assert not hasattr(model, "feature_names_in_")
    assert model._model.features[0] == "x0"


def test_sparse_and_complex_rows_are_refused(stars):
    import scipy.sparse

    X, y, _ = stars
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        NaiveBayesKDE().fit(scipy.sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match="Complex"):
        NaiveBayesKDE().fit(X + 1j, y)


@pytest.mark.parametrize(("dtype", "what"), [("datetime64[D]", "dates"), ("timedelta64[s]", "durations")])
def test_arrays_of_times_are_refused(dtype, what, stars):
    X, y, _ = stars
    times = np.arange(X.size).reshape(X.shape).astype(dtype)
    fitted = NaiveBayesKDE().fit(X, y)
    for call in (lambda: NaiveBayesKDE().fit(times, y), lambda: fitted.predict(times)):
        with pytest.raises(
            TypeError, match=f"column 'x0' has neither numbers nor text: X is an array of {what}"
        ):
            call()


@pytest.mark.parametrize(("dtype", "what"), [("datetime64[D]", "dates"), ("timedelta64[s]", "durations")])
def test_times_are_no_weights_and_no_numbers_of_functions(dtype, what, stars):
    X, y, _ = stars
    times = np.arange(len(X)).astype(dtype)
    for weights in (times, pd.Series(times), list(times)):
        with pytest.raises(TypeError, match=f"sample_weight must be numbers, got {what}"):
            NaiveBayesKDE().fit(X, y, sample_weight=weights)
    for call in (
        lambda: dyad.bandwidth(times),
        lambda: dyad.Density(X[:, 0]).log_density(times),
        lambda: dyad.hsic(X[:, 0], times),
        lambda: dyad.mutual_information(times, X[:, 0]),
        lambda: dyad.hsic_matrix(np.column_stack([times, times])),
        lambda: dyad.screen(np.column_stack([times, times]), y),
        lambda: dyad.Simulation("general-normal", d=2).log_likelihood_ratio(
            times[:, np.newaxis].repeat(2, 1)
        ),
    ):
        with pytest.raises(TypeError, match=f"must be numbers, got {what}"):
            call()


def test_durations_are_no_labels(stars):
    X, _, _ = stars
    for labels in (np.arange(len(X)) % 2, pd.Series(np.arange(len(X)) % 2)):
        with pytest.raises(ValueError, match="Unknown label type: y holds durations"):
            NaiveBayesKDE().fit(X, labels.astype("timedelta64[s]"))


def test_lazy_tables_are_refused():
    with pytest.raises(TypeError, match="collect"):
        NaiveBayesKDE().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


@every_estimator
@pytest.mark.parametrize("sizes", [(20, 9, 1), (20, 2), (1, 1)], ids=str)
def test_classes_of_few_rows_can_be_fitted(estimator, sizes):
    X = np.random.default_rng(0).normal(size=(sum(sizes), 3))
    model = clone(estimator).fit(X, np.repeat(range(len(sizes)), sizes))
    assert np.all(np.isfinite(answers(model, X)))

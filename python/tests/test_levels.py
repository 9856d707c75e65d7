# SPDX-License-Identifier: BSD-3-Clause
"""Categories and missing values: what is taken as one, how it is coded, and that models keep it."""

import datetime
import io
import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_model_files import ROOT, run

import dyad
from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [SLBClassifier(), LUClassifier(), NaiveBayesKDE(), TANClassifier()]
ESTIMATORS = [*CLASSIFIERS, LogDensityTransformer(), LogDensityTransformer(pairs="all")]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)

TREES = ROOT / "examples" / "trees.csv"


def answers(model, X):
    """What the estimator says about rows."""
    return model.transform(X) if hasattr(model, "transform") else model.decision_function(X)


@pytest.fixture(scope="module")
def trees():
    """Rows with categories and gaps, and labels."""
    frame = pd.read_csv(TREES)
    return frame.drop(columns="kind"), frame["kind"]


@every_estimator
def test_text_and_gaps_are_taken(estimator, trees):
    X, y = trees
    model = clone(estimator).fit(X, y)
    assert model.levels_ == {"bark": ["flaky", "ridged", "smooth"], "ground": ["flat", "slope", "valley"]}
    assert set(model.coordinates_) <= {"height", "age", "soil"}
    assert np.all(np.isfinite(answers(model, X)))
    assert np.all(np.isfinite([pair.hsic for pairs in model.pairs_.values() for pair in pairs]))


@every_classifier
def test_explanations_add_up(classifier, trees):
    X, y = trees
    model = clone(classifier).fit(X, y)
    score = model.decision_function(X)
    np.testing.assert_allclose(model.explain(X).sum(axis=-1) + model.intercept_, score, atol=1e-9)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[3] > 0
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_pairs_of_a_category_and_a_number_are_found(trees):
    X, y = trees
    together = cross_val_score(SLBClassifier(), X, y)
    alone = cross_val_score(LUClassifier(), X, y)
    assert together.mean() > alone.mean() + 0.1
    strongest = SLBClassifier().fit(X, y).pairs_["oak"][0]
    assert (strongest.i, strongest.j) == (0, 3)


FORMS = {
    "text": lambda column: column.astype(object),
    "string": lambda column: column.astype("string"),
    "category": lambda column: column.astype("category"),
    "arrow text": lambda column: column.astype(pd.ArrowDtype(pa.string())),
}


@pytest.mark.parametrize("form", FORMS)
@every_estimator
def test_the_type_of_a_column_does_not_matter(estimator, form, trees):
    X, y = trees
    other = X.assign(bark=FORMS[form](X["bark"]), ground=FORMS[form](X["ground"]))
    model = clone(estimator).fit(X, y)
    same = clone(estimator).fit(other, y)
    assert same._model.to_bytes() == model._model.to_bytes()
    np.testing.assert_array_equal(answers(model, other), answers(model, X))


@pytest.mark.parametrize(
    "frame_of",
    [pl.from_pandas, pa.Table.from_pandas, lambda X: pl.from_pandas(X).cast({"bark": pl.Categorical})],
    ids=["polars", "arrow", "polars category"],
)
def test_other_frames_say_the_same(frame_of, trees):
    X, y = trees
    model = NaiveBayesKDE().fit(X, y)
    same = NaiveBayesKDE().fit(frame_of(X), y)
    assert same._model.to_bytes() == model._model.to_bytes()
    np.testing.assert_array_equal(same.decision_function(frame_of(X)), model.decision_function(X))


@every_estimator
def test_arrays_of_objects_say_the_same(estimator, trees):
    X, y = trees
    model = clone(estimator).fit(X, y)
    objects = X.to_numpy(dtype=object)
    same = clone(estimator).fit(objects, y)
    assert same._model.levels == model._model.levels
    np.testing.assert_array_equal(answers(same, objects), answers(model, X))
    np.testing.assert_array_equal(answers(same, objects.tolist()), answers(model, X))


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT, np.float32("nan")], ids=repr)
def test_whatever_stands_for_a_gap_is_one(gap, trees):
    X, y = trees
    expected = NaiveBayesKDE().fit(X, y).decision_function(X)
    objects = X.to_numpy(dtype=object)
    objects[X.isna().to_numpy()] = gap
    np.testing.assert_array_equal(NaiveBayesKDE().fit(objects, y).decision_function(objects), expected)
    frame = pd.DataFrame(objects, columns=X.columns)
    np.testing.assert_array_equal(NaiveBayesKDE().fit(frame, y).decision_function(frame), expected)


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "float64[pyarrow]", "int64[pyarrow]"])
def test_gaps_of_types_that_know_them_are_gaps(dtype, trees):
    X, y = trees
    other = X.assign(age=X["age"].astype(dtype))
    expected = NaiveBayesKDE().fit(X, y).decision_function(X)
    np.testing.assert_array_equal(NaiveBayesKDE().fit(other, y).decision_function(other), expected)
    numbers = X[["height", "age"]]
    expected = NaiveBayesKDE().fit(numbers, y).decision_function(numbers)
    for all_of_them in ("Float64", "float64[pyarrow]"):
        other = numbers.astype(all_of_them)
        np.testing.assert_array_equal(NaiveBayesKDE().fit(other, y).decision_function(other), expected)


@pytest.mark.parametrize(
    "named", [["soil"], [4], np.array([4]), [False] * 4 + [True], np.arange(5) == 4], ids=repr
)
def test_integers_are_categories_if_the_user_says_so(named, trees):
    X, y = trees
    assert "soil" not in NaiveBayesKDE().fit(X, y).levels_
    model = NaiveBayesKDE(categorical_features=named).fit(X, y)
    assert model.levels_["soil"] == ["1", "2", "3", "4"]
    expected = model.decision_function(X)
    for dtype in ("float64", "str", "category", "int8"):
        np.testing.assert_array_equal(model.decision_function(X.astype({"soil": dtype})), expected)
    array = X[["height", "soil"]].to_numpy()
    assert list(NaiveBayesKDE(categorical_features=[1]).fit(array, y).levels_) == ["x1"]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["soli"], "categorical_features has 'soli', which is no column of X"),
        ([5], "categorical_features has 5, which is no number of a column"),
        ([-1], "has -1, which"),
        ([0.5], "has 0.5, which"),
        ([True], "a mask of 1 columns, but X has 5"),
        ("soil", "must be None, a list"),
        ([["soil"]], "must be None, a list"),
    ],
)
def test_categories_that_do_not_exist_are_refused(named, message, trees):
    X, y = trees
    with pytest.raises(ValueError, match=message):
        NaiveBayesKDE(categorical_features=named).fit(X, y)


def test_names_need_columns_with_names(trees):
    X, y = trees
    with pytest.raises(ValueError, match="has 'x1', which is no column"):
        NaiveBayesKDE(categorical_features=["x1"]).fit(X[["height", "soil"]].to_numpy(), y)


@pytest.mark.parametrize(
    "frame_of", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"]
)
def test_truths_are_categories(frame_of):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    frame = frame_of({"size": rng.normal(size=60), "large": rng.random(60) < 0.3 + 0.4 * y})
    model = NaiveBayesKDE().fit(frame, y)
    assert model.levels_ == {"large": ["False", "True"]}
    assert np.all(np.isfinite(model.decision_function(frame)))


@pytest.mark.parametrize("names", [("false", "true"), ("FALSE", "TRUE"), ("False", "True")])
def test_truths_are_levels_however_a_file_writes_them(names):
    truths = np.arange(60) % 3 == 0
    y = (truths | (np.arange(60) % 7 == 0)).astype(int)
    text = pd.DataFrame({"a": np.where(truths, names[1], names[0])})
    model = NaiveBayesKDE().fit(text, y)
    np.testing.assert_array_equal(
        model.decision_function(pd.DataFrame({"a": truths})), model.decision_function(text)
    )


def test_levels_never_met_are_as_good_as_none(trees):
    X, y = trees
    model = SLBClassifier().fit(X, y)
    rows = X.head(3).copy()
    with pytest.warns(UserWarning, match="column 'ground': none of its 3 values is a level of the model"):
        unknown = model.decision_function(rows.assign(ground="moon"))
    np.testing.assert_array_equal(unknown, model.decision_function(rows.assign(ground=None)))
    assert np.all(np.isfinite(model.predict_proba(rows.assign(height=np.nan, age=None, bark=None))))


def test_rare_levels_are_one():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    names = np.array([f"city {k:02}" for k in range(30)])
    X = pd.DataFrame({"city": names[(30 * rng.random(400) ** 2).astype(int)], "size": rng.normal(size=400)})
    model = SLBClassifier(max_levels=5).fit(X, y)
    assert len(model.levels_["city"]) == 4
    assert model.levels_["city"] == sorted(X["city"].value_counts().index[:4])
    rare, new = (X.head(1).assign(city=city) for city in ("city 29", "new"))
    np.testing.assert_array_equal(model.decision_function(rare), model.decision_function(new))
    assert "the others as one" in model.describe()
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)


@every_estimator
def test_pickles_keep_levels(estimator, trees):
    X, y = trees
    model = clone(estimator).fit(X, y)
    kept = pickle.loads(pickle.dumps(model))
    assert kept.levels_ == model.levels_
    np.testing.assert_array_equal(answers(kept, X), answers(model, X))


@every_classifier
def test_files_are_shared_with_the_program(classifier, trees, tmp_path):
    X, y = trees
    by_python = str(tmp_path / "python.dyad")
    by_program = str(tmp_path / "program.dyad")
    model = clone(classifier).set_params(categorical_features=["soil"]).fit(X, y)
    model.save(by_python)
    run(
        *["fit", str(TREES), "--label", "kind", "--categorical", "soil", "-o", by_program, "--quiet"],
        *["--method", model._model.method],
    )
    assert (tmp_path / "python.dyad").read_bytes() == (tmp_path / "program.dyad").read_bytes()
    loaded = type(model).load(by_program)
    assert loaded.levels_ == model.levels_
    assert loaded.categorical_features == list(model.levels_)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    predicted = run("predict", by_python, str(TREES)).splitlines()[1:]
    assert predicted == model.predict(X).tolist()


def test_pipelines_and_searches_take_categories(trees):
    X, y = trees
    densities = LogDensityTransformer(pairs="none")
    pipeline = make_pipeline(densities, StandardScaler(), LUClassifier()).fit(X, y)
    assert len(pipeline.predict(X)) == len(X)
    search = GridSearchCV(NaiveBayesKDE(), {"level_rows": [1, 100], "categorical_features": [None, ["soil"]]})
    assert np.all(np.isfinite(search.fit(X, y).cv_results_["mean_test_score"]))


def test_rows_of_weight_zero_bring_no_levels(trees):
    X, y = trees
    weights = (X["ground"] != "valley").astype(float)
    kept = weights > 0
    model = SLBClassifier().fit(X, y, sample_weight=weights)
    assert model.levels_["ground"] == ["flat", "slope"]
    np.testing.assert_array_equal(model.coef_, SLBClassifier().fit(X[kept], y[kept]).coef_)


def test_columns_without_values_are_warned_of(trees):
    X, y = trees
    expected = NaiveBayesKDE().fit(X, y).decision_function(X)
    for nothing in (np.nan, None, pd.NA):
        wide = X.assign(empty=nothing)
        with pytest.warns(UserWarning, match="columns without values carry no information: 'empty'"):
            model = NaiveBayesKDE().fit(wide, y)
        np.testing.assert_allclose(model.decision_function(wide), expected, rtol=1e-9)
        np.testing.assert_allclose(model.decision_function(X.assign(empty="text")), expected, rtol=1e-9)
    with pytest.warns(UserWarning, match="constant columns carry no information: 'always'"):
        NaiveBayesKDE().fit(X.assign(always="yes"), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NaiveBayesKDE().fit(X, y)


@every_classifier
@pytest.mark.parametrize("constant", [{}, {"b": 1.5}], ids=["alone", "beside a constant"])
@pytest.mark.filterwarnings("ignore:.* carry no information")
def test_values_in_a_column_that_had_none_count_as_missing(classifier, constant, tmp_path):
    X = pd.DataFrame({"a": pd.Series([None] * 40, dtype=object), **constant})
    y = np.array(["no", "yes", "yes", "yes"] * 10)
    models = [
        clone(classifier).fit(X, y),
        clone(classifier).fit_chunks([(X[:15], y[:15]), (X[15:], y[15:])]),
        dyad.State(sample_rows=10).update(X, y).plan(classifier).update(X, y).finalize(classifier),
    ]
    objects = clone(classifier).fit(X.to_numpy(dtype=object), y)
    for value in (False, "red", 3.0):
        new = X.assign(a=[value, *[None] * 39])
        new.to_csv(tmp_path / "new.csv", index=False)
        for model in models:
            expected = model.predict_proba(X)
            for rows in (new, pl.from_pandas(new), pa.Table.from_pandas(new)):
                np.testing.assert_array_equal(model.predict_proba(rows), expected)
            model.save(tmp_path / "m.dyad")
            told = run("predict", str(tmp_path / "m.dyad"), str(tmp_path / "new.csv"), "--proba")
            by_program = pd.read_csv(io.StringIO(told), float_precision="round_trip")
            np.testing.assert_array_equal(by_program[["proba_no", "proba_yes"]], expected)
        np.testing.assert_array_equal(
            objects.predict_proba(new.to_numpy(dtype=object)), models[0].predict_proba(X)
        )


def test_text_where_the_model_has_numbers_is_refused(trees):
    X, y = trees
    model = NaiveBayesKDE().fit(X, y)
    rows = X.head(3).astype({"height": object})
    rows.loc[2, "height"] = "tall"
    with pytest.raises(ValueError, match="column 'height' has the text 'tall' in row 2, where the model has"):
        model.predict(rows)


def test_a_mix_of_numbers_and_text_must_be_named():
    X = pd.DataFrame({"size": np.arange(20.0), "code": [1, "green"] * 10})
    y = [0, 0, 1, 1] * 5
    with pytest.raises(ValueError, match=r"column 'code' mixes numbers \(1\) and text \('green'\)"):
        NaiveBayesKDE().fit(X, y)
    assert NaiveBayesKDE(categorical_features=["code"]).fit(X, y).levels_ == {"code": ["1", "green"]}


@pytest.mark.parametrize(
    "column",
    [[datetime.datetime(2020, 1, 1)] * 20, [(1, 2)] * 20, [{"a": 1}] * 20],
    ids=["time", "tuple", "dict"],
)
def test_other_things_are_refused_by_name(column):
    frame = pd.DataFrame({"size": range(20), "thing": column})
    for named in (None, ["thing"]):
        with pytest.raises(TypeError, match="column 'thing' has neither"):
            NaiveBayesKDE(categorical_features=named).fit(frame, [0, 1] * 10)


@pytest.mark.parametrize("estimator", [SLBClassifier, NaiveBayesKDE, LogDensityTransformer])
def test_the_exact_engine_takes_complete_numbers_only(estimator, trees):
    X, y = trees
    exact = estimator(engine="exact")
    assert not exact.__sklearn_tags__().input_tags.allow_nan
    assert estimator().__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="column 'bark' is categorical; engine='exact'"):
        exact.fit(X, y)
    with pytest.raises(ValueError, match=r"column 'age' has a missing value \(NaN or null\) in row 1"):
        exact.fit(X[["height", "age"]], y)
    model = exact.fit(X[["height", "soil"]], y)
    with pytest.raises(ValueError, match="column 'soil' has a missing value"):
        answers(model, X[["height", "soil"]].assign(soil=np.nan))


def test_screening_takes_categories_and_gaps(trees):
    X, y = trees
    found = dyad.screen(X, y).strongest(2)
    assert {(i, j) for i, j in zip(found.i.tolist(), found.j.tolist(), strict=True)} == {(0, 3)}
    assert found.kept.all()
    for options in ({"engine": "exact"}, {"p_value": "permutation"}):
        with pytest.raises(
            ValueError, match=r"column 'age' has a missing value|column 'bark' is categorical"
        ):
            dyad.screen(X, y, **options)


def test_hsic_matrices_take_categories_and_gaps(trees):
    X, _ = trees
    M = dyad.hsic_matrix(X)
    assert np.all(np.isfinite(M))
    np.testing.assert_array_equal(M, M.T)
    np.testing.assert_allclose(dyad.hsic_matrix(X.to_numpy(dtype=object)), M)
    # Of two categories as the definition says: the kernel is 1 for equal levels and 0 for others.
    kernels = []
    for name in ("ground", "bark"):
        texts = X[name].fillna("none").to_numpy()
        K = (texts[:, np.newaxis] == texts).astype(float)
        K -= K.mean(axis=0)
        kernels.append(K - K.mean(axis=1, keepdims=True))
    assert M[2, 3] == pytest.approx(np.sum(kernels[0] * kernels[1]) / len(X) ** 2, rel=1e-3)
    with pytest.raises(ValueError, match="column 'bark' is categorical"):
        dyad.hsic_matrix(X, engine="exact")


def test_program_and_python_agree_on_categories_written_as_floats(trees, tmp_path):
    X, y = trees
    table = X.assign(kind=y)
    table["soil"] = (
        table["soil"].astype(float).where(np.arange(len(X)) != 7)
    )  # a gap: pandas writes 4.0 for 4
    path, model_path = tmp_path / "trees.csv", tmp_path / "trees.dyad"
    table.to_csv(path, index=False)
    run("fit", path, "--label", "kind", "--categorical", "soil", "-o", model_path)
    answers = pd.read_csv(io.StringIO(run("predict", model_path, path, "--proba")))
    rows = pd.read_csv(path).drop(columns="kind")
    model = SLBClassifier.load(model_path)
    assert model.levels_["soil"] == ["1", "2", "3", "4"]
    for same in (
        rows,
        rows.astype({"soil": "Int64"}),
        rows.assign(soil=rows["soil"].astype("Int64").astype(str)),
    ):
        known = same["soil"].notna() & (same["soil"] != "<NA>")
        expected = answers.iloc[:, 1:].to_numpy()[known]
        np.testing.assert_allclose(model.predict_proba(same[known]), expected, rtol=1e-12)


def test_a_column_without_a_known_level_is_a_warning(trees):
    X, y = trees
    model = NaiveBayesKDE().fit(X, y)
    with pytest.warns(
        UserWarning, match="column 'bark': none of its .* values is a level of the model"
    ) as caught:
        model.predict(X.assign(bark="velvet"))
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=f"column 'bark': {len(X) - 1} of its {len(X)} values are no level"):
        model.predict(X.assign(bark=["velvet"] * (len(X) - 1) + ["smooth"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        model.predict(X.head(1).assign(bark="velvet"))  # one new level is no reason to doubt the table


def test_truths_and_zeros_and_ones_are_one_value():
    truths = np.arange(60) % 3 == 0
    y = (truths | (np.arange(60) % 7 == 0)).astype(int)
    fitted_to_truths = NaiveBayesKDE().fit(pd.DataFrame({"a": truths}), y)
    fitted_to_numbers = NaiveBayesKDE(categorical_features=["a"]).fit(
        pd.DataFrame({"a": truths.astype(int)}), y
    )
    for model in (fitted_to_truths, fitted_to_numbers):
        expected = model.decision_function(pd.DataFrame({"a": truths}))
        for kind in (int, float):
            frame = pd.DataFrame({"a": truths.astype(kind)})
            np.testing.assert_array_equal(model.decision_function(frame), expected)


def test_a_number_and_a_text_of_one_name_are_refused():
    X = pd.DataFrame({"size": np.arange(20.0), "code": [1, "1"] * 10})
    with pytest.raises(ValueError, match="column 'code' has 1 both as a number and as text"):
        NaiveBayesKDE(categorical_features=["code"]).fit(X, [0, 0, 1, 1] * 5)


def test_numbers_with_gaps_may_be_categories():
    codes = np.array([1.0, np.nan, 2.0, 3.0] * 15)
    y = np.arange(60) % 4 // 2
    frame = pd.DataFrame({"code": codes})
    model = NaiveBayesKDE(categorical_features=["code"]).fit(frame, y)
    assert model.levels_ == {"code": ["1", "2", "3"]}
    for same in (pd.DataFrame({"code": pd.array(codes, dtype="Int64")}), frame.astype(object)):
        np.testing.assert_array_equal(model.decision_function(same), model.decision_function(frame))


@pytest.mark.parametrize("first", [True, 1], ids=repr)
def test_truths_beside_numbers_are_refused(first, trees):
    # Python takes True and 1 for one value, so that the first of them would name the level of both.
    codes = pd.Series([first, 0, *[1, True, 2] * 6], dtype=object)
    X = pd.DataFrame({"size": np.arange(20.0), "code": codes})
    with pytest.raises(ValueError, match=r"column 'code' mixes numbers \(\d\) and truths \(True\)"):
        NaiveBayesKDE(categorical_features=["code"]).fit(X, [0, 0, 1, 1] * 5)
    for kind in (int, bool):  # rows to predict are answered one by one, whatever is beside them
        model = NaiveBayesKDE(categorical_features=["code"]).fit(X.astype({"code": kind}), [0, 0, 1, 1] * 5)
        rows = [model.decision_function(X[k : k + 1])[0] for k in range(len(X))]
        np.testing.assert_array_equal(model.decision_function(X), rows)
    assert NaiveBayesKDE().fit(X, [0, 0, 1, 1] * 5).levels_ == {}  # as numbers both are 1


def test_decimals_may_be_categories():
    codes = [Decimal("1.50"), Decimal(2), None] * 20
    y = [0, 1, 1, 0, 1, 0] * 10
    model = NaiveBayesKDE(categorical_features=["code"]).fit(pd.DataFrame({"code": codes}), y)
    floats = pd.DataFrame({"code": [1.5, 2.0, np.nan] * 20})
    expected = NaiveBayesKDE(categorical_features=["code"]).fit(floats, y)
    assert model.levels_ == expected.levels_ == {"code": ["1.5", "2"]}
    np.testing.assert_array_equal(model.decision_function(floats), expected.decision_function(floats))


@pytest.mark.parametrize("odd", ["?", "NA", "nan", " red", "red\t", " ?"])
def test_the_program_finds_odd_levels_of_python(odd, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    colour = np.where((y == 1) ^ (rng.random(120) < 0.2), odd, "blue").astype(object)
    colour[::7] = None
    X = pd.DataFrame({"size": rng.normal(size=120), "colour": colour})
    model = NaiveBayesKDE().fit(X, y)
    assert odd in model.levels_["colour"]
    model.save(tmp_path / "m.dyad")
    X.to_csv(tmp_path / "t.csv", index=False)
    text = run("predict", str(tmp_path / "m.dyad"), str(tmp_path / "t.csv"), "--proba")
    answers = pd.read_csv(io.StringIO(text), float_precision="round_trip")
    np.testing.assert_array_equal(answers[["proba_0", "proba_1"]], model.predict_proba(X))


def test_blanks_around_levels_of_the_program_do_not_matter(trees, tmp_path):
    X, _ = trees
    run("fit", str(TREES), "--label", "kind", "--method", "nb", "-o", str(tmp_path / "m.dyad"))
    model = NaiveBayesKDE.load(tmp_path / "m.dyad")
    padded = X.assign(bark=" " + X["bark"])  # as pandas reads fields behind ", "
    np.testing.assert_array_equal(model.decision_function(padded), model.decision_function(X))


def in_other_types(column):
    """A column of whole numbers or truths, with gaps, in other types that have the same values."""
    floats = pd.Series([np.nan if value is None else float(value) for value in column])
    whole = floats.astype("Int64")
    forms = {
        "floats": floats,
        "nullable floats": floats.astype("Float64"),
        "objects": floats.astype(object),
        "whole": whole,
        "categories of numbers": whole.astype("category"),
        "Arrow": whole.astype("int64[pyarrow]"),
        "text": whole.astype("string"),
        "text of floats": floats.map("{:.2f}".format, na_action="ignore").astype(object),
    }
    if all(value is None or isinstance(value, bool) for value in column):
        words = [None if value is None else str(value) for value in column]
        forms["truths"] = pd.Series(column, dtype="boolean")
        forms["words"] = pd.Series(words, dtype=object)
        forms["small words"] = forms["words"].str.lower()
    return forms


@pytest.mark.parametrize("values", [[0, 1, 2], [10, 9, -1], [False, True]], ids=repr)
@pytest.mark.parametrize("gaps", [0, 0.2])
def test_codes_of_any_type_are_the_levels_of_any_other(values, gaps):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    place = np.where(rng.random(80) < 0.6, y, rng.integers(len(values), size=80))
    column = [None if rng.random() < gaps else values[k] for k in place]
    forms = {name: pd.DataFrame({"code": form}) for name, form in in_other_types(column).items()}
    forms["polars"] = pl.from_pandas(forms["text"])
    for fitted in ("floats", "whole", "text", *(["truths", "small words"] if values[0] is False else [])):
        model = NaiveBayesKDE(categorical_features=["code"]).fit(forms[fitted], y)
        expected = model.decision_function(forms[fitted])
        for name, form in forms.items():
            np.testing.assert_array_equal(model.decision_function(form), expected, err_msg=f"{fitted} {name}")

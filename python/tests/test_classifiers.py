# SPDX-License-Identifier: BSD-3-Clause
"""What classifiers answer: classes, scores, probabilities, terms, pairs, importances and explanations."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import dyad
from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [
    SLBClassifier(),
    SLBClassifier(pairs="all", preset="paper"),
    LUClassifier(),
    NaiveBayesKDE(),
    TANClassifier(),
]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)


@every_classifier
def test_a_positive_score_speaks_for_the_second_of_two_classes(classifier, stars):
    X, y, _ = stars
    model = clone(classifier).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(X),)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    other_way = clone(classifier).fit(X, np.where(y == "orbit", "a", "b"))
    assert np.corrcoef(scores, other_way.decision_function(X))[0, 1] < -0.99


@every_classifier
def test_the_largest_of_more_than_two_scores_wins(classifier, three_classes):
    X, y = three_classes
    model = clone(classifier).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(X), 3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1]),
        np.array([-1, 1], dtype=np.int8),
        np.array([False, True]),
        np.array([0.0, 1.0]),
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_classes_keep_their_type(stars, labels):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, labels[(y == "orbit").astype(int)])
    assert model.classes_.dtype == labels.dtype
    assert model.predict(X[:5]).dtype == labels.dtype
    assert set(model.predict(X)) == set(labels)


@every_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_and_intercept_add_up_to_the_score(classifier, n_classes, stars, three_classes):
    X, y = stars[:2] if n_classes == 2 else three_classes
    model = clone(classifier).fit(X, y)
    contributions = model.explain(X)
    assert contributions.shape == (
        (len(X), len(model.terms_)) if n_classes == 2 else (len(X), 3, len(model.terms_))
    )
    size = np.abs(contributions).sum(axis=-1) + np.abs(model.intercept_)
    error = contributions.sum(axis=-1) + model.intercept_ - model.decision_function(X)
    assert np.all(np.abs(error) <= 1e-9 * size)


def test_contributions_come_as_the_frames_asked_for(stars):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names, index=[f"star {i}" for i in range(len(X))])
    model = SLBClassifier().fit(frame, y)
    array = model.explain(frame)
    assert isinstance(array, np.ndarray)
    pandas = model.explain(frame, as_frame=True)
    assert list(pandas.columns) == [term.name for term in model.terms_]
    assert list(pandas.index) == list(frame.index)
    np.testing.assert_array_equal(pandas.to_numpy(), array)
    assert isinstance(model.explain(frame, as_frame="polars"), pl.DataFrame)
    with config_context(transform_output="polars"):
        assert isinstance(model.explain(frame), pl.DataFrame)
        assert isinstance(model.explain(frame, as_frame=False), np.ndarray)
    assert isinstance(model.set_output(transform="pandas").explain(frame), pd.DataFrame)
    assert isinstance(clone(model).fit(frame, y).explain(frame), pd.DataFrame)
    with pytest.raises(ValueError, match="as_frame"):
        model.explain(frame, as_frame="excel")


def test_frames_of_contributions_name_class_and_term(three_classes):
    X, y = three_classes
    model = NaiveBayesKDE().fit(X, y)
    frame = model.explain(X, as_frame=True)
    assert frame.shape == (len(X), 3 * len(model.terms_))
    np.testing.assert_array_equal(frame["5: log p(x2 | 5)"], model.explain(X)[:, 1, 4 + 2])


def test_terms_and_pairs_have_names_and_places(stars):
    X, y, names = stars
    model = SLBClassifier(pairs="fdr").fit(pd.DataFrame(X, columns=names), y)
    assert model.terms_[0] == ("east", None, (0,), "linear")
    assert model.terms_[6] == ("log p(east | cloud)", "cloud", (0,), "density")
    assert model.terms_[-1].name.startswith("log p(")
    assert model.terms_[-1].label == "orbit"
    assert list(model.pairs_) == ["cloud", "orbit"]
    assert [(pair.i, pair.j) for pair in model.pairs_["orbit"]] == [(2, 3), (0, 1)]
    kept = [(term.label, *term.features) for term in model.terms_ if len(term.features) == 2]
    assert sorted(kept) == sorted(
        (label, pair.i, pair.j) for label in model.pairs_ for pair in model.pairs_[label]
    )


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_pairs_have_the_hsic_of_their_class(stars, engine):
    X, y, _ = stars
    model = SLBClassifier(preset="paper", pairs="count", n_pairs=6, engine=engine).fit(X, y)
    assert sum(len(pairs) for pairs in model.pairs_.values()) == 6
    for label, pairs in model.pairs_.items():
        for pair in pairs:
            expected, _ = dyad.hsic(X[y == label, pair.i], X[y == label, pair.j], engine=engine)
            assert pair.hsic == pytest.approx(expected, rel=1e-9)
        assert pairs == sorted(pairs, key=lambda pair: -pair.hsic)


@every_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_have_a_row_a_score_and_a_column_a_term(classifier, n_classes, stars, three_classes):
    X, y = stars[:2] if n_classes == 2 else three_classes
    model = clone(classifier).fit(X, y)
    n_scores = 1 if n_classes == 2 else 3
    assert model.coef_.shape == (n_scores, len(model.terms_))
    assert model.intercept_.shape == (n_scores,)


@every_classifier
def test_importances_sum_to_one_and_find_what_matters(classifier, three_classes):
    X, y = three_classes
    model = clone(classifier).fit(X, y)
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 0


def test_importances_are_the_spread_of_a_features_part_of_the_score(stars):
    X, y, _ = stars
    model = SLBClassifier().fit(X, y)
    part = np.zeros(X.shape)
    for term, contribution in zip(model.terms_, model.explain(X).T, strict=True):
        for feature in term.features:
            part[:, feature] += contribution / len(term.features)
    spread = np.abs(part - part.mean(axis=0)).mean(axis=0)
    np.testing.assert_allclose(model.feature_importances_, spread / spread.sum())


@every_classifier
def test_single_precision_is_read_as_it_is(classifier, stars):
    X, y, _ = stars
    X32 = X.astype(np.float32)
    from_float = clone(classifier).fit(X32, y)
    from_double = clone(classifier).fit(X32.astype(np.float64), y)
    assert from_float._model.to_bytes() == from_double._model.to_bytes()
    np.testing.assert_array_equal(
        from_float.decision_function(X32), from_double.decision_function(X32.astype(float))
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_floats_are_not_copied(stars, dtype, order):
    from dyad._input import check_new_rows, check_rows

    X = np.asarray(stars[0], dtype=dtype, order=order)
    X.flags.writeable = False
    assert np.shares_memory(check_new_rows(NaiveBayesKDE(), X).values, X)
    model = NaiveBayesKDE().fit(X, stars[1])
    assert np.shares_memory(check_rows(model, X, model._model), X)


@every_classifier
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "explain"])
def test_use_before_fit_is_an_error(classifier, method, stars):
    with pytest.raises(NotFittedError):
        getattr(clone(classifier), method)(stars[0])


def test_saving_before_fit_is_an_error(tmp_path):
    with pytest.raises(NotFittedError):
        NaiveBayesKDE().save(tmp_path / "model.dyad")


def test_one_feature_has_no_pairs(three_classes):
    X, y = three_classes
    for classifier in CLASSIFIERS:
        model = clone(classifier).fit(X[:, :1], y)
        assert not any(model.pairs_.values())


def test_coordinates_are_told_by_feature(three_classes):
    X, y = three_classes
    X = np.column_stack([X[:, 0], np.exp(3 * X[:, 1])])
    for classifier in CLASSIFIERS:
        model = clone(classifier).fit(X, y)
        assert model.coordinates_ == ({} if model.preset == "paper" else {"x0": "asinh", "x1": "log"})
    standard = NaiveBayesKDE(coordinate="standard").fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert standard.coordinates_ == {"a": "linear", "b": "linear"}


@pytest.mark.parametrize("classifier", [SLBClassifier(), LUClassifier(n_average=3)], ids=str)
def test_settings_are_what_was_tried(classifier, stars):
    X, y, _ = stars
    if isinstance(classifier, SLBClassifier):
        classifier = clone(classifier).set_params(pairs="cv")
    model = clone(classifier).fit(X, y)
    losses = [setting.loss for setting in model.settings_]
    assert losses == sorted(losses)
    assert sum(setting.averaged for setting in model.settings_) == model.n_average
    assert {setting.terms for setting in model.settings_} >= {"linear", "univariate"}
    one = clone(classifier).set_params(settings="best", linear_terms=False, n_average=10)
    tried = clone(one).fit(X, y).settings_
    assert [setting.averaged for setting in tried] == [True] + [False] * (len(tried) - 1)
    given = {"C": 1.0, "pairs": "fdr"} if isinstance(one, SLBClassifier) else {"C": 1.0}
    assert one.set_params(**given).fit(X, y).settings_ == []
    assert not hasattr(NaiveBayesKDE().fit(X, y), "settings_")


def test_a_path_keeps_the_few_pairs_that_add_something(stars):
    X, y, names = stars
    model = SLBClassifier(pairs="path").fit(X, y)
    pairs = {tuple(names[j] for j in term.features) for term in model.terms_ if len(term.features) == 2}
    assert {("mass", "light"), ("east", "north")} <= pairs and len(pairs) <= 10
    tried = {setting.terms for setting in model.settings_}
    assert {"10 pairs by gain", "10 pairs by HSIC", "univariate", "linear"} <= tried
    assert re.match(r"SLBClassifier\(pairs='path'\)  # (best|mean) of", repr(model))
    with pytest.raises(ValueError, match="loss requires pairs=cv, fdr, count or threshold, got path"):
        SLBClassifier(pairs="path", loss="logistic").fit(X, y)
    with pytest.raises(ValueError, match="optimise=auc requires pairs=cv"):
        SLBClassifier(pairs="path", optimise="auc").fit(X, y)
    rng = np.random.default_rng(0)
    noise = SLBClassifier(pairs="path").fit(rng.normal(size=(300, 5)), rng.integers(0, 2, 300))
    assert not any(len(term.features) == 2 for term in noise.terms_)


def test_a_fitted_classifier_says_what_was_chosen(stars):
    X, y, _ = stars
    classifier = SLBClassifier(C=1, n_average=2)
    call = repr(classifier)
    assert call == str(classifier) == "SLBClassifier(C=1, n_average=2)"
    model = clone(classifier).fit(X, y)
    first, second = (setting for setting in model.settings_ if setting.averaged)
    assert repr(model) == (
        f"{call}  # mean of 2 of {len(model.settings_)} settings: "
        f"{first.terms} C=1 (loss {first.loss:.3f}), {second.terms} C=1 (loss {second.loss:.3f})"
    )
    assert eval(repr(model)).get_params() == model.get_params()
    assert repr(clone(model)) == call
    assert repr(make_pipeline(model)) == f"Pipeline(steps=[('slbclassifier', {call})])"
    assert "mean of 2" in model._repr_html_()


def test_long_calls_are_broken_into_lines_as_those_of_scikit_learn(stars):
    X, y, _ = stars
    classifier = SLBClassifier(preset="paper", pairs="fdr", fdr=0.1, level_rows=3.0, bandwidth="plug_in")
    assert len(repr(classifier).splitlines()) == 2
    assert repr(classifier.fit(X, y)) == repr(clone(classifier))


@every_classifier
def test_describing_before_fit_is_an_error(classifier):
    with pytest.raises(NotFittedError):
        clone(classifier).describe()


def test_ids_and_rare_classes_are_warned_of(stars):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names).assign(id=np.arange(len(X)), code=[f"r{k}" for k in range(len(X))])
    labels = np.where(np.arange(len(y)) < 3, "rare", y)
    with pytest.warns(UserWarning) as caught:
        NaiveBayesKDE().fit(frame, labels)
    told = " / ".join(str(warning.message) for warning in caught)
    assert "column 'id' has another value in every row" in told
    assert "column 'code' has another value in every row" in told
    assert "classes with fewer than five rows: 'rare' (3)" in told
    assert caught[0].filename == __file__

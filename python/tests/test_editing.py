# SPDX-License-Identifier: BSD-3-Clause
"""Edits of models, monotone features, few effects and SHAP values."""

import doctest
import pickle

import numpy as np
import pandas as pd
import pytest
from test_model_files import run

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, _core, _editing

pytestmark = pytest.mark.filterwarnings("ignore:.*no level of the model")


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(500, 4)), columns=["a", "b", "c", "d"])
    X["e"] = random.choice(["red", "green", "blue"], size=500)
    score = X.a * X.b + X.c + (X.e == "red") + 0.5 * random.normal(size=500)
    return X, np.where(score > 0, "yes", "no")


@pytest.fixture(scope="module")
def model(table):
    return SLBClassifier(pairs="count", n_pairs=8).fit(*table)


@pytest.fixture(scope="module")
def drawn(table):
    """Rows whose values are drawn one by one, with gaps and unknown levels."""
    X, _ = table
    random = np.random.default_rng(1)
    rows = pd.DataFrame({name: random.choice(X[name], size=300) for name in X})
    rows.loc[:40, "a"] = np.nan
    rows.loc[20:60, "e"] = "black"
    rows.loc[50:80, "b"] = 100.0
    return rows


def effects_of(model, X):
    """Rows x effects, and the place of each effect."""
    names = [name for name, _ in model._parts("effect")]
    return model.explain(X, by="effect"), names.index


def test_scores_of_edited_models_are_the_sums_of_edited_effects(model, drawn):
    effects, at = effects_of(model, drawn)
    score = model.decision_function(drawn)
    pair = next(name for name, features in model._parts("effect") if len(features) == 2)
    edited = model.remove_effects(["c", tuple(pair.split(", "))]).scale_effect("e", -0.5)
    expected = score - effects[:, at("c")] - effects[:, at(pair)] - 1.5 * effects[:, at("e")]
    np.testing.assert_allclose(edited.decision_function(drawn), expected, atol=1e-9)
    assert edited.edits_ == [f"c; {pair} removed", "e times -0.5"]
    assert "c; " + pair + " removed" in edited.describe()
    assert model.edits_ == []


def test_edited_models_are_saved_and_pickled(model, drawn, tmp_path):
    edited = model.remove_effects(["c"]).monotonize("a", "decreasing")
    edited.save(tmp_path / "edited.dyad")
    for read in (SLBClassifier.load(tmp_path / "edited.dyad"), pickle.loads(pickle.dumps(edited))):
        assert read.edits_ == edited.edits_
        assert read.monotone_ == {"a": "decreasing"}
        np.testing.assert_array_equal(read.decision_function(drawn), edited.decision_function(drawn))


def test_set_shape_replaces_an_effect(model, drawn):
    effects, at = effects_of(model, drawn)
    rest = model.decision_function(drawn) - effects[:, at("e")]
    edited = model.set_shape("e", {"red": 1.0, "green": 2.0, "blue": -4.0})
    value = drawn.e.map({"red": 1.0, "green": 2.0, "blue": -4.0})
    known = value.notna()
    np.testing.assert_allclose(edited.decision_function(drawn)[known], (rest + value)[known], atol=1e-9)

    same = model.set_shape("a", [0.0], at=[0.0])
    expected = model.remove_effects(["a"]).decision_function(drawn)
    met = drawn.a.notna()
    np.testing.assert_allclose(same.decision_function(drawn)[met], expected[met], atol=1e-9)


def test_set_shape_of_a_pair_takes_its_features_in_either_order(model):
    pair = next(
        features for _, features in model._parts("effect") if len(features) == 2 and 4 not in features
    )
    values = np.arange(6.0).reshape(2, 3)
    points = ([-1.0, 1.0], [-1.0, 0.0, 1.0])
    one = model.set_shape(pair, values, at=points)
    other = model.set_shape(pair[::-1], values.T, at=points[::-1])
    rows = pd.DataFrame({name: [0.3] * 6 for name in "abcd"} | {"e": "red"})
    rows.iloc[:, pair[0]] = np.repeat(points[0], 3)
    rows.iloc[:, pair[1]] = np.tile(points[1], 2)
    np.testing.assert_allclose(one.decision_function(rows), other.decision_function(rows))
    rest = model.remove_effects([pair]).decision_function(rows)
    np.testing.assert_allclose(one.decision_function(rows) - rest, values.ravel(), atol=1e-9)


def test_wrong_edits_are_refused(model):
    with pytest.raises(ValueError, match="no feature 'x'"):
        model.remove_effects(["x"])
    with pytest.raises(ValueError, match="needs all its levels"):
        model.set_shape("e", {"red": 1.0})
    with pytest.raises(ValueError, match="ascending numbers"):
        model.set_shape("a", [1.0, 2.0], at=[0.0, 0.0])
    with pytest.raises(ValueError, match="'increasing' or 'decreasing'"):
        model.monotonize("a", "up")
    with pytest.raises(ValueError, match="feature of numbers, got e"):
        model.monotonize("e", "increasing")
    with pytest.raises(ValueError, match="max_effects"):
        model.simplify(max_effects=-1)


def largest_fall(model, rows, name, sign):
    low, high = -1e3, 1e3
    last, fall = np.full(len(rows), -np.inf), 0.0
    for value in [low, *np.linspace(-4, 4, 101), high]:
        score = sign * model.decision_function(rows.assign(**{name: value}))
        fall = max(fall, (last - score).max())
        last = score
    return fall


@pytest.mark.parametrize("direction", ["increasing", "decreasing"])
def test_monotone_features_never_turn(table, drawn, direction):
    model = SLBClassifier(monotone={"a": direction, "c": "increasing"}).fit(*table)
    assert model.monotone_ == {"a": direction, "c": "increasing"}
    assert model.edits_ == []
    assert "a " + direction in model.describe()
    assert largest_fall(model, drawn, "a", 1 if direction == "increasing" else -1) < 1e-9
    assert largest_fall(model, drawn, "c", 1) < 1e-9
    assert np.ptp(model.decision_function(drawn.assign(c=1.0)) - model.decision_function(drawn)) > 0.5


def test_the_program_writes_the_same_bytes(table, tmp_path):
    X, y = table
    X.assign(y=y).to_csv(tmp_path / "table.csv", index=False)
    flags = ["--monotone", "a=increasing", "--max-effects", "4", "--label", "y", "--quiet"]
    run("fit", tmp_path / "table.csv", "-o", tmp_path / "model.dyad", *flags)
    model = SLBClassifier(monotone={"a": "increasing"}, max_effects=4, random_state=1).fit(X, y)
    assert (tmp_path / "model.dyad").read_bytes() == model._model.to_bytes()
    again = SLBClassifier.load(tmp_path / "model.dyad")
    assert again.monotone == {"a": "increasing"}
    assert again.fit(X, y)._model.to_bytes() == model._model.to_bytes()


def log_odds_of_sums(X):
    return 1.5 * np.tanh(X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.5 * np.exp(X[:, 3] / 2)


def log_odds_of_products(X):
    return np.exp(X[:, 0] / 1.5) * (1.2 + np.tanh(2 * X[:, 1])) - 2


@pytest.mark.parametrize("truth", [log_odds_of_sums, log_odds_of_products])
def test_monotone_features_cost_little_where_the_truth_is_monotone(truth):
    random = np.random.default_rng(3)
    X = random.normal(size=(12000, 5))
    chances = 1 / (1 + np.exp(-truth(X)))
    y = random.random(12000) < chances
    losses = []
    for monotone in (None, dict.fromkeys(range(2), "increasing")):
        model = SLBClassifier(monotone=monotone, random_state=0).fit(X[:2000], y[:2000])
        found = model.predict_proba(X[2000:])[:, 1]
        losses.append(-np.mean(chances[2000:] * np.log(found) + (1 - chances[2000:]) * np.log(1 - found)))
    assert losses[1] - losses[0] < 0.005


def test_several_classes_have_no_direction(table):
    X, _ = table
    with pytest.raises(ValueError, match="two classes"):
        NaiveBayesKDE(monotone={"a": "increasing"}).fit(X, X.e)


def test_max_effects_bounds_features_and_pairs(table):
    for estimator in (SLBClassifier(max_effects=3), LUClassifier(max_effects=2)):
        model = estimator.fit(*table)
        assert len(_core.effects(model._model)) <= estimator.max_effects
    simple = SLBClassifier().fit(*table).simplify(max_effects=2)
    sizes = np.abs(simple.explain(table[0], by="effect")).mean(axis=0)
    assert np.sum(sizes > 1e-9) == 2


def test_shap_values_are_those_of_shap(model, table):
    shap = pytest.importorskip("shap")
    X, _ = table
    numbers = X.drop(columns="e")
    plain = SLBClassifier(pairs="count", n_pairs=6).fit(numbers, table[1])
    rows, background = numbers.to_numpy()[:10], numbers.to_numpy()[100:130]
    exact = shap.explainers.Exact(
        lambda values: plain.decision_function(pd.DataFrame(values, columns=numbers.columns)),
        shap.maskers.Independent(background, max_samples=1000),
    )(rows)
    found = plain.shap_values(numbers[:10], numbers[100:130], as_explanation=True)
    np.testing.assert_allclose(found.values, exact.values, atol=1e-6)
    np.testing.assert_allclose(found.base_values, exact.base_values, atol=1e-6)


def test_shap_values_of_several_classes_add_up(table):
    X, _ = table
    model = SLBClassifier().fit(X.drop(columns="e"), X.e)
    rows = X.drop(columns="e")
    values = model.shap_values(rows[:7], rows[:50])
    assert values.shape == (7, 4, 3)
    difference = model.decision_function(rows[:7]) - model.decision_function(rows[:50]).mean(axis=0)
    np.testing.assert_allclose(values.sum(axis=1), difference, atol=1e-9)


def test_examples_of_edits_give_what_they_show():
    failed, attempted = doctest.testmod(_editing)
    assert attempted > 10
    assert failed == 0

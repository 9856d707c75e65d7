# SPDX-License-Identifier: BSD-3-Clause
"""Pairs that are given, and features and pairs that are excluded."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dyad
from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [
    SLBClassifier(),
    SLBClassifier(pairs="cv"),
    SLBClassifier(pairs="all"),
    SLBClassifier(pairs="count", n_pairs=30),
    SLBClassifier(preset="paper"),
    LUClassifier(),
    NaiveBayesKDE(),
    NaiveBayesKDE(engine="exact"),
    TANClassifier(),
    TANClassifier(forest=True),
]


def table(n=300, seed=0, numbers_only=False):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=["age", "income", "height", "weight"])
    X["income"] += np.where(y == "yes", X["age"], -X["age"])
    if not numbers_only:
        X["town"] = rng.choice(["a", "b", "c"], n)
    return X, y


def used_pairs(model):
    return {tuple(sorted((pair.i, pair.j))) for pairs in model.pairs_.values() for pair in pairs}


def used_features(model):
    return {j for _, *features in model._model.terms for j in features}


@pytest.mark.parametrize(
    "estimator", [SLBClassifier(), SLBClassifier(n_average=3), SLBClassifier(preset="paper")], ids=str
)
def test_given_pairs_are_those_of_every_class(estimator):
    X, y = table()
    for pairs in ([("town", "age"), ("height", "income")], [(0, 4), (np.int64(2), "income")]):
        model = clone(estimator).set_params(pairs=pairs).fit(X, y)
        for of_class in model.pairs_.values():
            assert {tuple(sorted((pair.i, pair.j))) for pair in of_class} == {(0, 4), (1, 2)}
    assert "given pairs" in model.describe()


def test_columns_of_arrays_go_by_number():
    X, y = table(numbers_only=True)
    model = SLBClassifier(pairs=[(2, 0)], exclude=[3, (0, 1)]).fit(X.to_numpy(), y)
    assert used_pairs(model) == {(0, 2)}
    assert used_features(model) == {0, 1, 2}


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_excluded_features_and_pairs_are_in_no_term(estimator):
    X, y = table(numbers_only=getattr(estimator, "engine", None) == "exact")
    X["copy"] = (y == "yes") + 0.0
    model = clone(estimator).set_params(exclude=["copy", ("age", "income"), 3]).fit(X, y)
    assert used_features(model).isdisjoint({3, X.columns.get_loc("copy")})
    assert (0, 1) not in {(i, j) for _, i, j in model._model.terms}
    changed = X.assign(copy=-7.0, weight=1e9)
    np.testing.assert_array_equal(model.decision_function(changed), model.decision_function(X))
    assert "excluded" in model.describe()


def test_a_model_is_that_of_a_table_without_excluded_features():
    X, y = table()
    model = SLBClassifier(exclude=["income", "town"]).fit(X, y)
    without = SLBClassifier().fit(X.drop(columns=["income", "town"]), y)
    np.testing.assert_array_equal(
        model.predict_proba(X), without.predict_proba(X.drop(columns=["income", "town"]))
    )


def test_excluded_text_is_neither_kept_nor_warned_of(recwarn):
    X, y = table()
    X["name"] = [f"person {k}" for k in range(len(X))]
    X["constant"] = 1.0
    model = SLBClassifier(exclude=["name", "constant"]).fit(X, y)
    model.predict(X.assign(name="somebody else"))
    assert not recwarn.list
    assert b"person" not in model._model.to_bytes()


@pytest.mark.parametrize("sample_rows", [None, 120])
def test_states_take_the_structure(sample_rows):
    X, y = table()
    estimator = SLBClassifier(pairs=[("age", "income")], exclude=["town", "weight"])
    survey = dyad.State(sample_rows=sample_rows).update(X, y)
    state = survey
    if sample_rows is not None:
        state = dyad.State.from_bytes(survey.plan(estimator).to_bytes()).update(X, y)
    model = state.finalize(None if sample_rows else estimator)
    assert used_pairs(model) == {(0, 1)}
    assert used_features(model) == {0, 1, 2}
    assert model.pairs == [("age", "income")]
    assert model.exclude == ["town", "weight"]
    if sample_rows is None:
        assert model._model.to_bytes() == estimator.fit(X, y)._model.to_bytes()
    chunks = [(X[:150], y[:150]), (X[150:], y[150:])]
    assert used_pairs(clone(estimator).fit_chunks(chunks)) == {(0, 1)}


def test_files_keep_the_structure(tmp_path):
    X, y = table()
    for rows, pairs, exclude in (
        (X, [("age", "income")], ["town", ("height", "weight")]),
        (X.drop(columns="town").to_numpy(), [(0, 1)], [(2, 3)]),
    ):
        SLBClassifier(pairs=pairs, exclude=exclude).fit(rows, y).save(tmp_path / "m.dyad")
        model = SLBClassifier.load(tmp_path / "m.dyad")
        assert (model.pairs, model.exclude) == (pairs, exclude)
        model.fit(rows, y)


def test_models_without_structure_are_as_before():
    X, y = table()
    bytes_of = [SLBClassifier(exclude=exclude).fit(X, y)._model.to_bytes() for exclude in (None, [])]
    assert bytes_of[0] == bytes_of[1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pairs": [("age", "incme")]}, "pairs: no feature 'incme'; did you mean 'income'?"),
        ({"exclude": ["twon"]}, "exclude: no feature 'twon'; did you mean 'town'?"),
        ({"pairs": [("age", "age")]}, "pairs: expected two different features, got 'age' twice"),
        ({"pairs": [("age", 9)]}, "pairs: expected a number of a column below 5, got 9"),
        ({"pairs": [("age", 1.5)]}, "pairs: expected a column by name or number, got 1.5"),
        ({"pairs": ["age"]}, "pairs: expected two features, got age"),
        ({"exclude": "age"}, "exclude: expected a list of columns and pairs (i, j), got 'age'"),
        ({"pairs": [(0, 1)], "exclude": [(1, 0)]}, "exclude: the pair 'age', 'income' is among pairs"),
        ({"pairs": [(0, 1)], "exclude": [1]}, "exclude: the pair 'age', 'income' is among pairs"),
        ({"exclude": [0, 1, 2, 3, 4]}, "exclude: every feature is excluded"),
        ({"pairs": [(0, 1)], "n_pairs": 3}, "pairs: expected no rule beside a list of pairs, got count"),
        (
            {"pairs": "some"},
            "pairs must be one of cv, fdr, count, threshold, path, all or a list, got 'some'",
        ),
    ],
)
def test_errors_name_the_parameter(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=re.escape(message)):
        SLBClassifier(**parameters).fit(X, y)

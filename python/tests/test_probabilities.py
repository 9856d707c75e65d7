# SPDX-License-Identifier: BSD-3-Clause
"""Probabilities that are right for new rows, and costs that decide by them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier]


def draw(n, n_classes, seed):
    """Rows of eight features that are two variables seen four times each, and whose pairs tell something."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    angle = 2 * np.pi * y / n_classes
    centres = 0.8 * np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.repeat(rng.normal(size=(n, 2)) + centres, 4, axis=1) + 0.5 * rng.normal(size=(n, 8))
    X[:, 7] = np.where(y % 2, X[:, 6], -X[:, 6]) + rng.normal(size=n)
    return X, y


def calibration_error(probabilities, y):
    """Of ten bins: of the second of two classes, or of the most probable one."""
    two = probabilities.shape[1] == 2
    told = np.ones(len(y), dtype=int) if two else probabilities.argmax(axis=1)
    p = probabilities[np.arange(len(y)), told]
    bins = np.minimum((10 * p).astype(int), 9)
    return sum(abs((p - (told == y))[bins == b].sum()) for b in range(10)) / len(y)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_probabilities_of_new_rows_are_right(classifier, n_classes):
    model = classifier().fit(*draw(2000, n_classes, 1))
    X, y = draw(10_000, n_classes, 2)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert calibration_error(probabilities, y) < 0.05


@pytest.mark.parametrize("classifier", [NaiveBayesKDE, LUClassifier])
def test_calibration_changes_probabilities_alone(classifier):
    X, y = draw(500, 3, 1)
    plain, *others = [classifier(calibration=rule).fit(X, y) for rule in ("none", "platt", "isotonic")]
    for model in others:
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
        # Averages of several classes are fitted with a slope already.
        averaged = classifier in (SLBClassifier, LUClassifier) and model.calibration == "platt"
        assert averaged or not np.array_equal(model.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(ValueError, match="calibration"):
        classifier(calibration="beta").fit(X, y)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_costs_decide_by_the_least_expected_cost(classifier):
    X, y = draw(400, 3, 1)
    y = np.array(["a", "b", "c"])[y]
    costs = np.array([[0, 1, 1], [1, 0, 1], [9, 2.5, 0]])
    model = classifier(costs=costs).fit(X, y)
    expected = model.predict_proba(X) @ costs
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmin(axis=1)])
    by_label = classifier(costs={("c", "a"): 9, ("c", "b"): 2.5}).fit(X, y)
    assert by_label._model.to_bytes() == model._model.to_bytes()
    plain = classifier().fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert (model.predict(X) == "c").sum() > (plain.predict(X) == "c").sum()


def test_costs_are_kept_and_copied(tmp_path):
    X, y = draw(300, 2, 1)
    model = clone(NaiveBayesKDE(costs={(1, 0): 8})).fit(X, y)
    model.save(tmp_path / "m.dyad")
    loaded = NaiveBayesKDE.load(tmp_path / "m.dyad")
    assert loaded.costs == [[0, 1], [8, 0]]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.fit(X, y)._model.to_bytes() == model._model.to_bytes()
    NaiveBayesKDE().fit(X, y).save(tmp_path / "m.dyad")
    assert NaiveBayesKDE.load(tmp_path / "m.dyad").costs is None


def test_costs_and_calibration_can_be_searched():
    X, y = draw(200, 2, 1)
    grid = {"costs": [None, [[0, 1], [3, 0]]], "calibration": ["platt", "isotonic"]}
    search = GridSearchCV(NaiveBayesKDE(), grid, cv=3).fit(X, y)
    assert set(search.best_params_) == {"costs", "calibration"}


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1, 1], [1, 0, 1]], r"shape \(2, 2\), a row a true class, got \(2, 3\)"),
        ([0, 1], r"shape \(2, 2\), a row a true class, got \(2,\)"),
        ([[0, -1], [1, 0]], "finite and not negative, got -1"),
        ([[0, np.nan], [1, 0]], "finite and not negative, got nan"),
        ([[0, np.inf], [1, 0]], "finite and not negative, got inf"),
        ([["x", 1], [1, 0]], "a dict or a table of numbers"),
        ({(0, 2): 1}, "the label 2, which no row has"),
        ({0: 1}, "a tuple"),
        ({(0, 1): "x"}, "must be a number, got 'x'"),
        ({(0, 1): -2}, "finite and not negative, got -2"),
    ],
)
def test_costs_that_make_no_sense_are_refused(costs, message):
    X, y = draw(40, 2, 1)
    with pytest.raises(ValueError, match=message):
        NaiveBayesKDE(costs=costs).fit(X, y)

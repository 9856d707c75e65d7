# SPDX-License-Identifier: BSD-3-Clause
"""Losses and penalties beside scikit-learn's own solvers."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dyad import LogDensityTransformer, LUClassifier, SLBClassifier


def standardised_densities(X, y):
    """The terms of a LUClassifier as its SVM sees them: those of training rows are those of new ones."""
    values = LogDensityTransformer(preset="paper", pairs="none").fit(X, y).transform(X)
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def lu(**parameters):
    return LUClassifier(preset="paper", tol=1e-8, **parameters)


def test_logistic_loss_is_that_of_logistic_regression(stars):
    X, y, _ = stars
    expected = LogisticRegression(C=0.3, tol=1e-10, max_iter=10_000).fit(standardised_densities(X, y), y)
    actual = lu(loss="logistic", C=0.3).fit(X, y)
    np.testing.assert_allclose(
        actual.decision_function(X), expected.decision_function(standardised_densities(X, y)), atol=2e-3
    )


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_squared_hinge_is_that_of_liblinear(stars, penalty):
    X, y, _ = stars
    rows = standardised_densities(X, y)
    solver = {"dual": False, "tol": 1e-10, "max_iter": 100_000}
    # LIBLINEAR penalises the intercept; a large scale makes its cost negligible.
    svm = LinearSVC(penalty=penalty, loss="squared_hinge", C=0.03, intercept_scaling=100, **solver)
    expected = svm.fit(rows, y)
    actual = lu(loss="squared_hinge", penalty=penalty, C=0.03).fit(X, y)
    np.testing.assert_allclose(
        actual.decision_function(X), expected.decision_function(rows), atol=2e-3 * np.abs(rows).max()
    )
    if penalty == "l1":
        assert len(actual.terms_) == np.count_nonzero(expected.coef_) < rows.shape[1]


def test_a_smaller_cost_leaves_out_more_terms(stars):
    X, y, _ = stars
    for parameters in ({"preset": "paper"}, {"settings": "best"}, {}):
        n_terms = [
            len(SLBClassifier(loss="logistic", penalty="l1", C=C, **parameters).fit(X, y).terms_)
            for C in (0.01, 1)
        ]
        assert n_terms[0] < n_terms[1]


def test_models_without_terms_guess(stars):
    X, y, _ = stars
    model = lu(loss="logistic", penalty="l1", C=1e-6).fit(X, y)
    assert model.terms_ == []
    assert model.coef_.shape == (1, 0)
    assert not model.feature_importances_.any()
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=1e-3)
    assert model.explain(X[:2]).shape == (2, 0)

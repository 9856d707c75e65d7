# SPDX-License-Identifier: BSD-3-Clause
"""Three classes or more, beside classifiers of scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from dyad import SLBClassifier


@pytest.mark.parametrize(("load", "allowance"), [(load_iris, 0.03), (load_wine, 0.02)])
def test_errors_are_near_those_of_simple_classifiers(load, allowance):
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours, *others = [
        1 - cross_val_score(classifier, X, y, cv=folds).mean()
        for classifier in (SLBClassifier(), GaussianNB(), LinearDiscriminantAnalysis())
    ]
    assert ours <= min(others) + allowance


def test_twenty_six_classes():
    rng = np.random.default_rng(1)
    means = rng.normal(size=(26, 8))
    y = rng.integers(0, 26, 3000)
    mixing = np.eye(8) + 0.3 * rng.normal(size=(26, 8, 8))
    X = means[y] + np.einsum("ij,ijk->ik", rng.normal(size=(3000, 8)), mixing[y])
    train, test = slice(0, 2000), slice(2000, None)
    model = SLBClassifier().fit(X[train], y[train])
    others = [
        classifier.fit(X[train], y[train]).score(X[test], y[test])
        for classifier in (GaussianNB(), LinearDiscriminantAnalysis())
    ]
    assert model.score(X[test], y[test]) >= max(others) - 0.02
    probabilities = model.predict_proba(X[test])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(X[test]))

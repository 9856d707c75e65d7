# SPDX-License-Identifier: BSD-3-Clause
"""Row weights: a weight of k is k copies of the row, in every method and mode."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

ESTIMATORS = [
    SLBClassifier(),
    SLBClassifier(engine="exact"),
    SLBClassifier(blend="always", optimise="error"),
    SLBClassifier(optimise="auc", pairs="fdr"),
    SLBClassifier(settings="best", linear_terms=False),
    SLBClassifier(preset="paper", pairs="fdr"),
    SLBClassifier(preset="paper", pairs="fdr", engine="exact"),
    SLBClassifier(preset="paper", pairs="all", feature_mode="leave_one_out"),
    SLBClassifier(preset="paper", pairs="count", n_pairs=3, class_weight="balanced"),
    LUClassifier(),
    LUClassifier(preset="paper"),
    NaiveBayesKDE(),
    NaiveBayesKDE(preset="paper"),
    NaiveBayesKDE(preset="paper", engine="exact"),
    TANClassifier(),
    TANClassifier(preset="paper"),
    TANClassifier(preset="paper", forest=True),
    LogDensityTransformer(),
    LogDensityTransformer(preset="paper", pairs="fdr"),
]


def answers(model, X):
    return model.transform(X) if hasattr(model, "transform") else model.predict_proba(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_weight_is_so_many_copies_of_the_row(estimator, three_classes):
    X, y = three_classes
    weights = np.random.default_rng(1).integers(0, 4, size=len(X))
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if estimator.preset == "auto" and estimator.engine == "counts":
        assert weighted._model.to_bytes() == repeated._model.to_bytes()
    np.testing.assert_allclose(answers(weighted, X), answers(repeated, X), rtol=1e-7, atol=1e-9)
    assert weighted.terms_ == repeated.terms_


@pytest.mark.parametrize(
    "estimator", [SLBClassifier(), SLBClassifier(preset="paper", cost="cv"), LogDensityTransformer()], ids=str
)
def test_given_splits_are_weighted_too(estimator, three_classes):
    X, y = three_classes
    weights = np.random.default_rng(1).integers(0, 4, size=len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    splits = list(KFold(3).split(X))
    splits_of_copies = [tuple(np.flatnonzero(np.isin(copies, rows)) for rows in split) for split in splits]
    weighted = clone(estimator).set_params(cv=splits).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).set_params(cv=splits_of_copies).fit(X[copies], y[copies])
    np.testing.assert_allclose(answers(weighted, X), answers(repeated, X), rtol=1e-7, atol=1e-9)


def test_weights_need_not_be_whole_numbers(three_classes):
    X, y = three_classes
    weights = np.random.default_rng(1).uniform(size=len(X))
    for estimator in (SLBClassifier(), NaiveBayesKDE(), TANClassifier(), LogDensityTransformer()):
        model = clone(estimator).fit(X, y, sample_weight=weights)
        assert np.all(np.isfinite(answers(model, X)))
    with pytest.raises(ValueError, match="whole numbers"):
        NaiveBayesKDE(engine="exact").fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("estimator", [NaiveBayesKDE(), LogDensityTransformer(pairs="none")], ids=str)
def test_shares_in_place_of_numbers_of_rows_are_warned_of(estimator, three_classes):
    X, y = three_classes
    shares = np.full(len(X), 1 / len(X))
    with pytest.warns(
        UserWarning, match=r"weights of class 3 add up to 0\.333: weights are numbers of rows"
    ) as caught:
        clone(estimator).fit(X, y, sample_weight=shares)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(estimator).fit(X, y, sample_weight=shares * len(X) / 2)
        warnings.filterwarnings("ignore", message="classes with fewer than five rows")
        one_row_of_a_class = (y != 3) | (np.arange(len(X)) == 0)
        clone(estimator).fit(X, y, sample_weight=one_row_of_a_class.astype(float))


@pytest.mark.parametrize("n_copies", [3, 30])
def test_importances_of_weights_are_those_of_copies(n_copies, three_classes):
    X, y = three_classes
    weights = np.random.default_rng(1).integers(0, 2 * n_copies, size=len(X))
    weighted = TANClassifier().fit(X, y, sample_weight=weights)
    repeated = TANClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.feature_importances_, repeated.feature_importances_, rtol=1e-7)


def test_heavy_rows_move_the_priors(three_classes):
    X, y = three_classes
    model = NaiveBayesKDE(optimise="error").fit(X, y, sample_weight=np.where(y == 3, 10, 1))
    np.testing.assert_allclose(np.exp(model.intercept_), [10 / 12, 1 / 12, 1 / 12])

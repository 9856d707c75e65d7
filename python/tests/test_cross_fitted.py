# SPDX-License-Identifier: BSD-3-Clause
"""`LogDensityTransformer.fit_transform` returns values of densities that a row has no part in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dyad import LogDensityTransformer, Simulation


def rows(n=200, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, 3)) + y[:, None]
    X[:, 1] += X[:, 0]
    return X, y


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_a_row_has_no_part_in_its_own_values(engine):
    X, y = rows()
    transformer = LogDensityTransformer(
        engine=engine, pairs=[(0, 1)], coordinate="none", prior_rows=0, random_state=3
    )
    values = transformer.fit_transform(X, y)
    own = values[np.arange(len(X)), 3 * y]
    resubstituted = transformer.transform(X)[np.arange(len(X)), 3 * y]
    assert own.mean() < resubstituted.mean()
    assert values.shape == transformer.transform(X).shape
    np.testing.assert_array_equal(transformer.transform(X), transformer.fit(X, y).transform(X))


def test_values_are_those_of_the_other_folds():
    X, y = rows(60)
    kinds = {"preset": "paper", "engine": "exact", "pairs": [(0, 1)], "cv": 60, "random_state": 1}
    values = LogDensityTransformer(**kinds).fit_transform(X, y)
    for row in (0, 17, 59):
        others = np.arange(60) != row
        without = LogDensityTransformer(**kinds).fit(X[others], y[others]).transform(X[[row]])
        np.testing.assert_allclose(values[row], without[0], rtol=1e-9)


def test_seeds_choose_the_folds():
    X, y = rows()
    by_seed = [LogDensityTransformer(random_state=seed).fit_transform(X, y) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(by_seed[0], by_seed[1])
    assert not np.array_equal(by_seed[0], by_seed[2])
    more_folds = LogDensityTransformer(random_state=1, pairs="none", cv=10).fit_transform(X, y)
    assert not np.array_equal(
        more_folds, LogDensityTransformer(random_state=1, pairs="none").fit_transform(X, y)
    )


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_weights_of_rows(engine):
    X, y = rows(100)
    weights = np.ones(100)
    weights[::7] = 3
    weights[1::7] = 0
    transformer = LogDensityTransformer(engine=engine, pairs="none", random_state=0)
    values = transformer.fit_transform(X, y, sample_weight=weights)
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(values[1::7], transformer.transform(X)[1::7])
    plain = LogDensityTransformer(engine=engine, pairs="none", random_state=0)
    np.testing.assert_allclose(
        plain.fit_transform(X, y, sample_weight=np.ones(100)), plain.fit_transform(X, y), rtol=1e-6
    )


def test_few_rows_of_a_class():
    X, y = rows(60)
    y[:] = 0
    y[:3] = 1
    y[3] = 2  # whose single row is in all densities
    values = LogDensityTransformer(pairs="none").fit_transform(X, y)
    assert np.isfinite(values).all()


def test_frames_and_categories():
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["d"] = np.where(np.random.default_rng(1).random(len(X)) < 0.5, "x", "y")
    frame.loc[5, "d"] = "rare"
    frame.loc[7, "a"] = np.nan
    transformer = LogDensityTransformer(pairs="all").set_output(transform="pandas")
    values = transformer.fit_transform(frame, y)
    assert list(values.columns) == list(transformer.get_feature_names_out())
    assert np.isfinite(values.to_numpy()).all()


@pytest.mark.slow
def test_a_classifier_behind_it_does_not_overfit():
    errors = {"cross-fitted": [], "training": []}
    for seed in range(6):
        network = Simulation("forest-complex", seed)
        X, y = network.sample(400)
        new, labels = network.sample(4000, draw=1)
        densities = LogDensityTransformer(pairs="all", random_state=0)
        regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        for name, values in (
            ("cross-fitted", densities.fit_transform(X, y)),
            ("training", densities.fit(X, y).transform(X)),
        ):
            regression.fit(values, y)
            errors[name].append(np.mean(regression.predict(densities.transform(new)) != labels))
    assert np.mean(errors["cross-fitted"]) < np.mean(errors["training"]) - 0.01

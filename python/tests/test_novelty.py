# SPDX-License-Identifier: BSD-3-Clause
"""How unlike the training rows a row is."""

import numpy as np
import pytest

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier


def draw(n, seed):
    """Columns 0 and 1 go together; column 2 tells the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    first = rng.normal(size=n)
    return np.column_stack([first, first + 0.1 * rng.normal(size=n), y + rng.normal(size=n)]), y


@pytest.mark.parametrize("classifier", [SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier])
def test_rows_far_from_training_rows_are_novel(classifier):
    X, y = draw(300, 1)
    model = classifier().fit(X, y)
    usual = model.novelty(X)
    assert usual.shape == (300,)
    assert np.isfinite(usual).all()
    far, features = model.novelty([[9.0, 9.0, 9.0], [0.0, 0.0, 0.5]], return_features=True)
    assert far[0] > np.quantile(usual, 0.99) > far[1]
    assert all(len(columns) in (1, 2) and set(columns) <= {0, 1, 2} for columns in features)
    np.testing.assert_array_equal(model.novelty([[9.0, 9.0, 9.0], [0.0, 0.0, 0.5]]), far)


def test_a_pair_that_does_not_go_together_is_novel():
    X, y = draw(300, 2)
    model = SLBClassifier(pairs="all").fit(X, y)
    scores, features = model.novelty([[1.0, -1.0, 0.5], [1.0, 1.0, 0.5]], return_features=True)
    assert scores[0] > 2 * abs(scores[1])
    assert features[0] == (0, 1)


def test_novelty_comes_back_from_a_file(tmp_path):
    X, y = draw(200, 3)
    model = SLBClassifier().fit(X, y)
    model.save(tmp_path / "model.dyad")
    np.testing.assert_array_equal(SLBClassifier.load(tmp_path / "model.dyad").novelty(X), model.novelty(X))


@pytest.mark.parametrize("model", [SLBClassifier(preset="paper"), NaiveBayesKDE(), TANClassifier()], ids=str)
def test_p_values_of_new_rows_are_uniform(model, tmp_path):
    X, y = draw(400, 4)
    model.fit(X, y)
    scores, p_values, features = model.novelty(draw(4000, 5)[0], return_p_values=True, return_features=True)
    assert len(scores) == len(p_values) == len(features) == 4000
    assert np.all(np.diff(p_values[np.argsort(scores)]) <= 0)
    assert 0.02 < np.mean(p_values < 0.05) < 0.09
    assert 0.4 < np.mean(p_values < 0.5) < 0.6
    far = model.novelty([[9.0, 9.0, 9.0]], return_p_values=True)[1]
    assert far[0] == pytest.approx(p_values.min()) or far[0] < p_values.min()
    model.save(tmp_path / "model.dyad")
    again = type(model).load(tmp_path / "model.dyad").novelty([[9.0, 9.0, 9.0]], return_p_values=True)[1]
    np.testing.assert_array_equal(again, far)

# SPDX-License-Identifier: BSD-3-Clause
"""The same bits on any number of threads and processes, in batches of any size; memory that stays."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from sklearn.base import clone

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [
    SLBClassifier(),
    SLBClassifier(engine="exact"),
    SLBClassifier(preset="paper"),
    LUClassifier(calibration="isotonic"),
    NaiveBayesKDE(),
    TANClassifier(),
]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)


def to_bytes(classifier, X, y):
    """The model file of a copy of the classifier that is fitted to X and y."""
    return clone(classifier).fit(X, y)._model.to_bytes()


def said_of(model, X):
    """Scores and probabilities, side by side."""
    return np.column_stack([model.decision_function(X), model.predict_proba(X)])


@every_classifier
def test_models_do_not_depend_on_n_jobs(classifier, three_classes):
    expected = to_bytes(classifier, *three_classes)
    for n_jobs in (1, 2, 3, 8):
        assert to_bytes(clone(classifier).set_params(n_jobs=n_jobs), *three_classes) == expected


@every_classifier
def test_predictions_do_not_depend_on_the_batch(classifier, three_classes):
    X, y = three_classes
    model = clone(classifier).fit(X, y)
    expected = said_of(model, X)
    for size in (1, 7, 50):
        batches = [said_of(model, X[first : first + size]) for first in range(0, len(X), size)]
        assert_array_equal(np.concatenate(batches), expected)


@every_classifier
def test_threads_share_an_estimator(classifier, three_classes):
    X, y = three_classes
    model = clone(classifier).fit(X, y)
    expected = said_of(model, X)
    with ThreadPoolExecutor(8) as pool:
        for said in pool.map(lambda _: said_of(model, X), range(16)):
            assert_array_equal(said, expected)


def test_estimators_are_fitted_in_threads_at_once(three_classes):
    expected = [to_bytes(classifier, *three_classes) for classifier in CLASSIFIERS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda classifier: to_bytes(classifier, *three_classes), CLASSIFIERS))
    assert together == expected


def fitted_and_said(classifier, X, y):
    model = clone(classifier).fit(X, y)
    return model._model.to_bytes(), said_of(model, X)


def test_a_forked_process_fits_and_predicts_the_same(three_classes):
    arguments = (SLBClassifier(n_jobs=2), *three_classes)
    expected_bytes, expected = fitted_and_said(*arguments)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for bytes_of_model, said in pool.starmap(fitted_and_said, [arguments] * 4):
            assert bytes_of_model == expected_bytes
            assert_array_equal(said, expected)


def test_processes_of_joblib_fit_and_predict_the_same(three_classes):
    X, y = three_classes
    model = SLBClassifier(n_jobs=2).fit(X, y)
    expected = said_of(model, X)
    for said in Parallel(n_jobs=2)(delayed(said_of)(model, X) for _ in range(4)):
        assert_array_equal(said, expected)
    for of_model in Parallel(n_jobs=2)(delayed(to_bytes)(model, X, y) for _ in range(2)):
        assert of_model == model._model.to_bytes()


def test_memory_does_not_grow():
    soak = Path(__file__).parents[2] / "bench" / "trust" / "soak.py"
    if not soak.exists():
        pytest.skip("the benchmarks are not there")
    command = [sys.executable, soak, "--seconds", "20", "--settle", "8"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr

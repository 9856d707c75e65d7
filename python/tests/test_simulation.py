# SPDX-License-Identifier: BSD-3-Clause
"""Simulated networks: what Python adds to the core, which has tests of its own."""

import inspect
import pickle

import numpy as np
import pytest
from scipy import stats

import dyad
from dyad import _core

SCENARIOS = ["forest-normal", "forest-complex", "general-normal", "general-complex"]


def test_parameters_are_those_of_the_core():
    parameters = inspect.signature(dyad.Simulation).parameters.values()
    ours = {each.name: each.default for each in parameters if each.kind == each.KEYWORD_ONLY}
    core = _core.calibrated_options("general-complex")
    assert list(ours) == list(core)
    assert all(core[name] == value for name, value in ours.items() if value is not None)


def test_open_choices_go_by_the_structure():
    general = dyad.Simulation("general-complex", 1)
    assert all((not of_node) == (k < 7) for k, of_node in enumerate(general.parents[0]))
    assert all(k - parent <= 9 for k, of_node in enumerate(general.parents[1]) for parent in of_node)
    forest = dyad.Simulation("forest-normal", 1).parents[0]
    assert any(k - parent > 9 for k, of_node in enumerate(forest) for parent in of_node)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sample_has_the_classes_asked_for(scenario):
    X, y = dyad.simulate(scenario, 400, seed=2, imbalance=0.75, d=12)
    assert X.shape == (400, 12)
    assert np.bincount(y).tolist() == [300, 100]
    assert np.isfinite(X).all()


def test_simulate_is_the_first_draw_of_the_networks():
    simulation = dyad.Simulation("general-complex", 4, shared=1 / 3)
    X, y = dyad.simulate("general-complex", 100, seed=4, shared=1 / 3)
    again, labels = simulation.sample(100, n_jobs=2)
    assert (again == X).all()
    assert (y == labels).all()
    assert (simulation.sample(100, draw=1)[0] != X).all()


def test_ratio_of_normal_networks_is_that_of_normal_densities():
    simulation = dyad.Simulation("general-normal", 1, d=6)
    X, _ = simulation.sample(50)
    log_densities = []
    for parents in simulation.parents:
        A = np.zeros((6, 6))
        for node, of_node in enumerate(parents):
            A[node, of_node] = 1
        inverse = np.linalg.inv(np.eye(6) - A)
        log_densities.append(stats.multivariate_normal(cov=inverse @ inverse.T).logpdf(X))
    expected = log_densities[1] - log_densities[0]
    np.testing.assert_allclose(simulation.log_likelihood_ratio(X), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        simulation.log_likelihood_ratio(X.astype(np.float32)), expected, rtol=1e-3, atol=1e-3
    )


def test_bayes_error_is_that_of_the_ratio():
    simulation = dyad.Simulation("forest-complex", 3, d=8)
    X, y = simulation.sample(100_000, draw=5)
    error = np.mean((simulation.log_likelihood_ratio(X) > 0) != y)
    assert simulation.bayes_error() == pytest.approx(error, abs=0.005)


def test_simulations_survive_pickling():
    simulation = dyad.Simulation("forest-normal", 7, d=5, mixture="node")
    again = pickle.loads(pickle.dumps(simulation))
    assert again.parents == simulation.parents
    assert (again.sample(10)[0] == simulation.sample(10)[0]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dyad.Simulation("tree"), "scenario: no such value 'tree'"),
        (lambda: dyad.Simulation("forest-normal", d=0), "d must be between 1 and 10000, got 0"),
        (lambda: dyad.Simulation("forest-normal", mixture="x"), "mixture: no such value 'x'"),
        (lambda: dyad.simulate("forest-normal", 1), "n == 1, must be >= 2"),
        (lambda: dyad.simulate("forest-normal", 3, imbalance=0.99), "leave a class without any"),
        (lambda: dyad.simulate("forest-normal", 10, imbalance=2), "imbalance == 2, must be <= 1"),
        (lambda: dyad.simulate("forest-normal", 10, seed=-1), "seed == -1, must be >= 0"),
        (lambda: dyad.Simulation("forest-normal").sample(10, draw=-1), "draw == -1, must be >= 0"),
        (
            lambda: dyad.Simulation("forest-normal").log_likelihood_ratio(np.zeros((3, 2))),
            "the rows have 2 values, the network has 20 nodes",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

# SPDX-License-Identifier: BSD-3-Clause
"""The study of the convergence theorem: exact densities, hinge risk, its minimiser, slopes, and a run."""

import csv
import re

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from dyad import Density, Simulation
from experiments import progress, theory
from experiments.__main__ import main
from experiments.theory_densities import (
    Estimates,
    bayes_weights,
    clipped,
    covariance,
    exact_features,
    subsets,
)
from experiments.theory_hinge import TOLERANCE, hinge_risk, train
from experiments.theory_table import bound
from experiments.theory_values import DISTANCES, SERIES, Sizes, fit_slope

pytestmark = pytest.mark.slow

FOREST = [[], [0], [0], [], [1]]
DENSE = [[], [], [], [0, 1, 2], [0, 2, 3]]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


# Exact densities


@pytest.mark.parametrize("scenario", ["forest-normal", "general-normal"])
def test_the_covariance_is_that_of_a_large_sample(scenario):
    simulation = Simulation(scenario, 1, d=8)
    X, y = simulation.sample(400_000)
    for label, network in enumerate(simulation.parents):
        S = covariance(network)
        error = np.sqrt((S**2 + np.outer(S.diagonal(), S.diagonal())) / np.sum(y == label))  # of each entry
        assert (np.abs(np.cov(X[y == label].T) - S) < 5 * error).all()


def test_exact_features_are_clipped_normal_log_densities_of_features_and_pairs(rng):
    covariances = [covariance(network) for network in (FOREST, DENSE)]
    X = 3 * rng.normal(size=(200, 5))
    T = exact_features(X, covariances)
    assert subsets(5)[:6] == [(0,), (1,), (2,), (3,), (4,), (0, 1)]
    assert T.shape == (200, 2 * 15 + 1)
    expected = []
    for S in covariances:
        expected += [norm(0, np.sqrt(S[i, i])).logpdf(X[:, i]) for i in range(5)]
        expected += [
            multivariate_normal(np.zeros(2), S[np.ix_(pair, pair)]).logpdf(X[:, pair])
            for pair in map(list, subsets(5)[5:])
        ]
    bounded = np.clip(np.transpose(expected), np.log(1e-4), np.log(0.8))
    assert (bounded == np.log(1e-4)).any()
    np.testing.assert_allclose(T[:, :-1], bounded, atol=1e-9)
    assert (T[:, -1] == 1).all()


@pytest.mark.parametrize("order", ["common", "own"])
def test_bayes_weights_make_the_log_likelihood_ratio_of_forests(order, rng):
    simulation = Simulation("forest-normal", 2, d=8, node_order=order)
    X = 0.5 * rng.normal(size=(100, 8))
    T = exact_features(X, [covariance(network) for network in simulation.parents])
    assert T.min() > np.log(1e-4)  # nothing is clipped
    ratio = simulation.log_likelihood_ratio(X)
    assert np.std(ratio) > 0.1
    np.testing.assert_allclose(T @ bayes_weights(simulation.parents), ratio, atol=1e-9)


# Drawn rows


def test_rows_are_those_of_a_draw_and_all_first_ones_are_balanced():
    simulation = Simulation("forest-normal", 4, d=3)
    X, y = theory.draw_rows(simulation, 500, draw=2)
    expected, labels = simulation.sample(500, draw=2)
    for label in (0, 1):
        np.testing.assert_array_equal(X[y == 2 * label - 1], expected[labels == label])
    assert abs(np.cumsum(y)).max() == 1
    assert not np.isin(X[:, 0], theory.draw_rows(simulation, 500, draw=3)[0]).any()


# Estimated densities


def test_estimated_features_are_kernel_densities_of_each_class():
    X, y = theory.draw_rows(Simulation("forest-normal", 5, d=5), 120, draw=0)
    T = Estimates(X, y).features(X)
    expected = clipped(Density(X[y == 1][:, [1, 3]]).log_density(X[:, [1, 3]]))
    np.testing.assert_array_equal(T[:, 15 + subsets(5).index((1, 3))], expected)


def test_rows_that_are_left_out_have_the_density_of_the_others():
    X, y = theory.draw_rows(Simulation("forest-normal", 5, d=5), 120, draw=0)
    T = Estimates(X, y).left_out_features()
    for column, subset in ((2, (2,)), (15 + subsets(5).index((0, 4)), (0, 4))):
        label = 1 if column >= 15 else -1
        own = np.flatnonzero(y == label)
        bandwidth = Density(X[own][:, subset]).bandwidth
        for row in (*own[:5], np.flatnonzero(y != label)[0]):
            others = X[own[own != row]][:, subset]
            exact = Density(others, bandwidth, engine="exact").log_density(X[row : row + 1, subset])
            assert T[row, column] == pytest.approx(clipped(exact)[0], abs=0.03)


# Hinge risk


def test_the_hinge_risk_is_the_mean_of_its_definition():
    T = np.array([[2.0, 1.0], [0.25, 1.0], [-1.0, 1.0]])
    y = np.array([1, 1, -1])
    w = np.array([1.0, 0.5])  # margins 2.5, 0.75, 0.5
    assert hinge_risk(w, T, y) == pytest.approx((0 + 0.25 + 0.5) / 3)


@pytest.mark.parametrize("radius", [0.3, 2.0, 50.0])
def test_no_weights_of_the_ball_have_a_smaller_risk(radius, rng):
    T = np.column_stack([rng.normal(size=(300, 4)), np.ones(300)])
    y = np.where(T[:, 0] + 0.5 * T[:, 1] + rng.normal(size=300) > 0.3, 1, -1)
    fit = train(T, y, radius)
    assert 0 <= fit.gap <= 1e-5
    assert np.linalg.norm(fit.w) <= radius * (1 + 1e-9)
    risk = hinge_risk(fit.w, T, y)
    for size in (1e-3, 1e-2, 0.1, 1):
        for w in fit.w + size * rng.normal(size=(50, 5)):
            w *= min(1, radius / np.linalg.norm(w))
            assert hinge_risk(w, T, y) >= risk - 1e-5


@pytest.mark.parametrize("n", [100, 800, 6400])
def test_fits_of_exact_densities_reach_their_tolerance(n):
    simulation = Simulation("forest-normal", 4, d=8)  # 800 rows of it stop undamped steps
    X, y = theory.draw_rows(simulation, theory.FULL.large, theory.WEIGHTS)
    T = exact_features(X[:n], [covariance(network) for network in simulation.parents])
    assert train(T, y[:n], np.linalg.norm(bayes_weights(simulation.parents))).gap <= TOLERANCE


def test_one_feature_has_the_weight_that_a_search_finds(rng):
    y = np.tile([-1, 1], 500)
    T = (rng.normal(size=1000) + y)[:, np.newaxis]
    grid = np.linspace(0, 3, 3001)
    least = min(hinge_risk(np.array([w]), T, y) for w in grid)
    assert hinge_risk(train(T, y, 3.0).w, T, y) == pytest.approx(least, abs=2e-5)


def test_the_excess_of_exact_densities_falls_to_zero():
    oracle = theory.Oracle(Sizes([100], 100, 60_000, 40_000), seed=5)
    excesses = []
    for n in (200, 60_000):
        X, y = theory.draw_rows(oracle.simulation, n, theory.WEIGHTS)
        excesses.append(oracle.excess(oracle.exact(X), y, oracle.T))
    assert excesses[0] > 0.02
    assert abs(excesses[1]) < 0.003


def test_the_estimate_of_the_least_risk_is_neither_that_of_rows_seen_nor_that_of_others(rng):
    oracle = theory.Oracle(Sizes([100], 100, 400, 400), seed=5)

    def labelled(rows):
        T = np.column_stack([rng.normal(size=(rows, 7)), np.ones(rows)])
        return T, np.where(T[:, 0] + rng.normal(size=rows) > 0, 1, -1)

    best = train(*labelled(100_000), oracle.radius, 1e-4).w
    errors = []
    for _ in range(150):
        (T_test, oracle.y), (T, y) = labelled(400), labelled(200)
        least = hinge_risk(best, T_test, oracle.y)
        seen = hinge_risk(train(T_test, oracle.y, oracle.radius, 1e-4).w, T_test, oracle.y)
        unseen = oracle.excess(*labelled(400), T_test) + oracle.risk
        errors.append([oracle.least_risk(T, y, T_test) - least, seen - least, unseen - least])
    error, seen, unseen = np.mean(errors, axis=0)
    assert seen < -0.003
    assert unseen > 0.003
    assert abs(error) < 0.0015


# Slopes and files


def test_the_slope_of_a_power_law_is_its_exponent(rng):
    n = np.array([100, 200, 400, 800])
    values = 3 * n**-0.5 * np.array([[0.5], [1.0], [1.5]])
    slope = fit_slope(n, values)
    assert slope.value == pytest.approx(-0.5)
    assert np.exp(slope.intercept) == pytest.approx(3)
    assert slope.error == pytest.approx(0, abs=1e-9)
    noisy = fit_slope(n, values * rng.lognormal(sigma=0.2, size=values.shape))
    assert 0.01 < noisy.error < 0.3


def test_the_error_of_a_slope_is_that_of_repeated_experiments(rng):
    n = np.array([100, 200, 400, 800])
    slopes = [fit_slope(n, n**-0.5 * rng.lognormal(sigma=0.2, size=(10, 4))) for _ in range(300)]
    spread = np.std([slope.value for slope in slopes])
    assert np.mean([slope.error for slope in slopes]) == pytest.approx(spread, rel=0.2)


def test_sizes_without_excess_are_left_out_of_a_slope():
    slope = fit_slope([10, 100, 1000], np.array([[1.0, 0.1, -0.5]]))
    assert slope.value == pytest.approx(-1)
    assert np.isnan(slope.error)


def test_the_bound_is_that_of_the_theorem():
    # B (E + sqrt(d (d + 1) ln n1 / n1) (2 L + 2 U / p_min)) with L = ln 10^4
    expected = 3 * (0.5 + np.sqrt(8 * 9 * np.log(1000) / 1000) * (2 * np.log(1e4) + 2e4 * 0.01))
    assert bound(3, 8, 1000, E=0.5, U=0.01) == pytest.approx(expected)


@pytest.fixture
def tiny(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(theory, "QUICK", Sizes([60, 240], 300, 1000, 400))
    monkeypatch.setattr(progress, "tqdm", None)


def test_a_run_writes_its_files(tiny, tmp_path, capsys):
    folder = tmp_path / "new"
    call = ["theory", "--quick", "--replicates", "2", "--seed", "3", "--out", str(folder)]
    assert main(call) == 0
    out, err = capsys.readouterr()
    assert (folder / "theory.png").stat().st_size > 10_000
    assert "</svg>" in (folder / "theory.svg").read_text()
    text = (folder / "theory.md").read_text(encoding="utf-8")
    assert text == out
    assert [line.split(" | ")[0] for line in text.splitlines()[2:5]] == ["| 60", "| 240", "| slope"]
    assert re.fullmatch(r"\[24/24, 0:00:00 left\] resubstituted 240 4: \d\.\d{4}", err.splitlines()[-1])
    rows = list(csv.DictReader((folder / "theory.csv").open()))
    for series in (*SERIES, *DISTANCES):
        found = [(row["seed"], row["n"]) for row in rows if row["series"] == series]
        assert found == [("3", "60"), ("3", "240"), ("4", "60"), ("4", "240")]
    assert all(0 < float(row["value"]) <= TOLERANCE for row in rows if row["series"] == "gap")
    first = {row["n"]: float(row["value"]) for row in rows if (row["seed"], row["series"]) == ("3", "E")}
    assert first["60"] > first["240"]

    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(call) == 0
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_in_the_folder_of_results_by_default(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["theory", "--quick"]) == 0
    assert (tmp_path / "results" / "theory.md").read_text(encoding="utf-8") == capsys.readouterr().out
    assert "over 3 pairs" in (tmp_path / "results" / "theory.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("option", "value"), [("--replicates", "0"), ("--seed", "-1")])
def test_mistakes_in_calls_are_refused(option, value, capsys):
    with pytest.raises(SystemExit):
        main(["theory", f"{option}={value}"])
    assert f"argument {option}: must be a whole number of at least" in capsys.readouterr().err

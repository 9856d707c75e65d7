# SPDX-License-Identifier: BSD-3-Clause
"""Functions against the golden values of the C++ tests, one engine against the other, and their errors."""

import csv
import doctest
import inspect
import pickle
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dyad
from dyad import _core, _functions

GOLDEN = Path(__file__).parents[2] / "tests/data/golden"


def golden(name):
    with open(GOLDEN / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def number(row, *columns):
    return np.array([float(row[column]) for column in columns])


def samples(name, *columns):
    rows = defaultdict(list)
    for row in golden(name):
        rows[row["sample"]].append(number(row, *columns))
    return {sample: np.array(values) for sample, values in rows.items()}


SAMPLES_1D = samples("inputs_1d", "x")
SAMPLES_2D = samples("inputs_2d", "x", "y")


def screening_data(n=400, d=5):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d))
    y = np.where(np.arange(n) % 2, "yes", "no")
    X[y == "yes", 2] += X[y == "yes", 0]
    return X, y


# --- bandwidth ---


@pytest.mark.parametrize("row", golden("bandwidths_1d"), ids=lambda row: row["sample"])
def test_bandwidth_of_one_feature_matches_the_golden_values(row):
    x = SAMPLES_1D[row["sample"]][:, 0]
    column = "dpi_exact_stdev" if float(row["iqr"]) == 0 else "dpi_exact"
    assert_allclose(dyad.bandwidth(x), float(row[column]), rtol=1e-9)
    assert_allclose(dyad.bandwidth(x[:, None], "normal_scale"), float(row["hns"]), rtol=1e-12)


@pytest.mark.parametrize(
    "row",
    [row for row in golden("hpi2d_stages") if row["variant"] == "as_formula"],
    ids=lambda row: row["sample"],
)
def test_bandwidth_of_two_features_matches_the_golden_values(row):
    H11, H12, H22 = number(row, "H11", "H12", "H22")
    H = dyad.bandwidth(SAMPLES_2D[row["sample"]])
    assert_allclose(H, [[H11, H12], [H12, H22]], atol=1e-5 * np.sqrt(H11 * H22), rtol=1e-5)


@pytest.mark.parametrize("sample", ["corr08_600", "banana_1000"])
def test_bandwidths_of_the_engines_agree(sample):
    x = SAMPLES_2D[sample]
    assert_allclose(dyad.bandwidth(x[:, 0], engine="counts"), dyad.bandwidth(x[:, 0]), rtol=0.02)
    H = dyad.bandwidth(x)
    assert_allclose(dyad.bandwidth(x, engine="counts"), H, atol=0.03 * np.sqrt(H[0, 0] * H[1, 1]))


def test_diagonal_bandwidth_is_diagonal():
    H = dyad.bandwidth(SAMPLES_2D["corr08_200"], "plug_in_diagonal")
    assert H[0, 1] == H[1, 0] == 0
    assert np.all(np.diag(H) > 0)


# --- densities ---


def test_density_of_one_feature_matches_the_golden_values():
    for row in golden("kde_1d"):
        if float(row["kde_exact"]) < 1e-290:
            continue
        density = dyad.Density(SAMPLES_1D[row["sample"]], float(row["h"]), engine="exact")
        assert_allclose(
            density.log_density([float(row["x"])]), float(row["log_exact"]), rtol=1e-10, atol=1e-10
        )


def test_density_of_two_features_matches_the_golden_values():
    bandwidths = {
        row["sample"]: number(row, "H11", "H12", "H12", "H22").reshape(2, 2)
        for row in golden("bandwidths_2d")
        if row["method"] == "Hpi" and row["is_default"] == "TRUE"
    }
    points = samples("kde_2d", "x", "y", "log_exact")
    for sample, rows in points.items():
        density = dyad.Density(SAMPLES_2D[sample], bandwidths[sample], engine="exact")
        assert_allclose(density.log_density(rows[:, :2]), rows[:, 2], rtol=1e-10)


@pytest.mark.parametrize("columns", [1, 2])
def test_densities_of_the_engines_agree(columns):
    x = SAMPLES_2D["banana_1000"][:, :columns]
    exact = dyad.Density(x, engine="exact")
    counts = dyad.Density(x, exact.bandwidth)
    assert_allclose(counts.bandwidth, exact.bandwidth, rtol=1e-6)
    assert_allclose(counts.log_density(x), exact.log_density(x), atol=0.03)


def test_density_takes_its_bandwidth_from_the_rule():
    x = SAMPLES_2D["corr08_200"]
    density = dyad.Density(x, rule="normal_scale", engine="exact")
    assert_allclose(density.bandwidth, dyad.bandwidth(x, "normal_scale"), rtol=1e-12)


@pytest.mark.parametrize("engine", ["counts", "exact"])
@pytest.mark.parametrize("bandwidth", [None, 0.3])
def test_density_survives_pickling(engine, bandwidth):
    x = SAMPLES_1D["bimodal_50"][:, 0]
    density = dyad.Density(x, bandwidth, engine=engine)
    again = pickle.loads(pickle.dumps(density))
    assert_array_equal(again.log_density(x), density.log_density(x))
    assert repr(again) == repr(density)


@pytest.mark.parametrize("bandwidth", [None, np.eye(2)])
def test_density_does_not_change_with_the_arrays_it_was_made_of(bandwidth):
    x = SAMPLES_2D["corr08_200"].copy()
    density = dyad.Density(x, bandwidth)
    points = x[:10].copy()
    expected = density.log_density(points)
    x += 1
    if bandwidth is not None:
        bandwidth *= 2
    assert_array_equal(pickle.loads(pickle.dumps(density)).log_density(points), expected)


def test_log_density_of_many_points_is_that_of_each():
    x = SAMPLES_2D["corr08_200"]
    points = np.random.default_rng(0).normal(size=(5000, 2))
    for engine in ("counts", "exact"):
        density = dyad.Density(x, engine=engine)
        parts = [density.log_density(part) for part in np.array_split(points, 7)]
        assert_allclose(density.log_density(points), np.concatenate(parts), rtol=1e-13)


# --- dependence ---


@pytest.mark.parametrize("row", golden("hsic"), ids=lambda row: row["sample"])
def test_hsic_matches_the_golden_values(row):
    x, y = SAMPLES_2D[row["sample"]].T
    exact = dyad.hsic(x, y, engine="exact")
    assert_allclose(exact.hsic, float(row["dHSIC"]), rtol=1e-10)
    assert_allclose(np.log(exact.p_value), np.log(float(row["gamma_pvalue"])), rtol=1e-6)
    counts = dyad.hsic(x, y)
    assert_allclose(counts.hsic, exact.hsic, rtol=0.02, atol=2e-5)


def test_hsic_by_permutation_finds_what_the_approximation_finds():
    x, y = SAMPLES_2D["indep_200"].T
    gamma = dyad.hsic(x, y)
    permuted = dyad.hsic(x, y, p_value="permutation", permutations=400, random_state=5)
    assert permuted == dyad.hsic(x, y, p_value="permutation", permutations=400, random_state=5)
    assert permuted.hsic == gamma.hsic
    assert abs(permuted.p_value - gamma.p_value) < 0.1


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_hsic_matrix_holds_the_hsic_of_each_pair(engine):
    X, _ = screening_data()
    matrix = dyad.hsic_matrix(X, engine=engine, n_jobs=2)
    assert_array_equal(matrix, matrix.T)
    assert_array_equal(matrix, dyad.hsic_matrix(np.asfortranarray(X), engine=engine))
    for i in range(X.shape[1]):
        for j in range(X.shape[1]):
            assert_allclose(matrix[i, j], dyad.hsic(X[:, i], X[:, j], engine=engine).hsic, rtol=1e-5)


@pytest.mark.parametrize("row", golden("cmi"), ids=lambda row: row["sample"])
def test_mutual_information_matches_the_golden_values(row):
    x, y = SAMPLES_2D[row["sample"]].T
    bandwidths = tuple(number(row, "hx", "hy"))
    raw = dyad.mutual_information(x, y, bandwidths=bandwidths)
    assert_allclose(raw, float(row["mi"]), rtol=1e-10)
    corrected = dyad.mutual_information(x, y, bandwidths=bandwidths, corrected=True)
    assert_allclose(corrected, float(row["bcmi"]), rtol=1e-10, atol=1e-11)


def test_mutual_information_chooses_its_bandwidths():
    x, y = SAMPLES_2D["corr08_600"].T
    unrelated = dyad.mutual_information(x, y[::-1].copy(), corrected=True)
    assert dyad.mutual_information(x, y, corrected=True) > 5 * unrelated


# --- screening ---


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_screen_scores_each_class_on_its_own(engine):
    X, y = screening_data()
    result = dyad.screen(X, y, engine=engine)
    assert len(result) == 2 * 10
    assert_array_equal(result.label[[0, 10]], ["no", "yes"])
    for k in range(len(result)):
        rows = X[y == result.label[k]]
        expected = dyad.hsic(rows[:, result.i[k]], rows[:, result.j[k]], engine=engine)
        assert_allclose([result.hsic[k], result.p_value[k]], expected, rtol=1e-8)
    found = result[result.kept]
    assert [(found.label[0], found.i[0], found.j[0])] == [("yes", 0, 2)]
    assert_array_equal(result.kept, result.q_value <= 0.05)


def test_screen_takes_tables_and_gives_a_frame():
    X, y = screening_data()
    names = ["a", "b", "c", "d", "e"]
    table = pd.DataFrame(X, columns=names)
    frame = dyad.screen(table, pd.Series(y)).to_frame()
    assert list(frame.columns) == ["class", "i", "j", "hsic", "p", "q", "kept"]
    assert frame.loc[frame.kept, ["class", "i", "j"]].to_numpy().tolist() == [["yes", "a", "c"]]
    for other in (pl.from_pandas(table), pa.Table.from_pandas(table)):
        pd.testing.assert_frame_equal(dyad.screen(other, y).to_frame(), frame)


def test_screening_can_be_sorted_cut_and_read():
    X, y = screening_data()
    result = dyad.screen(X, y)
    strongest = result.strongest(3)
    assert len(strongest) == 3
    assert_array_equal(strongest.hsic, np.sort(result.hsic)[::-1][:3])
    text = repr(result)
    assert text.startswith("Screening: 1 of 20 pairs kept\n  x0, x2 | yes")
    assert len(text.splitlines()) == 12
    assert len(result[4]) == 1


def test_screenings_are_told_apart_by_identity():
    X, y = screening_data(n=60)
    one, other = dyad.screen(X, y), dyad.screen(X, y)
    assert one == one and one != other
    assert len({one, other}) == 2


def test_screen_by_permutation():
    X, y = screening_data(n=120)
    options = {"p_value": "permutation", "permutations": 99, "random_state": 7}
    result = dyad.screen(X, y, **options, n_jobs=2)
    assert_array_equal(result.p_value, dyad.screen(X, y, **options).p_value)
    assert_allclose(result.p_value * 100, np.round(result.p_value * 100), atol=1e-9)


def test_screen_has_the_defaults_of_the_library():
    ours = {
        {"random_state": "seed"}.get(name, name): parameter.default
        for name, parameter in inspect.signature(dyad.screen).parameters.items()
        if name not in ("X", "y", "n_jobs")
    }
    assert ours == _core.default_screen_options()


# --- errors ---

LINE = np.arange(10.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dyad.bandwidth(np.ones((5, 3))), "one or two columns, got 3"),
        (lambda: dyad.bandwidth([1.0, np.nan]), "NaN"),
        (lambda: dyad.bandwidth([]), "0 sample"),
        (lambda: dyad.bandwidth(LINE, rule="best"), "no such value 'best'; choose from plug_in"),
        (lambda: dyad.bandwidth(LINE, engine="fast"), "engine: no such value 'fast'"),
        (lambda: dyad.Density(LINE, 0.0), "bandwidth must be"),
        (lambda: dyad.Density(LINE, 0.0, engine="exact"), "bandwidth"),
        (lambda: dyad.Density(np.ones((5, 2)), 0.3), "2 x 2 matrix"),
        (lambda: dyad.Density(np.ones((5, 2)), [[1, 0.5], [0, 1]]), "not symmetric"),
        (lambda: dyad.Density(np.ones((5, 2)), [[1, 2], [2, 1]]), "not positive definite"),
        (lambda: dyad.Density(LINE).log_density(np.ones((2, 2))), "expected 1 columns, got 2"),
        (lambda: dyad.Density(LINE).log_density([np.inf]), "infinity"),
        (lambda: dyad.hsic(LINE, LINE[:-1]), "inconsistent numbers of samples"),
        (lambda: dyad.hsic(LINE, LINE[:, None]), "y must have one dimension"),
        (lambda: dyad.hsic(LINE, LINE, p_value="exact"), "'gamma' or 'permutation'"),
        (lambda: dyad.hsic(LINE, LINE, permutations=0), "permutations == 0, must be >= 1"),
        (lambda: dyad.hsic_matrix(LINE), "2D array"),
        (lambda: dyad.mutual_information(LINE, LINE, bandwidths=(1, 0)), "positive and finite"),
        (lambda: dyad.mutual_information(LINE, LINE, bandwidths=1.0), "bandwidths must be two numbers"),
        (lambda: dyad.mutual_information(LINE, LINE, bandwidths=(1, np.inf)), "positive and finite"),
        (lambda: dyad.screen(np.ones((4, 1)), [0, 0, 1, 1]), "at least two features"),
        (lambda: dyad.screen(np.ones((4, 2)), [0, 0, 0, 0]), "only one class"),
        (lambda: dyad.screen(np.ones((4, 2)), [0, 1]), "inconsistent numbers of samples: 4 and 2"),
        (lambda: dyad.screen(np.ones((4, 2)), None), "screen requires y"),
        (lambda: dyad.screen(np.ones((2, 2)), pl.Series(["a", None])), "NaN or null in row 1"),
        (lambda: dyad.screen(np.ones((4, 2)), [0.5, 1.2, 3.3, 0.1]), "continuous"),
        (lambda: dyad.screen(np.ones((4, 2)), [0, 0, 1, 1], fdr=2), "fdr must be between 0 and 1, got 2"),
        (
            lambda: dyad.screen(pd.DataFrame({"a": ["u", "v"], "b": [1, 2]}), [0, 1], engine="exact"),
            "'a' is categorical",
        ),
    ],
)
def test_mistakes_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_mistakes_are_told_before_the_work():
    x = np.random.default_rng(0).normal(size=200_000)
    with pytest.raises(ValueError, match="'gamma' or 'permutation'"):
        dyad.hsic(x, x, engine="exact", p_value="exact")  # would take minutes


def test_lazy_frames_are_told_to_be_collected():
    with pytest.raises(TypeError, match="collect"):
        dyad.hsic_matrix(pl.LazyFrame({"a": LINE, "b": LINE}))


def test_examples_run():
    assert doctest.testmod(_functions).failed == 0

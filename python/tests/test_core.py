# SPDX-License-Identifier: BSD-3-Clause
"""What the extension module promises: layouts, memory, threads, fork, interrupts, progress, errors."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dyad import _core


def sample(n=400, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (np.arange(n) % 2).astype(np.int32)
    X[y == 1, 1] += X[y == 1, 0]
    return X.astype(np.float32).astype(np.float64), y  # numbers that float32 holds too


def fit(X, y, options=None, **more):
    n_classes = int(y.max()) + 1
    names = {"features": [f"x{j}" for j in range(X.shape[1])], "classes": [str(c) for c in range(n_classes)]}
    return _core.fit(X, y, n_classes, options or {}, **names, **more)


@pytest.fixture(scope="module")
def model():
    return fit(*sample())


# --- arrays ---

LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float32 Fortran": lambda X: np.asfortranarray(X, dtype=np.float32),
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "part of a Fortran array": lambda X: np.asfortranarray(np.vstack([X, X]))[: len(X)],
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_types_do_not_matter(model, layout):
    X, y = sample()
    laid_out = LAYOUTS[layout](X)
    assert_array_equal(laid_out, X)
    assert fit(laid_out, y).to_bytes() == model.to_bytes()
    assert_array_equal(model.scores(laid_out), model.scores(X))
    assert_array_equal(model.term_values(laid_out), model.term_values(X))


def test_many_rows_are_read_in_parts(model):
    X, _ = sample(n=40_000, seed=1)
    assert_array_equal(model.scores(X), model.scores(np.asfortranarray(X)))
    X[33_333, 2] = np.inf
    for rows in (X, np.asfortranarray(X)):
        with pytest.raises(ValueError, match="row 33333, column 2 is inf"):
            model.scores(rows)
    X[33_333, 2] = np.nan
    assert_array_equal(model.scores(X), model.scores(np.asfortranarray(X)))
    assert np.isfinite(model.scores(X)).all()


def test_many_rows_are_fitted_in_any_layout():
    """They are copied in parts of a million values."""
    X, y = sample(n=300_000)
    fitted = [fit(LAYOUTS[layout](X), y, {"method": "nb"}).to_bytes() for layout in LAYOUTS]
    assert set(fitted) == {fitted[0]}
    X[299_999, 1] = np.inf
    with pytest.raises(ValueError, match="X: row 299999, column 1 is inf"):
        fit(X, y, {"method": "nb"})


def test_no_rows_have_no_scores(model):
    assert model.scores(np.empty((0, 4))).shape == (0, 1)
    assert model.term_values(np.empty((0, 4))).shape == (0, len(model.terms))


MEMORY = """
import resource, sys
import numpy as np
from dyad import _core
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
n, d = 1_000_000, 20
rows = np.random.default_rng(0).random((d, n) if sys.argv[1] == "F" else (n, d), dtype=sys.argv[2])
X = rows.T if sys.argv[1] == "F" else rows
y = (np.arange(400) % 2).astype(np.int32)
model = _core.fit(X[:400], y, 2, {"method": "nb"}, features=[str(j) for j in range(d)], classes=["0", "1"])
before = peak()
model.scores(X, 1)
print(peak() - before)
"""


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_scored_where_they_lie(layout, dtype):
    command = [sys.executable, "-c", MEMORY, layout, dtype]
    growth = float(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)
    assert growth < 30  # MiB: X has 80 or 160, its scores 8


# --- models ---


def test_model_tells_what_it_is(model):
    assert (model.n_features, model.features, model.classes) == (4, ["x0", "x1", "x2", "x3"], ["0", "1"])
    assert model.method == "slb"
    assert model.options == _core.default_options()
    assert model.class_rows == [200, 200]
    assert model.terms[:12] == [(c, j, j) for c in (-1, 0, 1) for j in range(4)]
    assert model.curves == ["asinh"] * 4
    losses = [loss for _, _, _, loss, _ in model.settings]
    assert losses == sorted(losses)
    assert sum(averaged for *_, averaged in model.settings) == 1
    n_terms = len(model.terms)
    assert model.weights.shape == (1, n_terms)
    assert model.centres.shape == (n_terms,)
    assert model.intercepts.shape == (1,)
    assert model.report["converged"]
    assert 0 < model.report["seconds"]["svm"] < model.report["seconds"]["total"]


def test_scores_are_weighted_centred_terms(model):
    X, _ = sample(seed=1)
    scores = (model.term_values(X) - model.centres) @ model.weights.T + model.intercepts
    np.testing.assert_allclose(model.scores(X), scores, atol=1e-12)
    assert_array_equal(model.classify(scores), (scores[:, 0] > 0).astype(np.int32))
    np.testing.assert_allclose(model.probabilities(scores).sum(axis=1), 1)


def test_models_are_saved_loaded_and_pickled(model, tmp_path):
    path = str(tmp_path / "model.dyad")
    model.save(path)
    copies = [
        _core.Model.load(path),
        _core.Model.from_bytes(model.to_bytes()),
        pickle.loads(pickle.dumps(model)),
    ]
    for again in copies:
        assert again.to_bytes() == model.to_bytes()
        assert again.report == {}


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_term_values_are_those_of_coordinates(engine):
    X, y = sample()
    X[:, 2] = np.exp(3 * X[:, 2])
    options = {"engine": engine, "settings": "best", "linear_terms": False}
    model = fit(X, y, options)
    assert model.curves == ["asinh", "asinh", "log", "asinh"]
    scores = (model.term_values(X) - model.centres) @ model.weights.T + model.intercepts
    np.testing.assert_allclose(model.scores(X), scores, atol=1e-12)
    linear = fit(X, y, {"engine": engine})
    z = linear.term_values(X)[:, [place[0] for place in linear.terms].index(-1) + 2]
    np.testing.assert_allclose(
        z, (np.log(X[:, 2]) - np.log(X[:, 2]).mean()) / np.log(X[:, 2]).std(), rtol=0.01
    )


def test_options_left_out_are_as_the_preset_says():
    assert _core.default_options() == _core.default_options({"preset": "auto", "method": "slb"})
    paper = _core.default_options({"preset": "paper", "method": "lu", "C": 3})
    assert (paper["transform"], paper["linear_terms"], paper["method"], paper["C"]) == (
        "none",
        False,
        "lu",
        3,
    )
    with pytest.raises(ValueError, match="C requires method=slb, slb- or lu, got nb"):
        _core.default_options({"method": "nb", "C": 3})
    assert _core.default_options({"optimise": "error"})["priors"] == "estimated"


def test_terms_alone():
    X, y = sample()
    model = fit(X, y, {"preset": "paper"})
    names = {"features": model.features, "classes": model.classes}
    chosen = _core.fit_terms(X, y, 2, {"preset": "paper"}, **names)
    assert chosen.terms == model.terms
    assert_array_equal(chosen.term_values(X), model.term_values(X))
    given = _core.fit_terms(X, y, 2, {"preset": "paper", "engine": "exact"}, pairs=[(1, 0, 3)], **names)
    assert given.terms[8:] == [(1, 0, 3)]
    assert_array_equal(pickle.loads(pickle.dumps(given)).scores(X), np.zeros((400, 1)))


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_hsic_of_pairs_is_that_of_their_classes(engine):
    X, y = sample()
    model = fit(X, y, {"preset": "paper", "engine": engine, "pairs": "count", "n_pairs": 3})
    pairs = [place for place in model.terms if place[1] != place[2]]
    expected = [_core.hsic(X[y == c, i], X[y == c, j], engine)[0] for c, i, j in pairs]
    np.testing.assert_allclose(model.pair_hsic(X, y), expected, rtol=1e-5)
    np.testing.assert_allclose(model.report["hsic"], model.pair_hsic(X, y), rtol=1e-9)
    doubled = model.pair_hsic(X, y, np.full(len(X), 2.0))
    np.testing.assert_allclose(doubled, model.pair_hsic(np.vstack([X, X]), np.hstack([y, y])), rtol=1e-12)


@pytest.mark.parametrize("preset", ["auto", "paper"])
@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_hsic_of_pairs_is_the_one_that_the_fit_saw(engine, preset):
    X, y = sample()
    weights = np.random.default_rng(0).integers(1, 60 if engine == "counts" else 4, len(y)).astype(float)
    X[100:200] = X[:100]
    options = {"preset": preset, "engine": engine, "pairs": "count", "n_pairs": 3}
    model = fit(X, y, options, sample_weight=weights)
    np.testing.assert_allclose(model.pair_hsic(X, y, weights), model.report["hsic"], rtol=1e-12)


# --- threads and processes ---


@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_results_do_not_depend_on_threads(engine):
    X, y = sample(n=150)
    one, two = (fit(X, y, {"engine": engine}, n_threads=n) for n in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    assert_array_equal(one.scores(X, 1), one.scores(X, 3))


def test_threads_share_a_model(model):
    X, _ = sample(n=20_000, seed=2)
    expected = model.scores(X)
    with ThreadPoolExecutor(4) as pool:
        for scores in pool.map(lambda _: model.scores(X, 1), range(16)):
            assert_array_equal(scores, expected)


def test_others_run_during_a_fit():
    """The GIL is not held: a Python thread keeps counting while another one fits."""
    X, y = sample(n=800, d=8)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    fit(X, y, {"engine": "exact"}, n_threads=1)
    elapsed = time.perf_counter() - start
    done.set()
    counter.join()
    assert counted[0] > 50 * elapsed


def test_fits_in_threads_are_the_same_as_one_after_the_other():
    samples = [sample(seed=seed) for seed in range(6)]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda data: fit(*data, n_threads=2).to_bytes(), samples))
    assert together == [fit(*data).to_bytes() for data in samples]


def test_fork_after_fit(model):
    X, y = sample(seed=4)
    expected = fit(X, y).to_bytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if fit(X, y).to_bytes() == expected and len(model.scores(X)) == len(X) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# --- interrupts and progress ---

LONG = {"preset": "paper", "engine": "exact"}


# Of the exact engine, on a million rows; each takes half a minute or more.
LONG_CALLS = {
    "fit": lambda model, X: fit(*sample(n=4000, d=30), LONG),
    "scores": lambda model, X: model.scores(X, 1),
    "scores of columns": lambda model, X: model.scores(np.asfortranarray(X), 1),
    "term values": lambda model, X: model.term_values(X, 1),
    "term values of columns": lambda model, X: model.term_values(np.asfortranarray(X), 1),
    "hsic": lambda model, X: _core.hsic(X[:100_000, 0], X[:100_000, 1], "exact"),
    "log density": lambda model, X: _core.Density(X[:9999, :1], np.eye(1), engine="exact").log_density(
        X[:, :1]
    ),
    "importances": lambda model, X: _core.importances(model, X, most_rows=10**6, n_threads=1),
    "flips": lambda model, X: _core.flips(model, X, 1),
}


@pytest.mark.parametrize("name", LONG_CALLS)
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_long_calls(name):
    X, y = sample(n=2000)
    model = fit(X, y, {"engine": "exact", "method": "nb", "bandwidth": "normal_scale"})
    many = np.tile(X, (500, 1))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        LONG_CALLS[name](model, many)
    assert time.perf_counter() - start < 5


def test_progress_is_told_from_the_calling_thread():
    calls = []
    caller = threading.get_ident()

    def progress(step, done, total):
        assert threading.get_ident() == caller
        calls.append((step, done, total))

    X, y = sample(n=600, d=8)
    silent = fit(X, y, LONG)
    start = time.perf_counter()
    assert fit(X, y, LONG, progress=progress).to_bytes() == silent.to_bytes()
    elapsed = time.perf_counter() - start
    assert 1 <= len(calls) <= 1 + elapsed / 0.05  # the latest, twenty times a second and in the end
    assert all(0 < done <= total for _, done, total in calls)
    assert calls[-1][1] == calls[-1][2]


def test_errors_of_the_progress_function_end_a_fit():
    X, y = sample(n=4000, d=30)
    start = time.perf_counter()
    with pytest.raises(ZeroDivisionError):
        fit(X, y, LONG, progress=lambda *_: 1 / 0)
    assert time.perf_counter() - start < 5


# --- errors ---


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"grid": 3}, ValueError, "grid must be between 16 and 128, got 3"),
        ({"grid": 64.5}, TypeError, "grid must be an integer, got 64.5"),
        ({"grid": True}, TypeError, "grid must be an integer, got True"),
        ({"grid": 10**30}, ValueError, "grid must be between 16 and 128"),
        ({"C": "1"}, TypeError, "C must be a number, got '1'"),
        ({"C": float("nan")}, ValueError, "C must be greater than 0"),
        ({"method": "svm"}, ValueError, "no such value 'svm'; choose from slb, slb-"),
        ({"method": 1}, TypeError, "method must be a string"),
        ({"seed": -1}, ValueError, "seed must be between 0"),
        ({"linear_terms": 1}, TypeError, "linear_terms must be True or False, got 1"),
        ({"preset": "best"}, ValueError, "no such value 'best'; choose from auto, paper"),
        ({"transform": "none"}, ValueError, "prior_rows requires transform=standard or robust, got none"),
        ({"colour": "red"}, ValueError, "no such option: 'colour'"),
    ],
)
def test_wrong_options_are_told(options, error, message):
    with pytest.raises(error, match=message):
        fit(*sample(), options)


def test_numbers_of_numpy_are_numbers():
    options = {"floor": np.float32(0.5), "grid": np.int64(64), "prior_rows": 1}
    assert {name: fit(*sample(), options).options[name] for name in options} == {
        "floor": 0.5,
        "grid": 64,
        "prior_rows": 1,
    }


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X, y: fit(X.astype(int), y), TypeError, "float32 or float64"),
        (lambda X, y: fit(X, y[:-1]), ValueError, "y: expected one for each of 400 rows, got 399"),
        (
            lambda X, y: fit(np.where(X > 2, np.inf, X), y),
            ValueError,
            r"column \d is inf; values must be finite",
        ),
        (lambda X, y: fit(X, np.where(y == 0, -1, y).astype(np.int32)), ValueError, "no class -1 of 2"),
        (
            lambda X, y: fit(X, y, sample_weight=np.ones(3)),
            ValueError,
            "sample_weight: expected one for each",
        ),
        (lambda X, y: fit(X, y, sample_weight=-np.ones(400)), ValueError, "weight of row 1 must be"),
        (lambda X, y: fit(X, y, splits=[(np.array([0]), np.array([400]))]), ValueError, "row 400 of 400"),
        (lambda X, y: fit(X, y, n_threads=-1), ValueError, "threads"),
        (lambda X, y: fit(X, y).scores(X[:, :3]), ValueError, "4 features, got rows of 3"),
        (lambda X, y: fit(X, y).classify(X), ValueError, "1 scores a row, got 4"),
        (lambda X, y: _core.Model.from_bytes(b"nothing"), ValueError, "not a dyad model file"),
    ],
)
def test_mistakes_are_told(change, error, message):
    with pytest.raises(error, match=message):
        change(*sample())


def test_errors_of_files_are_those_of_python(model, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for path, error in (
        (tmp_path / "absent" / "model", FileNotFoundError),
        (tmp_path, IsADirectoryError),
        (file / "model", NotADirectoryError),
    ):
        for call in (model.save, _core.Model.load):
            with pytest.raises(error) as raised:
                call(str(path))
            with pytest.raises(error) as of_python:
                path.read_text()
            assert str(raised.value) == str(of_python.value)
            assert (raised.value.errno, raised.value.filename) == (of_python.value.errno, str(path))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_told(model):
    with pytest.raises(OSError, match="/dev/full") as raised:
        model.save("/dev/full")
    assert raised.value.errno == errno.ENOSPC


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_missing_permissions_are_told(model, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        model.save(str(tmp_path / "model"))

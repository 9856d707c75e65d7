# SPDX-License-Identifier: BSD-3-Clause
"""Limits of time, callbacks and Ctrl-C in fits."""

import functools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from sklearn.base import clone
from test_model_files import PROGRAM

import dyad
from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    y = rng.integers(2, size=500)
    X[:, 1] += X[:, 0] * y
    return X, y


def many_rows(rows):
    """A table whose fit takes some time, so that the core calls back before it ends."""
    X = np.tile(rows[0], (40, 5)) + np.random.default_rng(1).normal(size=(20000, 30))
    return X, np.tile(rows[1], 40)


def ended_by(model):
    return [line for line in model.describe().splitlines() if "was ended by" in line]


def of_chunks(model, X, y):
    return model.fit_chunks([(X[:200], y[:200]), (X[200:], y[200:])])


def by_plan(model, X, y):
    counts = dyad.State(sample_rows=300).update(X, y).plan(model)
    return counts.update(X, y).finalize(clone(model))


@pytest.mark.parametrize("fit", [SLBClassifier.fit, of_chunks, by_plan])
def test_a_short_limit_ends_the_search_and_a_long_one_does_not(rows, fit):
    X, y = rows
    short = fit(SLBClassifier(max_seconds=1e-6), X, y)
    assert "was ended by max_seconds 1e-06" in ended_by(short)[0]
    long = fit(SLBClassifier(max_seconds=1e6), X, y)
    assert ended_by(long) == []
    assert len(short.settings_) < len(long.settings_)
    assert (short.predict(X) == y).mean() > 0.55
    assert long._model.to_bytes() == fit(SLBClassifier(), X, y)._model.to_bytes()


@pytest.mark.parametrize("seconds", [0, -1, "2", np.nan])
def test_a_limit_is_a_positive_number(rows, seconds):
    with pytest.raises((TypeError, ValueError), match="max_seconds"):
        SLBClassifier(max_seconds=seconds).fit(*rows)


@pytest.mark.parametrize(
    "estimator", [SLBClassifier(), LUClassifier(), NaiveBayesKDE(), TANClassifier(), LogDensityTransformer()]
)
def test_every_estimator_calls_back_from_the_thread_of_the_fit(rows, estimator):
    calls = []

    def note(step, done, total):
        assert threading.current_thread() is threading.main_thread()
        calls.append((step, done, total))

    clone(estimator).set_params(callback=note).fit(*rows)
    assert calls
    for step, done, total in calls:
        assert isinstance(step, str) and (total is None or 0 < done <= total)


def test_stop_iteration_ends_the_search_and_other_exceptions_the_fit(rows):
    def enough(*_):
        raise StopIteration

    model = SLBClassifier(callback=enough).fit(*many_rows(rows))
    assert "was ended by callback" in ended_by(model)[0]
    before = vars(model).copy()

    def fail(*_):
        raise RuntimeError("this is what it raised")

    with pytest.raises(RuntimeError, match="this is what it raised"):
        model.set_params(callback=fail).fit(*rows)
    assert vars(model).keys() == before.keys() and model._model is before["_model"]


def test_what_callbacks_return_is_ignored_and_they_must_be_functions(rows):
    model = SLBClassifier(callback=lambda *_: True).fit(*rows)
    assert ended_by(model) == []
    with pytest.raises(TypeError, match="callback: expected a function, got int"):
        SLBClassifier(callback=3).fit(*rows)


def test_chunks_are_told_and_ended_in_the_same_way(rows):
    calls = []

    def enough(step, done, total):
        calls.append(step)
        raise StopIteration

    X, y = many_rows(rows)
    model = of_chunks(SLBClassifier(callback=enough), X, y)
    assert calls[0] == "survey"
    assert len(calls) == len(set(calls)) == 2  # each pass has one call
    assert "was ended by callback" in ended_by(model)[0]


def test_limits_are_parameters_like_others(rows, tmp_path):
    model = SLBClassifier(max_seconds=3.5, callback=print)
    assert clone(model).get_params()["callback"] is print
    assert pickle.loads(pickle.dumps(model.fit(*rows))).max_seconds == 3.5
    model.save(tmp_path / "model.dyad")
    assert SLBClassifier.load(tmp_path / "model.dyad").max_seconds is None


# Tables with the longest steps that there are, of the regression and of the products of many terms.
LONG_STEPS = {"many rows": (300_000, 20, {}), "many terms": (2400, 120, {"pairs": "all"})}
SHARES = [0.1, 0.3, 0.5, 0.7, 0.9]


@functools.cache
def long_fit(name):
    """A function that fits, and the seconds that it takes."""
    n, d, params = LONG_STEPS[name]
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(2, size=n)
    model = SLBClassifier(n_jobs=2, **params)
    start = time.perf_counter()
    model.fit(X, y)
    return lambda: model.fit(X, y), time.perf_counter() - start


@pytest.mark.slow
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", LONG_STEPS)
def test_ctrl_c_ends_a_fit_whose_steps_are_long_soon(name, share):
    """One step takes longer than 0.2 s: it looks for Ctrl-C within.

    Two threads that compute until they see it take 0.3 s of processors, whatever else the machine does; the
    thread that waits for them looks every 0.05 s.
    """
    fit, seconds = long_fit(name)
    sent = []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(share * seconds, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fit()
        timer.join()  # a faster fit than the first
    assert time.process_time() - sent[0] < 0.3


# --- the program ---


def program(*arguments):
    """Runs the program; returns its exit code, what it printed and what it said."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_program_limits_fits(tmp_path):
    table, note = ROOT / "examples" / "stars.csv", "--max-seconds ended the search for better settings"
    fit = ["fit", table, "--label", "kind", "-o"]
    for name, more in {"usual": [], "long": ["--max-seconds", 1e6], "short": ["--max-seconds", 1e-6]}.items():
        code, _, said = program(*fit, tmp_path / name, *more)
        assert code == 0 and (note in said) == (name == "short")
    assert (tmp_path / "long").read_bytes() == (tmp_path / "usual").read_bytes()
    assert "was ended by max_seconds 1e-06: the model is the best" in program("info", tmp_path / "short")[1]
    assert note in program("cv", table, "--label", "kind", "--max-seconds", 1e-6)[2]
    code, _, said = program(*fit, tmp_path / "m", "--method", "nb", "--max-seconds", 1)
    assert code == 2 and "max_seconds requires method=slb, slb- or lu, got nb" in said
    code, _, said = program(*fit, tmp_path / "m", "--max-seconds", 0)
    assert code == 2 and "--max-seconds: must be greater than 0" in said


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def running_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("share", SHARES)
def test_ctrl_c_ends_the_program_soon(share, tmp_path):
    n, d, _ = LONG_STEPS["many terms"]
    rng = np.random.default_rng(0)
    rows = np.hstack([rng.normal(size=(n, d)), rng.integers(2, size=(n, 1))])
    names = ",".join([*(f"x{j}" for j in range(d)), "y"])
    np.savetxt(tmp_path / "rows.csv", rows, "%.4g", ",", header=names, comments="")
    arguments = ["fit", "rows.csv", "--label", "y", "--method", "slb-", "--threads", "2", "-o", "m"]
    start = time.perf_counter()
    subprocess.run([PROGRAM, *arguments], cwd=tmp_path, capture_output=True, check=True)
    seconds = time.perf_counter() - start
    (tmp_path / "m").unlink()
    before = children_seconds()
    process = subprocess.Popen([PROGRAM, *arguments], cwd=tmp_path, stderr=subprocess.PIPE)
    time.sleep(share * seconds)
    sent = running_seconds(process)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    if process.returncode == 0:
        pytest.skip("faster than the fit before")
    assert (process.returncode, said) == (130, b"dyad: interrupted\n")
    assert not (tmp_path / "m").exists()
    assert children_seconds() - before - sent < 0.3

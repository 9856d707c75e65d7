# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers on a cluster of four processes."""

import contextlib
import functools
import importlib
import os
import signal

import numpy as np
import pandas as pd
import pytest

import dyad

delayed = pytest.importorskip("dask").delayed
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dyad_dask = pytest.importorskip("dyad.dask")


@contextlib.contextmanager
def four_workers(folder):
    """A client of a new cluster."""
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=folder
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with four_workers(tmp_path_factory.mktemp("cluster")) as client:
        yield client


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, 4))
    X[:, 1] = 0.5 * X[:, 1] + (y - 1) * X[:, 0]
    X[:, 3] += 0.3 * y
    return X, y


def on_one_machine(X, y, **parameters):
    return dyad.SLBClassifier(**parameters).fit_chunks((X, y))


N = 250_000  # more than a sample of four features has


@pytest.fixture(scope="module")
def table():
    return rows(N)


@pytest.fixture(scope="module")
def one_machine(table):
    return on_one_machine(*table)


def test_arrays_give_the_model_of_one_machine(client, table, one_machine):
    X, y = table
    new, _ = rows(5000, seed=1)
    fitted = dyad_dask.SLBClassifier().fit(
        da.from_array(X, chunks=(30_000, 2)), da.from_array(y, chunks=41_000)
    )
    assert fitted.pairs_ == one_machine.pairs_
    np.testing.assert_array_equal(fitted.decision_function(new), one_machine.decision_function(new))
    lazy = da.from_array(new, chunks=(1500, 4))
    for method in ("predict", "predict_proba", "decision_function"):
        answer = getattr(fitted, method)(lazy)
        assert isinstance(answer, da.Array)
        assert answer.shape == getattr(one_machine, method)(new).shape
        np.testing.assert_array_equal(answer.compute(), getattr(one_machine, method)(new))


def test_data_frames_give_it_too(client, table, one_machine):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["y"] = y
    frame["weight"] = 1
    parts = dd.from_pandas(frame, npartitions=7)
    fitted = dyad_dask.SLBClassifier().fit(parts[list("abcd")], parts["y"], sample_weight=parts["weight"])
    assert list(fitted.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(fitted.coef_, one_machine.coef_)
    new = frame[list("abcd")][:1000]
    predicted = fitted.predict(dd.from_pandas(new, npartitions=3))
    assert predicted.compute().tolist() == one_machine.predict(new.to_numpy()).tolist()
    probabilities = fitted.predict_proba(dd.from_pandas(new, npartitions=3)).compute()
    assert list(probabilities.columns) == [0, 1, 2]
    np.testing.assert_array_equal(probabilities, one_machine.predict_proba(new.to_numpy()))


def test_few_rows_are_fitted_as_in_memory(client):
    X, y = rows(2000)
    fitted = dyad_dask.NaiveBayesKDE().fit(da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300))
    np.testing.assert_array_equal(fitted.predict(X), dyad.NaiveBayesKDE().fit(X, y).predict(X))


def test_partitions_may_be_empty(client):
    X, y = rows(600)
    local = dyad.NaiveBayesKDE().fit(X, y)
    kept = np.arange(600) >= 300  # leaves the first chunks and partitions without rows
    lazy_X, lazy_y = da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=100)
    fitted = dyad_dask.NaiveBayesKDE().fit(lazy_X, lazy_y)
    some = lazy_X[da.from_array(kept, chunks=100)]
    for method in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(
            getattr(fitted, method)(some).compute(), getattr(local, method)(X[kept])
        )
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=6)
    some = frame.map_partitions(lambda part: part[part.index >= 300])
    fitted = dyad_dask.NaiveBayesKDE().fit(frame, dd.from_pandas(pd.Series(y), npartitions=6))
    for method in ("predict", "predict_proba"):
        np.testing.assert_array_equal(
            getattr(fitted, method)(some).compute(), getattr(local, method)(X[300:])
        )


@pytest.mark.parametrize(("kinds", "classes"), [((int, float), [0.0, 1.0]), ((int, bool), [0, 1])])
def test_labels_of_one_value_in_partitions_of_two_types_are_one_class(kinds, classes):
    X, y = rows(600)
    labels = (y == y[0]).astype(int)
    halves = [(X[:300], labels[:300].astype(kinds[0])), (X[300:], labels[300:].astype(kinds[1]))]
    parts = [pd.DataFrame(values, columns=list("abcd")).assign(y=of) for values, of in halves]
    table = dd.from_delayed([delayed(part) for part in parts], meta=parts[0], verify_meta=False)
    fitted = dyad_dask.NaiveBayesKDE().fit(table[list("abcd")], table["y"])
    expected = dyad.NaiveBayesKDE().fit(X, labels)
    assert fitted.classes_.tolist() == classes
    assert fitted.classes_.dtype == np.asarray(classes).dtype
    answers = fitted._local().predict_proba(pd.concat(parts)[list("abcd")])
    np.testing.assert_array_equal(answers, expected.predict_proba(X))


PHASES = {
    "survey": ("dyad.dask", "_survey"),
    "merge": ("dyad.dask", "_merge"),
    "plan": ("dyad._state", "State.plan"),
    "count": ("dyad.dask", "_count"),
}


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_a_worker_that_dies_changes_nothing(phase, client, table, one_machine, tmp_path):
    X, y = table
    died = tmp_path / "died"
    client.run(_die_once, *PHASES[phase], str(died))
    try:
        fitted = dyad_dask.SLBClassifier().fit(
            da.from_array(X, chunks=(25_000, 4)), da.from_array(y, chunks=25_000)
        )
    finally:
        client.run(_live, *PHASES[phase])
    assert died.exists()
    np.testing.assert_array_equal(fitted.coef_, one_machine.coef_)


@pytest.mark.slow
def test_workers_that_die_while_the_model_is_finished_change_nothing(
    table, one_machine, monkeypatch, tmp_path
):
    X, y = table
    finish = dyad_dask.SLBClassifier._fit_state
    killed = []

    def kill_and_finish(self, state):
        killed.extend(client.run(os.getpid).values())
        for process in killed:
            os.kill(process, signal.SIGKILL)
        return finish(self, state)

    monkeypatch.setattr(dyad_dask.SLBClassifier, "_fit_state", kill_and_finish)
    # A cluster of its own: Dask does not always restart workers that all die at once.
    with four_workers(tmp_path) as client:
        fitted = dyad_dask.SLBClassifier().fit(
            da.from_array(X, chunks=(50_000, 4)), da.from_array(y, chunks=50_000)
        )
    assert len(killed) == 4
    np.testing.assert_array_equal(fitted.coef_, one_machine.coef_)


def _place(module, name):
    """The object that has the last part of a name, and that part."""
    *path, last = name.split(".")
    return functools.reduce(getattr, path, importlib.import_module(module)), last


def _die_once(module, name, path):
    """Make a function of this worker kill it, if it is the first to make a file."""
    owner, last = _place(module, name)
    work = getattr(owner, last)

    @functools.wraps(work)
    def die_or_work(*arguments, **named):
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        return work(*arguments, **named)

    setattr(owner, last, die_or_work)


def _live(module, name):
    """Give back the function that `_die_once` took; a worker that was started since has it."""
    owner, last = _place(module, name)
    work = getattr(owner, last)
    setattr(owner, last, getattr(work, "__wrapped__", work))


def test_a_bad_row_is_named_by_its_partition(client):
    X, y = rows(3000)
    X[2100, 2] = np.inf
    with pytest.raises(ValueError, match=r"the partition whose first row is row 2000: .*infinity"):
        dyad_dask.SLBClassifier().fit(da.from_array(X, chunks=(1000, 4)), da.from_array(y, chunks=1000))
    with pytest.raises(TypeError, match="X must be a Dask array or data frame, got ndarray"):
        dyad_dask.SLBClassifier().fit(X, y)

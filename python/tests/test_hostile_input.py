# SPDX-License-Identifier: BSD-3-Clause
"""Input that is odd but allowed, and input that is refused with its cause."""

import os
import pickle
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import dyad
from dyad import NaiveBayesKDE, SLBClassifier, State, TANClassifier

DATA = Path(__file__).parent / "data"


@pytest.fixture
def packed():
    """Rows, labels and weights as fields of packed records: their steps are no multiples of 8 bytes."""
    rng = np.random.default_rng(0)
    records = np.zeros(200, dtype=[("mark", "i1"), ("x", "f8", (3,)), ("weight", "f8"), ("y", "i8")])
    records["x"] = rng.normal(size=(200, 3))
    records["weight"] = rng.integers(1, 4, size=200)
    records["y"] = records["x"][:, 0] + rng.normal(size=200) > 0
    return records


# --- layouts, names and types ---


def test_fields_of_packed_records_are_read_as_their_copies(packed):
    X, y, weights = packed["x"], packed["y"], packed["weight"]
    assert X.strides[0] % 8 != 0
    model = NaiveBayesKDE().fit(X, y, sample_weight=weights)
    expected = NaiveBayesKDE().fit(X.copy(), y.copy(), sample_weight=weights.copy())
    assert_array_equal(model.predict_proba(X), expected.predict_proba(X.copy()))
    assert_array_equal(model.predict_proba(X[:1]), expected.predict_proba(X[:1].copy()))
    column = X[:, 0]
    assert dyad.bandwidth(column) == dyad.bandwidth(column.copy())
    assert dyad.hsic(column, X[:, 1]) == dyad.hsic(column.copy(), X[:, 1].copy())
    assert_array_equal(dyad.screen(X, y).hsic, dyad.screen(X.copy(), y).hsic)
    assert State().update(X, y, weights).n_rows == State().update(X.copy(), y, weights.copy()).n_rows


@pytest.mark.parametrize("odd", ["o\0dd", "odd\udc80"])
def test_text_that_no_file_takes_is_refused_before_the_fit(odd):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.arange(40) % 2
    named = pd.DataFrame(X, columns=pd.Index(["a", odd], dtype=object))
    levels = pd.DataFrame({"a": pd.Series(["u", odd] * 20, dtype=object), "b": X[:, 0]})
    labels = np.where(y == 1, "yes", odd).astype(object)
    shown = re.escape(repr(odd)) + " has a NUL character or a lone surrogate"
    with pytest.raises(ValueError, match="the column name " + shown):
        SLBClassifier().fit(named, y)
    with pytest.raises(ValueError, match="column 'a': the level " + shown):
        SLBClassifier().fit(levels, y)
    with pytest.raises(ValueError, match="the label " + shown):
        SLBClassifier().fit(X, labels)
    with pytest.raises(ValueError, match="the label " + shown):
        State().update(X, labels)
    with pytest.raises(ValueError, match="the column name " + shown):
        dyad.screen(named, y)


def test_columns_of_bytes_are_refused_by_name():
    arrow = pytest.importorskip("pyarrow")
    y = np.arange(40) % 2
    columns = {"first": np.arange(40.0), "code": [b"1", b"2"] * 20}
    for table in (pd.DataFrame(columns), arrow.table(columns)):
        with pytest.raises(TypeError, match=r"column 'code' has bytes \(b'1'\) in row 0; decode them"):
            NaiveBayesKDE().fit(table, y)
    categories = arrow.table({"code": arrow.array(columns["code"]).dictionary_encode()})
    for table in (pd.DataFrame({"code": pd.Categorical(columns["code"])}), categories):
        with pytest.raises(TypeError, match=r"column 'code' has bytes \(b'.'\); decode them"):
            NaiveBayesKDE().fit(table, y)
    with pytest.raises(TypeError, match="column 'x0' has neither numbers nor text: X is an array of bytes"):
        NaiveBayesKDE().fit(np.array([[b"1", b"2"]] * 40), y)


# --- options ---


def test_class_weights_out_of_range_are_refused_by_label():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.arange(40) % 2
    with pytest.raises(ValueError, match=r"class_weight of 0 must be between 0 and 1e\+09, got 1e\+308"):
        SLBClassifier(class_weight={0: 1e308}).fit(X, y)
    with pytest.raises(ValueError, match="class_weight: expected positive weights of two classes or more"):
        SLBClassifier(class_weight={0: 0}).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_averages_that_max_iter_stops_warn(n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 3)) + y[:, np.newaxis]
    with pytest.warns(ConvergenceWarning, match="the solver of the weights stopped at"):
        SLBClassifier(max_iter=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SLBClassifier().fit(X, y)


# --- many classes ---


def seconds_of(n_classes):
    X = np.random.default_rng(0).normal(size=(n_classes, 2))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels that look like those of a regression
        NaiveBayesKDE(n_jobs=1).fit(X, np.arange(n_classes))
    return time.perf_counter() - start


@pytest.mark.slow
def test_time_of_classes_of_one_row_grows_with_their_square():
    seconds_of(100)
    small, large = (min(seconds_of(n) for _ in range(3)) for n in (300, 900))
    assert large < 20 * small  # 9 times for a square, 27 for a cube


@pytest.mark.slow
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_fit_of_many_classes_soon():
    started = []

    def interrupt():
        time.sleep(0.4)
        started.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            seconds_of(800)
    assert time.perf_counter() - started[0] < 2
    thread.join()


# --- model files that were altered ---


def with_first_weight(data, weight):
    """A model file whose first weight is another one."""
    at = 12
    while data[at : at + 4] != b"WGHT":
        at += 16 + struct.unpack("<Q", data[at + 4 : at + 12])[0]
    begin, size = at + 12, struct.unpack("<Q", data[at + 4 : at + 12])[0]
    payload = data[begin : begin + 8] + struct.pack("<d", weight) + data[begin + 16 : begin + size]
    return data[:begin] + payload + struct.pack("<I", zlib.crc32(payload)) + data[begin + size + 4 :]


@pytest.mark.parametrize("weight", [1e308, -1e308])
def test_contributions_of_a_huge_weight_are_finite_and_add_up_to_the_score(tmp_path, weight):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = SLBClassifier().fit(X, np.arange(60) % 3)
    path = tmp_path / "m.dyad"
    path.write_bytes(with_first_weight(model._model.to_bytes(), weight))
    altered = SLBClassifier.load(path)
    contributions = altered.explain(X)
    assert np.isfinite(contributions).all()
    assert_allclose(contributions.sum(axis=-1) + altered.intercept_, altered.decision_function(X), rtol=1e-12)


def test_novelty_and_flips_of_hostile_rows_are_finite(tmp_path, tree_rows):
    table, y = tree_rows()
    numbers = table[["width", "age"]].to_numpy()
    rows = [[v, w] for v in (0, -1e308, 1e308, 5e-324, np.nan) for w in (1e308, -1e-308, np.nan)]
    path = tmp_path / "m.dyad"
    for classifier in (SLBClassifier(), TANClassifier(), NaiveBayesKDE()):
        model = classifier.fit(numbers, y)
        path.write_bytes(with_first_weight(model._model.to_bytes(), 1e308))
        for one in (model, type(model).load(path)):
            scores, features = one.novelty(rows, return_features=True)
            assert np.isfinite(scores).all()
            assert all(set(columns) <= {0, 1} for columns in features)
            own = one.predict(rows)
            for row, label, flips in zip(rows, own, one.flips(rows), strict=True):
                for flip in flips:
                    assert np.isfinite(flip.distance)
                    changed = [*row]
                    for change in (flip, flip.second) if flip.second else (flip,):
                        changed[change.feature] = np.nan if change.after is None else change.after
                    assert one.predict([changed])[0] == flip.label != label


# --- pickles ---


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_keeps_models_and_states(protocol, packed):
    X, y = packed["x"], packed["y"]
    model = SLBClassifier().fit(X, y)
    copy = pickle.loads(pickle.dumps(model, protocol))
    assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    state = State().update(X, y)
    assert pickle.loads(pickle.dumps(state, protocol)).to_bytes() == state.to_bytes()


@pytest.mark.parametrize("path", sorted(DATA.glob("estimators-*.pickle")), ids=lambda path: path.stem)
def test_pickles_of_older_versions_predict_as_they_did(path):
    kept = pickle.loads(path.read_bytes())
    X = np.array(kept["rows"]["numbers"])
    rows = {"bayes": X, "terms": X}
    rows["levels"] = pd.DataFrame({"size": X[:, 0], "light": X[:, 1], "kind": kept["rows"]["kind"]})
    assert set(kept["models"]) == set(rows)
    for name, model in kept["models"].items():
        # Until version 0.1 log tables were interpolated in single precision.
        assert_allclose(model.predict_proba(rows[name]), kept["expected"][name], rtol=1e-6, atol=1e-9)
        model.explain(rows[name])


def test_a_pickle_of_the_present_version_is_kept():
    assert (DATA / f"estimators-{dyad.__version__}.pickle").exists()


# --- locale and time zone ---


OUTPUTS = """
import locale, sys, hashlib
import numpy as np
from dyad import SLBClassifier, report
if len(sys.argv) > 1:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","
rng = np.random.default_rng(0)
X = np.exp(rng.normal(size=(80, 3))) * 1.5
y = np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 1.5, "yes", "no")
model = SLBClassifier(random_state=1).fit(X, y)
page = report(model, X, y, title="t").document
page.pop("timings")
shown = [model._model.to_bytes(), model.describe(), repr(model), repr(model.explain(X).tolist()), repr(page)]
for text in shown:
    print(hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest())
"""


def outputs(environment, *arguments):
    """Hashes of all that a model shows, made by another process."""
    return subprocess.run(
        [sys.executable, "-c", OUTPUTS, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def comma_locale(tmp_path_factory):
    """A folder for LOCPATH with a locale that writes 1,5, which is made if the system can."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("there is no program localedef, which makes a locale with a decimal comma")
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True
    )
    if not (folder / "de_DE.UTF-8").exists():
        pytest.skip(f"localedef makes no locale with a decimal comma: {made.stderr.decode()[:200]}")
    return folder


@pytest.mark.slow
def test_locale_and_time_zone_change_no_byte(comma_locale):
    expected = outputs({"LC_ALL": "C", "TZ": "UTC"})
    assert len(set(expected.split())) == 5
    assert outputs({"LC_ALL": "C", "TZ": "Pacific/Auckland"}) == expected
    assert outputs({"LOCPATH": str(comma_locale), "LC_ALL": "de_DE.UTF-8"}, "de_DE.UTF-8") == expected


@pytest.mark.slow
def test_locale_and_time_zone_change_no_byte_of_the_program(comma_locale, tmp_path):
    program = shutil.which("dyad", path=Path(sys.executable).parent)
    if program is None:
        pytest.skip("the program dyad is not installed beside Python")
    data = Path(__file__).resolve().parents[2] / "examples" / "stars.csv"

    def made(**environment):
        def run(*arguments):
            command = [program, *arguments]
            variables = {**os.environ, **environment}
            return subprocess.run(
                command, env=variables, cwd=tmp_path, capture_output=True, check=True
            ).stdout

        run("fit", data, "--label", "kind", "--class-weight", "cloud=1.5", "-o", "m.dyad")
        run("count", data, "--label", "kind", "-o", "s.state")
        parts = [run("predict", "m.dyad", data, "--proba", "--scores"), run("info", "m.dyad")]
        parts += [run("explain", "m.dyad", data, "--row", "3"), run("screen", data, "--label", "kind")]
        return [*parts, (tmp_path / "m.dyad").read_bytes(), (tmp_path / "s.state").read_bytes()]

    expected = made(LC_ALL="C", TZ="UTC")
    assert made(LC_ALL="de_DE.UTF-8", LOCPATH=str(comma_locale), TZ="Pacific/Auckland") == expected

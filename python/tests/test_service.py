# SPDX-License-Identifier: BSD-3-Clause
"""The service of examples/service: it answers as the library does, and follows its model file."""

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from dyad import SLBClassifier

pytest.importorskip("httpx", reason="httpx is not installed")
testclient = pytest.importorskip("fastapi.testclient", reason="fastapi is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # pytest resets filters
FOLDER = ROOT / "examples" / "service"


@pytest.fixture(scope="module")
def service():
    """The module of the service."""
    sys.path.insert(0, str(FOLDER))
    import service

    yield service
    sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def models(tmp_path_factory, stars):
    """Paths of two models of the same columns that answer differently, by the versions of their files."""
    X, y, names = stars
    folder = tmp_path_factory.mktemp("models")
    for k, part in enumerate((slice(0, 200), slice(200, 400))):
        model = SLBClassifier(preset="paper", pairs="count", n_pairs=3)
        model.fit(pd.DataFrame(X[part], columns=names), y[part]).save(folder / f"{k}.dyad")
    return folder / "0.dyad", folder / "1.dyad"


@pytest.fixture
def served(tmp_path, models):
    """The file that a service under test watches: the first model."""
    return replace(models[0], tmp_path / "served.dyad")


def replace(source, target):
    fresh = target.with_suffix(".new")
    fresh.write_bytes(source.read_bytes())
    os.replace(fresh, target)
    return target


def version_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def client_of(service, path):
    return testclient.TestClient(service.create_app(path, seconds=0.02))


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def rows_of(table):
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def answers_of(model, table):
    """The predictions that the service must give, by the library."""
    names = [str(label) for label in model.classes_.tolist()]
    return [
        {"label": label, "probabilities": dict(zip(names, of_row, strict=True))}
        for label, of_row in zip(
            model.predict(table).tolist(), model.predict_proba(table).tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("n_rows", [1, 7, 400], ids=str)
def test_answers_are_those_of_the_library(service, served, stars, n_rows):
    table = pd.DataFrame(stars[0][:n_rows], columns=stars[2])
    with client_of(service, served) as client:
        answer = client.post("/predict", json={"rows": rows_of(table)}).json()
        version = client.get("/model").json()["version"]
    assert answer == {"model": version, "predictions": answers_of(SLBClassifier.load(served), table)}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("costs", [None, "uneven"])
def test_answers_on_text_gaps_and_costs_are_those_of_the_library(
    service, tmp_path, tree_rows, n_classes, costs
):
    table, y = tree_rows(n_classes=n_classes)
    costs = costs and {("ash", "elm"): 5}
    path = tmp_path / "trees.dyad"
    SLBClassifier(preset="paper", costs=costs).fit(table, y).save(path)
    with client_of(service, path) as client:
        answer = client.post("/predict", json={"rows": rows_of(table)}).json()
        columns = client.get("/model").json()["columns"]
    assert answer["predictions"] == answers_of(SLBClassifier.load(path), table)
    assert columns[1:] == [
        {"name": "age", "levels": None},
        {"name": "bark", "levels": ["grey", "ridged", "smooth"]},
    ]


def test_labels_of_equal_probabilities_are_those_of_predict(service, served, monkeypatch):
    predictor = service.Predictor(served)
    monkeypatch.setattr(predictor._classifier, "predict", lambda X: np.array(["asked"] * len(X)))
    even, uneven = np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.2, 0.8]])
    assert predictor._labels(np.zeros((2, 6)), even) == ["asked", "asked"]
    assert predictor._labels(np.zeros((2, 6)), uneven) == ["cloud", "orbit"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("heavy", "row 1, column 'mass': expected a finite number or null, got 'heavy'"),
        (True, "row 1, column 'mass': expected a finite number or null, got True"),
        ([1], r"row 1, column 'mass': expected a finite number or null, got [1]"),
        (10**400, "row 1, column 'mass': expected a finite number or null, got 1000"),
        (..., "row 1: column 'mass' is missing"),
    ],
    ids=["text", "truth", "list", "huge", "absent"],
)
def test_a_bad_row_is_refused_by_the_name_of_its_column(service, served, stars, value, message):
    rows = rows_of(pd.DataFrame(stars[0][:2], columns=stars[2]))
    rows[1]["mass"] = value
    if value is ...:
        del rows[1]["mass"]
    with client_of(service, served) as client:
        response = client.post("/predict", json={"rows": rows})
    (fault,) = response.json()["detail"]
    assert response.status_code == 422
    assert fault["loc"] == ["body", "rows", 1, "mass"]
    assert fault["msg"].startswith(message)


@pytest.mark.parametrize(
    "body", ['{"rows": []}', '{"rows": [{"mass": NaN}]}', '{"rows": 3}', "[]", "{", ""], ids=str
)
def test_a_bad_body_is_refused(service, served, body):
    with client_of(service, served) as client:
        response = client.post("/predict", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 422


def test_a_replaced_file_is_served_without_a_wrong_answer_meanwhile(service, served, models, stars):
    table = pd.DataFrame(stars[0][:5], columns=stars[2])
    rows = rows_of(table)
    with client_of(service, served) as client:
        expected = {version_of(path): answers_of(SLBClassifier.load(path), table) for path in models}
        met, stop = {}, threading.Event()

        def ask():
            while not stop.is_set():
                answer = client.post("/predict", json={"rows": rows}).json()
                right = answer["predictions"] == expected[answer["model"]]
                met.setdefault(answer["model"], []).append(right)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for k in range(6):
            version = list(expected)[(k + 1) % 2]
            replace(models[(k + 1) % 2], served)
            wait_until(lambda version=version: client.get("/health").json()["version"] == version)
        wait_until(lambda: len(met) == 2)
        stop.set()
        for thread in threads:
            thread.join()
    assert list(map(all, met.values())) == [True, True]


@pytest.mark.parametrize("damage", ["cut", "other", "none"])
def test_a_damaged_file_leaves_the_old_model_and_is_reported(service, served, models, stars, damage):
    table = pd.DataFrame(stars[0][:3], columns=stars[2])
    with client_of(service, served) as client:
        before = client.get("/health").json()
        assert before["status"] == "ok" and before["error"] is None
        if damage == "none":
            served.unlink()
        else:
            bad = served.with_suffix(".bad")
            bad.write_bytes(models[1].read_bytes()[:-100] if damage == "cut" else b"not a model")
            os.replace(bad, served)
        wait_until(lambda: client.get("/health").json()["status"] == "old model")
        health = client.get("/health").json()
        assert health["version"] == before["version"]
        assert "served.dyad" in health["error"]
        answer = client.post("/predict", json={"rows": rows_of(table)}).json()
        assert answer["predictions"] == answers_of(SLBClassifier.load(models[0]), table)
        replace(models[1], served)
        wait_until(lambda: client.get("/health").json()["status"] == "ok")
        assert client.get("/model").json()["version"] != before["version"]


def test_a_file_that_cannot_be_read_at_the_start_is_an_error(service, tmp_path):
    (tmp_path / "no.dyad").write_text("no model")
    with pytest.raises(ValueError, match=r"no\.dyad"), client_of(service, tmp_path / "no.dyad"):
        pass


def test_the_page_shows_what_the_service_answers(service, tmp_path, stars):
    page = (ROOT / "docs" / "deploy.md").read_text()
    request, answer, refusal = map(json.loads, re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL))
    SLBClassifier().fit(pd.DataFrame(stars[0], columns=stars[2]), stars[1]).save(tmp_path / "stars.dyad")
    with client_of(service, tmp_path / "stars.dyad") as client:
        (given,) = client.post("/predict", json=request).json()["predictions"]
        request["rows"][0]["mass"] = "heavy"
        assert client.post("/predict", json=request).json() == refusal
    (shown,) = answer["predictions"]
    assert given["label"] == shown["label"]
    assert given["probabilities"] == pytest.approx(shown["probabilities"], abs=0.002)


@pytest.mark.slow
def test_the_command_of_the_page_serves_a_model(served):
    pytest.importorskip("uvicorn")
    page = (ROOT / "docs" / "deploy.md").read_text()
    words = re.search(r"^DYAD_MODEL=\S+ (uvicorn .*)$", page, flags=re.MULTILINE)[1].split()
    process = subprocess.Popen(
        [sys.executable, "-m", *words, "--port", "0"],
        cwd=ROOT,
        env=os.environ | {"DYAD_MODEL": str(served)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = next(line for line in process.stderr if "running on" in line)
        address = next(word for word in line.split() if word.startswith("http://"))
        with urllib.request.urlopen(f"{address}/health", timeout=20) as response:
            assert b'"status":"ok"' in response.read()
    finally:
        process.terminate()
        rest = process.communicate(timeout=20)[1]
    assert "nanobind" not in rest and "Traceback" not in rest

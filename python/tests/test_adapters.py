# SPDX-License-Identifier: BSD-3-Clause
"""Models within MLflow, AutoGluon and skl2onnx, each the real one; `make adapters` installs them."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

EXAMPLES = Path(__file__).parents[2] / "examples"
# Types of dyad that a file of skops names.
TRUSTED = ["dyad._estimators.SLBClassifier", "dyad._terms.Pair", "dyad._terms.Setting", "dyad._terms.Term"]


def table(name):
    rows = pd.read_csv(EXAMPLES / f"{name}.csv")
    return rows.drop(columns="kind"), rows["kind"]


# --- MLflow ---


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """MLflow with a store of its own."""
    mlflow = pytest.importorskip("mlflow", reason="make adapters installs mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    return mlflow


def test_mlflow_logs_models_by_its_defaults_and_loads_them(mlflow):
    X, y = table("trees")  # with categories and gaps
    model = SLBClassifier().fit(X, y)
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", skops_trusted_types=TRUSTED)
    again = mlflow.sklearn.load_model(logged.model_uri)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    function = mlflow.pyfunc.load_model(logged.model_uri)
    np.testing.assert_array_equal(function.predict(X), model.predict(X))
    folder = Path(mlflow.artifacts.download_artifacts(logged.model_uri))
    requirements = (folder / "requirements.txt").read_text().split()
    assert any(line.startswith("dyad-slb==") for line in requirements)
    assert not any(line.startswith("dyad==") for line in requirements)  # another project


def answer_of(port, X):
    body = json.dumps({"dataframe_split": json.loads(X.to_json(orient="split", index=False))}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/invocations", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["predictions"]


def test_mlflow_serves_models(mlflow, tmp_path):
    X, y = table("stars")
    model = SLBClassifier().fit(X, y)
    mlflow.sklearn.save_model(model, tmp_path / "served", skops_trusted_types=TRUSTED)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "models", "serve", "--model-uri", tmp_path / "served"]
    command += ["--env-manager", "local", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    server = subprocess.Popen(command, env={**os.environ, "PATH": paths}, start_new_session=True)
    try:
        end = time.monotonic() + 120
        while True:
            try:
                assert answer_of(port, X[:20]) == model.predict(X[:20]).tolist()
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < end
                time.sleep(0.5)
    finally:
        os.killpg(server.pid, 15)
        server.wait()


# --- AutoGluon ---


@pytest.mark.parametrize("name", ["stars", "trees"])
def test_autogluon_fits_and_bags_models(name, tmp_path):
    tabular = pytest.importorskip("autogluon.tabular", reason="make adapters installs autogluon.tabular")
    from dyad.autogluon import DyadModel

    X, y = table(name)
    rows = X.assign(kind=y)
    predictor = tabular.TabularPredictor(label="kind", verbosity=0, path=str(tmp_path / "models")).fit(
        rows,
        hyperparameters={DyadModel: {"max_pairs": 20}},
        time_limit=60,
        num_bag_folds=3,
        fit_weighted_ensemble=False,
        dynamic_stacking=False,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
    )
    assert predictor.model_names() == ["Dyad_BAG_L1"]
    probabilities = predictor.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    assert (predictor.predict(X) == y).mean() > 0.75
    assert predictor.leaderboard()["score_val"].item() > 0.7


def test_the_limit_of_autogluon_is_that_of_the_fit(tmp_path):
    pytest.importorskip("autogluon.tabular", reason="make adapters installs autogluon.tabular")
    from dyad.autogluon import DyadModel

    X, y = table("stars")
    model = DyadModel(path=str(tmp_path), name="dyad", problem_type="binary", eval_metric="accuracy")
    model.fit(X=X, y=(y == "orbit").astype(int), time_limit=30.0, verbosity=0)
    assert 0 < model.model.max_seconds <= 30


# --- skl2onnx ---


def session_of(graph):
    onnxruntime = pytest.importorskip("onnxruntime")
    return onnxruntime.InferenceSession(graph.SerializeToString())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier])
def test_skl2onnx_converts_pipelines(kind, n_classes):
    skl2onnx = pytest.importorskip("skl2onnx", reason="make adapters installs skl2onnx")
    import dyad.skl2onnx  # noqa: F401
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) * [1, 10, 0.1, 3] + 5
    y = rng.integers(n_classes, size=300)
    X[:, 0] += y
    for labels in (y, np.array(["a", "b", "c"])[y]):
        pipeline = make_pipeline(StandardScaler(), kind()).fit(X, labels)
        graph = skl2onnx.to_onnx(
            pipeline,
            initial_types=[("X", skl2onnx.common.data_types.DoubleTensorType([None, 4]))],
            options={"zipmap": False},
            target_opset={"": 20, "ai.onnx.ml": 3},
        )
        label, probabilities = session_of(graph).run(None, {"X": X})
        np.testing.assert_allclose(probabilities, pipeline.predict_proba(X), atol=1e-5)
        assert label.tolist() == pipeline.predict(X).tolist()


def test_skl2onnx_refuses_categories_by_name():
    skl2onnx = pytest.importorskip("skl2onnx", reason="make adapters installs skl2onnx")
    import dyad.skl2onnx  # noqa: F401

    X, y = table("trees")
    model = SLBClassifier().fit(X, y)
    kinds = [("X", skl2onnx.common.data_types.DoubleTensorType([None, X.shape[1]]))]
    with pytest.raises(ValueError, match="expected features that are numbers, got categories"):
        skl2onnx.to_onnx(model, initial_types=kinds)

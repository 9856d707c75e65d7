# SPDX-License-Identifier: BSD-3-Clause
"""Exports: every language agrees with the library."""

import json
import os
import re
import subprocess
import time

import exported
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from test_model_files import PROGRAM

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier, _core

KEPT = sorted((ROOT / "tests" / "data" / "models").glob("*/*.dyad"))
assert KEPT  # tests of no file would all pass
EXACT = {"c": exported.by_c, "js": exported.by_js, "sqlite": exported.by_sqlite, "duckdb": exported.by_duckdb}
HOSTILE = [
    "a\"b'c`;--",
    "*/ int x; /*",
    "</script><b>",
    "'); DROP TABLE dyad_rows; --",
    "line\nnext\r\t\\n??/",
    "\u2028\u00e9\U0001f600${x}",
    "row_id",
    "Row_ID",
    "",
]


def some_rows(model, n=60, seed=0):
    """Values near 0 and far from it, every level, unknown ones, and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, model.n_features)) * 2.0 ** rng.integers(0, 7, size=(n, 1))
    for j, levels in enumerate(exported.levels_of(model)):
        if levels is not None:
            X[:, j] = rng.integers(0, len(levels[0]) + levels[1], size=n)
    X[rng.random(X.shape) < 0.15] = np.nan
    X[0] = np.nan
    return X


def allowance(model, X):
    """The sum of the absolute parts of each score."""
    values = model.term_values(X)
    parts = [
        np.abs(model.contributions(values, k)).sum(axis=1) + abs(intercept)
        for k, intercept in enumerate(model.intercepts)
    ]
    return np.stack(parts, axis=1)


def margins(model, expected):
    """How far the best two scores are apart, or the best two expected costs."""
    values = expected.scores
    if len(model.costs):
        values = expected.probabilities @ model.costs
    elif values.shape[1] == 1:
        values = np.hstack([values, np.zeros_like(values)])
    ordered = np.sort(values, axis=1)
    return np.min(np.diff(ordered, axis=1)[:, [0, -1]], axis=1)


def expect_equal(model, X, found, tolerance):
    expected = exported.by_library(model, X)
    error = np.abs(found.scores - expected.scores)
    assert np.all(error <= tolerance * allowance(model, X)), (error / allowance(model, X)).max()
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    # Either of two classes that score alike may win; its probability is then raised.
    rounding = 10 * error.max(axis=1) + 1e-12 * np.minimum(allowance(model, X).max(axis=1), 1)
    clear = np.flatnonzero(margins(model, expected) > rounding)
    assert len(clear) >= len(X) / 4
    np.testing.assert_allclose(found.probabilities[clear], expected.probabilities[clear], rtol=0, atol=1e-5)
    assert [found.labels[i] for i in clear] == [expected.labels[i] for i in clear]


def expect_onnx(model, X):
    onnx = pytest.importorskip("onnx")
    content = model.exported("onnx", contributions=True)
    graph = onnx.load_from_string(content)
    onnx.checker.check_model(graph, full_check=True)
    assert len(graph.graph.node) <= 400
    assert {node.domain for node in graph.graph.node} <= {"", "ai.onnx.ml"}
    session = exported.onnx_session(content)
    label, probabilities, scores, contributions = session.run(None, exported.onnx_inputs(model, X))
    expect_equal(model, X, exported.Answers(label.tolist(), scores, probabilities), 1e-9)
    values = model.term_values(X)
    parts = np.stack([model.contributions(values, k) for k in range(len(model.intercepts))], axis=1)
    np.testing.assert_allclose(contributions.reshape(parts.shape), parts, rtol=1e-6, atol=1e-9)


def expect_json(model, X):
    document = json.loads(model.exported("json"))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(document, json.loads((ROOT / "docs" / "export.schema.json").read_text()))
    rows = exported.written_rows(model, X)
    scores = np.array([exported.scores_of_json(document, row) for row in rows])
    error = np.abs(scores - model.scores(X))
    assert np.all(error <= 1e-9 * allowance(model, X))


@pytest.mark.parametrize("language", EXACT)
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_models_score_alike(path, language, tmp_path):
    model = _core.Model.load(str(path))
    X = some_rows(model)
    expect_equal(model, X, EXACT[language](model, X, tmp_path), 1e-9)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_models_score_alike_in_onnx_and_json(path):
    model = _core.Model.load(str(path))
    X = some_rows(model)
    expect_onnx(model, X)
    expect_json(model, X[:20])


FITTED = {
    "slb": (SLBClassifier(), 2),
    "slb-3": (SLBClassifier(), 3),
    "all-pairs": (SLBClassifier(pairs="all"), 2),
    "all-pairs-3": (SLBClassifier(pairs="all"), 3),
    "cv": (SLBClassifier(pairs="cv", max_pairs=4), 2),
    "paper": (SLBClassifier(preset="paper", coordinate="none"), 2),
    "standard": (LUClassifier(coordinate="standard", prior_rows=0), 3),
    "isotonic": (SLBClassifier(settings="best", calibration="isotonic"), 2),
    "isotonic-3": (SLBClassifier(settings="best", calibration="isotonic"), 3),
    "isotonic-nb-3": (NaiveBayesKDE(calibration="isotonic"), 3),
    "platt-tan-3": (TANClassifier(calibration="platt"), 3),
    "nb": (NaiveBayesKDE(calibration="none"), 2),
    "tan": (TANClassifier(), 2),
    "forest": (TANClassifier(forest=True), 3),
    "costs": (SLBClassifier(costs=[[0, 1], [6, 0]]), 2),
    "costs-3": (NaiveBayesKDE(costs=[[0, 1, 4], [6, 0, 1], [2, 3, 0]]), 3),
    "balanced": (SLBClassifier(class_weight="balanced"), 3),
}


@pytest.fixture
def numbers_of_two_classes():
    X = np.random.default_rng(6).normal(size=(120, 3))
    y = np.arange(120) % 2
    X[:, 1] += np.where(y == 1, 1, -1) * X[:, 0]
    return X, y


def test_what_is_no_number_is_missing_in_sql(numbers_of_two_classes):
    duckdb = pytest.importorskip("duckdb")
    X, y = numbers_of_two_classes
    model = SLBClassifier().fit(X, y)._model
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(model.exported("sql").decode())
    row = [0.5] * model.n_features
    for i, value in enumerate([None, np.nan, np.inf, -np.inf]):
        places = ", ".join("?" * (len(row) + 1))
        connection.execute(f"INSERT INTO dyad_rows VALUES ({places})", [i, value, *row[1:]])
    query = "SELECT probability FROM dyad_predictions WHERE row_id = ? ORDER BY class"
    found = [connection.execute(query, [i]).fetchall() for i in range(4)]
    row[0] = np.nan
    expected = model.probabilities(model.scores(np.array([row])))[0]
    np.testing.assert_allclose(np.array(found)[:, :, 0], [expected] * 4, atol=1e-9)


@pytest.mark.parametrize("path", KEPT[-3:], ids=lambda path: path.stem)
def test_contributions_in_js_are_those_of_the_library(path, tmp_path):
    node = exported.require("node")
    model = _core.Model.load(str(path))
    X = some_rows(model, 20)
    (tmp_path / "model.mjs").write_bytes(model.exported("js"))
    rows = json.dumps(exported.written_rows(model, X))
    (tmp_path / "run.mjs").write_text(
        'import { contributions } from "./model.mjs";\n'
        f"console.log(JSON.stringify({rows}.map(contributions)));"
    )
    output = subprocess.run([node, tmp_path / "run.mjs"], check=True, capture_output=True).stdout
    values = model.term_values(X)
    expected = np.stack([model.contributions(values, k) for k in range(len(model.intercepts))], axis=2)
    np.testing.assert_allclose(np.array(json.loads(output)), expected, rtol=1e-9, atol=1e-9)


def test_text_is_a_number_or_missing_in_js(numbers_of_two_classes, tmp_path):
    node = exported.require("node")
    X, y = numbers_of_two_classes
    model = SLBClassifier().fit(X, y)._model
    (tmp_path / "model.mjs").write_bytes(model.exported("js"))
    (tmp_path / "run.mjs").write_text(
        'import { scores, features } from "./model.mjs";\n'
        'const values = ["", " ", "abc", [], {}, false, null, " 1.5 "];\n'
        "console.log(JSON.stringify(values.map((value) => scores(features.map(() => value)))));"
    )
    found = json.loads(subprocess.run([node, tmp_path / "run.mjs"], check=True, capture_output=True).stdout)
    rows = np.full((8, model.n_features), np.nan)
    rows[-1] = 1.5
    np.testing.assert_allclose(found, model.scores(rows), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("estimator", "n_classes"), FITTED.values(), ids=FITTED)
def test_every_method_calibration_and_rule_scores_alike(estimator, n_classes, tree_rows, tmp_path):
    X, y = tree_rows(240, n_classes)
    model = estimator.fit(X, y)._model
    rows = some_rows(model)
    for run in EXACT.values():
        expect_equal(model, rows, run(model, rows, tmp_path), 1e-9)
    expect_onnx(model, rows)
    expect_json(model, rows[:20])


@pytest.mark.parametrize("language", [*EXACT, "onnx", "json"])
def test_names_may_be_hostile(language, tmp_path):
    rng = np.random.default_rng(3)
    n = 200
    table = pd.DataFrame({name: rng.choice(HOSTILE[:8], size=n) for name in HOSTILE[:3]})
    for name in HOSTILE[3:8]:
        table[name] = rng.normal(size=n)
    y = np.array(HOSTILE[:3])[np.arange(n) % 3]
    table[HOSTILE[3]] += np.arange(n) % 3
    model = NaiveBayesKDE().fit(table, y)._model
    X = some_rows(model)
    if language == "onnx":
        expect_onnx(model, X)
    elif language == "json":
        assert b"<" not in model.exported("json")
        expect_json(model, X[:20])
    else:
        expect_equal(model, X, EXACT[language](model, X, tmp_path), 1e-9)


def test_many_terms_are_as_few_nodes_and_load_quickly(tmp_path):
    onnx = pytest.importorskip("onnx")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    model = TANClassifier().fit(X, y)
    many = SLBClassifier(pairs="all", settings="best", cost="given", C=1.0).fit(X, y)
    assert len(many.terms_) > 400
    counts = [len(onnx.load_from_string(of.to_onnx()).graph.node) for of in (model, many)]
    assert max(counts) <= 400
    content = many.to_onnx()
    exported.onnx_session(content)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        exported.onnx_session(content)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.5


def test_export_takes_the_format_from_the_name(stars, tmp_path):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)
    for suffix, content in {
        ".json": model.to_json().encode(),
        ".c": model.to_c().encode(),
        ".js": model.to_js().encode(),
        ".mjs": model.to_js().encode(),
        ".sql": model.to_sql().encode(),
        ".onnx": model.to_onnx(),
    }.items():
        model.export(tmp_path / f"model{suffix}")
        assert (tmp_path / f"model{suffix}").read_bytes() == content
    model.export(os.fsencode(tmp_path / "BYTES.JSON"))
    assert (tmp_path / "BYTES.JSON").read_bytes() == model.to_json().encode()
    model.export(tmp_path / "model", to="json")
    assert (tmp_path / "model").read_bytes() == model.to_json().encode()
    with pytest.raises(ValueError, match="to must be given"):
        model.export(tmp_path / "model")
    with pytest.raises(ValueError, match="no such value 'pmml'; choose from json, c, js, sql, onnx"):
        model.export(tmp_path / "model", to="pmml")
    with pytest.raises(ValueError, match="contributions requires the format onnx, got c"):
        model.export(tmp_path / "model.c", contributions=True)


def test_contributions_of_onnx_are_those_that_explain_returns(three_classes):
    X, y = three_classes
    model = SLBClassifier().fit(X, y)
    session = exported.onnx_session(model.to_onnx(contributions=True))
    found = session.run(["contributions"], {"numbers": X})[0]
    np.testing.assert_allclose(found, model.explain(X), atol=1e-9)


def test_one_row_scores_as_among_many(tree_rows, tmp_path):
    X, y = tree_rows(200, 2)
    model = SLBClassifier(pairs="all").fit(X, y)._model
    rows = some_rows(model, 300)
    together = exported.by_c(model, rows, tmp_path)
    alone = [exported.by_c(model, rows[i : i + 1], tmp_path).scores[0] for i in range(2)]
    np.testing.assert_allclose(together.scores[:2], alone, rtol=1e-13)
    expect_equal(model, rows, together, 1e-9)


def test_commands_of_the_page_give_the_output_they_show(tmp_path):
    for program in ("gcc", "node", "sqlite3", PROGRAM):
        exported.require(str(program))
    page = (ROOT / "docs" / "export.md").read_text()
    blocks = re.findall(r"^```(sh|text)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    script = "".join(text for kind, text in blocks if kind == "sh")
    expected = "".join(text for kind, text in blocks if kind == "text")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    command = ["bash", "-e", "-c", script]
    found = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    assert found.stdout.endswith(expected)  # dyad fit prints a line before


def test_tables_of_categories_alone_score_alike(tmp_path):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({name: rng.choice(["a", "b", "c", None], size=200) for name in "uvw"})
    y = np.where(table["u"] == table["v"], "same", "other")
    model = SLBClassifier(pairs="all").fit(table, y)._model
    X = some_rows(model)
    for run in EXACT.values():
        expect_equal(model, X, run(model, X, tmp_path), 1e-9)
    expect_onnx(model, X)


@pytest.mark.parametrize("language", ["c", "js", "json"])
def test_edited_models_score_alike(language, tmp_path):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=["u", "v", "w"])
    table["x"] = rng.choice(["a", "b", "c"], size=300)
    y = np.where(table.u * table.v + table.w + (table.x == "a") > 0, "more", "less")
    fitted = SLBClassifier(pairs="count", n_pairs=8).fit(table, y)
    model = fitted.remove_effects(["w"]).scale_effect("u", 0.5).monotonize({"v": "increasing"})._model
    X = some_rows(model)
    if language == "json":
        expect_json(model, X)
    else:
        expect_equal(model, X, EXACT[language](model, X, tmp_path), 1e-9)
    for other in ("sql", "onnx"):
        with pytest.raises(ValueError, match="the model was edited"):
            model.exported(other)


@pytest.mark.parametrize("language", [*EXACT, "onnx"])
@pytest.mark.parametrize("engine", ["counts", "exact"])
def test_values_far_away_score_alike(engine, language, numbers_of_two_classes, tmp_path):
    X, y = numbers_of_two_classes
    model = SLBClassifier(pairs="all", coordinate="none", prior_rows=0, engine=engine).fit(X, y)._model
    far = some_rows(model)
    far *= 10.0 ** np.random.default_rng(5).integers(0, 95, size=far.shape)  # ONNX takes numbers to 1e100
    run = exported.by_onnx if language == "onnx" else EXACT[language]
    expect_equal(model, far, run(model, far, tmp_path), 1e-9)


@pytest.mark.parametrize("language", [*EXACT, "onnx", "json"])
def test_numbers_beyond_the_largest_integer_score_alike(language, tmp_path):
    rng = np.random.default_rng(4)
    y = np.arange(120) % 2
    X = 1.2345678901234567e20 * (1 + 0.1 * rng.normal(size=(120, 3))) + 1e19 * y[:, None]
    model = SLBClassifier(coordinate="standard").fit(X, y)._model
    if language == "c":
        assert re.search(r"\b\d{20,}\.0\b", model.exported("c").decode())
    if language == "onnx":
        expect_onnx(model, X)
    elif language == "json":
        expect_json(model, X[:20])
    else:
        expect_equal(model, X, EXACT[language](model, X, tmp_path), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["sqlite", "duckdb"])
def test_many_features_fit_a_query(language, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 520))
    model = NaiveBayesKDE().fit(X, np.arange(80) % 2)._model
    expect_equal(model, X[:3], EXACT[language](model, X[:3], tmp_path), 1e-9)


def test_many_features_fit_the_stack_of_c(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 300))
    model = NaiveBayesKDE().fit(X, np.arange(80) % 2)._model
    expect_equal(model, X, exported.by_c(model, X, tmp_path), 1e-9)
    (tmp_path / "small").mkdir()
    small = exported.by_c(model, X, tmp_path / "small", "-DDYAD_BLOCK=3", "-Wframe-larger-than=10000")
    expect_equal(model, X, small, 1e-9)

# SPDX-License-Identifier: BSD-3-Clause
"""Exported models, run in the languages that they are written in."""

import ctypes
import json
import shutil
import sqlite3
import subprocess
from typing import NamedTuple

import numpy as np
import pytest

UNMET = "a level that is none"


class Answers(NamedTuple):
    """What a model says of rows: texts, n x n_scores, n x n_classes."""

    labels: list
    scores: np.ndarray
    probabilities: np.ndarray


def by_library(model, X):
    """Of rows of numbers and codes of levels."""
    scores = model.scores(X)
    labels = [model.classes[k] for k in model.classify(scores)]
    return Answers(labels, scores, model.probabilities(scores))


def levels_of(model):
    return model.levels or [None] * model.n_features


def written_rows(model, X):
    """Rows as users write them: numbers, names of levels, None for missing values."""

    def written(value, levels):
        if np.isnan(value):
            return None
        if levels is None:
            return float(value)
        return levels[0][int(value)] if value < len(levels[0]) else UNMET

    return [[written(*pair) for pair in zip(row, levels_of(model), strict=True)] for row in X]


def require(program):
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def compiled(model, folder, *options):
    """The library that C makes of a model, whose functions have 64 KiB of the stack each."""
    source = folder / "model.c"
    source.write_bytes(model.exported("c"))
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wframe-larger-than=66000"]
    command = [require("gcc"), "-std=c99", *warnings, "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, *options, source, "-o", folder / "model.so", "-lm"], check=True)
    library = ctypes.CDLL(str(folder / "model.so"))
    library.dyad_level.restype = ctypes.c_double
    return library


def address(values):
    return values.ctypes.data_as(ctypes.c_void_p)


def by_c(model, X, folder, *options):
    library = compiled(model, folder, *options)
    values = np.empty((len(X), model.n_features))
    for i, row in enumerate(written_rows(model, X)):
        for j, value in enumerate(row):
            is_text = isinstance(value, str)
            values[i, j] = (
                library.dyad_level(j, value.encode()) if is_text else np.nan if value is None else value
            )
    n = ctypes.c_size_t(len(X))
    scores = np.empty((len(X), len(model.intercepts)))
    probabilities = np.empty((len(X), len(model.classes)))
    library.dyad_scores(address(values), n, address(scores))
    library.dyad_probabilities(address(scores), n, address(probabilities))
    names = (ctypes.c_char_p * len(model.classes)).in_dll(library, "dyad_classes")
    labels = [names[library.dyad_class(address(row))].decode() for row in scores]
    return Answers(labels, scores, probabilities)


def by_js(model, X, folder):
    node = require("node")
    (folder / "model.mjs").write_bytes(model.exported("js"))
    rows = [dict(zip(model.features, row, strict=True)) for row in written_rows(model, X)]
    (folder / "rows.json").write_text(json.dumps(rows))
    (folder / "run.mjs").write_text(
        'import { readFileSync } from "node:fs"; import { predict } from "./model.mjs";\n'
        'const rows = JSON.parse(readFileSync(new URL("rows.json", import.meta.url)));\n'
        "console.log(JSON.stringify(rows.map(predict)));"
    )
    output = subprocess.run([node, folder / "run.mjs"], check=True, capture_output=True).stdout
    found = json.loads(output)
    columns = ([row[name] for row in found] for name in ("label", "scores", "probabilities"))
    labels, scores, probabilities = columns
    return Answers(labels, np.array(scores, float), np.array(probabilities, float))


def by_sql(connection, model, X):
    rows = [[i, *row] for i, row in enumerate(written_rows(model, X))]
    places = ", ".join("?" * (model.n_features + 1))
    connection.executemany(f"INSERT INTO dyad_rows VALUES ({places})", rows)
    found = connection.execute(
        "SELECT row_id, class, score, probability, predicted FROM dyad_predictions"
    ).fetchall()
    assert len(found) == len(X) * len(model.classes)
    n_scores = len(model.intercepts)
    answers = Answers(
        [None] * len(X), np.full((len(X), n_scores), np.nan), np.full((len(X), len(model.classes)), np.nan)
    )
    for i, name, score, probability, predicted in found:
        k = model.classes.index(name)
        answers.probabilities[i, k] = probability
        if score is not None:
            answers.scores[i, k if n_scores > 1 else 0] = score
        if predicted:
            assert answers.labels[i] is None
            answers.labels[i] = name
    return answers


def by_sqlite(model, X, folder):
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT ln(2), asinh(1)")
    except sqlite3.OperationalError:
        pytest.skip("SQLite has no mathematical functions")
    connection.executescript(model.exported("sql").decode())
    return by_sql(connection, model, X)


def by_duckdb(model, X, folder):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(model.exported("sql").decode())
    return by_sql(connection, model, X)


def onnx_session(content):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(content, options)


def onnx_inputs(model, X):
    levels = levels_of(model)
    numbers = [j for j, of in enumerate(levels) if of is None]
    categories = [j for j, of in enumerate(levels) if of is not None]
    inputs = {"numbers": np.ascontiguousarray(X[:, numbers])} if numbers else {}
    if categories:
        rows = written_rows(model, X)
        texts = [["" if row[j] is None else row[j] for j in categories] for row in rows]
        inputs["levels"] = np.array(texts, dtype=object).reshape(len(X), -1)
    return inputs


def by_onnx(model, X, folder):
    labels, probabilities, scores = onnx_session(model.exported("onnx")).run(None, onnx_inputs(model, X))
    return Answers(labels.tolist(), scores, probabilities)


# ---- JSON: the slow, obvious reading of docs/export.schema.json ----


def coordinate(c, x):
    if c is None:
        return x
    if c["curve"] == "log":
        t = np.log(max(x, c["lowest"]))
    else:
        t = np.clip(x / c["spread"], -1e100, 1e100) - np.clip(c["centre"] / c["spread"], -1e100, 1e100)
        t = np.arcsinh(t) if c["curve"] == "asinh" else t
    distance = t - c["mean"]
    if abs(distance) <= 1e-12 * max(abs(c["mean"]), c["deviation"]):
        return 0.0
    return np.clip(distance / c["deviation"], -1e100, 1e100)


def log_density(density, z):
    at = [
        np.clip((z[j] - centre) / scale, -density["limit"], density["limit"])
        for j, centre, scale in zip(density["features"], density["centre"], density["scale"], strict=True)
    ]
    if len(at) == 2:
        at[1] -= density["shear"] * at[0]
    if "points" in density:
        squares = sum((t - np.array(points)) ** 2 for t, points in zip(at, density["points"], strict=True))
        return density["height"] - squares.min() / 2 + np.log(np.exp((squares.min() - squares) / 2).sum())
    axes = density["axes"]
    places = [(t - axis["origin"]) / axis["step"] for t, axis in zip(at, axes, strict=True)]
    inside = [min(max(place, 0), axis["size"] - 1) for place, axis in zip(places, axes, strict=True)]
    cells = [int(min(np.floor(t), axis["size"] - 2)) for t, axis in zip(inside, axes, strict=True)]
    table = np.reshape(density["depths"], [axis["size"] for axis in axes])
    corners = table[tuple(slice(cell, cell + 2) for cell in cells)].astype(float)
    fractions = [t - cell for t, cell in zip(inside, cells, strict=True)]

    def mean_along(corners, which):
        for k in reversed(range(len(axes))):
            if k in which:
                low, high = np.take(corners, 0, k), np.take(corners, 1, k)
                corners = low + fractions[k] * (high - low)
        return corners

    depth = density["unit"] * float(mean_along(corners, range(len(axes))))
    value = density["height"] - depth
    for k, axis in enumerate(axes):
        steps = axis["bandwidth"] / axis["step"]
        beyond = (places[k] - inside[k]) / steps
        if beyond != 0:
            ends = mean_along(corners, [other for other in range(len(axes)) if other != k])
            rise = density["unit"] * (ends[0] - ends[1])
            slope = np.sign(beyond) * rise * steps - 0.5 / steps
            slope = min(slope, -3.5 if depth < 63 else -np.sqrt(2 * depth))
            distance = min(abs(beyond), 1e18)
            value += distance * (slope - distance / 2)
    return value


def level(levels, value):
    if np.isnan(value):
        return levels["count"] - 1 if levels["missing"] else None
    if levels["numbers"]:
        return sum(cut <= value for cut in levels.get("cuts", []))
    return int(value)


def bin_shares(levels, value):
    """The share of each level in a value: of two nodes for a number between them."""
    shares = np.zeros(levels["count"])
    if not levels.get("nodes") or np.isnan(value):
        shares[level(levels, value)] = 1
        return shares
    nodes = levels["cuts"]
    above = sum(node <= value for node in nodes)
    if above in (0, len(nodes)):
        shares[max(above - 1, 0)] = 1
    else:
        share = (value - nodes[above - 1]) / (nodes[above] - nodes[above - 1])
        shares[above - 1 : above + 1] = 1 - share, share
    return shares


def deviation(document, term, z):
    values = [z[j] for j in term["features"]]
    if term["kind"] == "linear":
        return 0.0 if np.isnan(values[0]) else values[0] - term["centre"]
    if any(of.get("nodes") for of in term["levels"]):
        shares = [bin_shares(of, value) for of, value in zip(term["levels"], values, strict=True)]
        cells = np.array([cell["log_share"] for cell in term["cells"]])
        return shares[0] @ cells.reshape(len(shares[0]), -1) @ (shares[1] if len(shares) > 1 else [1.0])
    found = [
        0 if k == 1 and of["count"] == 1 and not of["numbers"] else level(of, value)
        for k, (of, value) in enumerate(zip(term["levels"], values, strict=True))
    ]
    if None in found:
        return sum(deviation(document, document["terms"][t], z) for t in term.get("own", []) if t is not None)
    cell = term["cells"][found[0] if len(found) == 1 else found[0] * term["levels"][1]["count"] + found[1]]
    value = cell["log_share"]
    for parts in cell["mixtures"]:
        value += np.logaddexp.reduce(
            [part["log_weight"] + log_density(document["densities"][part["density"]], z) for part in parts]
        )
    return max(value, term["floor"]) - term["centre"]


def scores_of_json(document, row):
    z = np.empty(len(row))
    for j, (feature, value) in enumerate(zip(document["features"], row, strict=True)):
        if value is None:
            z[j] = np.nan
        elif feature["levels"] is None:
            z[j] = coordinate(feature["coordinate"], value)
        elif value in feature["levels"]:
            z[j] = feature["levels"].index(value)
        else:
            z[j] = len(feature["levels"]) if feature["others"] else np.nan
    total = np.array(document["intercepts"])
    for term in document["terms"]:
        total = total + np.clip(np.array(term["weights"]) * deviation(document, term, z), -1e200, 1e200)
    return total

#!/usr/bin/env python
# SPDX-License-Identifier: BSD-3-Clause
"""Times of exported models beside `dyad predict`, whose answers they must give.

bench/run exports [--rows N] [--features D] [--fit FLAGS]. Every time is of one thread: `dyad predict` reads
the rows from a CSV file; the exports have them in memory, C and JavaScript at once, ONNX in batches of 256,
SQL in a table.
"""

import argparse
import ctypes
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "dyad"
BATCH = 256


def table(n_rows, n_features, seed):
    """Rows of two classes that differ in the mean of one feature and in how pairs depend on each other."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, n_features))
    for j in range(0, n_features - 1, 2):
        X[:, j + 1] += np.where(y == 1, 0.6, -0.6) * X[:, j]
    X[:, 0] += 0.5 * y
    return np.round(X, 6), y


def write_csv(path, X, y):
    header = ",".join([f"f{j}" for j in range(X.shape[1])] + ["y"])
    lines = (",".join(map(repr, row)) + f",{'ab'[k]}" for row, k in zip(X.tolist(), y, strict=True))
    path.write_text(header + "\n" + "\n".join(lines) + "\n")


def best_time(work, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def run(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True)


def by_program(folder, repeats):
    arguments = ["predict", folder / "m.dyad", folder / "rows.csv", "--scores", "--threads", 1]
    seconds, _ = best_time(lambda: run(*arguments, "-o", folder / "out.csv", "--quiet"), repeats)
    return seconds, np.loadtxt(folder / "out.csv", delimiter=",", skiprows=1, usecols=1)


def by_c(folder, X, repeats):
    flags = ["-std=c99", "-O3", "-march=native", "-fno-trapping-math", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, folder / "m.c", "-o", folder / "m.so", "-lm"], check=True)
    library = ctypes.CDLL(str(folder / "m.so"))
    rows = np.ascontiguousarray(X)
    scores = np.empty(len(X))

    def work():
        library.dyad_scores(
            rows.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(len(X)),
            scores.ctypes.data_as(ctypes.c_void_p),
        )
        return scores

    return best_time(work, repeats)


def by_js(folder, X, repeats):
    (folder / "m.mjs").write_bytes((folder / "m.js").read_bytes())
    (folder / "rows.bin").write_bytes(np.ascontiguousarray(X).tobytes())
    (folder / "run.mjs").write_text(
        f"""
import {{ readFileSync }} from "node:fs";
import {{ scoresOfRows }} from "./m.mjs";
const bytes = readFileSync(new URL("rows.bin", import.meta.url));
const values = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8), d = {X.shape[1]};
let found, best = Infinity;
for (let repeat = 0; repeat < {repeats}; ++repeat) {{
  const start = performance.now();
  const rows = [];
  for (let i = 0; i < values.length; i += d) rows.push(values.subarray(i, i + d));
  found = scoresOfRows(rows).map((of) => of[0]);
  best = Math.min(best, performance.now() - start);
}}
console.log(JSON.stringify([best / 1000, found]));
"""
    )
    output = subprocess.run(["node", folder / "run.mjs"], check=True, capture_output=True).stdout
    seconds, scores = json.loads(output)
    return seconds, np.array(scores)


def by_onnx(folder, X, repeats):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "m.onnx"), options)

    def work():
        batches = [X[first : first + BATCH] for first in range(0, len(X), BATCH)]
        return np.concatenate([session.run(["scores"], {"numbers": batch})[0][:, 0] for batch in batches])

    return best_time(work, repeats)


def by_duckdb(folder, X, n_terms):
    import duckdb
    import pandas as pd

    connection = duckdb.connect(config={"threads": 1})
    connection.execute((folder / "m.sql").read_text())
    frame = pd.DataFrame(X)
    frame.insert(0, "row_id", range(len(X)))
    connection.execute("INSERT INTO dyad_rows SELECT * FROM frame")
    query = "SELECT score FROM dyad_predictions WHERE score IS NOT NULL ORDER BY row_id"
    seconds, found = best_time(lambda: connection.execute(query).fetchnumpy()["score"], 1)
    print(
        f"DuckDB: {len(X)} rows in {seconds:.2f} s, "
        f"{1e6 * seconds / len(X) / n_terms:.2f} us per row and term"
    )
    return found


def compare(n_rows, n_features, fit_flags, repeats, sql_rows):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_csv(folder / "train.csv", *table(5000, n_features, 1))
        X, y = table(n_rows, n_features, 2)
        write_csv(folder / "rows.csv", X, y)
        run("fit", folder / "train.csv", "--label", "y", "-o", folder / "m.dyad", *fit_flags)
        for to in ("c", "js", "sql", "onnx", "json"):
            run("export", folder / "m.dyad", "--to", to, "-o", folder / f"m.{to}")
        n_terms = len(json.loads((folder / "m.json").read_text())["terms"])
        sizes = {
            to: (folder / f"m.{to}").stat().st_size >> 10 for to in ("dyad", "json", "c", "js", "sql", "onnx")
        }
        print(f"{n_rows} rows, {n_features} features, {n_terms} terms; kB: {sizes}")
        base, expected = by_program(folder, repeats)
        print(f"{'dyad predict':14} {base:7.3f} s")
        runs = {"C": by_c, "JavaScript": by_js, "ONNX": by_onnx}
        for language, work in runs.items():
            seconds, found = work(folder, X, repeats)
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
            print(f"{language:14} {seconds:7.3f} s, {seconds / base:5.2f} times dyad predict")
        found = by_duckdb(folder, X[:sql_rows], n_terms)
        np.testing.assert_allclose(found, expected[:sql_rows], rtol=1e-7, atol=1e-9)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--fit", default="", help="flags of dyad fit")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sql-rows", type=int, default=10_000)
    given = parser.parse_args()
    compare(given.rows, given.features, given.fit.split(), given.repeats, given.sql_rows)

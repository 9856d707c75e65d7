#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A table larger than memory: time, memory and error of a fit in chunks, and what its steps take.

  bench/run scale [--rows 20000000] [--features 30] [--folder DIR] [--max-memory 2G]

Compared with passes that only parse, with the filling of tables alone, and with a fit in memory to a tenth
of the rows. Then, of that tenth, an SVM of a single setting on all rows in memory, on the sample, and on all
rows in a scratch file.
"""

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "dyad"
PASSES = ROOT / "build" / "bench" / "dyad_passes"
TEST_ROWS = 500_000
TEST_DRAW = 1_000_000  # beyond those of any table


def timed(*command):
    """Seconds, peak memory in MB, and output of a command."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return time.monotonic() - start, usage.ru_maxrss / 1024, output


def labels(path):
    """The last field of each row."""
    with open(path) as file:
        return [line.rstrip("\n").rpartition(",")[2] for line in itertools.islice(file, 1, None)]


def write_table(path, rows, features, draw):
    """The table of a name, unless it is there."""
    if not path.exists():
        subprocess.run([PASSES, "write", str(rows), str(features), str(draw), path], check=True)


def fit(table, model, *flags):
    """Seconds and peak memory in MB of a fit, and what it tells."""
    command = [PROGRAM, "fit", table, "--label", "label", "-o", model, "--quiet", "--json", *flags]
    seconds, memory, output = timed(*command)
    return seconds, memory, json.loads(output)


def error(model, test, truth):
    """Share of test rows with a wrong class."""
    predicted = model.with_suffix(".csv")
    subprocess.run([PROGRAM, "predict", model, test, "-o", predicted], check=True)
    return sum(a != b for a, b in zip(labels(predicted), truth, strict=True)) / len(truth)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=30)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/dyad-scale"))
    parser.add_argument("--max-memory", default="2G")
    parser.add_argument("--chunked", default="auto")
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    table = args.folder / f"rows-{args.rows}-{args.features}.csv"
    part = args.folder / f"rows-{args.rows // 10}-{args.features}.csv"
    test = args.folder / f"test-{args.features}.csv"
    write_table(table, args.rows, args.features, 0)
    write_table(part, args.rows // 10, args.features, 0)
    write_table(test, TEST_ROWS, args.features, TEST_DRAW)
    truth = labels(test)
    print(f"{args.rows} rows of {args.features} features, {table.stat().st_size / 1e9:.2f} GB")

    parse = min(
        float(timed(PASSES, "parse", table)[2]) for _ in range(2)
    )  # the second from memory, if it is there
    print(f"parsing alone           {parse:8.1f} s a pass")
    steps = json.loads(timed(PASSES, "steps", table)[2])
    fills = args.rows * steps["pairs"] / 2 * steps["fill_ns"] * 1e-9 / min(2, os.cpu_count())
    print(f"filling tables alone    {fills:8.1f} s on two threads ({steps['fill_ns']:.2f} ns a row and pair)")
    for name in ("survey", "plan", "count", "finish", "density", "weights"):
        print(f"  {name:21} {steps[name]:8.1f} s")
    lower_bound = 2 * parse + fills + steps["weights"]
    model = args.folder / "all.dyad"
    seconds, memory, _ = fit(table, model, "--max-memory", args.max_memory, "--chunked", args.chunked)
    print(f"dyad fit --max-memory {args.max_memory}  {seconds:8.1f} s, {memory:.0f} MB at most")
    print(f"  {seconds / lower_bound:.2f} times two parses, the fills and the weights ({lower_bound:.1f} s)")
    all_rows = error(model, test, truth)
    model = args.folder / "part.dyad"
    seconds, memory, _ = fit(part, model, "--chunked", "no")
    some_rows = error(model, test, truth)
    deviation = math.sqrt(some_rows * (1 - some_rows) / TEST_ROWS)
    print(f"in memory, a tenth      {seconds:8.1f} s, {memory:.0f} MB at most")
    print(f"error on {TEST_ROWS} new rows, standard error {100 * deviation:.3f} %:")
    print(f"  {100 * all_rows:.3f} % of all rows in chunks, {100 * some_rows:.3f} % of a tenth in memory")

    print("a tenth, --preset paper --n-pairs 40:")
    for name, *flags in (
        ("all rows in memory", "--chunked", "no"),
        ("the sample", "--chunked", "yes"),
        ("all rows in a file", "--chunked", "yes", "--scratch", args.folder),
    ):
        seconds, memory, told = fit(part, model, "--preset", "paper", "--n-pairs", 40, *flags)
        print(f"  {name:21} {seconds:8.1f} s, {memory:.0f} MB at most", end="; ")
        print(f"SVM {told['seconds']['svm']:.1f} s, third pass {told['seconds']['features']:.1f} s", end="; ")
        print(f"error {100 * error(model, test, truth):.3f} %")


if __name__ == "__main__":
    main()

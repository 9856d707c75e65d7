#!/usr/bin/env python3
"""Time and model size of `dyad fit` with its defaults, beside the limits they are to keep.

    bench/auto/limits.py [--program build/dyad] [--threads 2]

Tables are drawn anew: two classes, of which some features differ in their means and some pairs in their correlation. Exits 1 if a limit
is passed.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

# rows, features, most seconds, most bytes of the model (None: no limit)
CASES = [(1000, 20, 1, None), (600, 100, 10, 50_000_000), (100_000, 30, 8, None), (300, 2000, None, 50_000_000)]


def write_table(path, rows, features):
    rng = random.Random(1)
    with path.open("w") as file:
        print(*(f"x{j}" for j in range(features)), "label", sep=",", file=file)
        for _ in range(rows):
            label = rng.randrange(2)
            x = [rng.gauss(0, 1) for _ in range(features)]
            for j in range(4):
                x[j] += 0.4 * label
            for j in range(1, features, 4):
                x[j] += (0.6 if label else -0.6) * x[j - 1]
            print(*(f"{value:.5g}" for value in x), label, sep=",", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/dyad")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    passed = True
    print("    rows  features   seconds  limit       MB  limit")
    with tempfile.TemporaryDirectory() as folder:
        table, model = pathlib.Path(folder, "table.csv"), pathlib.Path(folder, "model.dyad")
        for rows, features, most_seconds, most_bytes in CASES:
            write_table(table, rows, features)
            start = time.perf_counter()
            subprocess.run([arguments.program, "fit", table, "--label", "label", "-o", model, "--quiet", "--threads", str(arguments.threads)],
                           check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - start
            size = model.stat().st_size
            print(f"{rows:8}  {features:8}  {seconds:8.2f}  {most_seconds or '':>5}  {size / 1e6:7.1f}  {most_bytes / 1e6 if most_bytes else '':>5}")
            passed = passed and seconds <= (most_seconds or seconds) and size <= (most_bytes or size)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

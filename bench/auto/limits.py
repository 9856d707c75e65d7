#!/usr/bin/env python3
"""Time and model size of `dyad fit` with its defaults, beside the limits they are to keep.

    bench/auto/limits.py [--program build/dyad] [--threads 2]

Tables are those of bench/tables.py. Exits 1 if a limit is passed.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tables import write_table

# rows, features, most seconds, most bytes of the model (None: no limit)
CASES = [(1000, 20, 1, None), (600, 100, 10, 50_000_000), (100_000, 30, 8, None), (300, 2000, None, 50_000_000)]


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

#!/usr/bin/env python3
"""Time of `dyad report` beyond that of `dyad predict` on the same table, and the size of its page, beside the limits they are to keep.

    bench/report/limits.py [--program build/dyad] [--threads 2]

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

# rows, features, most seconds beyond prediction, most bytes of the page
CASES = [(1000, 20, 10, 8_000_000), (100_000, 50, 10, 8_000_000), (2000, 500, None, None)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/dyad")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    def seconds_of(*words):
        start = time.perf_counter()
        subprocess.run([arguments.program, *words, "--quiet", "--threads", str(arguments.threads)], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    passed = True
    print("    rows  features   predict    report  beyond  limit       MB  limit")
    with tempfile.TemporaryDirectory() as folder:
        table, model, page = (pathlib.Path(folder, name) for name in ("table.csv", "model.dyad", "page.html"))
        for rows, features, most_seconds, most_bytes in CASES:
            write_table(table, rows, features)
            seconds_of("fit", table, "--label", "label", "-o", model)
            predict = seconds_of("predict", model, table, "-o", pathlib.Path(folder, "predicted.csv"))
            report = seconds_of("report", model, table, "--label", "label", "-o", page)
            size = page.stat().st_size
            print(f"{rows:8}  {features:8}  {predict:8.2f}  {report:8.2f}  {report - predict:6.2f}  {most_seconds or '':>5}"
                  f"  {size / 1e6:7.2f}  {most_bytes / 1e6 if most_bytes else '':>5}")
            passed = passed and report - predict <= (most_seconds or report) and size <= (most_bytes or size)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

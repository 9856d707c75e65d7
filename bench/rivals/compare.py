#!/usr/bin/env python3
"""dyad against other libraries: the same data, the same number of threads, answers checked.

    bench/rivals/compare.py [--quick] [--only NAME ...]

Needs the packages of requirements.txt (bench/run makes an environment with them) and build/bench/dyad_rivals. Prints a table; a run
of everything at full size also writes it into docs/benchmarks.md. Ends with 1 if an answer is wrong or a run failed.
"""
import os

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # before NumPy starts; LightGBM is told its number of threads

import argparse
import dataclasses
import importlib.metadata
import operator
import pathlib
import platform
import sys
import tempfile
import time

import density
import growth
import hsic
import memory
import model
import paper
import svm
from common import ROOT, Failure

COMPARISONS = {"hsic": hsic.run, "density": density.run, "svm": svm.run, "fit": model.run_fit, "predict": model.run_predict,
               "paper": paper.run, "growth": growth.run, "memory": memory.run}
PACKAGES = ["numpy", "scipy", "scikit-learn", "lightgbm", "interpret-core", "KDEpy", "hyppo"]
DOCUMENT = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- rivals: begin (written by bench/rivals/compare.py) -->", "<!-- rivals: end -->"


@dataclasses.dataclass
class Bench:
    quick: bool
    folder: pathlib.Path = None  # of the files of one comparison


def met(row):
    """Whether the ratio is as the target says; None without a target."""
    if not row.target:
        return None
    compare, limit = row.target.split()
    return {">=": operator.ge, "<=": operator.le}[compare](row.ratio, float(limit))


def table(rows):
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    lines = [f"Rivals: {versions}; Python {platform.python_version()}.", "",
             "| what | against | threads | theirs | dyad | ratio | target | met | notes |", "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        verdict = {None: "", True: "yes", False: "**no**"}[met(row)]
        lines.append(f"| {row.task} | {row.rival} | {row.threads} | {row.theirs} | {row.ours} | {row.ratio:.3g} | {row.target} | "
                     f"{verdict} | {row.note} |")
    return "\n".join(lines) + "\n"


def write_document(text):
    before, rest = DOCUMENT.read_text().split(BEGIN)
    DOCUMENT.write_text(before + BEGIN + "\n" + text + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: checks that everything runs")
    parser.add_argument("--only", nargs="+", choices=COMPARISONS, metavar="NAME", help=", ".join(COMPARISONS))
    arguments = parser.parse_args()

    rows, failures = [], []
    for name in arguments.only or COMPARISONS:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows += COMPARISONS[name](Bench(arguments.quick, pathlib.Path(folder)))
            except Failure as failure:
                failures.append(f"{name}: FAILED: {failure}")
                print(failures[-1], file=sys.stderr)
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    print(table(rows))
    if failures:
        sys.exit("\n".join(failures))
    if not arguments.quick and not arguments.only:
        write_document(table(rows))


if __name__ == "__main__":
    main()

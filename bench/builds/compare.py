#!/usr/bin/env python3
"""Processor time of two builds of the program, run in turn, with their predictions compared.

    bench/builds/compare.py OLD NEW [--runs 9] [--tables CSV ..]

OLD and NEW are programs, such as ../before/build/dyad and build/dyad. Tables are those of bench/tables.py,
then the files of --tables, whose last column is the label. Exits 1 if a median is more than 3 % above OLD's
or a prediction differs.
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tables import write_table

LIMIT = 1.03
DRAWN = [(1000, 20), (30_000, 12)]  # rows, features
OPTIONS = {"auto": [], "nb": ["--method", "nb"], "paper": ["--preset", "paper", "--pairs", "fdr"]}


def processor_seconds(program, *arguments):
    """Processor time of a run of the program in one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *arguments, "--threads", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def compare(programs, table, options, runs, folder):
    """Median seconds of fits and of predictions by each program, and whether predictions agree."""
    label = table.open().readline().strip().split(",")[-1].strip('"')
    seconds = {(program, verb): [] for program in programs for verb in ("fit", "predict")}
    files = {program: (folder / f"{k}.dyad", folder / f"{k}.csv") for k, program in enumerate(programs)}
    for run in range(runs):
        for program in programs[:: -1 if run % 2 else 1]:
            model, predicted = files[program]
            fit = processor_seconds(program, "fit", table, "--label", label, "-o", model, *options)
            predict = processor_seconds(program, "predict", model, table, "-o", predicted, "--proba")
            seconds[program, "fit"].append(fit)
            seconds[program, "predict"].append(predict)
    agree = len({predicted.read_bytes() for _, predicted in files.values()}) == 1
    return {key: statistics.median(each) for key, each in seconds.items()}, agree


def main():
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--tables", type=pathlib.Path, nargs="*", default=[])
    arguments = parser.parse_args()
    programs = (arguments.old, arguments.new)
    passed = True
    print("table                     options  fit old    new  ratio  predict old    new  ratio  predictions")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tables = []
        for rows, features in DRAWN:
            tables.append(folder / f"{rows} x {features}.csv")
            write_table(tables[-1], rows, features)
        for table in tables + arguments.tables:
            for options, flags in OPTIONS.items():
                seconds, agree = compare(programs, table, flags, arguments.runs, folder)
                print(f"{table.stem:25.25} {options:7}", end="")
                for verb, width in (("fit", 9), ("predict", 13)):
                    old, new = (seconds[program, verb] for program in programs)
                    passed = passed and new <= LIMIT * old
                    print(f"{old:{width}.3f}{new:7.3f}{new / old:7.2f}", end="")
                print(f"  {'equal' if agree else 'DIFFER'}", flush=True)
                passed = passed and agree
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

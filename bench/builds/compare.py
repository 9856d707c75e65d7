#!/usr/bin/env python3
"""Two builds of the program compared: processor time or executed instructions, with their answers compared.

    bench/builds/compare.py OLD NEW [--runs 9] [--tables CSV ..]
    bench/builds/compare.py OLD NEW --instructions [--tables CSV ..]

OLD and NEW are programs, such as ../before/build/dyad and build/dyad. Tables are those of bench/tables.py,
then the files of --tables (.csv or .csv.gz), whose last column is the label. --instructions counts millions
of instructions under `valgrind --tool=callgrind`, once and on a drawn table of 200 rows: the counts repeat
on a busy machine, too. Exits 1 if a median is more than 3 % above OLD's, or if a model or a
prediction differs.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tables import label_of, write_table

LIMIT = 1.03
DRAWN = [(1000, 20), (30_000, 12)]  # rows, features
DRAWN_TO_COUNT = [(200, 8)]  # under callgrind, fifty times slower
OPTIONS = {"auto": [], "nb": ["--method", "nb"], "paper": ["--preset", "paper", "--pairs", "fdr"]}


def processor_seconds(program, *arguments):
    """Processor time of a run of the program in one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *arguments, "--threads", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def million_instructions(program, *arguments):
    """Millions of instructions that a run of the program in one thread executes."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, program, *arguments, "--threads", "1", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", output)[1]) / 1e6


def compare(programs, table, options, measure, runs, folder):
    """Median cost of fits and of predictions by each program, and whether models and predictions agree."""
    label = label_of(table)
    costs = {(program, verb): [] for program in programs for verb in ("fit", "predict")}
    files = {program: (folder / f"{k}.dyad", folder / f"{k}.csv") for k, program in enumerate(programs)}
    for run in range(runs):
        for program in programs[:: -1 if run % 2 else 1]:
            model, predicted = files[program]
            fit = measure(program, "fit", table, "--label", label, "-o", model, *options)
            predict = measure(program, "predict", model, table, "-o", predicted, "--proba")
            costs[program, "fit"].append(fit)
            costs[program, "predict"].append(predict)
    agree = all(len({each[k].read_bytes() for each in files.values()}) == 1 for k in range(2))
    return {key: statistics.median(each) for key, each in costs.items()}, agree


def main():
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--tables", type=pathlib.Path, nargs="*", default=[])
    arguments = parser.parse_args()
    programs = (arguments.old, arguments.new)
    measure, runs, drawn, digits = processor_seconds, arguments.runs, DRAWN, 3
    if arguments.instructions:
        measure, runs, drawn, digits = million_instructions, 1, DRAWN_TO_COUNT, 1
    passed = True
    print(f"{'table':21} {'options':7}   fit old      new  ratio  predict old    new  ratio  answers")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tables = []
        for rows, features in drawn:
            tables.append(folder / f"{rows} x {features}.csv")
            write_table(tables[-1], rows, features)
        for table in tables + arguments.tables:
            for options, flags in OPTIONS.items():
                costs, agree = compare(programs, table, flags, measure, runs, folder)
                print(f"{table.name.split('.')[0]:21.21} {options:7}", end="")
                for verb, width in (("fit", 10), ("predict", 12)):
                    old, new = (costs[program, verb] for program in programs)
                    passed = passed and new <= LIMIT * old
                    print(f"{old:{width}.{digits}f} {new:{8}.{digits}f} {new / old:6.3f}", end="")
                print(f"  {'equal' if agree else 'DIFFER'}", flush=True)
                passed = passed and agree
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

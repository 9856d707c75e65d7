#!/usr/bin/env python3
"""Tables of docs/accuracy.md that `dyad cv` makes: balanced errors on the paper's data sets, in percent.

    bench/paper/accuracy.py defaults [--data DIR] [--program build/dyad] [--repeats 3] [SET ...]
    bench/paper/accuracy.py losses [--data DIR] [--program build/dyad] [--repeats 1] [SET ...]

`defaults` fits the preset auto to every set, beside the SLB column of the paper's table 1; `losses` fits both presets with each loss and
penalty to four small sets, and prints the mean number of pairs kept in brackets. The preset auto weighs classes alike (--optimise balanced).
"""
import argparse
import csv
import json
import statistics
import subprocess
import sys

from sets import HERE, add_data, table_files

BALANCED = ["--optimise", "balanced"]
SMALL_SETS = ["liver", "parkinson", "wpbc", "vertebral"]
LOSSES = {
    "hinge": ["--loss", "hinge"],
    "squared hinge": ["--loss", "squared_hinge"],
    "logistic": ["--loss", "logistic"],
    "logistic, L1": ["--loss", "logistic", "--penalty", "l1"],
    "logistic, elastic net": ["--loss", "logistic", "--penalty", "elastic_net"],
}
PRESETS = {"auto": BALANCED, "paper": ["--preset", "paper", "--cost", "cv"]}


def cross_validate(arguments, path, options):
    command = [arguments.program, "cv", str(path), "--label", "label", "--folds", "5", "--repeats", str(arguments.repeats), "--json", *options]
    cv = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(f"{path.name} {' '.join(options)}: {100 * cv['ber_mean']:.1f}", file=sys.stderr)
    return cv


def paper_errors():
    """SLB in the paper's table 1, by set."""
    with (HERE / "expected_ber.csv").open() as file:
        return {row["dataset"]: float(row["paper"]) for row in csv.DictReader(file) if row["method"] == "slb"}


def defaults(arguments):
    paper = paper_errors()
    files = table_files(arguments.data, arguments.sets or sorted(paper))
    rows = [(name, 100 * cross_validate(arguments, file, BALANCED)["ber_mean"], paper[name]) for name, file in files.items()]
    rows.append(("mean", *(statistics.mean(column) for column in list(zip(*rows))[1:])))
    print("| set | dyad | paper |\n|---|---:|---:|")
    for name, ours, theirs in rows:
        print(f"| {name} | {ours:.1f} | {theirs:.1f} |")


def losses(arguments):
    files = table_files(arguments.data, arguments.sets or SMALL_SETS)
    print(f"| preset | loss, penalty | {' | '.join(files)} | mean |\n|---|---|{'---:|' * (len(files) + 1)}")
    for preset, preset_options in PRESETS.items():
        for loss, loss_options in LOSSES.items():
            results = [cross_validate(arguments, file, [*preset_options, *loss_options]) for file in files.values()]
            cells = [f"{100 * cv['ber_mean']:.1f} ({statistics.mean(fold['pairs_kept'] for fold in cv['folds']):.0f})" for cv in results]
            mean = statistics.mean(100 * cv["ber_mean"] for cv in results)
            print(f"| {preset} | {loss} | {' | '.join(cells)} | {mean:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = {"defaults": (defaults, 3), "losses": (losses, 1)}
    parser.add_argument("table", choices=tables)
    add_data(parser)
    parser.add_argument("--program", default="build/dyad")
    parser.add_argument("--repeats", type=int, help="draws of folds (default: 3 for defaults, 1 for losses)")
    parser.add_argument("sets", nargs="*", metavar="SET", help="data sets to run (default: those of the table)")
    arguments = parser.parse_intermixed_args()
    run, repeats = tables[arguments.table]
    arguments.repeats = arguments.repeats or repeats
    run(arguments)


if __name__ == "__main__":
    main()

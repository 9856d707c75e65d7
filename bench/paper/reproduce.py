#!/usr/bin/env python3
"""Table 1 of the paper: balanced error on its 16 data sets, beside the paper's and a reference pipeline's in R.

    bench/paper/reproduce.py [--data DIR] [--engine counts] [--program build/dyad] [--rows rows.csv] [SET ...]

Runs `dyad cv --preset paper` with either engine (5 folds; 3 repeats on the sets that the R pipeline was run on, 1 on the others, which
are reduced to 2000 rows where they are larger), writes one row per set and method to --rows, and prints the table.
"""
import argparse
import csv
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from sets import HERE, add_data, table_files

METHODS = ["slb", "lu", "nb", "tan"]
MOST_ROWS = 2000


def expected():
    """(set, method) -> (value of the R pipeline or None, value of the paper), in percent."""
    with (HERE / "expected_ber.csv").open() as file:
        return {
            (row["dataset"], row["method"]): (float(row["reference_r"]) if row["reference_r"] else None, float(row["paper"]))
            for row in csv.DictReader(file)
        }


def reduced(path, folder):
    """The file itself, or a copy with a stratified MOST_ROWS of its rows."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        header, *lines = file.read().splitlines()
    if len(lines) <= MOST_ROWS:
        return path
    classes = {}
    for line in lines:
        classes.setdefault(line.rsplit(",", 1)[1], []).append(line)
    rng = random.Random(1)
    chosen = [line for members in classes.values() for line in rng.sample(members, round(MOST_ROWS * len(members) / len(lines)))]
    copy = pathlib.Path(folder) / path.name.removesuffix(".gz")
    copy.write_text("\n".join([header, *chosen]) + "\n")
    return copy


def run(program, engine, path, method, repeats):
    command = [program, "cv", str(path), "--label", "label", "--method", method, "--preset", "paper", "--engine", engine,
               "--folds", "5", "--repeats", str(repeats), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data(parser)
    parser.add_argument("--engine", default="exact", choices=["exact", "counts"])
    parser.add_argument("--program", default="build/dyad")
    parser.add_argument("--rows", type=pathlib.Path, help="CSV file to write, a row per set and method")
    parser.add_argument("sets", nargs="*", metavar="SET", help="data sets to run (default: all)")
    arguments = parser.parse_args()

    values = expected()
    files = table_files(arguments.data, arguments.sets or list(dict.fromkeys(name for name, _ in values)))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, file in files.items():
            path = reduced(file, folder)
            for method in METHODS:
                reference, paper = values[name, method]
                cv = run(arguments.program, arguments.engine, path, method, 3 if reference is not None else 1)
                results.append({"dataset": name, "method": method, "n": cv["n"], "ber": 100 * cv["ber_mean"],
                                "sd": 100 * cv["ber_sd"], "reference_r": reference, "paper": paper,
                                "seconds": cv["seconds"]["total"]})
                print(f"{name} {method}: {100 * cv['ber_mean']:.1f} (R {reference}, paper {paper}), "
                      f"{cv['seconds']['total']:.1f} s", file=sys.stderr)
    if arguments.rows:
        with arguments.rows.open("w") as file:
            writer = csv.DictWriter(file, results[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(results)
    print_table(results)


def print_table(results):
    print("| set | n | " + " | ".join(f"{method} | R | paper" for method in METHODS) + " |")
    print("|" + "---|" * (2 + 3 * len(METHODS)))
    cell = {(row["dataset"], row["method"]): row for row in results}
    for name in dict.fromkeys(row["dataset"] for row in results):
        entries = []
        for method in METHODS:
            row = cell[name, method]
            reference = "" if row["reference_r"] is None else f"{row['reference_r']:.1f}"
            entries.append(f"{row['ber']:.1f} ± {row['sd']:.1f} | {reference} | {row['paper']:.1f}")
        print(f"| {name} | {cell[name, METHODS[0]]['n']} | " + " | ".join(entries) + " |")
    compared = [name for name in dict.fromkeys(row["dataset"] for row in results) if cell[name, "slb"]["reference_r"] is not None]
    if compared:
        means = []
        for method in METHODS:
            mean = [sum(cell[name, method][key] for name in compared) / len(compared) for key in ("ber", "reference_r", "paper")]
            means.append(" | ".join(f"{value:.1f}" for value in mean))
        print(f"| mean of the {len(compared)} sets run in R | | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()

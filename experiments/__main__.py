# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the experiments."""

from __future__ import annotations

import argparse
import functools
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from experiments import ablation, calibration, effects, novelty, replication, rivals, theory
from experiments.designs import DESIGNS, Design
from experiments.methods import METHODS
from experiments.options import (
    add_data,
    add_file,
    add_folders,
    add_folds,
    add_running,
    count,
    folds,
    names,
    paper_rows,
    rows,
)

COMMAND = "python -m experiments"

TABLES = """\
A table is a file .csv or .csv.gz with a header, numeric columns, and a column `label` of two classes. A run
that was interrupted goes on where it stopped if called again with the same results."""


class Studies:
    """The parsers of all studies."""

    def __init__(self, parser: argparse.ArgumentParser):
        self._subparsers = parser.add_subparsers(title="studies", required=True, metavar="STUDY")

    def add(self, name: str, summary: str, run: Callable, more: str, about: str | None = None) -> Callable:
        """Add a study, and return the function that adds an option to it."""
        subparser = self._subparsers.add_parser(
            name,
            help=summary,
            description=about or f"{summary[0].upper()}{summary[1:]}.",
            epilog=more,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        subparser.set_defaults(run=run)
        return subparser.add_argument


def add_table(studies: Studies, design: Design, run: Callable, summary: str, example: str) -> None:
    """Add the study of a table of the paper."""
    methods = [METHODS[name] for name in design.methods]
    listed = "\n".join(f"  {method.name:<12}{method.description}" for method in methods)
    settings = [setting.name for setting in design.networks]
    kinds = [f"settings:\n{_wrapped(settings)}"] if settings else [TABLES]
    more = "\n\n".join([f"methods:\n{listed}", *kinds, f"example:\n  {COMMAND} {design.name} {example}"])
    option = studies.add(design.name, summary, run, more)
    option("--methods", metavar="A,B", type=names, help="see below (default: all that are installed)")
    if settings:
        option("--settings", metavar="A,B", type=names, help="see below (default: all)")
        option("--n", metavar="N,M", type=rows, help="training rows (default: 200,400,600,800,1000)")
        add_replicates(option)
    else:
        add_data(option, repeats=1)
    add_quick(option)
    add_folders(option)
    add_running(option)


def add_replicates(option: Callable) -> None:
    """Declare the number of replicates of the paper's simulations."""
    told = f"pairs of networks of a setting (default: {replication.REPLICATES})"
    option("--replicates", metavar="N", type=count, help=told)


def add_quick(option: Callable) -> None:
    """Declare the small version of a table."""
    told = f"small tables; {replication.QUICK_REPLICATES} pairs of networks, 200 rows: a minute or so"
    option("--quick", action="store_true", help=told)


def add_paper(studies: Studies) -> None:
    """Add the studies of the paper's tables."""
    runs = (replication.run_table1, replication.run_table2, replication.run_table3)
    summaries = (
        "the paper's table 1: real tables",
        "the paper's table 2: simulated forests",
        "the paper's table 3: simulated networks, three parents a node",
    )
    examples = (
        "--repeats 3 --jobs 4",
        "--settings normal-balanced --n 200,1000 --replicates 20",
        "--methods slb,slb-,auto --jobs 4",
    )
    for each in zip(DESIGNS, runs, summaries, examples, strict=True):
        add_table(studies, *each)
    example = f"example:\n  {COMMAND} %s --results results --out report"
    summary = "the paper's claims and what our tables say"
    add_folders(studies.add("claims", summary, replication.run_claims, example % "claims"))
    summary = "figures of tables 2 and 3"
    add_folders(studies.add("figures", summary, replication.run_figures, example % "figures"))
    summary = "the three tables, the claims, the figures and the theorem"
    option = studies.add("all", summary, replication.run_all, f"example:\n  {COMMAND} all --quick")
    add_data(option, repeats=1)
    add_replicates(option)
    add_quick(option)
    add_folders(option)
    add_running(option)


def add_rivals(studies: Studies) -> None:
    """Add the study of rivals."""
    methods = "\n".join(f"  {method.name:<12}{method.description}" for method in rivals.METHODS.values())
    more = f"""{TABLES}

methods:
{methods}

examples:
  {COMMAND} rivals --results rivals.csv
  {COMMAND} rivals --data my/tables --results mine.csv
  {COMMAND} rivals --sets sonar,wdbc --methods dyad,svc-tuned --repeats 1
  {COMMAND} rivals --results rivals.csv --methods dyad --redo"""
    summary = "dyad beside other classifiers on real tables"
    option = studies.add("rivals", summary, rivals.run, more, rivals.__doc__)
    add_data(option, repeats=3)
    add_folds(option)
    option("--methods", metavar="A,B", type=names, help="see below (default: all that are installed)")
    add_file(option)
    add_running(option)


def add_ablation(studies: Studies) -> None:
    """Add the study of ingredients."""
    variants = "\n\n".join(
        f"variants of {name}:\n{_wrapped(list(variants))}" for name, variants in ablation.PRESETS.items()
    )
    more = f"""{TABLES}

{variants}

examples:
  {COMMAND} ablation --results ablation.csv
  {COMMAND} ablation --preset paper --networks --results paper-ablation.csv
  {COMMAND} ablation --sets sonar,wdbc --variants only-standardised,all-pairs --repeats 1"""
    summary = "a classifier without one of its ingredients"
    option = studies.add("ablation", summary, ablation.run, more, ablation.__doc__)
    told = "what is taken apart: our defaults, or SLB as in the paper (default: auto)"
    option("--preset", choices=list(ablation.PRESETS), default="auto", help=told)
    add_data(option, repeats=3)
    add_folds(option)
    option("--variants", metavar="A,B", type=names, help="to compare with the whole (default: all)")
    option("--networks", action="store_true", help="on simulated networks; tables only with --data or --sets")
    option("--n", metavar="N,M", type=rows, default=[200, 1000], help="training rows (default: 200,1000)")
    option("--replicates", metavar="N", type=count, default=10, help="pairs of networks (default: 10)")
    add_file(option)
    add_running(option)


def add_effects(studies: Studies) -> None:
    """Add the study of effects."""
    summary = "the price of few effects, and the signs of effects in cells of rows"
    example = f"example:\n  {COMMAND} effects --data my/tables --results effects.csv"
    option = studies.add("effects", summary, effects.run, example, effects.__doc__)
    add_data(option, repeats=1)
    option("--folds", metavar="N", type=folds, default=5, help="folds of a draw (default: 5)")
    add_file(option)


def add_calibration(studies: Studies) -> None:
    """Add the study of what the paper leaves open."""
    summary = "how the paper's networks may have been drawn"
    example = f"example:\n  {COMMAND} calibration --results calibration.csv --jobs 4"
    option = studies.add("calibration", summary, calibration.run, example, calibration.__doc__)
    option(
        "--n", metavar="N,M", type=paper_rows, default=[200, 1000], help="of the paper's (default: 200,1000)"
    )
    option("--replicates", metavar="N", type=count, default=10, help="pairs of networks (default: 10)")
    add_file(option)
    add_running(option)


def add_novelty(studies: Studies) -> None:
    """Add the study of the novelty of new rows."""
    summary = "shares of new rows beyond the 95 %% quantile of novelty"
    example = f"example:\n  {COMMAND} novelty --replicates 10\n  {COMMAND} novelty --data DIR"
    option = studies.add("novelty", summary, novelty.run, example, novelty.__doc__)
    option("--data", metavar="DIR", help="folder of tables (default: simulations)")
    option("--leave-out", metavar="A,B", type=names, help="tables of the folder")
    option("--replicates", metavar="N", type=count, default=10, help="draws or splits (default: 10)")


def add_theory(studies: Studies) -> None:
    """Add the study of the convergence theorem."""
    more = f"""examples:
  {COMMAND} theory --quick
  {COMMAND} theory --replicates 30 --out report"""
    summary = "the paper's convergence theorem: excess risk as samples grow"
    option = studies.add("theory", summary, theory.run, more, theory.__doc__)
    told = f"pairs of networks (default: {theory.REPLICATES}, or {theory.QUICK_REPLICATES} with --quick)"
    option("--replicates", metavar="N", type=count, help=told)
    option("--quick", action="store_true", help="small samples: ten seconds or so, rather than minutes")
    told = "folder of theory.md, .csv, .png and .svg (default: results)"
    option("--out", metavar="DIR", type=Path, default=Path("results"), help=told)
    told = "seed of the first pair of networks, the next pair having the next seed (default: 0)"
    option("--seed", metavar="N", type=functools.partial(count, least=0), default=0, help=told)


def _wrapped(words: list[str]) -> str:
    return textwrap.indent(textwrap.fill(", ".join(words), break_on_hyphens=False), "  ")


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser of all studies."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description="The paper's experiments, and the studies behind the defaults. Tables are printed, "
        "progress goes to standard error.",
    )
    parser.set_defaults(methods=None, sets=None, settings=None, n=None)
    studies = Studies(parser)
    add_paper(studies)
    add_theory(studies)
    add_rivals(studies)
    add_ablation(studies)
    add_effects(studies)
    add_calibration(studies)
    add_novelty(studies)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a study; the exit code is 0 if done, 1 if fits failed, 2 for a mistake in the call."""
    arguments = arguments_parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; fits that are in the results are not done again", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the studies."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from dyad.experiments import ablation, rivals, simulation

COMMAND = "python -m dyad.experiments"


def names(text: str) -> list[str]:
    """Split a list at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def count(text: str, least: int = 1) -> int:
    """Read a number of at least `least`."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}: {text}")
    return number


def folds(text: str) -> int:
    """Read a number of folds."""
    return count(text, 2)


def rows(text: str) -> list[int]:
    """Read numbers of training rows, which two classes share."""
    return [count(number, 4) for number in names(text)]


def add_data(option: Callable) -> None:
    """Declare options of studies of real tables."""
    option("--data", metavar="DIR", help="folder of tables (default: $DYAD_DATA)")
    option("--sets", metavar="A,B", type=names, help="tables, without .csv (default: all)")
    option(
        "--repeats", metavar="N", type=count, default=3, help="draws of folds, seeds 0, 1, ... (default: 3)"
    )
    option(
        "--folds",
        metavar="N",
        type=folds,
        default=5,
        help="folds of a draw; results of another number need a file of their own (default: 5)",
    )
    option(
        "--slow",
        metavar="SECONDS",
        type=float,
        default=float("inf"),
        help="no further repeats where a fit takes longer (default: no limit)",
    )


def add_networks(option: Callable) -> None:
    """Declare options of studies of simulated networks."""
    option("--n", metavar="N,M", type=rows, default=[200, 1000], help="training rows (default: 200,1000)")
    option("--replicates", metavar="N", type=count, default=10, help="pairs of networks (default: 10)")


def add_running(option: Callable) -> None:
    """Declare options that all studies have."""
    option(
        "--results", metavar="FILE.csv", type=Path, help="file of results, read and added to, a line a fit"
    )
    option("--redo", action="store_true", help="compute again what the file of results already has")
    option("--jobs", metavar="N", type=count, default=1, help="processes, of one thread each (default: 1)")


TABLES = """\
A table is a CSV file with a header, numeric columns, and a column `label` of two classes. A run that was
interrupted goes on where it stopped if called again with the same file of results."""


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser of all studies."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description="The studies behind the defaults. Tables are printed, progress goes to standard error.",
    )
    studies = parser.add_subparsers(title="studies", required=True, metavar="STUDY")

    def add(name: str, study: ModuleType, summary: str, more: str) -> Callable:
        subparser = studies.add_parser(
            name,
            help=summary,
            description=study.__doc__,
            epilog=more,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        subparser.set_defaults(run=study.run)
        return subparser.add_argument

    methods = "\n".join(f"  {method.name:<12}{method.description}" for method in rivals.METHODS.values())
    option = add(
        "rivals",
        rivals,
        "dyad beside other classifiers on real tables",
        f"""{TABLES}

methods:
{methods}

examples:
  {COMMAND} rivals --data tables --results rivals.csv
  {COMMAND} rivals --data tables --sets sonar,wdbc --methods dyad,svc-tuned --repeats 1
  {COMMAND} rivals --data tables --results rivals.csv --methods dyad --redo""",
    )
    add_data(option)
    option("--methods", metavar="A,B", type=names, help="see below (default: all that are installed)")
    add_running(option)

    variants = textwrap.indent(textwrap.fill(", ".join(ablation.VARIANTS), break_on_hyphens=False), "  ")
    option = add(
        "ablation",
        ablation,
        "the recipe without one of its ingredients",
        f"""{TABLES}

variants:
{variants}

examples:
  {COMMAND} ablation --data tables --results ablation.csv --networks
  {COMMAND} ablation --data tables --sets sonar,wdbc --variants only-standardised,all-pairs --repeats 1""",
    )
    add_data(option)
    option(
        "--variants", metavar="A,B", type=names, help="to compare with the recipe; see below (default: all)"
    )
    option("--networks", action="store_true", help="also on simulated networks")
    add_networks(option)
    add_running(option)

    option = add(
        "networks",
        simulation,
        "dyad beside TAN on simulated networks",
        f"""examples:
  {COMMAND} networks --results networks.csv
  {COMMAND} networks --n 200 --replicates 3 --methods dyad,tan""",
    )
    add_networks(option)
    methods = ", ".join(simulation.METHODS)
    option("--methods", metavar="A,B", type=names, help=f"{methods} (default: all)")
    add_running(option)
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
        print("interrupted; with --results, the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

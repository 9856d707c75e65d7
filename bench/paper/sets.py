"""Files of the paper's tables: the option --data of the scripts of this folder, and the files that are there."""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def add_data(parser):
    folder = os.environ.get("DYAD_DATA") or HERE.parents[1] / "data"
    parser.add_argument("--data", default=folder, type=pathlib.Path, help="folder of the tables, .csv or .csv.gz (default: $DYAD_DATA, or else data)")


def table_files(folder, names):
    """The file of each table; those that are missing are left out with a message."""
    files = {}
    for name in names:
        present = [path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.exists()]
        if present:
            files[name] = present[0]
        else:
            print(f"{name} is left out: not in {folder}", file=sys.stderr)
    if not files:
        sys.exit(f"no tables in {folder}")
    return files

#!/usr/bin/env python3
"""Error, log loss and seconds of a fit with defaults, beside other classifiers: the table of README.md.

    .venv/bin/python bench/paper/defaults.py [--sets NAME ..] [--methods NAME ..] [--again]

The sets are the paper's with fewer than 5000 rows. Five folds a set, the same for all, one thread each; every
method has its defaults except the tuned SVM, which chooses its cost from 0.1, 1, 10, 100 by inner folds.
A fit may take --limit processor seconds; a set on which a fit of a method exceeds it is left out of that
method's means. Each fold is written to defaults.csv, and a later run measures only folds that are missing
there, or with --again all of the chosen ones. Requires lightgbm, and interpret for EBM
(experiments/requirements.txt).
"""

import argparse
import multiprocessing
import os
import pathlib
import resource
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

DATA = pathlib.Path(__file__).parents[2] / "data"
HILLS = {"hill_valley", "hill_valley_noise"}  # the logarithm rule was found on them
LARGE = {"pulsar", "ringnorm"}  # 5000 rows or more


def slb():
    from dyad import SLBClassifier

    return SLBClassifier()


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1)


def ebm():
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1)


def tuned_svm():
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10, 100]}, cv=3)
    return make_pipeline(StandardScaler(), CalibratedClassifierCV(search, cv=3))


METHODS = {
    "dyad": slb,
    "EBM": ebm,
    "LightGBM": lightgbm,
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "SVM tuned": tuned_svm,
}


def measure(make, table, fold):
    """Error, log loss and processor seconds of the fit of one fold."""
    X, y = table.drop(columns="label").to_numpy(float), table["label"].to_numpy()
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[fold]
    model = make()
    start = time.process_time()
    model.fit(X[train], y[train])
    seconds = time.process_time() - start
    p = model.predict_proba(X[test])
    predicted = model.classes_[p.argmax(axis=1)]
    return np.mean(predicted != y[test]), log_loss(y[test], p, labels=model.classes_), seconds


def measure_within(limit, *arguments):
    """The values of `measure`, computed in another process; NaN beyond `limit` processor seconds."""

    def send(connection):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))  # ends the process
        connection.send(measure(*arguments))

    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=send, args=(sender,))
    process.start()
    sender.close()
    try:
        values = receiver.recv()
    except EOFError:
        values = (np.nan, np.nan, np.nan)
    process.join()
    if process.exitcode > 0:
        sys.exit(f"{sys.argv[0]}: a fit failed")
    return values


def add_missing(results, found, arguments):
    """Measures the folds that `results` lacks, until one exceeds the limit; writes the file after each."""
    for name in arguments.sets:
        table = pd.read_csv(found[name])
        for method in arguments.methods:
            for fold in range(5):
                if (method, name, fold) not in results.index:
                    values = measure_within(arguments.limit, METHODS[method], table, fold)
                    results.loc[(method, name, fold), :] = values
                    results.to_csv(arguments.results, float_format="%.6g")
                    print(method, name, fold, *(f"{value:.4f}" for value in values), flush=True)
                if results.loc[(method, name, fold)].isna().any():
                    break


def print_means(results, groups):
    """Prints a table in Markdown: means over each group of sets, of the methods that ended on all of it."""
    print("\n|" + "".join(f" | {title}: error | log loss | seconds" for title in groups) + " |")
    print("|---" + "|---:" * 3 * len(groups) + "|")
    for method in METHODS:
        cells = ""
        for sets in groups.values():
            folds = pd.MultiIndex.from_product([[method], sets, range(5)])
            mean = results.reindex(folds).mean(skipna=False)
            if mean.isna().any():
                cells += " | | |"
            else:
                cells += f" {100 * mean.error:.1f} % | {mean.log_loss:.3f} | {mean.seconds:.2f} |"
        print(f"| {method} |{cells}")


def main():
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--sets", nargs="+", help="tables (default: those with fewer than 5000 rows)")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path(__file__).with_suffix(".csv"))
    parser.add_argument("--again", action="store_true", help="measure folds that have results, too")
    parser.add_argument("--limit", type=int, default=120, help="processor seconds of a fit (default: 120)")
    arguments = parser.parse_args()
    found = {path.name.split(".")[0]: path for path in sorted(arguments.data.glob("*.csv*"))}
    arguments.sets = arguments.sets or [name for name in found if name not in LARGE]
    if arguments.results.exists():
        results = pd.read_csv(arguments.results, index_col=["method", "set", "fold"])
    else:
        index = pd.MultiIndex.from_arrays([[], [], []], names=["method", "set", "fold"])
        results = pd.DataFrame(columns=["error", "log_loss", "seconds"], index=index, dtype=float)
    if arguments.again:
        methods, sets = (results.index.get_level_values(level) for level in ("method", "set"))
        results = results[~(methods.isin(arguments.methods) & sets.isin(arguments.sets))]
    add_missing(results, found, arguments)
    folds_ended = results["error"].groupby(["method", "set"]).count().unstack(fill_value=0)
    by_all = (folds_ended == 5).all()
    groups = {
        "all": arguments.sets,
        "without hill-valley": [name for name in arguments.sets if name not in HILLS],
        "by every method": [name for name in arguments.sets if by_all.get(name, False)],
    }
    print_means(results, {f"{len(sets)} sets, {title}": sets for title, sets in groups.items()})
    print("\nBeyond the limit:", *results.index[results["error"].isna()].droplevel("fold"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

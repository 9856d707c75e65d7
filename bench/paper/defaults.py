#!/usr/bin/env python3
"""Error, log loss and seconds of a fit with defaults, beside other classifiers: the table of README.md.

    .venv/bin/python bench/paper/defaults.py [--data DIR] [--sets NAME ..] [--methods NAME ..]

Five folds a set, the same for all, one thread each; every method as it comes but for the tuned SVM, which
chooses its cost of 0.1, 1, 10, 100 by inner folds. Needs lightgbm, and interpret for EBM
(experiments/requirements.txt).
"""

import argparse
import pathlib
import statistics
import sys
import time

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


def measure(make, table):
    """Mean error, log loss and seconds of a fit over five folds."""
    X, y = table.drop(columns="label").to_numpy(float), table["label"].to_numpy()
    results = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        start = time.process_time()
        model = make().fit(X[train], y[train])
        seconds = time.process_time() - start
        p = model.predict_proba(X[test])
        predicted = model.classes_[p.argmax(axis=1)]
        results.append((np.mean(predicted != y[test]), log_loss(y[test], p, labels=model.classes_), seconds))
    return np.mean(results, axis=0)


def main():
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--sets", nargs="+", help="tables (default: all)")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    arguments = parser.parse_args()
    found = {path.name.split(".")[0]: path for path in sorted(arguments.data.glob("*.csv*"))}
    sets = arguments.sets or list(found)
    means = {}
    print("method, set: error, log loss, processor seconds a fit")
    for name in sets:
        table = pd.read_csv(found[name])
        for method in arguments.methods:
            means[method, name] = measure(METHODS[method], table)
            print(f"{method}, {name}: {means[method, name].round(4).tolist()}", flush=True)
    for title, chosen in (("all", sets), ("without hill-valley", [s for s in sets if s not in HILLS])):
        print(f"\n| mean of {len(chosen)} sets, {title} | error | log loss | seconds |\n|---|---:|---:|---:|")
        for method in arguments.methods:
            error, loss, seconds = (statistics.mean(means[method, s][k] for s in chosen) for k in range(3))
            print(f"| {method} | {100 * error:.1f} % | {loss:.3f} | {seconds:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

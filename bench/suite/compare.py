#!/usr/bin/env python3
"""Accuracy, sparsity and time of a fit with the defaults beside other classifiers, table by table.

    bench/run suite [--data DIR ..] [--sets NAME ..] [--methods NAME ..] [--seeds N] [--results FILE]

Every CSV file of the folders is a table with its class in the column `label`: the paper's tables (data/)
and those of --data or DYAD_DATA. Five folds, the same for all methods, one thread each. Classes of fewer
than 5 rows are dropped; of more than 6000 rows a stratified draw is taken. Log loss, AUC, seconds and pairs
are of fits with the defaults; the balanced error is that of class_weight="balanced", of other classifiers
that of the largest P(class) / frequency. Seconds are processor time.

With --results, folds are kept in a file as they end, and a later run goes on where it stopped.

--large fits to simulated tables of two classes instead: 100 000 rows of 30 features, a million of 20.
"""

import argparse
import csv
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

PAPER = pathlib.Path(__file__).parents[2] / "data"
HELD_BACK = pathlib.Path(__file__).parents[2] / "experiments" / "held_back.txt"
FOLDS = 5
MOST_ROWS = 6000
KEYS = ["set", "method", "seed", "fold"]
FIGURES = ["seconds", "pairs", "log_loss", "auc", "error", "balanced_error"]


def read_table(path):
    """Features and labels of a table, nominal columns as categories."""
    table = pd.read_csv(path)
    counts = table["label"].value_counts()
    table = table[table["label"].isin(counts.index[counts >= FOLDS])]
    if len(table) > MOST_ROWS:
        table, _ = train_test_split(table, train_size=MOST_ROWS, stratify=table["label"], random_state=0)
    X = table.drop(columns="label")
    for name in X.columns[~X.dtypes.map(pd.api.types.is_numeric_dtype)]:
        X[name] = X[name].astype("category")
    X.columns = [f"f{k}" for k in range(X.shape[1])]  # LightGBM refuses some names
    return X.reset_index(drop=True), pd.factorize(table["label"], sort=True)[0]


def coded(X):
    """Levels as numbers, gaps as a level of their own."""
    return X.apply(lambda column: column.cat.codes if column.dtype == "category" else column)


def one_hot(X):
    return pd.get_dummies(coded(X).fillna(-1), columns=list(X.columns[X.dtypes == "category"]), dtype=float)


def dyad_model(**options):
    from dyad import SLBClassifier

    return SLBClassifier(n_jobs=1, **options)


def dyad_cv(**options):
    return dyad_model(pairs="cv", **options)


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, enable_categorical=True, tree_method="hist")


class CatBoost:
    """CatBoost with 300 trees, told which columns are categories."""

    def fit(self, X, y):
        from catboost import CatBoostClassifier

        nominal = [int(k) for k in np.flatnonzero(X.dtypes == "category")]
        self.model = CatBoostClassifier(iterations=300, thread_count=1, verbose=0, cat_features=nominal)
        self.model.fit(self.prepared(X), y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X):
        return self.model.predict_proba(self.prepared(X))

    @staticmethod
    def prepared(X):
        return X.apply(lambda c: c.astype(str) if c.dtype == "category" else c)


def ebm():
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1)


def random_forest():
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(300, n_jobs=1, random_state=0)


def same(X):
    return X


# Classifiers by name: a function that makes one, and one that prepares tables for it.
METHODS = {
    "dyad": (dyad_model, same),
    "dyad, cv": (dyad_cv, same),
    "LightGBM": (lightgbm, same),
    "XGBoost": (xgboost, same),
    "CatBoost": (CatBoost, same),
    "EBM": (ebm, same),
    "random forest": (random_forest, one_hot),
}


def auc(y, p):
    if p.shape[1] == 2:
        return roc_auc_score(y, p[:, 1])
    return roc_auc_score(y, p, multi_class="ovr", average="macro", labels=range(p.shape[1]))


def measure(method, X, y, train, test):
    """Figures of one fold."""
    make, prepare = METHODS[method]
    X = prepare(X)
    start = time.process_time()
    model = make().fit(X.iloc[train], y[train])
    seconds = time.process_time() - start
    p = model.predict_proba(X.iloc[test])
    pairs = ""
    if method.startswith("dyad"):
        pairs = len({tuple(term.features) for term in model.terms_ if len(term.features) == 2})
        predicted = make(class_weight="balanced").fit(X.iloc[train], y[train]).predict(X.iloc[test])
    else:
        predicted = (p / np.bincount(y[train])).argmax(axis=1)
    p = np.clip(p, 1e-15, None)
    return {
        "seconds": round(seconds, 5),
        "pairs": pairs,
        "log_loss": round(log_loss(y[test], p / p.sum(axis=1, keepdims=True)), 6),
        "auc": round(auc(y[test], p / p.sum(axis=1, keepdims=True)), 6),
        "error": round(float(np.mean(p.argmax(axis=1) != y[test])), 6),
        "balanced_error": round(1 - balanced_accuracy_score(y[test], predicted), 6),
    }


def simulated(n, d, seed):
    """Normal features; the log odds are a sum of a line, a product, a wave and a square."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    odds = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + 0.5 * X[:, 4] ** 2 - 0.5
    return X, (odds + rng.logistic(size=n) > 0).astype(int)


def compare_large(methods):
    """Time of one fit, and the log loss of new rows."""
    print("| rows | features | method | log loss | seconds |")
    print("|---:|---:|---|---:|---:|")
    for n, d in [(100_000, 30), (1_000_000, 20)]:
        X, y = simulated(n, d, seed=0)
        new_X, new_y = simulated(20_000, d, seed=1)
        for method in methods:
            start = time.process_time()
            model = METHODS[method][0]().fit(X, y)
            seconds = time.process_time() - start
            loss = log_loss(new_y, model.predict_proba(new_X))
            print(f"| {n} | {d} | {method} | {loss:.4f} | {seconds:.2f} |", flush=True)


def read_results(path):
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def keep(path, row):
    if path is None:
        return
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, KEYS + FIGURES)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def means_by_set(results, method, field):
    values = {}
    for row in results:
        if row["method"] == method and row[field] != "":
            values.setdefault(row["set"], []).append(float(row[field]))
    return {name: statistics.mean(numbers) for name, numbers in values.items()}


def print_tables(results, methods):
    """One line a table and method, then means over the tables that all methods have."""
    print("| table | method | log loss | AUC | balanced error | error | seconds | pairs |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    names = sorted({row["set"] for row in results})
    by = {(m, f): means_by_set(results, m, f) for m in methods for f in FIGURES}
    shared = [n for n in names if all(n in by[m, "log_loss"] for m in methods)]
    for name in names:
        for m in methods:
            if name in by[m, "log_loss"]:
                values = [by[m, f].get(name, float("nan")) for f in FIGURES]
                seconds, pairs, loss, area, error, balanced = values
                count = "" if np.isnan(pairs) else f"{pairs:.0f}"
                print(
                    f"| {name} | {m} | {loss:.3f} | {area:.3f} | {100 * balanced:.1f} "
                    f"| {100 * error:.1f} | {seconds:.3f} | {count} |"
                )
    print(
        f"\nMeans over {len(shared)} tables; seconds: mean ratio to LightGBM (geometric), and the largest\n"
    )
    print("| method | log loss | AUC | balanced error | error | seconds | largest | median of pairs |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for m in methods:
        mean = {f: statistics.mean(by[m, f][n] for n in shared) for f in FIGURES[2:]}
        ratios = [
            by[m, "seconds"][n] / by["LightGBM", "seconds"][n] for n in shared if "LightGBM" in methods
        ] or [float("nan")]
        pairs = [by[m, "pairs"][n] for n in shared if n in by[m, "pairs"]]
        print(
            f"| {m} | {mean['log_loss']:.4f} | {mean['auc']:.4f} | {100 * mean['balanced_error']:.2f} "
            f"| {100 * mean['error']:.2f} | {np.exp(np.mean(np.log(ratios))):.2f} | {max(ratios):.1f} "
            f"| {statistics.median(pairs) if pairs else ''} |"
        )


def main():
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    more = [pathlib.Path(os.environ["DYAD_DATA"])] if os.environ.get("DYAD_DATA") else []
    parser.add_argument("--data", type=pathlib.Path, nargs="+", default=more, help="folders of more tables")
    parser.add_argument("--sets", nargs="+", help="tables (default: all)")
    parser.add_argument(
        "--held-back", action="store_true", help="also the tables of experiments/held_back.txt"
    )
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["dyad", "LightGBM"])
    parser.add_argument("--seeds", type=int, default=1, help="draws of the folds")
    parser.add_argument("--results", type=pathlib.Path, help="file that results are added to")
    parser.add_argument("--large", action="store_true", help="fit to large simulated tables instead")
    arguments = parser.parse_args()
    if arguments.large:
        compare_large(arguments.methods)
        return 0
    found = {
        path.name.split(".")[0]: path
        for folder in [PAPER, *arguments.data]
        for path in sorted(folder.glob("*.csv*"))
        if path.name != "reference.csv"
    }
    held_back = {line for line in HELD_BACK.read_text().splitlines() if not line.startswith("#")}
    sets = arguments.sets or [name for name in found if arguments.held_back or name not in held_back]
    for name in sets:
        if name not in found:
            parser.error(f"no table {name!r} in {', '.join(map(str, [PAPER, *arguments.data]))}")
    results = read_results(arguments.results)
    known = {(row["set"], row["method"], row["seed"], row["fold"]) for row in results}
    for name in sets:
        X, y = read_table(found[name])
        for seed in range(arguments.seeds):
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y)
            for fold, (train, test) in enumerate(folds):
                for method in arguments.methods:
                    if (name, method, str(seed), str(fold)) in known:
                        continue
                    row = {"set": name, "method": method, "seed": str(seed), "fold": str(fold)}
                    row.update(measure(method, X, y, train, test))
                    results.append(row)
                    keep(arguments.results, row)
            print(f"{name}, seed {seed}: done", file=sys.stderr, flush=True)
    print_tables([row for row in results if row["set"] in sets], arguments.methods)
    return 0


if __name__ == "__main__":
    sys.exit(main())

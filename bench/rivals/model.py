"""The whole fit, and prediction, against LightGBM and InterpretML's EBM."""
import warnings

import numpy as np
from interpret.glassbox import ExplainableBoostingClassifier
from lightgbm import LGBMClassifier

import data
from common import best_time, load, ours, require, save, versus

CHOSEN = {"pairs": "cv", "cost": "cv"}  # options of a fit that chooses its threshold and C
EBM_BAGS = 14  # EBM's default number of outer bags


def lightgbm_fit(X, y, threads):
    return LGBMClassifier(n_estimators=100, num_leaves=31, n_jobs=threads, verbose=-1).fit(X, y).booster_


def ebm_fit(X, y):
    return ExplainableBoostingClassifier(outer_bags=1, n_jobs=1, random_state=1).fit(X, y)


def accuracy(scores, y, border=0.0):
    return np.mean((np.ravel(scores) > border) == (y == 1))


def run_fit(bench):
    n, d = (1000, 10) if bench.quick else (100_000, 30)
    task = f"whole fit, threshold and C chosen, n = {n}, d = {d}"
    X, y = data.forest(n, d, seed=1)
    Q, y_new = data.forest(n, d, seed=2)
    save(bench.folder, X=X, y=y, Q=Q)
    seconds, mine = {}, {}
    for threads in (1, 2):
        seconds[threads] = ours("fit", bench.folder, threads=threads, repeat=1 if bench.quick else 3, **CHOSEN)["seconds"]
        mine[threads] = accuracy(load(bench.folder, "scores"), y_new)
        rival_seconds, booster = best_time(lambda: lightgbm_fit(X, y, threads))
        theirs = accuracy(booster.predict(Q), y_new, 0.5)
        require(mine[threads] >= theirs - 0.05, f"accuracy {mine[threads]:.3f}, LightGBM's {theirs:.3f}")
        yield versus(task, "LightGBM, 100 trees", seconds[threads], rival_seconds, target=">= 0.2", threads=threads,
                     note=f"test accuracy {mine[threads]:.3f}, LightGBM's {theirs:.3f}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bag_seconds, ebm = best_time(lambda: ebm_fit(X, y), 1)
    theirs = accuracy(ebm.predict_proba(Q)[:, 1], y_new, 0.5)
    yield versus(task, "EBM", seconds[1], bag_seconds * EBM_BAGS, target=">= 50",
                 note=f"test accuracy {mine[1]:.3f}, EBM's {theirs:.3f}; one of its {EBM_BAGS} outer bags run, its time scaled")


def run_predict(bench):
    n, d, pairs, n_new = (500, 10, 20, 2000) if bench.quick else (20_000, 30, 200, 1_000_000)
    task = f"prediction of {n_new} rows, d = {d}, {pairs} pairs kept"
    X, y = data.forest(n, d, seed=1)
    Q, y_new = data.forest(n_new, d, seed=2)
    save(bench.folder, X=X, y=y, Q=Q)
    booster = lightgbm_fit(X, y, 1)
    for threads in (1, 2):
        told = ours("predict", bench.folder, threads=threads, repeat=3, n_pairs=pairs)
        require(told["pairs"] == pairs, f"{told['pairs']} pairs kept, not {pairs}")
        mine = accuracy(load(bench.folder, "scores"), y_new)
        rival_seconds, p = best_time(lambda: booster.predict(Q, num_threads=threads))
        theirs = accuracy(p, y_new, 0.5)
        require(mine >= theirs - 0.05, f"accuracy {mine:.3f}, LightGBM's {theirs:.3f}")
        yield versus(task, "LightGBM, 100 trees of 31 leaves", told["seconds"], rival_seconds, target=">= 1", threads=threads,
                     note=f"test accuracy {mine:.3f}, LightGBM's {theirs:.3f}")

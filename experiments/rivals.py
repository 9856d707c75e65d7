# SPDX-License-Identifier: BSD-3-Clause
"""Real tables: dyad beside other classifiers, on the same folds.

Every method has its own defaults but for what its description says, one thread, and a fixed seed. Methods
called balanced weigh classes alike, as dyad does; the others (rf50, svc, 5nn, gnb) weigh rows alike. Features
are standardised for SVMs, neighbours and logistic regression; inner cross-validation (CV) goes by the
balanced error. Log losses are of probabilities as they come, which balanced methods make for classes of
equal size.
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from dyad import SLBClassifier
from experiments import evaluation, tables
from experiments.datasets import data_folder, pick, set_names
from experiments.evaluation import Method, available, fold_tasks
from experiments.methods import catboost, ebm, forest, lightgbm, neighbours, standardised, xgboost
from experiments.results import Results

OURS = "dyad"


def _search(estimator: Any, **grid: list[float]) -> GridSearchCV:
    """Choose from `grid` by the balanced accuracy in 5 stratified folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(estimator, grid, scoring="balanced_accuracy", cv=folds)


def _svc() -> Any:
    return standardised(SVC())


def _svc_tuned() -> Any:
    return _search(standardised(SVC(class_weight="balanced")), svc__C=[0.1, 1, 10, 100])


def _logistic() -> Any:
    costs = np.logspace(-4, 4, 9).tolist()
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    return _search(standardised(model), logisticregression__C=costs)


_forest_50 = functools.partial(forest, n_estimators=50)
_forest_300 = functools.partial(forest, n_estimators=300, class_weight="balanced")
_histogram = functools.partial(HistGradientBoostingClassifier, class_weight="balanced", random_state=0)
_dyad = functools.partial(SLBClassifier, optimise="balanced")
_paper = functools.partial(SLBClassifier, preset="paper")
_lightgbm = functools.partial(lightgbm, class_weight="balanced")
_catboost = functools.partial(catboost, auto_class_weights="Balanced")

METHODS = {
    method.name: method
    for method in [
        Method(OURS, _dyad, 'SLBClassifier(optimise="balanced")', cost=10),
        Method("dyad-paper", _paper, 'SLBClassifier(preset="paper")', cost=10),
        Method("rf50", _forest_50, "random forest of 50 trees", cost=3, package="sklearn"),
        Method("rf300", _forest_300, "random forest of 300 trees, balanced", cost=18, package="sklearn"),
        Method("svc", _svc, "SVM with RBF kernel", cost=4, package="sklearn"),
        Method(
            "svc-tuned",
            _svc_tuned,
            "SVM with RBF kernel, balanced, C = 0.1 to 100 by inner CV",
            cost=200,
            package="sklearn",
        ),
        Method("5nn", neighbours, "5 nearest neighbours", cost=0.2, package="sklearn"),
        Method("xgboost", xgboost, "XGBoost, balanced", cost=8, package="xgboost", weigh_rows=True),
        Method("lightgbm", _lightgbm, "LightGBM, balanced", cost=5, package="lightgbm"),
        Method("catboost", _catboost, "CatBoost, balanced", cost=60, package="catboost"),
        Method(
            "hgb",
            _histogram,
            "histogram gradient boosting of scikit-learn, balanced",
            cost=6,
            package="sklearn",
        ),
        Method(
            "logistic",
            _logistic,
            "logistic regression, balanced, C = 1e-4 to 1e4 by inner CV",
            cost=7,
            package="sklearn",
        ),
        Method("gnb", GaussianNB, "Gaussian naive Bayes", cost=0.1, package="sklearn"),
        Method(
            "ebm",
            ebm,
            "explainable boosting machine, balanced",
            cost=400,
            package="interpret",
            weigh_rows=True,
        ),
    ]
}


def run(arguments: argparse.Namespace) -> int:
    """Run the study, print its tables, and return the exit code."""
    folder = data_folder(arguments.data)
    sets = set_names(folder, arguments.sets)
    methods = [METHODS[name] for name in pick(arguments.methods, list(METHODS), "method")]
    results = Results(arguments.results)
    tasks = fold_tasks(folder, sets, available(methods), arguments.repeats, arguments.folds)
    failures = evaluation.run(tasks, results, arguments.jobs, arguments.redo, arguments.slow)
    print(tables.rivals(results, sets, list(METHODS), OURS))
    return 1 if failures else 0

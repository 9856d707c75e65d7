# SPDX-License-Identifier: BSD-3-Clause
"""The classifiers of the paper's tables, our defaults, and methods that the paper does not have."""

from __future__ import annotations

import functools
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier
from experiments.evaluation import Method

PAPER = ("slb", "lu", "tan", "nb", "rf", "svm", "5nn")
OURS = ("auto", "tan-auto")
BOOSTING = ("lightgbm", "xgboost", "catboost", "ebm")
BAYES = "bayes"


def standardised(estimator: Any) -> Any:
    """Return the estimator behind a standardisation of all features."""
    return make_pipeline(StandardScaler(), estimator)


def svm() -> Any:
    """SVM with RBF kernel and the defaults of R's e1071: standardised features, C = 1, gamma = 1/d."""
    return standardised(SVC(C=1.0, gamma="auto"))


def neighbours() -> Any:
    """5 nearest neighbours, of standardised features."""
    return standardised(KNeighborsClassifier(5))


def lightgbm(**parameters: Any) -> Any:
    """LightGBM."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1, **parameters)


def xgboost(**parameters: Any) -> Any:
    """XGBoost."""
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0, **parameters)


def catboost(**parameters: Any) -> Any:
    """CatBoost."""
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=1, random_seed=0, verbose=0, allow_writing_files=False, **parameters
    )


def ebm(**parameters: Any) -> Any:
    """Explainable boosting machine of interpret."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=0, **parameters)


forest = functools.partial(RandomForestClassifier, n_jobs=1, random_state=0)


def label(name: str) -> str:
    """Return a method's name as in the paper's tables."""
    return name.upper() if name in (*PAPER, "slb-") else name


_paper = functools.partial(functools.partial, preset="paper")
_balanced = functools.partial(functools.partial, optimise="balanced")

METHODS = {
    method.name: method
    for method in [
        Method("slb", _paper(SLBClassifier), 'SLBClassifier(preset="paper")', cost=10),
        Method("slb-", _paper(SLBClassifier, pairs="all"), "slb without screening: all pairs", cost=12),
        Method("lu", _paper(LUClassifier), 'LUClassifier(preset="paper")'),
        Method("tan", _paper(TANClassifier), 'TANClassifier(preset="paper")', cost=5),
        Method("nb", _paper(NaiveBayesKDE), 'NaiveBayesKDE(preset="paper")', cost=0.5),
        Method("rf", functools.partial(forest, n_estimators=50), "random forest of 50 trees", 3, "sklearn"),
        Method("svm", svm, "SVM, RBF kernel, C = 1", 2, "sklearn"),
        Method("5nn", neighbours, "5 neighbours", 0.2, "sklearn"),
        Method("auto", _balanced(SLBClassifier), 'SLBClassifier(optimise="balanced")', cost=20),
        Method("tan-auto", _balanced(TANClassifier), 'TANClassifier(optimise="balanced")', cost=8),
        Method(BAYES, object, "the true densities: no method has a smaller error", cost=0.1),
        Method("lightgbm", lightgbm, "LightGBM", 5, "lightgbm"),
        Method("xgboost", xgboost, "XGBoost", 8, "xgboost"),
        Method("catboost", catboost, "CatBoost", 60, "catboost"),
        Method("ebm", ebm, "explainable boosting machine", 400, "interpret"),
    ]
}

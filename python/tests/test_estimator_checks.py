# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own checks of what an estimator must do, none of them left out."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

ESTIMATORS = [SLBClassifier(), LUClassifier(), NaiveBayesKDE(), TANClassifier(), LogDensityTransformer()]
VARIANTS = [
    SLBClassifier(pairs="fdr"),
    SLBClassifier(pairs="count"),
    SLBClassifier(pairs="threshold"),
    SLBClassifier(pairs="all"),
    SLBClassifier(feature_mode="leave_one_out"),
    SLBClassifier(feature_mode="cross_fit"),
    SLBClassifier(feature_mode="split"),
    LUClassifier(cost="cv"),
    LUClassifier(norm_bound=1),
    LUClassifier(intercept="penalised"),
    LUClassifier(class_weight="balanced"),
    NaiveBayesKDE(engine="exact", priors="equal"),
    TANClassifier(engine="exact"),
    TANClassifier(forest=True, bandwidth="normal_scale"),
    LogDensityTransformer(pairs="none"),
    LogDensityTransformer(pairs="all"),
    LogDensityTransformer(pairs=[(0, 1)], engine="exact"),
]


@parametrize_with_checks(ESTIMATORS + VARIANTS)
@pytest.mark.filterwarnings("ignore:constant columns")
def test_estimator_behaves_as_scikit_learns_own(estimator, check):
    check(estimator)

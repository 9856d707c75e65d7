# SPDX-License-Identifier: BSD-3-Clause
"""Among scikit-learn's tools: searches, pipelines, calibration, ensembles, inspection and metadata."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import DecisionBoundaryDisplay, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

CLASSIFIERS = [SLBClassifier(pairs="fdr"), LUClassifier(), NaiveBayesKDE(), TANClassifier()]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)


def test_grid_search_finds_that_pairs_matter(stars):
    X, y, _ = stars
    search = GridSearchCV(SLBClassifier(pairs="count"), {"n_pairs": [0, 4], "C": np.logspace(-1, 0, 2)}, cv=3)
    search.fit(X, y)
    assert search.best_params_["n_pairs"] == 4
    assert search.best_score_ > 0.75


def test_searches_run_in_other_processes(stars):
    X, y, _ = stars
    search = GridSearchCV(
        NaiveBayesKDE(), {"bandwidth": ["plug_in", "normal_scale"]}, cv=2, n_jobs=2, scoring="roc_auc"
    )
    serial = clone(search).set_params(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(
        search.fit(X, y).cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"]
    )


@every_classifier
def test_cross_validation_scores(classifier, stars):
    X, y, _ = stars
    assert cross_val_score(classifier, X, y, cv=3).shape == (3,)
    scores = cross_validate(classifier, X, y, cv=3, scoring=["accuracy", "roc_auc", "neg_log_loss"])
    assert np.all(np.isfinite(scores["test_neg_log_loss"]))


def test_pairs_beat_single_features_in_cross_validation(stars):
    X, y, _ = stars
    accuracy = {
        model: cross_val_score(classifier, X, y, cv=5).mean()
        for model, classifier in {
            "slb": SLBClassifier(),
            "lu": LUClassifier(),
            "tan": TANClassifier(),
        }.items()
    }
    assert accuracy["lu"] < 0.6 < 0.7 < min(accuracy["slb"], accuracy["tan"])


@every_classifier
def test_pipelines_with_a_scaler_hardly_change_the_answer(classifier, stars):
    X, y, _ = stars
    plain = clone(classifier).fit(X, y)
    scaled = make_pipeline(StandardScaler(), clone(classifier)).fit(X, y)
    assert np.mean(plain.predict(X) == scaled.predict(X)) > 0.98


@every_classifier
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(classifier, method, stars):
    X, y, _ = stars
    model = CalibratedClassifierCV(classifier, method=method, cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@every_classifier
def test_one_against_the_rest(classifier, three_classes):
    X, y = three_classes
    model = OneVsRestClassifier(classifier).fit(X, y)
    assert model.score(X, y) > 0.5
    assert model.predict_proba(X).shape == (len(X), 3)


def test_stacking_voting_and_bagging(stars):
    X, y, _ = stars
    named = [("slb", SLBClassifier(pairs="fdr")), ("nb", NaiveBayesKDE())]
    assert StackingClassifier(named, LogisticRegression(), cv=3).fit(X, y).score(X, y) > 0.7
    assert VotingClassifier(named, voting="soft").fit(X, y).predict(X).shape == y.shape
    assert (
        BaggingClassifier(NaiveBayesKDE(), n_estimators=3, random_state=0).fit(X, y).predict(X).shape
        == y.shape
    )


def test_permutation_importance_finds_the_features_of_pairs(stars):
    X, y, _ = stars
    model = SLBClassifier(pairs="fdr").fit(X, y)
    importance = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert importance[:2].min() > importance[4:].max()


@pytest.mark.parametrize("selector", [SelectFromModel, RFE])
def test_features_are_selected_by_importance(selector, stars):
    X, y, _ = stars
    limit = (
        {"max_features": 4, "threshold": -np.inf}
        if selector is SelectFromModel
        else {"n_features_to_select": 4}
    )
    selection = selector(SLBClassifier(pairs="fdr"), importance_getter="feature_importances_", **limit).fit(
        X, y
    )
    assert selection.get_support().tolist() == [True] * 4 + [False] * 2


@every_classifier
def test_decision_boundaries_are_drawn(classifier, stars):
    X, y, _ = stars
    model = clone(classifier).fit(X[:, :2], y)
    for response in ("predict_proba", "decision_function", "predict"):
        display = DecisionBoundaryDisplay.from_estimator(
            model, X[:, :2], response_method=response, grid_resolution=20
        )
        assert display.response.shape == (20, 20)


def test_out_of_fold_probabilities(three_classes):
    X, y = three_classes
    probabilities = cross_val_predict(TANClassifier(), X, y, method="predict_proba", cv=3)
    assert probabilities.shape == (len(X), 3)


def test_sample_weights_are_routed():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 2)), np.arange(60) % 2, np.r_[np.ones(30), np.zeros(30)]
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = (
            NaiveBayesKDE().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        )
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), classifier)
        pipeline.fit(X, y, sample_weight=weights)
        search = GridSearchCV(classifier, {"priors": ["equal", "estimated"]}, cv=2)
        search.fit(X, y, sample_weight=np.ones(60))
    assert sum(pipeline[-1]._model.class_rows) == 30


def test_transformed_columns_are_named(stars):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names, index=range(7, 7 + len(X)))
    transformer = LogDensityTransformer(pairs=[(0, 1)]).fit(frame, y)
    out = transformer.get_feature_names_out()
    assert out[0] == "log p(east | cloud)"
    assert out[-1] == "log p(east, north | orbit)"
    assert len(out) == 2 * 6 + 2
    array = transformer.transform(frame)
    assert isinstance(array, np.ndarray)
    pandas = transformer.set_output(transform="pandas").transform(frame)
    assert list(pandas.columns) == list(out)
    assert list(pandas.index) == list(frame.index)
    np.testing.assert_array_equal(pandas, array)
    assert isinstance(transformer.set_output(transform="polars").transform(frame), pl.DataFrame)


@pytest.mark.parametrize(
    ("parameters", "n_terms"),
    [
        ({"pairs": "none"}, 12),
        ({"pairs": "all"}, 12 + 30),
        ({"pairs": "count", "n_pairs": 3}, 12 + 3),
        ({"pairs": "fdr"}, 12 + 3),
        ({"pairs": []}, 12),
        ({"pairs": [(0, 1), (1, 0), (2, 5)]}, 12 + 4),
    ],
    ids=str,
)
def test_the_transformer_keeps_the_pairs_asked_for(parameters, n_terms, stars):
    X, y, _ = stars
    assert LogDensityTransformer(**parameters).fit_transform(X, y).shape == (len(X), n_terms)


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 0)],
        [(0, 6)],
        [(-1, 2)],
        [(0, 1, 2, 3)] * 2 + [(0, 1)],
        [(0, 1, 2), (3, 4, 5)],
        [(0, 1.0)],
        np.array([[0.0, 1.0]]),
        [(False, True)],
        [0, 1],
        [("mass", "heat")],
        ["ab"],
        3,
        iter([(0, 1)]),
    ],
    ids=lambda pairs: str(pairs).split(" at ")[0],  # without addresses, which differ between processes
)
def test_pairs_that_are_none_are_refused(pairs, stars):
    X, y, names = stars
    for rows in (X, pd.DataFrame(X, columns=names)):
        with pytest.raises(ValueError, match="pairs"):
            LogDensityTransformer(pairs=pairs).fit(rows, y)


def test_pairs_may_be_given_by_name(stars):
    X, y, names = stars
    by_name = LogDensityTransformer(pairs=[("light", "mass"), ("east", 1)]).fit(
        pd.DataFrame(X, columns=names), y
    )
    by_number = LogDensityTransformer(pairs=np.array([[0, 1], [2, 3]])).fit(X, y)
    assert names[2:4] == ["mass", "light"]
    assert [term.features for term in by_name.terms_] == [term.features for term in by_number.terms_]
    with pytest.raises(
        ValueError, match=r"pairs: expected two different columns by number, n_features = 6, got \('light'"
    ):
        LogDensityTransformer(pairs=[("light", "mass")]).fit(X, y)


@pytest.mark.parametrize("pairs", ["cv", "fdr", "all"])
def test_the_transformer_gives_the_terms_of_slb(pairs, stars):
    X, y, _ = stars
    classifier = SLBClassifier(preset="paper", pairs=pairs).fit(X, y)
    transformer = LogDensityTransformer(preset="paper", pairs=pairs).fit(X, y)
    assert transformer.terms_ == classifier.terms_
    assert transformer.pairs_ == classifier.pairs_
    values = transformer.transform(X)
    expected = classifier.explain(X)
    np.testing.assert_allclose((values - classifier._model.centres) * classifier.coef_[0], expected)


@pytest.mark.parametrize("engine", ["counts", "exact"])
@pytest.mark.parametrize("pairs", ["cv", "count", "none"])
def test_the_transformer_of_auto_gives_densities_in_coordinates(pairs, engine, stars):
    X, y, _ = stars
    X = np.column_stack([np.exp(3 * X[:, 0]), X[:, 1:]])
    if pairs == "none":
        classifier = LUClassifier(settings="best", linear_terms=False, engine=engine).fit(X, y)
    else:
        classifier = SLBClassifier(settings="best", linear_terms=False, engine=engine, pairs=pairs).fit(X, y)
    transformer = LogDensityTransformer(pairs=pairs, engine=engine).fit(X, y)
    assert transformer.coordinates_ == {f"x{j}": "log" if j == 0 else "asinh" for j in range(6)}
    assert transformer.terms_ == classifier.terms_
    assert transformer.pairs_ == classifier.pairs_
    contributions = (transformer.transform(X) - classifier._model.centres) * classifier.coef_[0]
    np.testing.assert_allclose(contributions, classifier.explain(X), atol=1e-12)
    np.testing.assert_allclose(
        contributions.sum(axis=1) + classifier.intercept_, classifier.decision_function(X), atol=1e-9
    )


def test_log_densities_help_a_linear_model(stars):
    X, y, names = stars
    densities = make_pipeline(LogDensityTransformer(pairs="fdr"), StandardScaler(), LogisticRegression())
    assert (
        cross_val_score(densities, X, y, cv=3).mean()
        > 0.7
        > 0.6
        > cross_val_score(LogisticRegression(), X, y, cv=3).mean()
    )
    columns = ColumnTransformer(
        [("densities", LogDensityTransformer(pairs="all"), names[:2])], remainder="passthrough"
    )
    assert columns.fit_transform(pd.DataFrame(X, columns=names), y).shape == (len(X), 4 + 2 + 4)


@every_classifier
def test_estimators_are_shown_as_html(classifier, stars):
    X, y, _ = stars
    assert type(classifier).__name__ in classifier._repr_html_()
    assert type(classifier).__name__ in clone(classifier).fit(X, y)._repr_html_()


def test_tags_say_what_is_taken():
    tags = get_tags(SLBClassifier())
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_class
    assert tags.input_tags.allow_nan
    assert not get_tags(SLBClassifier(engine="exact")).input_tags.allow_nan
    assert not tags.input_tags.sparse
    assert get_tags(LogDensityTransformer()).target_tags.required

# SPDX-License-Identifier: BSD-3-Clause
"""Models kept: files shared with the program, pickle and joblib."""

import os
import pickle
import subprocess
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("DYAD_PROGRAM", ROOT / "build" / "dyad"))
STARS = ROOT / "examples" / "stars.csv"

CLASSIFIERS = [
    SLBClassifier(),
    SLBClassifier(pairs="all", preset="paper"),
    LUClassifier(),
    NaiveBayesKDE(),
    TANClassifier(),
]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)


def run(*arguments):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    return subprocess.run(
        [PROGRAM, *arguments], check=True, capture_output=True, text=True, timeout=300
    ).stdout


@pytest.mark.parametrize(
    ("classifier", "flags"),
    [
        (SLBClassifier(), []),
        (SLBClassifier(preset="paper"), ["--preset", "paper"]),
        (
            SLBClassifier(pairs="fdr", fdr=0.2, C=0.5, random_state=7),
            ["--fdr", "0.2", "--C", "0.5", "--seed", "7"],
        ),
        (
            SLBClassifier(preset="paper", pairs="fdr", fdr=0.2, C=0.5, random_state=7),
            ["--preset", "paper", "--fdr", "0.2", "--C", "0.5", "--seed", "7"],
        ),
        (SLBClassifier(pairs="count", n_pairs=3), ["--n-pairs", "3"]),
        (SLBClassifier(bandwidth="plug_in"), ["--bandwidth", "plug_in"]),
        (SLBClassifier(optimise="error"), ["--optimise", "logloss"]),
        (SLBClassifier(optimise="auc", engine="exact"), ["--optimise", "auc", "--engine", "exact"]),
        (SLBClassifier(optimise="logloss", n_average=3), ["--optimise", "logloss", "--n-average", "3"]),
        (
            SLBClassifier(blend="always", linear_terms=False, max_pairs=10, class_weight="balanced"),
            ["--blend", "always", "--linear-terms", "false", "--max-pairs", "10", "--optimize", "balanced"],
        ),
        (
            SLBClassifier(settings="best", linear_terms=False, prior_rows=1, coordinate="standard"),
            ["--settings", "best", "--linear-terms", "false", "--prior-rows", "1", "--transform", "standard"],
        ),
        (
            SLBClassifier(settings="best", loss="logistic", penalty="elastic_net", l1_ratio=0.9),
            ["--settings", "best", "--loss", "logistic", "--penalty", "elastic_net", "--l1-ratio", "0.9"],
        ),
        (SLBClassifier(preset="paper", linear_terms=True), ["--preset", "paper", "--linear-terms", "true"]),
        (SLBClassifier(term_scale="unit", cost="given"), ["--term-scale", "unit", "--cost", "given"]),
        (SLBClassifier(pairs="threshold", min_hsic=0.02, grid=64), ["--min-hsic", "0.02", "--grid", "64"]),
        (
            SLBClassifier(cv=4, cost="cv", tol=1e-3),
            ["--inner-folds", "4", "--cost", "cv", "--tolerance", "1e-3"],
        ),
        (SLBClassifier(pairs="all"), ["--method", "slb-"]),
        (
            LUClassifier(preset="paper", feature_mode="leave_one_out", class_weight="balanced"),
            [
                "--preset",
                "paper",
                "--method",
                "lu",
                "--feature-mode",
                "leave_one_out",
                "--class-weights",
                "balanced",
            ],
        ),
        (LUClassifier(), ["--method", "lu"]),
        (NaiveBayesKDE(preset="paper"), ["--preset", "paper", "--method", "nb"]),
        (NaiveBayesKDE(class_weight="balanced"), ["--method", "nb", "--class-weights", "balanced"]),
        (NaiveBayesKDE(optimise="error"), ["--method", "nb", "--optimise", "logloss"]),
        (LUClassifier(engine="exact"), ["--method", "lu", "--engine", "exact"]),
        (NaiveBayesKDE(priors="estimated"), ["--method", "nb", "--priors", "estimated"]),
        (TANClassifier(preset="paper"), ["--preset", "paper", "--method", "tan"]),
        (TANClassifier(), ["--method", "tan"]),
        (TANClassifier(forest=True, forest_beta=0.3), ["--method", "tan-forest", "--forest-beta", "0.3"]),
    ],
    ids=str,
)
def test_the_program_fits_the_same_bytes(classifier, flags, stars, tmp_path):
    X, y, names = stars
    run("fit", STARS, "--label", "kind", "-o", tmp_path / "program.dyad", "--quiet", *flags)
    model = clone(classifier).fit(pd.DataFrame(X, columns=names), y)
    model.save(tmp_path / "python.dyad")
    assert (tmp_path / "python.dyad").read_bytes() == (tmp_path / "program.dyad").read_bytes()


@every_classifier
def test_the_program_predicts_the_same_bits(classifier, stars, tmp_path):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names)
    model = clone(classifier).fit(frame, y)
    model.save(tmp_path / "model.dyad")
    lines = run("predict", tmp_path / "model.dyad", STARS, "--scores", "--proba").splitlines()
    predicted = np.array([line.split(",") for line in lines[1:]])
    assert lines[0] == "label,score,proba_cloud,proba_orbit"
    assert predicted[:, 0].tolist() == model.predict(frame).tolist()
    np.testing.assert_array_equal(predicted[:, 1].astype(float), model.decision_function(frame))
    np.testing.assert_array_equal(predicted[:, 2:].astype(float), model.predict_proba(frame))


@every_classifier
def test_three_numbered_classes_without_names_are_the_same_bytes(classifier, three_classes, tmp_path):
    X, y = three_classes
    rows = [
        ",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "table.csv").write_text("\n".join(["x0,x1,x2,x3,y", *rows]) + "\n")
    model = clone(classifier).fit(X, y)
    flags = ["--method", model._model.method, "--preset", model.preset, "--label", "y", "--quiet"]
    run("fit", tmp_path / "table.csv", "-o", tmp_path / "program.dyad", *flags)
    assert (tmp_path / "program.dyad").read_bytes() == model._model.to_bytes()
    loaded = type(classifier).load(tmp_path / "program.dyad")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@every_classifier
def test_a_model_comes_back_from_its_file(classifier, stars, tmp_path):
    X, y, names = stars
    frame = pd.DataFrame(X, columns=names)
    model = clone(classifier).fit(frame, y)
    model.save(tmp_path / "model.dyad")
    again = type(classifier).load(tmp_path / "model.dyad")
    kept = {name: value for name, value in model.get_params().items() if value is not None}
    assert again.get_params() == {**again.get_params(), **kept}
    by_default = {
        "callback",
        "categorical_features",
        "class_weight",
        "costs",
        "exclude",
        "monotone",
        "n_jobs",
    }
    if isinstance(classifier, (SLBClassifier, LUClassifier)):
        by_default.add("max_seconds")
        if classifier.preset == "auto":
            by_default.add("cv")  # a number of folds that suits the rows
    assert {name for name, value in again.get_params().items() if value is None} == by_default
    assert again.coordinates_ == model.coordinates_
    assert getattr(again, "settings_", None) == getattr(model, "settings_", None)
    assert repr(again).partition("  # ")[2] == repr(model).partition("  # ")[2]
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.n_features_in_ == len(names)
    assert again.feature_names_in_.tolist() == names
    assert again.terms_ == model.terms_
    assert {label: {(p.i, p.j) for p in pairs} for label, pairs in again.pairs_.items()} == {
        label: {(p.i, p.j) for p in pairs} for label, pairs in model.pairs_.items()
    }
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(again.explain(frame), model.explain(frame))
    again.save(str(tmp_path / "again.dyad"))
    assert (tmp_path / "again.dyad").read_bytes() == (tmp_path / "model.dyad").read_bytes()
    assert again.fit(frame, y)._model.to_bytes() == model._model.to_bytes()


@pytest.mark.parametrize(
    "classifier",
    [
        *CLASSIFIERS,
        SLBClassifier(optimise="auc", tol=0.03, floor=1e-7, blend="always"),
        SLBClassifier(preset="paper"),
    ],
    ids=str,
)
def test_a_description_is_what_the_program_tells_of_the_file(classifier, stars, tmp_path):
    X, y, names = stars
    model = clone(classifier).fit(pd.DataFrame(X, columns=names), y)
    model.save(tmp_path / "model.dyad")
    expected = run("info", tmp_path / "model.dyad").partition("\n")[2]
    assert model.describe() == f"{type(model).__name__}\n{expected}"


@every_classifier
def test_skops_keeps_models(classifier, stars):
    skops = pytest.importorskip("skops.io")
    X, y, _ = stars
    model = clone(classifier).fit(X, y)
    content = skops.dumps(model)
    unknown = skops.get_untrusted_types(data=content)
    assert all(name.startswith("dyad.") for name in unknown)
    again = skops.loads(content, trusted=unknown)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_skops_keeps_transformers(stars):
    skops = pytest.importorskip("skops.io")
    X, y, _ = stars
    model = LogDensityTransformer().fit(X, y)
    content = skops.dumps(model)
    again = skops.loads(content, trusted=skops.get_untrusted_types(data=content))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_weights_cannot_be_changed_in_place(stars, tmp_path):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)
    model.save(tmp_path / "model.dyad")
    for of in (model, pickle.loads(pickle.dumps(model)), NaiveBayesKDE.load(tmp_path / "model.dyad")):
        with pytest.raises(ValueError, match="read-only"):
            of.coef_[:] = 0
        with pytest.raises(ValueError, match="read-only"):
            of.intercept_ += 1


@pytest.mark.filterwarnings("error")
def test_columns_named_as_those_without_names_are_taken_by_a_loaded_model(stars, tmp_path):
    X, y, _ = stars
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    model = NaiveBayesKDE().fit(frame, y)
    model.save(tmp_path / "model.dyad")
    again = NaiveBayesKDE.load(tmp_path / "model.dyad")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(frame))
    with pytest.raises(ValueError, match="order them alike"):
        again.predict(frame[frame.columns[::-1]])


def test_what_a_file_does_not_keep_comes_back_as_documented(stars, tmp_path):
    X, y, _ = stars
    splits = [(np.arange(len(X)), np.arange(len(X)))]
    model = SLBClassifier(class_weight={"orbit": 2}, cv=splits, random_state=None, n_jobs=2, C=0.5).fit(X, y)
    model.save(tmp_path / "model.dyad")
    again = SLBClassifier.load(tmp_path / "model.dyad")
    seed = model._model.options["seed"]
    expected = {
        "C": 0.5,
        "cost": "given",
        "random_state": seed,
        "class_weight": None,
        "cv": None,
        "n_jobs": None,
    }
    assert again.get_params() == {**again.get_params(), **expected}
    assert not hasattr(again, "feature_importances_")
    assert not hasattr(again, "n_iter_")
    assert all(np.isnan(pair.hsic) for pairs in again.pairs_.values() for pair in pairs)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    "labels",
    [
        [3, 10],
        [-1, 1],
        ["3", "ten"],
        ["10", "9"],
        ["01", "02"],
        ["0", "1"],
        [1.0, 2.0],
        [False, True],
    ],
    ids=str,
)
def test_labels_come_back_as_they_were(labels, stars, tmp_path):
    X, y, _ = stars
    NaiveBayesKDE().fit(X, np.array(labels)[(y == "orbit").astype(int)]).save(tmp_path / "model.dyad")
    again = NaiveBayesKDE.load(tmp_path / "model.dyad")
    assert list(map(repr, again.classes_.tolist())) == list(map(repr, labels))
    assert again.feature_names_in_.tolist() == [f"x{j}" for j in range(X.shape[1])]
    assert set(again.predict(X).tolist()) == set(labels)


def test_a_file_of_another_method_is_refused_by_name(stars, tmp_path):
    X, y, _ = stars
    NaiveBayesKDE().fit(X, y).save(tmp_path / "model.dyad")
    with pytest.raises(ValueError, match="method 'nb'; TANClassifier is for 'tan' and 'tan-forest'"):
        TANClassifier.load(tmp_path / "model.dyad")


def test_files_that_are_no_models_or_not_there_are_told_apart(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.dyad"):
        NaiveBayesKDE.load(tmp_path / "absent.dyad")
    (tmp_path / "notes.txt").write_text("not a model")
    with pytest.raises(ValueError, match=r"notes\.txt"):
        NaiveBayesKDE.load(tmp_path / "notes.txt")
    with pytest.raises(NotFittedError):
        NaiveBayesKDE().save(tmp_path / "model.dyad")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@every_classifier
def test_pickled_classifiers_answer_the_same(classifier, protocol, stars):
    X, y, _ = stars
    model = clone(classifier).fit(X, y)
    again = pickle.loads(pickle.dumps(model, protocol=protocol))
    assert again.get_params() == model.get_params()
    assert again.pairs_ == model.pairs_
    assert again.terms_ == model.terms_
    assert repr(again) == repr(model)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


@pytest.mark.parametrize("optimise", ["balanced", "auc", "logloss"])
@pytest.mark.parametrize("classes", [[0, 1], [0, 0, 1], [1, *[0] * 20]], ids=len)
@pytest.mark.filterwarnings("ignore:constant columns")
def test_models_of_hardly_any_information_can_be_kept(classes, optimise):
    X = np.random.default_rng(0).normal(size=(len(classes), 2))
    for rows in (X, np.ones_like(X)):
        model = SLBClassifier(optimise=optimise).fit(rows, classes)
        assert np.all(np.isfinite(model.predict_proba(X)))
        assert np.all(np.isfinite([setting.loss for setting in model.settings_]))
        assert pickle.loads(pickle.dumps(model))._model.to_bytes() == model._model.to_bytes()


def test_joblib_keeps_transformers_and_classifiers(stars, tmp_path):
    X, y, _ = stars
    for estimator in (SLBClassifier(), LogDensityTransformer()):
        model = clone(estimator).fit(X, y)
        joblib.dump(model, tmp_path / "model.joblib")
        again = joblib.load(tmp_path / "model.joblib")
        assert again._model.to_bytes() == model._model.to_bytes()


def test_unfitted_estimators_can_be_pickled():
    assert pickle.loads(pickle.dumps(SLBClassifier(C=3))).C == 3

# SPDX-License-Identifier: BSD-3-Clause
"""Parameters: their defaults, their names, what they do and which values they refuse."""

import doctest
import inspect
import pydoc
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from dyad._parameters import CORE_NAMES, parameters_of
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

import dyad
from dyad import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier, _core

CLASSIFIERS = [SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier]
ESTIMATORS = [*CLASSIFIERS, LogDensityTransformer]
ROOT = Path(__file__).resolve().parents[2]


def parameters_by_option(estimator):
    """Those parameters that are options of the core, by the names that they have there."""
    parameters = inspect.signature(estimator).parameters
    names = {CORE_NAMES[name]: parameter for name, parameter in parameters.items()}
    return {name: parameter for name, parameter in names.items() if name in _core.default_options()}


def chosen_by_presets():
    """The options that presets differ in, and the cost, which says where it comes from."""
    presets = [
        _core.default_options({"preset": preset, "method": method, "optimise": objective})
        for preset in ("auto", "paper")
        for method in ("slb", "nb")
        for objective in ("balanced", "logloss")
    ]
    differ = {name for name in presets[0] if len({options[name] for options in presets}) > 1}
    return differ - {"preset", "method"} | {"C"}


@pytest.mark.parametrize("preset", ["auto", "paper"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_defaults_are_those_of_the_core(estimator, preset):
    method = {"method": estimator._methods[0]}
    expected = _core.default_options({"preset": preset, **method})
    if estimator is LogDensityTransformer:
        expected |= {"settings": "best", "term_scale": "unit", "linear_terms": False, "cost": "given"}
        expected["pairs"] = "cv"
        expected["optimise"] = "balanced" if preset == "auto" else "logloss"
    assert _core.default_options(estimator(preset=preset)._core_options()) == expected
    assert estimator().preset == _core.default_options()["preset"] == "auto"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_none_is_the_default_where_presets_differ(estimator):
    parameters = parameters_by_option(estimator)
    none = {name for name, parameter in parameters.items() if parameter.default is None}
    assert none == chosen_by_presets() & set(parameters)
    defaults = _core.default_options()
    for name in set(parameters) - none:
        assert parameters[name].default == defaults[name], name


@pytest.mark.parametrize("preset", ["auto", "paper"])
@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_balanced_classes_have_two_names(estimator, preset):
    def options(**parameters):
        return _core.default_options(estimator(preset=preset, **parameters)._core_options())

    assert options()["optimise"] == "logloss"
    assert options() == options(optimise="logloss") == options(class_weight={"a": 2})
    balanced = options(class_weight="balanced")
    assert balanced["optimise"] == "balanced"
    assert balanced == options(optimise="balanced") == options(optimise="balanced", class_weight="balanced")
    assert balanced["priors"] == ("equal" if estimator in (NaiveBayesKDE, TANClassifier) else "estimated")
    for objective in ("logloss", "error", "auc"):
        message = f"class_weight='balanced' contradicts optimise='{objective}'; give one of them"
        with pytest.raises(ValueError, match=re.escape(message)):
            options(optimise=objective, class_weight="balanced")


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_optimize_is_another_name_of_optimise(estimator):
    model = estimator(optimize="balanced")
    assert model.get_params() == estimator(optimise="balanced").get_params()
    assert clone(model).optimise == "balanced"
    assert model.set_params(optimize="logloss").optimise == "logloss"
    with pytest.raises(TypeError, match="optimise and optimize are the same parameter"):
        estimator(optimise="auc", optimize="auc")


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_probabilities_are_those_of_the_class_frequencies_that_the_model_names(estimator):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [3600, 400])
    X = rng.normal(size=(4000, 3)) + np.outer(y, [1.5, 0, 0])
    train = np.arange(4000) % 2 == 0

    def fitted(**parameters):
        model = estimator(**parameters).fit(X[train], y[train])
        p = model.predict_proba(X[~train])[:, 1]
        return model._model.class_frequencies, p.mean(), p[y[~train] == 0].mean(), p[y[~train] == 1].mean()

    name, mean, *_ = fitted()
    assert name == "table"
    assert mean == pytest.approx(0.1, abs=0.03)
    name, mean, *of_classes = fitted(class_weight="balanced")
    assert name == "equal"
    assert mean > 0.2
    assert np.mean(of_classes) == pytest.approx(0.5, abs=0.06)
    name, mean, *of_classes = fitted(class_weight={1: 9})
    assert name == "weighted"
    assert np.mean(of_classes) == pytest.approx(0.5, abs=0.06)
    assert fitted(class_weight="balanced", costs={(0, 1): 2})[0] == "table"


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_error_is_an_alias_of_logloss(estimator, stars):
    X, y, _ = stars
    aliased = estimator(optimise="error")
    assert clone(aliased).optimise == "error"
    named = estimator(optimise="logloss").fit(X, y)
    assert aliased.fit(X, y)._model.to_bytes() == named._model.to_bytes()
    assert '{"balanced", "auc", "logloss"}' in estimator.__doc__


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_the_paper_does_not_optimise_auc(estimator, stars):
    X, y, _ = stars
    with pytest.raises(
        ValueError, match=r"optimise=auc requires (settings=average|method=slb, slb- or lu), got"
    ):
        estimator(preset="paper", optimise="auc").fit(X, y)


def test_a_cost_is_given_to_be_used():
    def cost(**parameters):
        options = _core.default_options(LUClassifier(**parameters)._core_options())
        return options["cost"], options["C"]

    assert cost() == ("cv", 1)
    assert cost(C=3) == ("given", 3)
    assert cost(C=3, cost="cv", settings="best") == ("cv", 3)
    with pytest.raises(ValueError, match="C requires cost=given, got cv"):
        cost(C=3, cost="cv")
    assert cost(cost="given") == cost(preset="paper") == ("given", 1)


def test_explicit_values_of_a_preset_are_the_preset(stars):
    X, y, _ = stars
    for preset in ("auto", "paper"):
        default = SLBClassifier(preset=preset)
        options = _core.default_options(default._core_options())
        explicit = SLBClassifier(**SLBClassifier._parameters_of(options))
        none = {name for name, value in explicit.get_params().items() if value is None}
        unused = {
            "callback",
            "categorical_features",
            "class_weight",
            "costs",
            "exclude",
            "max_seconds",
            "monotone",
            "n_jobs",
        }
        assert none - {"cv"} == unused
        assert ("cv" in none) == (preset == "auto")
        assert explicit.fit(X, y)._model.to_bytes() == default.fit(X, y)._model.to_bytes()


def test_values_that_need_others_are_refused(stars):
    X, y, _ = stars
    for parameters, message in (
        ({"coordinate": "none"}, "prior_rows requires coordinate=standard or robust, got none"),
        ({"norm_bound": 1}, "norm_bound requires settings=best, got average"),
        ({"settings": "best", "n_average": 3}, "n_average requires settings=average, got best"),
        ({"settings": "best", "max_pairs": 3}, "max_pairs requires settings=average, got best"),
    ):
        with pytest.raises(ValueError, match=message):
            SLBClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": "l1"}, "penalty=l1 requires loss=squared_hinge or logistic, got hinge"),
        (
            {"penalty": "elastic_net"},
            "penalty=elastic_net requires loss=squared_hinge or logistic, got hinge",
        ),
        (
            {"preset": "paper", "engine": "exact", "loss": "logistic"},
            "loss=logistic requires engine=counts or settings=average, got engine=exact",
        ),
        (
            {"multiclass": "direct", "loss": "logistic"},
            "multiclass=direct requires loss=hinge, got logistic",
        ),
        (
            {"settings": "best", "multiclass": "direct"},
            "multiclass=direct requires settings=average, got best",
        ),
    ],
)
def test_losses_and_penalties_say_what_they_need(parameters, message, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        SLBClassifier(**parameters).fit(X, y)


def test_linear_terms_need_nothing_else(stars):
    X, y, _ = stars
    for parameters in ({"preset": "paper", "linear_terms": True}, {"settings": "best"}):
        model = SLBClassifier(**parameters).fit(X, y)
        assert [term.kind for term in model.terms_[:6]] == ["linear"] * 6


def test_every_option_of_the_core_is_a_parameter_somewhere():
    asked = set().union(*(parameters_by_option(estimator) for estimator in ESTIMATORS))
    assert set(_core.default_options()) - asked == {"method"}  # the estimator is the method


def test_the_core_describes_its_options():
    described = _core.describe_options()
    assert list(described) == list(_core.default_options())
    assert {option["kind"] for option in described.values()} == {"choice", "bool", "int", "float"}
    assert all(option["help"] for option in described.values())
    assert described["engine"]["values"] == ("exact", "counts")
    assert described["grid"]["range"] == "between 16 and 128"
    for name, value in _core.default_options().items():
        kind = described[name]["kind"]
        assert value in described[name]["values"] if kind == "choice" else type(value).__name__ == kind, name


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_docstrings_tell_every_parameter_and_its_default(estimator):
    text = inspect.getdoc(estimator)
    documented = dict(re.findall(r"^(\w+) : .*default=(\S+)$", text, flags=re.MULTILINE))
    signature = inspect.signature(estimator.__init__).parameters
    assert list(documented) == [name for name in signature if name != "self"]
    for name, default in documented.items():
        assert eval(default) == signature[name].default, name
    assert not re.search(r"^ *\{[\w ]+\}$", text, flags=re.MULTILINE)
    assert max(map(len, estimator.__doc__.splitlines())) <= 110


def test_help_texts_are_those_of_the_core_in_words_of_python():
    text = " ".join(inspect.getdoc(SLBClassifier).split())
    described = _core.describe_options()
    for name, parameter in parameters_of("SLBClassifier").items():
        told = described.get(parameter.core_name, {}).get("help", "")
        assert parameter.help or "--" in told or told[1:] + "." in text, name
    for estimator in ESTIMATORS:
        assert not re.search(r"--[a-z]", inspect.getdoc(estimator).split("Attributes")[0].replace("---", ""))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_help_shows_the_signature(estimator):
    shown = pydoc.render_doc(estimator, renderer=pydoc.plaintext)
    assert re.search(rf"class {estimator.__name__}.*\n \|  {estimator.__name__}\(\*, preset='auto', ", shown)
    assert "__init__(self, *, preset='auto', " in re.sub(r"\n \| +", " ", shown)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_unknown_parameters_are_refused_by_name(estimator):
    with pytest.raises(TypeError, match=f"{estimator.__name__}.. got an unexpected keyword argument 'depth'"):
        estimator(depth=3)
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        estimator().set_params(depth=3)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_meanings_are_those_of_values_of_the_core_or_of_python(estimator):
    described = _core.describe_options()
    for parameter in parameters_of(estimator.__name__).values():
        known = {*described.get(parameter.core_name, {}).get("values", ()), "all", "none"}
        assert set(parameter.values) <= known, parameter.name


def test_the_stub_is_current():
    tool = runpy.run_path(str(ROOT / "tools/estimator_stub.py"))
    committed = Path(dyad.__file__).with_name("_estimators.pyi").read_text()
    assert committed == tool["stub"](), "run .venv/bin/python tools/estimator_stub.py"


def test_the_stub_types_choices_as_literals():
    stub = Path(dyad.__file__).with_name("_estimators.pyi").read_text()
    assert 'engine: Literal["exact", "counts"] = "counts",' in stub
    assert 'settings: Literal["best", "average"] | None = None,' in stub
    for estimator in ESTIMATORS:
        assert f"class {estimator.__name__}(" in stub


def preset_table():
    """The table of docs/python.md: the text of each parameter for the presets auto and paper."""
    page = (ROOT / "docs/python.md").read_text()
    rows = page.split('| parameter | `"auto"` | `"paper"` | |\n|---|---|---|---|\n')[1].split("\n\n")[0]
    cells = [[cell.strip().strip("`") for cell in row.split("|")] for row in rows.splitlines()]
    return {name: {"auto": auto, "paper": paper} for _, name, auto, paper, *_ in cells}


def test_the_page_has_the_presets_of_the_core():
    table = preset_table()
    names = {CORE_NAMES[name]: name for name in CORE_NAMES}
    assert set(table) == {names[option] for option in chosen_by_presets()} - {"C", "optimise", "priors"}
    for preset in ("auto", "paper"):
        options = _core.default_options({"preset": preset})
        for name, texts in table.items():
            text = {"no limit": "1_000_000_000", "5 or 3": "0"}.get(texts[preset], texts[preset])
            assert eval(text) == options[CORE_NAMES[name]], name


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_given_by_name_only(estimator):
    with pytest.raises(TypeError):
        estimator("paper")


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("preset", "best", ValueError),
        ("preset", None, TypeError),
        ("optimise", "speed", ValueError),
        ("coordinate", "log", ValueError),
        ("prior_rows", -1, ValueError),
        ("max_pairs", -1, ValueError),
        ("linear_terms", 1, TypeError),
        ("linear_terms", "yes", TypeError),
        ("term_scale", "own", ValueError),
        ("settings", "worst", ValueError),
        ("n_average", 0, ValueError),
        ("n_average", None, TypeError),
        ("blend", True, TypeError),
        ("engine", "fast", ValueError),
        ("grid", 3, ValueError),
        ("grid", 64.5, TypeError),
        ("bandwidth", "wide", ValueError),
        ("floor", 0, ValueError),
        ("pairs", "some", ValueError),
        ("fdr", 2, ValueError),
        ("fdr", "much", TypeError),
        ("n_pairs", -1, ValueError),
        ("cross_fit_folds", 1, ValueError),
        ("C", 0, ValueError),
        ("C", "much", TypeError),
        ("loss", "cubic", ValueError),
        ("penalty", "l3", ValueError),
        ("l1_ratio", 1.5, ValueError),
        ("multiclass", "all", ValueError),
        ("tol", 0, ValueError),
        ("tol", "small", TypeError),
        ("max_iter", 0, ValueError),
        ("max_iter", 1.5, TypeError),
        ("class_weight", "heavy", ValueError),
        ("class_weight", 3, ValueError),
        ("cv", 1, ValueError),
        ("cv", "three", ValueError),
        ("random_state", -1, ValueError),
        ("random_state", "seed", ValueError),
        ("n_jobs", 0, ValueError),
        ("n_jobs", 1.5, TypeError),
        ("n_jobs", "all", TypeError),
        ("pairs", 3, ValueError),
        ("pairs", np.array([[0, 0]]), ValueError),
        ("exclude", "east", ValueError),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(stars, parameter, value, error):
    X, y, _ = stars
    with pytest.raises(error, match="n_jobs" if parameter == "n_jobs" else f"(?i){parameter}|seed"):
        SLBClassifier(**{parameter: value}).fit(X, y)


def test_numpy_scalars_are_numbers_too(stars):
    X, y, _ = stars
    model = SLBClassifier(C=np.float32(1), grid=np.int64(64), cv=np.int32(3), random_state=np.uint8(1)).fit(
        X, y
    )
    assert model._model.options["grid"] == 64


def test_pairs_all_is_slb_minus_and_forest_is_tan_forest(stars):
    X, y, _ = stars
    assert SLBClassifier(pairs="all").fit(X, y)._model.method == "slb-"
    assert TANClassifier(forest=True).fit(X, y)._model.method == "tan-forest"
    forest = TANClassifier(forest=True).fit(X, y).pairs_
    assert all(len(pairs) < X.shape[1] - 1 for pairs in forest.values())


def test_threads_never_change_a_result(stars):
    X, y, _ = stars
    models = [SLBClassifier(n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 2, -1)]
    assert len({model._model.to_bytes() for model in models}) == 1
    assert np.array_equal(models[0].decision_function(X), models[1].decision_function(X))


def test_random_state_none_draws_from_numpys_generator(stars):
    X, y, _ = stars

    def seed(state):
        return LUClassifier(random_state=state).fit(X, y)._model.options["seed"]

    np.random.seed(5)
    first = seed(None)
    np.random.seed(5)
    assert seed(None) == first
    assert seed(None) != first
    assert seed(np.random.RandomState(3)) == seed(np.random.RandomState(3))
    assert seed(7) == 7


def test_splits_may_be_row_numbers_masks_or_a_splitter(stars):
    X, y, _ = stars
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    rows = list(splitter.split(X, y))
    masks = [(np.isin(np.arange(len(X)), train), np.isin(np.arange(len(X)), test)) for train, test in rows]
    bytes_of = [SLBClassifier(cv=cv).fit(X, y)._model.to_bytes() for cv in (splitter, rows, masks)]
    assert bytes_of[0] == bytes_of[1] == bytes_of[2]


ALL = np.arange(400)


@pytest.mark.parametrize("estimator", [SLBClassifier, LUClassifier, LogDensityTransformer])
@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "cv: no split is given"),
        (iter([(ALL, ALL)]), "cv is an iterator, .* pass a list"),
        ((split for split in [(ALL, ALL)]), "cv is an iterator, .* pass a list"),
        ([(0, 1)], "cv: split 0 must have a list of row numbers or a mask for train"),
        ([(ALL, ALL), (ALL,)], r"cv: split 1 must be a pair \(train, test\)"),
        ([ALL[0]], r"cv: split 0 must be a pair \(train, test\)"),
        ([(ALL, ALL / 2)], "cv: split 0 must have a list of row numbers or a mask for test"),
        ([(ALL, np.ones(399, dtype=bool))], "cv: split 0 has a test mask of 399 rows, but X has 400"),
        ([(ALL, [0, 400])], "cv: split 0 has the test row 400, but X has rows 0 to 399"),
        ([(ALL, ALL), ([-1], ALL)], "cv: split 1 has the train row -1, but X has rows 0 to 399"),
        ([(ALL, [])], "cv: split 0 tests no row"),
        ([([], ALL)], "cv: split 0 trains on no row of class 'cloud'"),
    ],
    ids=[
        "none",
        "iterator",
        "generator",
        "numbers",
        "no test",
        "no pair",
        "fractions",
        "short mask",
        "row too large",
        "negative row",
        "empty test",
        "empty train",
    ],
)
def test_splits_that_are_none_are_refused(estimator, cv, message, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        estimator(cv=cv).fit(X, y)


def test_splits_that_train_on_one_class_are_refused(stars):
    X, y, _ = stars
    of_orbits = np.flatnonzero(y == "orbit")
    with pytest.raises(ValueError, match="cv: split 1 trains on no row of class 'cloud'"):
        SLBClassifier(cv=[(ALL, ALL), (of_orbits, ALL)]).fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "rules"),
    [
        (SLBClassifier, "cv, fdr, count, threshold, path, all"),
        (LogDensityTransformer, "cv, fdr, count, threshold, all, none"),
    ],
)
def test_unknown_rules_for_pairs_are_answered_with_those_there_are(estimator, rules, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=f"pairs must be one of {rules}"):
        estimator(pairs="bogus").fit(X, y)


def test_row_numbers_of_splits_count_rows_of_weight_zero(stars):
    X, y, _ = stars
    weights = np.ones(len(X))
    weights[::5] = 0
    kept = np.flatnonzero(weights)
    of_kept = list(KFold(3).split(kept))
    of_all = [(kept[train], kept[test]) for train, test in of_kept]
    weighted = SLBClassifier(cv=of_all).fit(X, y, sample_weight=weights)
    left_out = SLBClassifier(cv=of_kept).fit(X[kept], y[kept])
    np.testing.assert_array_equal(weighted.decision_function(X), left_out.decision_function(X))


def test_class_weights_by_label_move_the_boundary(stars):
    X, y, _ = stars
    even = LUClassifier().fit(X, y)
    skewed = LUClassifier(class_weight={"orbit": 100}).fit(X, y)
    assert np.mean(skewed.predict(X) == "orbit") > 0.9 > np.mean(even.predict(X) == "orbit")


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"orbit": 2, "planet": 1}, "class_weight has the label 'planet', which no row has"),
        ({"orbit": -2}, r"class_weight of 'orbit' must be between 0 and 1e\+09, got -2"),
        ({"orbit": np.nan}, r"class_weight of 'orbit' must be between 0 and 1e\+09, got nan"),
        ({"orbit": "much"}, r"class_weight of 'orbit' must be between 0 and 1e\+09, got 'much'"),
    ],
    ids=["unknown label", "negative", "NaN", "text"],
)
def test_class_weights_that_make_no_sense_are_refused_by_label(class_weight, message, stars):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        LUClassifier(class_weight=class_weight).fit(X, y)


def test_class_weights_may_name_a_class_that_a_fold_lacks(stars):
    X, y, _ = stars
    LUClassifier(class_weight={"orbit": 2, "cloud": 1, "planet": 3}).fit(X, y)


def test_an_svm_that_is_not_solved_warns(stars):
    X, y, _ = stars
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        LUClassifier(preset="paper", max_iter=1, tol=1e-12).fit(X, y)


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_verbose_shows_progress_on_standard_error(stars, capsys, monkeypatch, has_tqdm):
    X, y, _ = stars
    if not has_tqdm:
        monkeypatch.setattr("dyad._progress.tqdm", None)
    model = SLBClassifier(verbose=1).fit(np.tile(X, (5, 3)) + np.arange(18), np.tile(y, 5))
    shown = capsys.readouterr()
    assert "SLBClassifier" in shown.err
    assert shown.out == ""
    model.set_params(verbose=0).fit(X, y)
    assert capsys.readouterr().err == ""


def test_bars_are_those_of_notebooks_in_notebooks():
    from tqdm.auto import tqdm

    assert dyad._progress.tqdm is tqdm


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_types_of_fit_and_load_are_those_of_the_subclass(estimator):
    for method in ("fit", "load") if estimator in CLASSIFIERS else ("fit",):
        assert getattr(estimator, method).__annotations__["return"] == "Self"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_clones_have_the_same_parameters(estimator):
    original = estimator(bandwidth="normal_scale", n_jobs=2)
    assert clone(original).get_params() == original.get_params()


def test_examples_in_docstrings_run():
    failed, attempted = doctest.testmod(dyad._estimators)
    assert attempted > 20
    assert failed == 0

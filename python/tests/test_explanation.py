# SPDX-License-Identifier: BSD-3-Clause
"""Importances, curves, surfaces, densities and flips against what rows are predicted and explained as."""

import doctest

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dyad
from dyad import Flip, Importance, NaiveBayesKDE, SLBClassifier, TANClassifier, _core, _explanation

CASES = ("numbers", "exact", "three classes", "categories", "three classes with categories")


@pytest.fixture(scope="module", params=CASES)
def case(request, stars, three_classes, tree_rows):
    """A fitted classifier and its rows."""
    if request.param == "numbers":
        X = pd.DataFrame(stars[0], columns=stars[2])
        return SLBClassifier().fit(X, stars[1]), X
    if request.param == "exact":
        X, y = stars[0][:150, :4], stars[1][:150]
        return SLBClassifier(preset="paper", engine="exact", pairs="count", n_pairs=3).fit(X, y), X
    if request.param == "three classes":
        X, y = three_classes
        return SLBClassifier(pairs="cv").fit(X, y), X
    X, y = tree_rows(n_classes=3 if request.param.startswith("three") else 2)
    return SLBClassifier(pairs="cv").fit(X, y), X


def contributions(model, X):
    """Rows x scores x terms."""
    found = model.explain(X)
    return found[:, np.newaxis] if len(model.classes_) == 2 else found


def coded(model, X):
    return dyad._input.check_rows(model, X, model._model)


# --- importances ---


@pytest.mark.parametrize("by", ["term", "effect", "feature"])
def test_importances_are_mean_sizes_of_summed_contributions(case, by):
    model, X = case
    found = contributions(model, X) if by == "term" else model._effect_values(X)
    effects = [(i,) if i == j else (i, j) for i, j, _ in _core.effects(model._model)]
    parts = {
        "term": {term.name: [t] for t, term in enumerate(model.terms_)},
        "effect": {features: [k] for k, features in enumerate(effects)},
        "feature": {
            (j,): [k for k, features in enumerate(effects) if j in features]
            for j in range(model.n_features_in_)
        },
    }[by]
    for score, label in enumerate(model.classes_[-found.shape[1] :]):
        got = model.importances(X, by=by, label=label)
        assert len(got) == len(parts)
        assert [part.mean for part in got] == sorted((part.mean for part in got), reverse=True)
        for part in got:
            terms = parts[part.name if by == "term" else part.features]
            assert_allclose(
                part.mean, np.abs(found[:, score, terms].sum(axis=1)).mean(), rtol=1e-9, atol=1e-12
            )
            assert part.low - 1e-12 <= part.mean <= part.high + 1e-12
            assert part.label == label


def test_importances_name_features_and_pairs(case):
    model, X = case
    names = list(X.columns) if isinstance(X, pd.DataFrame) else [f"x{j}" for j in range(X.shape[1])]
    for part in model.importances(X):
        assert isinstance(part, Importance)
        assert part.name == ", ".join(names[j] for j in part.features)


def test_importances_without_a_label_are_the_largest_of_all_scores(three_classes):
    X, y = three_classes
    model = SLBClassifier().fit(X, y)
    each = [{part.name: part.mean for part in model.importances(X, label=label)} for label in (3, 5, 7)]
    for part in model.importances(X):
        assert part.mean == max(of_label[part.name] for of_label in each)
        assert part.mean == each[[3, 5, 7].index(part.label)][part.name]


def test_labels_of_two_classes_have_the_same_importances(stars):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)
    assert model.importances(X, label="cloud") == model.importances(X, label="orbit") == model.importances(X)


def test_intervals_shrink_with_more_rows(stars):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)
    rng = np.random.default_rng(0)
    few, many = (model.importances(X[rng.integers(len(X), size=n)], by="feature")[0] for n in (60, 6000))
    assert 0 < many.high - many.low < 0.3 * (few.high - few.low)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "pair"}, "by must be one of 'term', 'effect', 'feature', got 'pair'"),
        ({"label": "moon"}, "label must be one of 'cloud', 'orbit', got 'moon'"),
    ],
)
def test_importances_refuse_what_is_not_there(stars, arguments, message):
    X, y, _ = stars
    with pytest.raises(ValueError, match=message):
        NaiveBayesKDE().fit(X, y).importances(X, **arguments)


# --- curves, surfaces and densities ---


def test_curves_and_surfaces_are_the_effects_of_rows(case):
    model, X = case
    rows = coded(model, X)[:20].astype(float)
    found = model._effect_values(X)[:20]
    for k, (i, j, _) in enumerate(_core.effects(model._model)):
        if i == j:
            own = _core.effect_curve(model._model, i, rows[:, i].copy())
        else:
            surface = _core.effect_surface(model._model, i, j, rows[:, i].copy(), rows[:, j].copy())
            assert surface.shape == (20, 20, found.shape[1])
            own = surface[np.arange(20), np.arange(20)]
        assert_allclose(own, found[:, :, k], rtol=1e-9, atol=1e-9)


def test_effects_and_baseline_add_up_to_the_scores(case):
    model, X = case
    scores = np.asarray(model.decision_function(X))
    if scores.ndim == 2:
        scores = scores - scores.mean(axis=1, keepdims=True)
    assert_allclose(
        model.explain(X, by="effect", as_frame=False).sum(axis=-1)
        + (model.baseline_ if len(model.baseline_) > 1 else model.baseline_[0]),
        scores,
        rtol=1e-9,
        atol=1e-8,
    )


def test_effects_come_as_a_frame_with_names(stars):
    X, y, names = stars
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=names)
    model = SLBClassifier(pairs="count", n_pairs=2).fit(frame, y)
    found = model.explain(frame, by="effect", as_frame=True)
    assert_allclose(found.sum(axis=1) + model.baseline_[0], model.decision_function(frame), atol=1e-9)
    pair = next(pairs[0] for pairs in model.pairs_.values() if pairs)
    assert pair.names == (names[pair.i], names[pair.j])
    assert ", ".join(pair.names) in found.columns
    table = model.importances(frame, as_frame=True)
    assert list(table["name"]) == [part.name for part in model.importances(frame)]
    with pytest.raises(ValueError, match="by must be one of 'term', 'effect', got 'pair'"):
        model.explain(frame, by="pair")


def test_flips_stay_within_the_training_rows_and_leave_immutable_features(stars):
    X, y, _ = stars
    X = X.copy()
    X[:, 2] = np.round(4 * X[:, 2])
    model = SLBClassifier().fit(X, y)
    found = [flip for of_row in model.flips(X) for flip in of_row]
    assert found
    for flip in found:
        assert X[:, flip.feature].min() <= flip.after <= X[:, flip.feature].max()
        assert flip.feature != 2 or flip.after == round(flip.after)
    assert {flip.feature for of_row in model.flips(X, immutable=[found[0].feature]) for flip in of_row} == {
        flip.feature for flip in found
    } - {found[0].feature}


def test_a_model_without_pairs_changes_along_a_feature_as_its_curve(stars):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)
    points = _core.points(model._model, 2, 30)
    rows = np.tile(X[0], (30, 1))
    rows[:, 2] = points
    scores = model.decision_function(rows)
    curve = _core.effect_curve(model._model, 2, points)[:, 0]
    assert_allclose(np.diff(scores), np.diff(curve), atol=1e-9)


def test_densities_are_the_values_of_terms(case):
    model, X = case
    rows = coded(model, X)[:20].astype(float)
    values = model._model.term_values(rows)
    labels = model.classes_.tolist()
    for t, term in enumerate(model.terms_):
        if term.kind != "density":
            continue
        columns = [rows[:, j].copy() for j in term.features]
        found = _core.log_densities(model._model, *term.features, *columns)[..., labels.index(term.label)]
        assert_allclose(found if found.ndim == 1 else found.diagonal(), values[:, t], rtol=1e-9, atol=1e-9)


def test_a_class_without_the_pair_takes_its_features_as_independent(stars):
    X, y, _ = stars
    model = NaiveBayesKDE().fit(X, y)._model
    x, z = _core.points(model, 0, 5), _core.points(model, 3, 7)
    expected = _core.log_densities(model, 0, x)[:, np.newaxis] + _core.log_densities(model, 3, z)
    assert_allclose(_core.log_densities(model, 0, 3, x, z), expected)


def test_points_are_numbers_or_levels_and_missing_values(tree_rows):
    X, y = tree_rows()
    model = NaiveBayesKDE().fit(X, y)._model
    width, age, bark = (_core.points(model, j, 9) for j in range(3))
    assert len(width) == 9 and np.all(np.diff(width) > 0) and width[0] > 0
    assert len(age) == 10 and np.isnan(age[-1])
    assert_array_equal(bark, [0, 1, 2])
    assert_allclose(_core.positions(model, 0, width, width), np.arange(9), atol=1e-9)
    assert_array_equal(_core.positions(model, 1, age, np.array([np.nan])), [9])
    assert np.isnan(_core.positions(model, 0, width, np.array([np.nan]))).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model, x: _core.points(model, 3, 9), "3 features, got 3"),
        (lambda model, x: _core.points(model, 0, 1), "at least 2"),
        (lambda model, x: _core.effect_curve(model, 9, x), "3 features, got 9"),
        (lambda model, x: _core.effect_curve(model, 2, x + 7), "no level 7"),
        (lambda model, x: _core.effect_curve(model, 2, x + 0.5), "no level 0.5"),
        (lambda model, x: _core.effect_curve(model, 0, x + np.inf), "finite"),
        (lambda model, x: _core.effect_surface(model, 1, 1, x, x), "i < j, got 1 and 1"),
        (lambda model, x: _core.log_densities(model, 1, 0, x, x), "i < j, got 1 and 0"),
        (lambda model, x: _core.positions(model, 0, x[:0], x), "no point"),
        (lambda model, x: _core.importances(model, np.empty((0, 3))), "no row"),
        (lambda model, x: _core.importances(model, np.empty((1, 2))), "3 features, got rows of 2"),
        (lambda model, x: _core.flips(model, np.full((1, 3), np.inf)), "inf"),
    ],
)
def test_values_that_do_not_fit_the_model_are_refused(tree_rows, call, message):
    X, y = tree_rows(n=60)
    with pytest.raises(ValueError, match=message):
        call(NaiveBayesKDE().fit(X, y)._model, np.zeros(2))


# --- flips ---


def with_value(X, row, flip, value):
    """The row with another value of the feature of the flip."""
    changed = X[row : row + 1].copy()
    if isinstance(X, pd.DataFrame):
        changed[flip.name] = value
    else:
        changed[0, flip.feature] = value
    return changed


def test_flips_change_the_prediction_and_smaller_changes_do_not(case):
    model, X = case
    predicted = model.predict(X)
    n_flips = 0
    for row, found in enumerate(model.flips(X[:15])):
        assert [flip.distance for flip in found] == sorted(flip.distance for flip in found)
        for flip in found:
            assert isinstance(flip, Flip)
            assert flip.label != predicted[row]
            assert model.predict(with_value(X, row, flip, flip.after))[0] == flip.label
            n_flips += 1
            if isinstance(flip.after, str) or flip.before is None:
                continue
            nearly = flip.after + 1e-4 * (flip.before - flip.after)
            assert model.predict(with_value(X, row, flip, nearly))[0] == predicted[row]
    assert n_flips > 15


def test_flips_tell_levels_and_missing_values_in_words(tree_rows):
    X, y = tree_rows()
    model = SLBClassifier().fit(X, y)
    row = int(np.flatnonzero(X["age"].isna())[0])
    flips = [flip for found in model.flips(X) for flip in found if flip.name == "bark"]
    assert flips
    for flip in flips:
        assert {flip.before, flip.after} <= {"grey", "ridged", "smooth"} and flip.before != flip.after
        assert flip.distance == 1
    for flip in model.flips(X[row : row + 1])[0]:
        assert (flip.before is None) == (flip.name == "age")


def test_flips_to_pooled_levels_can_be_predicted():
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(400) < 0.5, "often", [f"rare {k % 60}" for k in range(400)])
    table = pd.DataFrame({"kind": kind, "x": rng.normal(size=400)})
    y = kind == "often"
    model = NaiveBayesKDE(max_levels=3).fit(table, y)
    row = int(np.flatnonzero(y)[0])
    flip = next(flip for flip in model.flips(table[row : row + 1])[0] if flip.name == "kind")
    assert flip.before == "often"
    assert not model.predict(with_value(table, row, flip, "(other)"))[0]


def test_flips_of_a_model_of_two_levels_of_one_feature():
    table = pd.DataFrame({"a": ["no", "yes"] * 50})
    y = np.where(table["a"] == "yes", 1, 0)
    model = NaiveBayesKDE().fit(table, y)
    assert model.flips(table[:1]) == [[Flip(0, "a", "no", "yes", 1, 1.0)]]


def test_trees_and_loaded_models_are_explained_too(stars, tmp_path):
    X, y, _ = stars
    model = TANClassifier().fit(X, y)
    model.save(tmp_path / "model")
    loaded = TANClassifier.load(tmp_path / "model")
    assert loaded.importances(X) == model.importances(X)
    assert loaded.flips(X[:3]) == model.flips(X[:3])


def test_examples_of_the_docstrings_run():
    failed, attempted = doctest.testmod(_explanation)
    assert failed == 0 and attempted > 5


def test_changes_of_two_features_change_what_is_predicted(trees_of_two):
    model, X = trees_of_two
    own = model.predict(X)
    found = model.flips(X)
    of_two = [(row, flip) for row, flips in enumerate(found) for flip in flips if flip.second]
    assert len(of_two) > 10
    for row, flip in of_two[:40]:
        assert all(other.second for other in found[row]), "only where no single feature does"
        changed = X.iloc[[row]].astype(object)
        for change in (flip, flip.second):
            assert change.name == X.columns[change.feature]
            changed.isetitem(change.feature, [change.after])
        assert model.predict(changed.infer_objects())[0] == flip.label != own[row]
    fixed = of_two[0][1].name
    assert all(
        fixed not in (flip.name, flip.second and flip.second.name)
        for flips in model.flips(X, immutable=[fixed])
        for flip in flips
    )


@pytest.fixture(scope="module")
def trees_of_two():
    """A model of a sum of four features, of which one alone seldom decides."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(600, 4)), columns=list("abcd"))
    X["site"] = rng.choice(["hill", "sea"], 600)
    score = X[list("abcd")].sum(axis=1) + (X["site"] == "sea")
    return SLBClassifier().fit(X, np.where(score > 1.2, "up", "down")), X


def test_the_order_of_ordered_categories_is_kept(tmp_path):
    rng = np.random.default_rng(0)
    months = ["jan", "feb", "mar", "apr", "may"]
    codes = rng.integers(5, size=400)
    X = pd.DataFrame(
        {"month": pd.Categorical.from_codes(codes, months, ordered=True), "x": rng.normal(size=400)}
    )
    y = (codes + rng.normal(size=400) > 2).astype(int)
    model = SLBClassifier().fit(X, y)
    names = model._model.levels[0][0]
    assert [names[int(code)] for code in _core.points(model._model, 0, 5)] == months
    model.save(tmp_path / "m.dyad")
    loaded = SLBClassifier.load(tmp_path / "m.dyad")
    assert [names[int(code)] for code in _core.points(loaded._model, 0, 5)] == months
    assert dyad.report(loaded, X, y).document["features"][0]["points"] == months
    plain = SLBClassifier().fit(X.astype({"month": str}), y)
    assert [names[int(code)] for code in _core.points(plain._model, 0, 5)] == sorted(months)
    assert (plain.decision_function(X) == model.decision_function(X)).all()


def test_a_band_lies_about_its_curve_and_follows_the_weights():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "site": rng.choice(["hill", "sea"], 300)})
    y = np.where(X["x"] + (X["site"] == "sea") + rng.normal(size=300) > 0.5, "b", "a")
    model = NaiveBayesKDE().fit(X, y)
    band = model.effect_band(X, y, "x", n_points=9)
    assert (band.low <= band.high).all() and np.mean(
        (band.low <= band.effect) & (band.effect <= band.high)
    ) > 0.7
    other = model.effect_band(X, y, "x", label="a", n_points=9)
    np.testing.assert_allclose(other.low, -band.high)
    many = (
        NaiveBayesKDE()
        .fit(pd.concat([X] * 9), np.tile(y, 9))
        .effect_band(pd.concat([X] * 9), np.tile(y, 9), "x", n_points=9)
    )
    assert (many.high - many.low).mean() < 0.6 * (band.high - band.low).mean()
    assert model.effect_band(X, y, "site").values == ["hill", "sea"]
    with pytest.raises(ValueError, match="n_refits must be at least 2"):
        model.effect_band(X, y, "x", n_refits=1)
    with pytest.raises(ValueError, match="level must be between"):
        model.effect_band(X, y, "x", level=1)


@pytest.mark.slow
def test_bands_cover_a_simulated_truth():
    """Curves of a logistic truth, centred over the rows, at 19 values from the 5 % to the 95 % quantile."""
    covered = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(800, 4))
        truth = [1.2 * np.sin(1.5 * X[:, 0]), 0.8 * X[:, 1], 0.5 * (X[:, 2] ** 2 - 1), 0 * X[:, 3]]
        y = rng.random(800) < 1 / (1 + np.exp(-sum(truth)))
        model = SLBClassifier().fit(X, y)
        for j, values in enumerate(truth):
            band = model.effect_band(X, y, j, n_points=41, seed=seed)
            order = np.argsort(X[:, j])
            at = np.interp(band.points, X[order, j], (values - values.mean())[order])
            inner = (band.points > np.quantile(X[:, j], 0.05)) & (band.points < np.quantile(X[:, j], 0.95))
            covered.append(np.mean((band.low <= at)[inner] & (at <= band.high)[inner]))
    assert np.mean(covered) >= 0.8, covered

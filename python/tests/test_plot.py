# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what is drawn is what the model computes, and what cannot be drawn is told."""

import doctest
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from dyad.plot import _drawing, _graph, _model, _pair, _quality, _row, _training
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix, roc_auc_score

import dyad
from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier, _core, plot

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def two(stars):
    """A model of two classes, its rows and labels."""
    X, y, names = stars
    table = pd.DataFrame(X, columns=names)
    return SLBClassifier(pairs="cv").fit(table, y), table, y


@pytest.fixture(scope="module")
def three(tree_rows):
    """A model of three classes with categories and missing values, its rows and labels."""
    X, y = tree_rows(n_classes=3)
    return SLBClassifier(pairs="cv").fit(X, y), X, y


@pytest.fixture(autouse=True)
def no_figure_is_left():
    yield
    plt.close("all")


def effect_place(model, *features):
    """The place of the effect of one feature or two among all."""
    return [(i, j) for i, j, _ in _core.effects(model._model)].index((features[0], features[-1]))


def drawn(axes):
    """Draw the figure, as saving it would."""
    ax = np.asarray(axes).ravel()[0]
    ax.figure.canvas.draw()
    return ax


def everything(model, X, y, label):
    """All pictures of a model, by name."""
    features = list(getattr(model, "feature_names_in_", range(model.n_features_in_)))
    row = X.iloc[1] if isinstance(X, pd.DataFrame) else X[1]
    rows_and_labels = {
        name: lambda ax, name=name: getattr(plot, name)(model, X, y, ax=ax)
        for name in ("roc", "precision_recall", "calibration", "confusion")
    }
    return {
        "importances": lambda ax: plot.importances(model, X, ax=ax),
        "feature": lambda ax: plot.feature(model, features[0], X=X, ax=ax),
        "densities": lambda ax: plot.densities(model, features[1], X=X, ax=ax),
        "pair": lambda ax: plot.pair(
            model, *features[:2], kind="ratio", label=label, X=X, rows=[0, 1], ax=ax
        ),
        "graph": lambda ax: plot.graph(model, label, ax=ax),
        "waterfall": lambda ax: plot.waterfall(model, row, ax=ax),
        "flips": lambda ax: plot.flips(model, row, ax=ax),
        "hsic": lambda ax: plot.hsic(X, y, label, ax=ax),
        "selection": lambda ax: plot.selection(model, ax=ax),
        "timings": lambda ax: plot.timings(model, ax=ax),
        **rows_and_labels,
    }


PICTURES = sorted(set(plot.__all__) - {"row_in_pairs"})


# --- every picture ---


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_into_the_axes_given_or_a_new_figure(two, three, name):
    for model, X, y in (two, three):
        label = model.classes_.tolist()[0]
        _, given = plt.subplots()
        assert everything(model, X, y, label)[name](given) is given
        assert len(plt.get_fignums()) == 1
        drawn(given)
        other = everything(model, X, y, label)[name](None)
        assert other is not given and len(plt.get_fignums()) == 2
        drawn(other)
        plt.close("all")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_have_titles(three, name):
    model, X, y = three
    assert everything(model, X, y, "elm")[name](None).get_title()


def test_names_are_shown_as_they_are(stars):
    X, y, _ = stars
    names = [
        r"$\frac{x$",
        "$x_1$",
        "_hidden",
        "a" * 200,
        "two\nlines\t",
        "\N{GRINNING FACE} \N{CJK RADICAL SUN}",
    ]
    table = pd.DataFrame(X, columns=names)
    labels = np.where(y == "orbit", "$a$", "_b")
    model = SLBClassifier(pairs="cv").fit(table, labels)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        for picture in everything(model, table, labels, "$a$").values():
            drawn(picture(None))
            plt.close("all")
        drawn(plot.row_in_pairs(model, table.iloc[0]))
        ax = plot.pair(model, 1, 3, kind="total")
        drawn(ax)
    assert ax.xaxis.label.get_text() == r"\$x_1\$"  # which matplotlib shows without the backslashes
    assert ax.yaxis.label.get_text() == "a" * 31 + "…"
    ax = plot.densities(model, 0)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [r"\$a\$", " _b"]


@pytest.mark.parametrize(
    ("text", "expected"), [("a\ud800b", "a b"), (7, "7"), (r"\$", r"\\$"), ("", ""), ("x\x00y", "x y")]
)
def test_shown_texts_are_safe(text, expected):
    assert _drawing.shown(text) == expected


@pytest.mark.parametrize("engine", ["exact", "counts"])
def test_other_models_and_engines_are_drawn(stars, engine):
    X, y, _ = stars
    X, y = X[:120, :3], y[:120]
    settings = {"preset": "paper", "engine": engine}
    for model in (
        SLBClassifier(pairs="count", n_pairs=3, **settings),
        TANClassifier(**settings),
        LUClassifier(**settings),
        NaiveBayesKDE(**settings),
    ):
        model.fit(X, y)
        pictures = everything(model, X, y, "cloud")
        del pictures["selection"]
        for picture in pictures.values():
            picture(None)
            plt.close("all")


def test_lists_tables_and_series_are_the_same_row(three):
    model, X, _ = three
    widths = []
    for row in (X.iloc[4], X.iloc[[4]], X.iloc[4].tolist(), X.iloc[4].to_numpy()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ax = plot.waterfall(model, row)
        widths.append([bar.get_width() for bar in ax.patches])
    assert_allclose(widths, [widths[0]] * 4)


# --- the model ---


@pytest.mark.parametrize("by", ["effect", "term", "feature"])
def test_bars_of_importances_have_their_lengths_and_intervals(two, by):
    model, X, _ = two
    ax = plot.importances(model, X, by=by, top=5)
    expected = model.importances(X, by=by)[:5]
    assert [bar.get_width() for bar in ax.patches] == [part.mean for part in expected]
    assert [text.get_text() for text in ax.get_yticklabels()] == [part.name for part in expected]
    segments = ax.collections[0].get_segments()
    assert_allclose([s[:, 0] for s in segments], [(part.low, part.high) for part in expected])


def test_bars_of_several_classes_are_coloured_by_the_class_they_matter_to(three):
    model, X, _ = three
    ax = plot.importances(model, X)
    codes = [model.classes_.tolist().index(part.label) for part in model.importances(X)]
    colours = [plt.matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colours == [_drawing.class_colour(code).upper() for code in codes]


@pytest.mark.parametrize("name", ["width", "age", "bark"])
def test_a_curve_is_the_effect_of_the_feature(three, name):
    model, X, _ = three
    j = X.columns.get_loc(name)
    ax = plot.feature(model, name)
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    assert [line.get_label() for line in lines] == ["ash", "elm", "oak"]
    table = pd.DataFrame([X.iloc[0]] * 40)
    levels = model.levels_.get(name)
    for score, line in enumerate(lines):
        x, y = line.get_data()
        chosen = np.linspace(0, len(x) - 1, 40).astype(int)
        rows = table.assign(
            **{name: x[chosen] if levels is None else np.take(levels, x[chosen].round().astype(int))}
        )
        expected = model._effect_values(rows)[:, score, effect_place(model, j)]
        assert_allclose(y[chosen], expected, atol=1e-9)


def test_curve_and_other_effects_add_up_to_the_score(two):
    model, X, _ = two
    x, y = plot.feature(model, "mass").lines[0].get_data()
    rows = pd.DataFrame([X.iloc[0]] * len(x)).assign(mass=x)
    others = np.delete(model.explain(rows, by="effect"), effect_place(model, 2), axis=1).sum(axis=1)
    assert_allclose(model.baseline_[0] + others + y, model.decision_function(rows), atol=1e-9)
    assert_allclose(plot.feature(model, "mass", label="cloud").lines[0].get_ydata(), -y)


def test_missing_values_have_a_place_of_their_own(three):
    model, X, _ = three
    ax = plot.feature(model, "age", label="oak", X=X)
    x, y = ax.lines[1].get_data()
    assert x[0] > ax.lines[0].get_xdata()[-1]
    row = X[X["age"].isna()][:1]
    assert_allclose(y, model._effect_values(row)[0, 2, effect_place(model, 1)])
    assert ax.get_xticks()[-1] == x[0] and ax.get_xticklabels()[-1].get_text() == "missing"
    bars = [bar.get_height() for bar in ax.patches]
    counts = np.array(bars) / bars[-1] * X["age"].isna().sum()
    low, high = (ax.lines[0].get_xdata()[k] for k in (0, -1))
    assert_allclose(counts[:-1].sum(), X["age"].between(low, high).sum())


def test_numbers_over_decades_are_drawn_along_a_logarithmic_axis(three):
    model, X, _ = three
    assert model.coordinates_["width"] == "log"
    assert plot.feature(model, "width").get_xscale() == "log"
    ax = plot.pair(model, "bark", "width", kind="total", label="ash", X=X, rows=3)
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert_allclose(ax.collections[-1].get_offsets()[0, 1], X["width"][3])


@pytest.mark.parametrize("name", ["width", "bark"])
def test_densities_are_those_of_the_classes(three, name):
    model, X, _ = three
    j = X.columns.get_loc(name)
    ax = plot.densities(model, name)
    if name == "bark":
        heights = np.array([bar.get_height() for bar in ax.patches]).reshape(3, 3)
        assert_allclose(heights.sum(axis=1), 1, atol=1e-9)
        points = np.arange(3.0)
    else:
        heights = np.array([line.get_ydata() for line in ax.lines])
        points = ax.lines[0].get_xdata()
    assert_allclose(np.log(heights.T), _core.log_densities(model._model, j, points), atol=1e-9)


def mesh_of(ax):
    """Centres of the cells of a mesh that are numbers, and its values by x and y."""
    mesh = ax.collections[0]
    return mesh.get_array().reshape(mesh.get_coordinates().shape[0] - 1, -1).T


@pytest.mark.parametrize("label", ["cloud", "orbit"])
def test_a_surface_is_the_effect_of_the_pair(two, label):
    model, X, _ = two
    values = mesh_of(plot.pair(model, "light", "mass", label=label))
    light, mass = (_core.points(model._model, j, len(values)) for j in (3, 2))
    chosen = [(5, 90), (50, 50), (99, 3)]
    rows = pd.DataFrame([X.iloc[0]] * 3).assign(
        light=[light[a] for a, _ in chosen], mass=[mass[b] for _, b in chosen]
    )
    sign = 1 if label == "orbit" else -1
    found = model.explain(rows, by="effect")
    expected = sign * found[:, effect_place(model, 2, 3)]
    assert_allclose([values[place] for place in chosen], expected, atol=1e-9)
    total = mesh_of(plot.pair(model, "light", "mass", label=label, kind="total"))
    expected += sign * (found[:, effect_place(model, 2)] + found[:, effect_place(model, 3)])
    assert_allclose([total[place] for place in chosen], expected, atol=1e-9)


def test_cells_of_a_mesh_are_around_the_values(two):
    model, _, _ = two
    ax = plot.pair(model, "east", "light")
    edges = ax.collections[0].get_coordinates()[0, :, 0]
    points = _core.points(model._model, 0, len(edges) - 1)
    assert np.all((edges[:-1] <= points) & (points <= edges[1:]))
    assert ax.get_xlabel() == "east" and ax.get_ylabel() == "light"


def test_a_ratio_is_the_class_against_the_mean_of_the_others(three):
    model, _, _ = three
    densities = [
        mesh_of(plot.pair(model, "age", "bark", kind="density", label=label)) for label in model.classes_
    ]
    ratio = mesh_of(plot.pair(model, "age", "bark", kind="ratio", label="elm"))
    assert_allclose(ratio, densities[1] - (densities[0] + densities[2]) / 2, atol=1e-9)
    assert ratio.mask[-2].all() and not ratio.mask[-1].any()  # the gap, and missing values behind it
    points = _core.points(model._model, 1, ratio.shape[0] - 2), np.arange(3.0)
    expected = _core.log_densities(model._model, 1, 2, *points)
    assert_allclose(densities[0][[*range(len(points[0]) - 1), -1]], expected[:, :, 0])


def test_rows_are_drawn_at_their_values(two):
    model, X, _ = two
    ax = plot.pair(
        model, "mass", "light", X=X[["east", "north", "mass", "light", "noise_1", "noise_2"]], rows=[2, 7]
    )
    dots, first, second = (c.get_offsets() for c in ax.collections[-3:])
    inside = X["mass"].between(*ax.get_xlim()) & X["light"].between(*ax.get_ylim())
    assert_allclose(dots[inside], X[inside][["mass", "light"]])
    assert_allclose([first[0], second[0]], X[["mass", "light"]].iloc[[2, 7]])
    assert [text.get_text() for text in ax.texts] == ["2", "7"]


def test_colours_of_scores_are_centred(two, three):
    for model, label in ((two[0], "orbit"), (three[0], "ash")):
        for kind in ("score", "total", "ratio"):
            low, high = plot.pair(model, 0, 1, kind=kind, label=label).collections[0].get_clim()
            assert low == -high


@pytest.mark.parametrize("label", ["cloud", "orbit"])
def test_lines_of_a_graph_are_the_pairs(two, label):
    model, X, y = two
    tree = TANClassifier().fit(X, y)
    ax = plot.graph(model, label, tree=tree, top=4)
    _, lines, dotted, nodes = ax.collections
    names = [text.get_text() for text in ax.texts]
    place = dict(zip(names, nodes.get_offsets(), strict=True))
    pairs = model.pairs_[label][:4]
    ends = [[place[X.columns[pair.i]], place[X.columns[pair.j]]] for pair in pairs]
    assert_allclose(lines.get_segments(), ends)
    widths = np.array(lines.get_linewidths())
    assert np.argmax(widths) == np.argmax([pair.hsic for pair in pairs])
    assert_allclose((widths - 0.8) / (widths[0] - 0.8), [pair.hsic / pairs[0].hsic for pair in pairs])
    sign = 1 if label == "orbit" else -1
    weights = [
        model.coef_[0, t]
        for pair in pairs
        for t, term in enumerate(model.terms_)
        if term.label == label and term.features == (pair.i, pair.j)
    ]
    assert_allclose(lines.get_array(), sign * np.array(weights))
    assert len(dotted.get_segments()) == len(tree.pairs_[label])
    edges = plot.graph(model, label, tree=[("east", "noise_2")]).collections[2].get_segments()
    assert len(edges) == 1


def test_a_graph_without_pairs_has_only_features(two):
    _, X, y = two
    ax = plot.graph(NaiveBayesKDE().fit(X, y), "orbit")
    assert len(ax.texts) == 6 and len(ax.collections) == 1


def test_a_graph_of_a_loaded_model_has_lines_of_one_width(two, tmp_path):
    model, _, _ = two
    model.save(tmp_path / "model")
    loaded = SLBClassifier.load(tmp_path / "model")
    assert len(set(plot.graph(loaded, "orbit").collections[1].get_linewidths())) == 1


# --- one row ---


@pytest.mark.parametrize("top", [2, 100])
def test_a_waterfall_goes_from_the_baseline_to_the_score(two, three, top):
    for model, X, _ in (two, three):
        for k in (0, 1, 5):
            for label in model.classes_.tolist():
                ax = plot.waterfall(model, X.iloc[k], label=label, top=top)
                scores = model.decision_function(X[k : k + 1])[0]
                scores = scores - np.mean(scores) if np.ndim(scores) else scores
                code = model.classes_.tolist().index(label)
                is_two = len(model.classes_) == 2
                sign = 2 * code - 1 if is_two else 1
                expected = sign * (scores if is_two else scores[code])
                start = sign * model.baseline_[0 if is_two else code]
                assert_allclose(ax.patches[0].get_x(), start, atol=1e-9)
                last = ax.patches[-1]
                assert_allclose(last.get_x() + last.get_width(), expected, atol=1e-9)
                sizes = np.abs([bar.get_width() for bar in ax.patches[:top]])
                assert np.all(np.diff(sizes) <= 0)
                assert_allclose(start + sum(bar.get_width() for bar in ax.patches), expected, atol=1e-9)
                plt.close("all")


def test_a_waterfall_names_values_and_counts_the_rest(three):
    model, X, _ = three
    row = int(np.flatnonzero(X["age"].isna())[0])
    texts = [t.get_text() for t in plot.waterfall(model, X.iloc[row]).get_yticklabels()]
    assert "age = missing" in texts and f"bark = {X['bark'][row]}" in texts
    texts = [t.get_text() for t in plot.waterfall(model, X.iloc[row], top=2).get_yticklabels()]
    assert texts[-2:] == ["4 more", "score"]


def test_a_row_lies_at_its_values_in_the_densities_of_both_classes(two):
    model, X, _ = two
    row = X.iloc[1]
    axes = plot.row_in_pairs(model, row, top=2)
    assert axes.shape == (2, 2)
    found = model.explain(X[1:2], by="effect")[0]
    parts = {(i, j): abs(found[k]) for k, (i, j, _) in enumerate(_core.effects(model._model)) if i != j}
    best = sorted(parts, key=parts.get, reverse=True)[:2]
    first = model.predict(X[1:2])[0]
    labels = [first, next(label for label in model.classes_ if label != first)]
    for line, (i, j) in zip(axes, best, strict=True):
        for ax, label in zip(line, labels, strict=True):
            assert (ax.get_xlabel(), ax.get_ylabel()) == (X.columns[i], X.columns[j])
            assert ax.get_title().startswith(label)
            assert_allclose(ax.collections[-1].get_offsets()[0], [row.iloc[i], row.iloc[j]])
            values = mesh_of(ax)
            points = [_core.points(model._model, k, len(values)) for k in (i, j)]
            code = model.classes_.tolist().index(label)
            assert_allclose(values, _core.log_densities(model._model, i, j, *points)[:, :, code])


def test_axes_of_pairs_may_be_given(three):
    model, X, _ = three
    _, axes = plt.subplots(1, 2)
    assert plot.row_in_pairs(model, X.iloc[0], top=1, axes=axes)[0, 1] is axes[1]
    with pytest.raises(ValueError, match=r"axes must be of shape \(2, 2\), got \(1, 2\)"):
        plot.row_in_pairs(model, X.iloc[0], top=2, axes=axes)


def test_flips_are_drawn_from_the_row_to_the_change(two):
    model, X, _ = two
    ax = plot.flips(model, X.iloc[0])
    found = model.flips(X[:1])[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == [flip.name for flip in found]
    arrows = [text for text in ax.texts if not text.get_text()]
    for arrow, flip in zip(arrows, found, strict=True):
        assert_allclose(abs(arrow.xy[0] - arrow.xyann[0]), flip.distance, atol=1e-9)
        assert np.sign(arrow.xy[0] - arrow.xyann[0]) == np.sign(flip.after - flip.before)
    texts = [text.get_text() for text in ax.texts if text.get_text()]
    assert all(text.endswith(f": {flip.label}") for text, flip in zip(texts, found, strict=True))


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
def test_numbers_with_a_large_offset_are_told_apart(share_missing):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"time": 1.7e9 + np.round(1e4 * rng.normal(size=300)), "x": rng.normal(size=300)})
    y = X["time"] > 1.7e9
    X.loc[rng.random(300) < share_missing, "time"] = np.nan
    model = NaiveBayesKDE().fit(X, y)
    row = X.dropna().iloc[0]
    change = next(text for text in flip_texts(plot.flips(model, row)) if text.startswith("17"))
    before, after = change.split(":")[0].split(" \N{RIGHTWARDS ARROW} ")
    flip = next(flip for flip in model.flips(row.to_frame().T)[0] if flip.name == "time")
    assert float(before) == row["time"] and before != after
    assert_allclose(float(after), flip.after, rtol=0, atol=0.5)
    texts = [text.get_text() for text in plot.waterfall(model, row).get_yticklabels()]
    assert f"time = {row['time']:.0f}" in texts
    ax = drawn(plot.feature(model, "time"))
    known = len(ax.get_xticks()) - (share_missing > 0)
    assert known >= 3
    for place, text in list(zip(ax.get_xticks(), ax.get_xticklabels(), strict=True))[:known]:
        assert float(text.get_text()) == place
    assert ax.xaxis.get_offset_text().get_text() == ""


def flip_texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


@pytest.mark.parametrize(
    ("first", "step", "value", "expected"),
    [
        (1.7e9, 100, 1700000137.0, "1700000137"),
        (123456, 0.05, 123456.785, "123456.79"),
        (0, 0.2, 2.45678, "2.457"),
        (0, 2e5, 4.2e6, "4.2e+06"),
        (-1.7e9, 100, -1.7e9, "\N{MINUS SIGN}1700000000"),
        (5, 0, 1.7e9, "1700000000"),
        (0, 1, 0.0, "0"),
        (0, 1, None, "missing"),
        (0, 1, "oak", "oak"),
    ],
)
def test_values_have_the_digits_that_the_step_of_the_feature_asks_for(first, step, value, expected):
    points = np.append(first + step * np.arange(40.0), np.nan)
    assert _drawing.value_text(value, points) == expected


@pytest.mark.parametrize(
    ("before", "after"), [(1.7e9, 1.7e9 + 0.25), (0.5, np.nextafter(0.5, 1)), (3.0, None)]
)
def test_texts_of_a_change_differ(before, after):
    texts = _drawing.change_texts(before, after, 1.7e9 + 100 * np.arange(40.0), 20)
    assert texts[0] != texts[1]


def test_a_prediction_that_nothing_flips_is_said_to_be_so():
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.arange(100) >= 3
    model = NaiveBayesKDE(costs={(False, True): 0, (True, False): 1e9}).fit(X, y)
    assert model.flips(X[:1]) == [[]]
    assert plot.flips(model, X[0]).texts[0].get_text() == "no change of one or two features does"


# --- training ---


def test_a_heat_map_has_hsic_and_marks_of_dependence(two):
    _, X, y = two
    ax = plot.hsic(X, y, "orbit")
    found = dyad.screen(X, y)
    found = found[found.label == "orbit"]
    values = mesh_of(ax)
    assert_allclose(values[found.i, found.j], found.hsic)
    assert_allclose(values[found.j, found.i], found.hsic)
    marks = {tuple(place) for place in ax.collections[1].get_offsets().astype(int).tolist()}
    kept = found.q_value <= 0.05
    expected = set(zip(found.i[kept].tolist(), found.j[kept].tolist(), strict=True))
    assert marks == expected | {(j, i) for i, j in expected}
    assert mesh_of(plot.hsic(X, y, "orbit", top=3)).shape == (3, 3)


def test_selection_joins_the_least_loss_of_each_number_of_pairs(two):
    model, _, _ = two
    ax = plot.selection(model)
    x, y = ax.lines[0].get_data()
    losses = {}
    for setting in model.settings_:
        n = int(setting.terms.split()[0]) if "pairs" in setting.terms else 0
        losses.setdefault(n, []).append(setting.loss)
    assert_array_equal(x, sorted(losses))
    assert_array_equal(y, [min(losses[n]) for n in sorted(losses)])
    dots, rings = (len(c.get_offsets()) for c in ax.collections)
    assert (dots, rings) == (len(model.settings_), sum(setting.averaged for setting in model.settings_))


def test_selection_names_what_was_measured_and_taken(two):
    model, X, y = two
    ax = plot.selection(model)
    assert ax.get_ylabel() == "logistic loss over rows held out"
    assert ax.get_title().endswith(f"mean of {sum(setting.averaged for setting in model.settings_)}")
    best = SLBClassifier(preset="paper").fit(X, y)
    ax = plot.selection(best)
    assert ax.get_ylabel() == "balanced error over rows held out"
    assert ax.get_title() == f"What was tried: {len(best.settings_)} settings, one is the model"


def test_timings_add_up_to_the_time_of_the_fit(two):
    model, _, _ = two
    ax = plot.timings(model)
    total = model._model.report["seconds"]["total"]
    assert_allclose(sum(bar.get_width() for bar in ax.patches), total, rtol=0.01)


# --- quality ---


def test_areas_and_counts_are_those_of_scikit_learn(two, three):
    model, X, y = two
    ax = plot.roc(model, X, y)
    area = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    expected = roc_auc_score(y == "orbit", model.decision_function(X))
    assert_allclose(area(ax.lines[0].get_ydata(), ax.lines[0].get_xdata()), expected)
    assert ax.get_legend().get_texts()[0].get_text() == f"orbit, area {expected:.3f}"
    model, X, y = three
    ax = plot.roc(model, X, y)
    assert len(ax.lines) == 1 + 3
    expected = roc_auc_score(y == "elm", model.predict_proba(X)[:, 1])
    assert_allclose(area(ax.lines[1].get_ydata(), ax.lines[1].get_xdata()), expected)
    counts = [int(text.get_text()) for text in plot.confusion(model, X, y).texts]
    assert counts == confusion_matrix(y, model.predict(X)).ravel().tolist()


def test_precision_and_calibration_are_those_of_the_rows(two):
    model, X, y = two
    ax = plot.precision_recall(model, X, y, label="cloud")
    assert_allclose(ax.lines[1].get_ydata(), np.mean(y == "cloud"))
    predicted, share = plot.calibration(model, X, y, bins=4).lines[0].get_data()
    p = model.predict_proba(X)[:, 1]
    order = np.argsort(p)
    groups = np.array_split(order, 4)
    assert_allclose(predicted, [p[rows].mean() for rows in groups])
    assert_allclose(share, [(y[rows] == "orbit").mean() for rows in groups])


# --- errors ---


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X, y: plot.feature(m, "weight"), "no feature 'weight'; there are 'width', 'age', 'bark'"),
        (lambda m, X, y: plot.feature(m, 3), "no feature 3; .* numbers from 0 to 2"),
        (lambda m, X, y: plot.feature(m, -1), "no feature -1"),
        (lambda m, X, y: plot.feature(m, True), "no feature True"),
        (
            lambda m, X, y: plot.feature(m, 0, label="fir"),
            "label must be one of 'ash', 'elm', 'oak', got 'fir'",
        ),
        (lambda m, X, y: plot.densities(m, "weight"), "no feature 'weight'"),
        (lambda m, X, y: plot.pair(m, 0, 1), "label must be given, one of 'ash', 'elm', 'oak'"),
        (lambda m, X, y: plot.pair(m, 0, "x", label="ash"), "no feature 'x'"),
        (lambda m, X, y: plot.pair(m, 1, "age", label="ash"), "two features, got 1 twice"),
        (lambda m, X, y: plot.pair(m, 0, 1, label="ash", kind="map"), "kind must be one of 'score', 'total'"),
        (lambda m, X, y: plot.pair(m, 0, 1, label="ash", rows=1), "rows are numbers of rows of X"),
        (
            lambda m, X, y: plot.pair(m, 0, 1, label="ash", X=X, rows=300),
            "rows has 300, but X has rows 0 to 299",
        ),
        (lambda m, X, y: plot.graph(m, "fir"), "label must be one of 'ash'"),
        (lambda m, X, y: plot.graph(m, "ash", tree=[("age", "x")]), "no feature 'x'"),
        (lambda m, X, y: plot.waterfall(m, X.iloc[0], label=0), "label must be one of 'ash'"),
        (lambda m, X, y: plot.waterfall(m, X.iloc[:2]), "x must be one row, got 2"),
        (lambda m, X, y: plot.importances(m, X, by="pair"), "by must be one of"),
        (lambda m, X, y: plot.hsic(X, y, "fir"), "label must be one of 'ash', 'elm', 'oak', got 'fir'"),
        (lambda m, X, y: plot.roc(m, X, y, label="fir"), "label must be one of 'ash'"),
        (
            lambda m, X, y: plot.roc(m, X, np.full(300, "ash")),
            "y needs rows of the class 'ash' and of others",
        ),
        (
            lambda m, X, y: plot.confusion(m, X, np.full(300, "fir")),
            "y has the class 'fir'; the model has 'ash'",
        ),
    ],
)
def test_what_is_not_there_is_told_by_what_is(three, call, message):
    with pytest.raises(ValueError, match=message):
        call(*three)
    assert not plt.get_fignums()


def test_models_that_cannot_be_drawn_are_refused(two, tmp_path):
    model, X, y = two
    plain = NaiveBayesKDE().fit(X, y)
    with pytest.raises(ValueError, match="'east' and 'mass' are no pair of the model"):
        plot.pair(plain, "east", "mass")
    with pytest.raises(ValueError, match="no pairs"):
        plot.row_in_pairs(plain, X.iloc[0])
    with pytest.raises(ValueError, match="no settings to compare"):
        plot.selection(plain)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="the model was loaded"):
        plot.timings(SLBClassifier.load(tmp_path / "model"))
    with pytest.raises(ValueError, match="the tree has 2 features, the model 6"):
        plot.graph(model, "orbit", tree=TANClassifier().fit(X[["east", "mass"]], y))
    with pytest.raises(TypeError, match="a classifier of dyad, got int"):
        plot.feature(3, "x")
    with pytest.raises(NotFittedError):
        plot.feature(SLBClassifier(), "x")


def test_matplotlib_is_needed_only_for_pictures():
    code = """
import sys
sys.modules["matplotlib"] = None
import dyad
model = dyad.NaiveBayesKDE().fit([[0.0], [1.0], [2.0], [3.5]] * 5, [0, 0, 1, 1] * 5)
try:
    dyad.plot.feature(model, 0)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "dyad.plot needs matplotlib: pip install matplotlib\n", done.stderr


@pytest.mark.parametrize("module", [_graph, _model, _pair, _quality, _row, _training])
def test_examples_of_the_docstrings_run(module):
    failed, attempted = doctest.testmod(module)
    assert failed == 0 and attempted >= 5

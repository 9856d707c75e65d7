# SPDX-License-Identifier: BSD-3-Clause
"""The report page in a real browser: what it shows, what its controls change, and that it stays alone."""

import numpy as np
import pytest
from report_documents import HOSTILE_NAMES, make_document, unpacked, without_optional_parts
from report_pages import (
    OpenPage,
    assembled,
    overflow,
    pair_name,
    shown_row_numbers,
    write_page,
)

pytestmark = pytest.mark.slow
pytest.importorskip("plotly", reason="the page's figures need the package plotly")

HOSTILE_CLASSES = ("<script>alert(3)</script>", "<b>b</b> & 'c' \"d\" " + "z" * 150)
THREE = ("setosa", "versicolor", "virginica")
DOCUMENTS = {
    "two": {},
    "three": {"classes": THREE, "n_features": 8, "n_pairs": 9},
    "ten": {"classes": [f"digit {k}" for k in range(10)], "n_pairs": 4},
    "hostile": {
        "names": HOSTILE_NAMES,
        "n_pairs": 12,
        "classes": HOSTILE_CLASSES,
        "levels": ("<i>l</i>", "", "</script>"),
        "title": "<script>alert(9)</script></title> &amp; on",
    },
    "members of objects": {
        "names": ["__proto__", "constructor", "toString", "hasOwnProperty"],
        "n_pairs": 3,
        "classes": ("__proto__", "constructor", "toString"),
        "levels": ("__proto__", "constructor", "toString"),
    },
    "no labels": {"labels": False},
    "no pairs": {"n_pairs": 0},
    "one feature": {"n_features": 1, "n_pairs": 0},
    "no rows": {"n_rows": 0},
    "no surfaces": {"n_surfaces": 0},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The document and the path of a page, by its name in DOCUMENTS; each is written once."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {}

    def write(name):
        if name not in pages:
            document = make_document(**DOCUMENTS[name])
            pages[name] = document, write_page(document, folder / f"{name.replace(' ', '_')}.html")
        return pages[name]

    return write


@pytest.fixture
def opened(browser, written):
    """Opens a page by name; at the end of the test it must have been silent."""
    pages = []

    def open_page(name, **options):
        document, path = written(name)
        pages.append(OpenPage(browser, path, **options))
        return document, pages[-1]

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def shared(browser, written):
    """A page that several tests only read, at an address; it must have been silent in all of them."""
    pages = {}

    def at(name, fragment="#score=0&feature=0&pair=0&row=3"):
        document, path = written(name)
        if name not in pages:
            pages[name] = OpenPage(browser, path)
        pages[name].turn_to(fragment)
        return document, pages[name]

    yield at
    for page in pages.values():
        page.close()


def open_numbers(page):
    page.page.locator("details").evaluate_all("all => all.forEach(details => { details.open = true; })")
    page.wait_for("document.querySelectorAll('.numbers table').length > 0")


def first_of(packs, s=0):
    return unpacked(packs[s])


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_every_section_is_drawn_without_messages_requests_or_overflow(opened, name):
    _, page = opened(name)
    page.see_all()
    assert overflow(page) <= 0
    assert page.page.locator("main section").count() == 8


@pytest.mark.parametrize("name", ["three", "no labels", "one feature"])
def test_a_page_made_narrow_and_dark_does_not_overflow(opened, name):
    _, page = opened(name)
    page.see("features")
    page.page.set_viewport_size({"width": 390, "height": 800})
    page.page.emulate_media(color_scheme="dark")
    page.see_all()
    open_numbers(page)
    assert overflow(page) <= 0


def test_a_page_opened_narrow_does_not_overflow(opened):
    _, page = opened("hostile", width=390, height=800)
    page.see_all()
    assert overflow(page) <= 0


def test_quality_comes_first_with_the_baseline(shared):
    _, page = shared("two")
    text = page.page.locator("#quality").inner_text()
    for shown in (
        "7.31 %",
        "8.12 %",
        "0.963",
        "0.213",
        "2.07 %",
        "too good",
        "always orbit: 44.0 %",
        "0.686",
    ):
        assert shown in text
    assert page.page.locator("main section").first.get_attribute("id") == "quality"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "The model was fitted to these rows"),
        (0.25, "About 25.0 % of these rows equal rows that the model was fitted to"),
        (0, "The model was not fitted to these rows."),
        (None, "If these are the rows that the model was fitted to"),
    ],
)
def test_the_page_knows_whether_its_rows_are_those_of_training(browser, tmp_path, share, words):
    document = make_document()
    document["data"]["training_share"] = share
    page = open_document(browser, tmp_path, document)
    assert words in page.see("quality").inner_text()
    page.close()


def test_the_page_names_the_class_frequencies_of_probabilities(browser, tmp_path):
    note = "Probabilities are those of equally frequent classes."
    for shown in (note, ""):
        document = make_document()
        document["model"]["probabilities_note"] = shown
        page = open_document(browser, tmp_path, document)
        page.see("quality")
        text = page.page.locator("#quality").inner_text()
        assert (note in text) == bool(shown)
        assert ("class frequencies of the training rows" in text) == (not shown)
        assert "undefined" not in text
        page.close()


def test_bars_are_the_effects_by_importance_with_intervals(shared):
    document, page = shared("two")
    effects = [(f["importance"][0], f["name"]) for f in document["features"] if f["importance"][0][0] > 0]
    names = [f["name"] for f in document["features"]]
    effects += [(p["importance"][0], pair_name(names[p["i"]], names[p["j"]])) for p in document["pairs"]]
    effects.sort(key=lambda effect: -effect[0][0])
    means, ends = {}, {}
    for trace in page.traces("plot-effects"):
        for y, x, up in zip(trace["y"], trace["x"], trace["error_x"]["array"], strict=True):
            means[y], ends[y] = x, x + up
    assert [means[k] for k in range(len(effects))] == pytest.approx([e[0][0] for e in effects])
    assert [ends[k] for k in range(len(effects))] == pytest.approx([e[0][2] for e in effects])
    assert page.layout("plot-effects")["yaxis"]["ticktext"] == [e[1] for e in effects]
    assert [line[0] for line in page.numbers("plot-effects")] == [e[1] for e in effects]


def test_a_click_on_a_bar_selects_its_feature_or_pair(opened):
    document, page = opened("two")

    def click(selected):
        box = page.page.locator(selected).bounding_box()
        page.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
        page.page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)

    page.see("overview")
    click("#plot-effects .trace.bars >> nth=1 >> .point path >> nth=1")
    page.wait_for(
        "name => document.querySelector('#pairs h3')?.textContent === name",
        pair_name("feature_1", "feature_2"),
    )
    page.see("overview")
    click("#plot-effects .trace.bars >> nth=0 >> .point path >> nth=2")
    page.wait_for("document.querySelector('#features h3')?.textContent === 'feature_2'")
    assert "feature=2" in page.page.url and "pair=1" in page.page.url
    assert document["features"][2]["name"] == "feature_2"


def test_the_curve_of_a_feature_is_that_of_the_document(shared):
    document, page = shared("two")
    page.see("features")
    trace = page.traces("plot-curve")[0]
    assert trace["x"] == list(range(40))
    assert trace["y"] == pytest.approx(list(first_of(document["features"][0]["curves"])), abs=1e-4)
    rows = [trace["y"] for trace in page.traces("plot-curve") if trace["type"] == "bar"]
    assert rows == [pytest.approx(list(shares)) for shares in document["features"][0]["rows"]]
    ticks = page.layout("plot-curve")["xaxis"]
    assert ticks["ticktext"] == ["\N{MINUS SIGN}2", "0", "2", "4"]
    positions = (np.array([-2, 0, 2, 4]) + 3.2) / 7.3 * 39
    assert ticks["tickvals"] == pytest.approx(list(positions), abs=1e-3)


def test_ticks_of_a_logarithmic_feature_are_round_and_missing_values_stand_apart(shared):
    document, page = shared("two", fragment="#feature=2")
    page.see("features")
    ticks = page.layout("plot-curve")["xaxis"]
    assert ticks["ticktext"][-1] == "missing"
    values = [float(text) for text in ticks["ticktext"][:-1]]
    points = document["features"][2]["points"][:-1]
    assert ticks["tickvals"][:-1] == pytest.approx(
        list(np.interp(values, points, range(len(points)))), abs=1e-6
    )
    assert all(len(text.strip("0").replace(".", "")) <= 1 for text in ticks["ticktext"][:-1])
    traces = page.traces("plot-curve")
    assert (
        traces[0]["x"][-1] == 39 and traces[1]["x"] == [ticks["tickvals"][-1]] and ticks["tickvals"][-1] > 40
    )


def open_document(browser, tmp_path, document, **options):
    return OpenPage(browser, write_page(document, tmp_path / "page.html"), **options)


def test_numbers_with_a_large_offset_are_told_apart(browser, tmp_path):
    document = make_document()
    points = [1.7e9 + 100 * k for k in range(40)]
    document["features"][0]["points"] = points
    row = document["rows"][0]
    row["values"][0], row["flips"][0]["value"] = 1.7e9 + 137, 1.7e9 + 137.25
    page = open_document(browser, tmp_path, document)
    page.see_all()
    ticks = page.layout("plot-curve")["xaxis"]
    assert ticks["ticktext"] == [f"1 700 00{k} 000".replace(" ", "\u202f") for k in range(4)]
    assert ticks["tickvals"] == pytest.approx([0, 10, 20, 30])
    assert len({line[0] for line in page.numbers("plot-curve")[:20]}) == 20
    assert "= 1\u202f700\u202f000\u202f100<br>" in page.traces("plot-curve")[0]["text"][1]
    flip = page.table("#flips")[0]
    assert [text.replace("\u202f", "") for text in flip[1:3]] == ["1700000137", "1700000137.3"]
    assert any("1\u202f700\u202f000\u202f137" in text for text in page.traces("plot-waterfall")[1]["text"])
    page.page.set_viewport_size({"width": 390, "height": 800})
    page.see_all()
    assert overflow(page) <= 0
    page.close()


@pytest.mark.parametrize(
    ("first", "step", "value", "expected"),
    [
        (1.7e9, 100, 1700000137, "1 700 000 137"),
        (-1.7e9, 100, -1700000000, "-1 700 000 000"),
        (123456, 0.05, 123456.785, "123 456.79"),
        (0, 0.2, 2.4567, "2.46"),
        (0, 2e5, 4200000, "4.2e6"),
        (0, 1e-7, 2.5e-6, "2.5e-6"),
        (1e-5, 1e-9, 1.0003e-5, "1.0003e-5"),
        (5, 0, 1.7e9, "1 700 000 000"),
        (1e15, 16, 1e15 + 32, "1.00000000000003e15"),
        (0, 1, 0, "0"),
    ],
)
def test_values_have_the_digits_that_the_step_of_the_feature_asks_for(shared, first, step, value, expected):
    _, page = shared("two")
    feature = {"kind": "number", "points": [*(first + k * step for k in range(40)), None]}
    shown = page.page.evaluate("([f, v]) => feature_value_text(f, v)", [feature, value])
    assert shown.replace("\u202f", " ").replace("\N{MINUS SIGN}", "-") == expected
    ticks = page.page.evaluate("f => feature_ticks(f)", feature)
    assert len(set(ticks["names"])) == len(ticks["names"])
    assert np.isfinite(ticks["values"]).all() and (np.diff(ticks["values"]) > 0).all()
    assert len(ticks["values"]) >= (4 if step else 2)


def test_points_that_rounding_made_equal_have_positions(shared):
    _, page = shared("two")
    feature = {"kind": "number", "points": [1.69e9] * 5 + [1.7e9] * 5}
    assert np.isfinite(page.page.evaluate("f => feature_ticks(f).values", feature)).all()
    assert page.page.evaluate("f => position_of(f.points, 1.69e9)", feature) == 0


def test_levels_are_the_ticks_of_a_category(shared):
    _, page = shared("two", fragment="#feature=1")
    page.see("features")
    assert page.layout("plot-curve")["xaxis"]["ticktext"] == ["oak", "ash", "birch"]
    assert page.traces("plot-curve")[0]["type"] == "bar"


def test_densities_are_shown_as_such_or_as_logarithms(opened):
    document, page = opened("two")
    page.see("features")
    logs = first_of(document["features"][0]["log_densities"])
    assert page.traces("plot-densities")[0]["y"] == pytest.approx(list(np.exp(logs)), abs=1e-4)
    page.page.get_by_role("radio", name="Log density").check()
    assert page.traces("plot-densities")[0]["y"] == pytest.approx(list(logs), abs=1e-4)


def test_search_and_arrow_keys_choose_a_feature(opened):
    _, page = opened("two")
    section = page.see("features")
    section.get_by_role("searchbox").fill("FEATURE_3")
    assert section.get_by_role("option").count() == 1
    section.get_by_role("searchbox").press("ArrowDown")
    assert section.locator("h3").inner_text() == "feature_3"
    section.get_by_role("searchbox").fill("nothing like it")
    assert "Nothing fits" in section.inner_text()
    section.get_by_role("searchbox").fill("")
    section.get_by_role("option", selected=True).focus()
    page.page.keyboard.press("Home")
    assert section.locator("h3").inner_text() == "feature_0"
    page.page.keyboard.press("ArrowDown")
    assert section.locator("h3").inner_text() == "feature_1"
    assert page.page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"


def test_a_feature_links_to_its_pairs_and_a_pair_to_its_features(opened):
    _, page = opened("two")
    section = page.see("features")
    section.get_by_role("button", name=pair_name("feature_0", "feature_1")).click()
    assert page.page.locator("#pairs h3").inner_text() == pair_name("feature_0", "feature_1")
    page.page.locator("#pairs h3").get_by_role("button", name="feature_1").click()
    assert section.locator("h3").inner_text() == "feature_1"


def matrix(trace):
    return np.array(trace["z"], dtype=float)


def test_maps_of_a_pair_are_those_of_the_document(shared):
    document, page = shared("two", fragment="#pair=2")
    page.see("pairs")
    pair = document["pairs"][2]
    shape = [len(document["features"][pair[side]]["surface_points"]) for side in "ij"]
    score = page.traces("plot-surface")[0]
    shown = matrix(score)
    gaps = np.isnan(shown).all(axis=0)
    assert gaps.sum() == 1, "the column before missing values is left blank"
    assert pytest.approx(first_of(pair["surface"]["scores"]).reshape(shape), abs=1e-3) == shown[:, ~gaps].T
    assert score["zmin"] == -score["zmax"]
    maps = [page.traces(f"plot-density-{k}")[0] for k in range(2)]
    assert (maps[0]["zmin"], maps[0]["zmax"]) == (maps[1]["zmin"], maps[1]["zmax"])
    for k in range(2):
        logs = unpacked(pair["surface"]["log_densities"][k]).reshape(shape)
        assert pytest.approx(logs, abs=1e-3) == matrix(maps[k])[:, ~gaps].T
    ratio = matrix(maps[1]) - matrix(maps[0])
    assert matrix(page.traces("plot-ratio")[0])[:, ~gaps] == pytest.approx(ratio[:, ~gaps], abs=1e-6)


def test_cells_without_training_rows_are_veiled(browser, tmp_path):
    document = make_document()
    pair = document["pairs"][0]
    shape = [len(document["features"][pair[side]]["surface_points"]) for side in "ij"]
    with_rows = np.random.default_rng(0).random(shape) < 0.6
    bits = [*with_rows.ravel(), *[False] * 3]
    digits = [sum(int(bits[k + m]) << m for m in range(4)) for k in range(0, with_rows.size, 4)]
    pair["surface"]["with_rows"] = "".join(f"{digit:x}" for digit in digits)
    page = open_document(browser, tmp_path, document)
    page.see("pairs")
    surface, veil = page.traces("plot-surface")[:2]
    assert (~with_rows == np.isfinite(matrix(veil)).T).all()
    for text, is_known in zip(np.ravel(np.transpose(surface["text"])), with_rows.ravel(), strict=True):
        assert ("no training rows here" in text) == (not is_known)
    page.close()


def test_the_page_says_where_a_pair_was_kept_and_why(shared):
    document, page = shared("two", fragment="#pair=1")
    text = page.see("pairs").inner_text()
    assert document["pairs"][1]["kept"] == [False, True]
    assert "taken as independent (HSIC" in text and "kept: its features depend on each other (HSIC" in text
    assert "q 0.0012" in text


def test_a_pair_without_a_test_is_just_kept(browser, tmp_path):
    document = make_document()
    document["pairs"][0]["hsic"] = document["pairs"][0]["q"] = [None, None]
    page = open_document(browser, tmp_path, document)
    page.see("pairs")
    lines = page.page.locator("#pairs .plain-list li").all_inner_texts()
    assert [line.split(None, 2)[2] for line in lines] == ["cloud kept.", "orbit kept."]
    page.close()


def test_a_pair_without_maps_says_so(opened):
    _, page = opened("no surfaces")
    section = page.see("pairs")
    assert "not part of this page" in section.inner_text()
    assert not page.page.locator("#plot-surface").is_visible()


def test_a_ratio_compares_the_chosen_class_with_the_mean_or_one_class(opened):
    document, page = opened("three")
    page.see("pairs")
    logs = [unpacked(pack) for pack in document["pairs"][0]["surface"]["log_densities"]]
    shape = [len(document["features"][f]["surface_points"]) for f in (0, 1)]

    def shown():
        return matrix(page.traces("plot-ratio")[0]).T.ravel()

    assert shown() == pytest.approx(logs[0] - (logs[1] + logs[2]) / 2, abs=1e-3)
    page.page.get_by_label("Compare its density with").select_option(label="virginica")
    assert shown() == pytest.approx(logs[0] - logs[2], abs=1e-3)
    assert shown().size == shape[0] * shape[1]
    assert page.page.locator("#pairs select option[disabled]").all_text_contents() == ["setosa"]
    page.page.get_by_label("Score of class").select_option(label="virginica")
    page.see("pairs")
    assert shown() == pytest.approx(logs[2] - (logs[0] + logs[1]) / 2, abs=1e-3)
    assert page.page.get_by_label("Compare its density with").input_value() == "-1"
    assert page.page.locator("#pairs select option[disabled]").all_text_contents() == ["virginica"]


def test_the_class_on_top_chooses_the_score_of_all_pictures(opened):
    document, page = opened("three")
    page.see_all()
    before = {
        plot: page.traces(plot)
        for plot in ("plot-effects", "plot-curve", "plot-surface", "plot-waterfall", "plot-graph-0")
    }
    page.page.get_by_label("Score of class").select_option(label="virginica")
    page.see_all()
    for plot, traces in before.items():
        assert page.traces(plot) != traces, plot
    surface = first_of(document["pairs"][0]["surface"]["scores"], 2)
    assert matrix(page.traces("plot-surface")[0]).T.ravel() == pytest.approx(surface, abs=1e-3)
    assert page.traces("plot-curve")[2]["y"] == pytest.approx(
        list(first_of(document["features"][0]["curves"], 2)), abs=1e-3
    )
    assert page.traces("plot-curve")[2]["line"]["width"] > page.traces("plot-curve")[0]["line"]["width"]
    assert "score=2" in page.page.url


def edges_drawn(page, k):
    return sum(
        len(trace.get("customdata", []))
        for trace in page.traces(f"plot-graph-{k}")
        if trace["hoverinfo"] == "text"
    ) - len(page.traces(f"plot-graph-{k}")[-1]["x"])


def test_the_graph_shows_kept_pairs_and_the_slider_how_many(opened):
    document, page = opened("two")
    page.see("dependence")
    for k in range(2):
        assert edges_drawn(page, k) == sum(pair["kept"][k] for pair in document["pairs"])
    page.page.get_by_label("Pairs shown").evaluate(
        "range => { range.value = 1; range.dispatchEvent(new Event('input')); }"
    )
    assert edges_drawn(page, 0) == edges_drawn(page, 1) == 1


def test_the_tree_can_be_laid_over_the_graph(opened):
    document, page = opened("two")
    page.see("dependence")
    assert not any(trace.get("name") == "tree" for trace in page.traces("plot-graph-0"))
    page.page.get_by_label("Show the tree").check()
    tree = next(trace for trace in page.traces("plot-graph-0") if trace.get("name") == "tree")
    assert tree["x"].count(None) == len(document["dependence"]["trees"][0])


def test_the_dependence_map_is_symmetric_and_carries_hsic_and_q(shared):
    document, page = shared("two")
    page.see("dependence")
    trace = page.traces("plot-hsic-1")[0]
    n = len(document["dependence"]["features"])
    shown = matrix(trace)
    upper = shown[np.triu_indices(n, 1)]
    assert upper == pytest.approx(document["dependence"]["classes"][1]["hsic"])
    assert shown.T[np.triu_indices(n, 1)] == pytest.approx(upper)
    assert (
        pair_name("feature_0", "feature_1") + "<br>HSIC " in trace["text"][0][1]
        and "q 0.0012" in trace["text"][0][1]
    )


def test_with_many_classes_one_is_picked_for_the_graph(opened):
    _, page = opened("ten")
    section = page.see("dependence")
    before = page.traces("plot-hsic-0")[0]["z"]
    section.get_by_label("Class", exact=True).select_option(label="digit 7")
    assert "digit 7" in section.locator("h4").first.inner_text()
    assert page.traces("plot-hsic-0")[0]["z"] != before


def check_row(document, page, row, s):
    shown = shown_row_numbers(page)
    assert shown["head"] == f"Row {row['row']}"
    assert shown["probabilities"] == {k: f"{p:.4f}" for k, p in enumerate(row["probabilities"])}
    terms = sorted(row["terms"], key=lambda term: -abs(term[2 + s]))
    assert [line[1:] for line in shown["terms"]] == [
        [f"{term[1]:.4f}", f"{term[2 + s]:.4f}"] for term in terms
    ]
    assert shown["sum"]["intercept"] == f"{document['intercepts'][s]:.4f}"
    assert shown["sum"]["score"] == f"{row['scores'][s]:.4f}"
    effects = sorted(row["effects"], key=lambda effect: -abs(effect[2 + s]))
    assert [line[2] for line in shown["effects"]] == [f"{effect[2 + s]:.4f}" for effect in effects]
    steps = next(trace for trace in page.traces("plot-waterfall") if trace.get("name") == "steps")
    assert steps["base"][0] == 0 and steps["x"][0] == document["intercepts"][s]
    assert steps["base"][-1] + steps["x"][-1] == pytest.approx(row["scores"][s])


@pytest.mark.parametrize(("name", "s"), [("two", 0), ("three", 2)])
def test_the_numbers_of_every_row_are_those_of_the_document(opened, name, s):
    document, page = opened(name, fragment=f"#score={s}")
    page.see("rows")
    for row in document["rows"]:
        check_row(document, page, row, s)
        page.page.get_by_role("button", name="Next").click()
    assert shown_row_numbers(page)["head"] == f"Row {document['rows'][0]['row']}"


def test_terms_are_named_as_explain_names_them(shared):
    document, page = shared("two")
    page.see("rows")
    terms, names = document["terms"], [f["name"] for f in document["features"]]
    shown = shown_row_numbers(page)["terms"]
    for line, term in zip(shown, document["rows"][0]["terms"], strict=True):
        t = term[0]
        i, j, k = terms["i"][t], terms["j"][t], terms["class"][t]
        inside = names[i] if i == j else f"{names[i]}, {names[j]}"
        assert line[0] == (names[i] if k < 0 else f"log p({inside} | {document['model']['classes'][k]})")


def test_rows_are_picked_by_number_and_stepped_through(opened):
    document, page = opened("two")
    section = page.see("rows")
    section.get_by_role("searchbox").fill("wrong")
    wrong = [row for row in document["rows"] if row["why"] == "wrong"]
    assert section.get_by_role("option").count() == len(wrong)
    section.get_by_role("option").first.click()
    assert section.locator("h3").inner_text() == f"Row {wrong[0]['row']}"
    assert "but labelled" in section.inner_text()
    section.get_by_role("button", name="Previous").click()
    assert section.locator("h3").inner_text() == f"Row {document['rows'][0]['row']}"


def test_a_row_is_marked_on_the_maps_of_its_strongest_pair(shared):
    document, page = shared("two")
    page.see("rows")
    row = document["rows"][0]
    pair = next(effect for effect in row["effects"] if effect[0] != effect[1])
    for k in range(2):
        mark = page.traces(f"plot-place-0-{k}")[-1]
        assert mark["x"] == [pytest.approx(row["positions"][pair[0]])]
        assert mark["y"] == [pytest.approx(row["positions"][pair[1]])]


@pytest.mark.parametrize("clamped", [True, False])
def test_a_row_beyond_a_map_is_marked_at_its_edge(browser, tmp_path, clamped):
    document = make_document()
    row = document["rows"][0]
    i, j, *_ = next(effect for effect in row["effects"] if effect[0] != effect[1] and 2 in effect[:2])
    row["effects"] = [[i, j, 9.0]]
    row["values"][2], row["positions"][2] = 1e7, 39 if clamped else 40.7
    if clamped:
        row["beyond"] = [2]
    else:
        del row["beyond"]
    page = open_document(browser, tmp_path, document)
    page.see("rows")
    mark = page.traces("plot-place-0-0")[-1]
    assert mark["x" if i == 2 else "y"] == [39], "not among missing values"
    assert mark["text"][0].count("beyond the picture") == 1
    assert "feature_2 = 10\u202f000\u202f000, beyond the picture" in mark["text"][0]
    assert "beyond the picture; marked at its edge" in page.page.locator(".place-head").first.inner_text()
    page.page.get_by_role("button", name="Next").click()
    assert "beyond" not in page.page.locator(".place-head").first.inner_text()
    page.close()


@pytest.mark.parametrize("why", ["other", "typical"])
def test_rows_that_nothing_singles_out_are_said_to_be_evenly_spaced(browser, tmp_path, why):
    document = make_document()
    document["rows"][0]["why"] = why
    page = open_document(browser, tmp_path, document)
    section = page.see("rows")
    assert "Shown because it is one of several evenly spaced rows." in section.inner_text()
    assert section.get_by_role("option").first.locator(".option-note").inner_text() == "other"
    page.close()


def test_a_change_from_a_missing_value_has_no_distance(browser, tmp_path):
    document = make_document()
    row = document["rows"][0]
    row["values"][2] = row["values"][1] = None
    page = open_document(browser, tmp_path, document)
    page.see("rows")
    lines = page.table("#flips")
    assert [line[4] for line in lines] == ["10.0 %", "from missing", "from missing"]
    assert lines[2][1] == "missing"
    page.close()


def test_changes_that_give_another_class_are_listed_nearest_first(shared):
    document, page = shared("two")
    page.see("rows")
    lines = page.table("#flips")
    row = document["rows"][0]
    assert [line[0] for line in lines] == [
        document["features"][flip["feature"]]["name"] for flip in row["flips"]
    ]
    assert [line[3] for line in lines] == [
        document["model"]["classes"][flip["class"]] for flip in row["flips"]
    ]
    assert [line[4] for line in lines] == ["10.0 %", "another level", "30.0 %"]


def test_changes_of_two_features_are_told_together(browser, tmp_path):
    document = make_document()
    row = document["rows"][0]
    row["flips"] = [dict(row["flips"][0], second={"feature": 1, "value": "oak"}, distance=1.25)]
    page = open_document(browser, tmp_path, document)
    page.see("rows")
    [line] = page.table("#flips")
    assert line[0] == "feature_0 and feature_1" and line[2].endswith(", oak") and line[4] == "125.00 %"
    assert "No change of one feature alone" in page.page.locator("#rows").inner_text()
    page.close()


def test_steps_are_labelled_with_the_values_of_the_row(shared):
    document, page = shared("two")
    page.see("rows")
    row = document["rows"][0]
    i, j, *_ = max(row["effects"], key=lambda effect: abs(effect[2]))
    label = page.layout("plot-waterfall")["yaxis"]["ticktext"][1]
    assert label.replace("<br>", " ").startswith(document["features"][i]["name"]) and " = " in label.replace(
        "<br>", " "
    )
    if document["features"][i]["kind"] == "category":
        assert row["values"][i] in label
    assert page.table("#row-effects")[0][0] in (
        document["features"][i]["name"],
        pair_name(document["features"][i]["name"], document["features"][j]["name"]),
    )


@pytest.mark.parametrize(("n_levels", "n_named"), [(3, 3), (30, 30), (100, 34)])
def test_all_levels_are_named_or_the_page_says_that_some_are_not(browser, tmp_path, n_levels, n_named):
    document = make_document(levels=[f"level {k}" for k in range(n_levels)])
    page = open_document(browser, tmp_path, document, fragment="#feature=1")
    text = page.see("features").inner_text()
    assert len(page.layout("plot-curve")["xaxis"]["ticktext"]) == n_named
    assert ("names one level in 3" in text) == (n_named < n_levels)
    page.close()


def test_touch_screens_have_no_tool_bar(browser, written):
    page = OpenPage(browser, written("two")[1], has_touch=True, is_mobile=True)
    page.see("overview")
    assert page.page.locator(".modebar-container .modebar").count() == 0
    page.close()


def test_quality_shows_the_curves_counts_and_settings_of_the_document(shared):
    document, page = shared("three")
    page.see("quality")
    evaluation = document["evaluation"]
    roc = [trace for trace in page.traces("plot-roc") if trace.get("name") != "chance"]
    assert [trace["y"] for trace in roc] == [pytest.approx(curve["y"]) for curve in evaluation["roc"]]
    precision = page.traces("plot-precision")
    assert precision[0]["y"] == pytest.approx(evaluation["precision_recall"][0]["y"])
    calibration = page.traces("plot-calibration")[1]
    assert calibration["y"] == pytest.approx([b["observed"] for b in evaluation["calibration"] if b["rows"]])
    assert [line[1:] for line in page.table(".confusion")] == [
        [str(n) for n in line] for line in evaluation["confusion"]
    ]
    page.see("about")
    best = page.traces("plot-settings")[1]
    tried = document["settings"]["tried"]
    assert best["y"] == [min(t["loss"] for t in tried if t["n_pairs"] == n) for n in (0, 3, 10, 30, 100)]
    assert len(page.traces("plot-settings")[0]["y"]) == len(tried)
    assert page.table("#settings")[0][4] == f"{tried[0]['loss']:.4f}"
    assert len(page.table("#timings")) == len(document["timings"])


@pytest.mark.parametrize("rule", ["average", "best"])
def test_the_page_says_whether_settings_were_averaged(browser, tmp_path, rule):
    document = make_document()
    settings = document["settings"] | {"rule": rule}
    if rule == "best":
        settings["measure"] = "balanced error"
        for k, tried in enumerate(settings["tried"]):
            tried["averaged"] = k == 0
    page = open_document(browser, tmp_path, document | {"settings": settings})
    text = page.see("about").inner_text()
    assert ("The model is the mean of the 5 taken." in text) == (rule == "average")
    assert ("The model is the one taken." in text) == (rule == "best")
    heads = page.page.locator("#settings th[scope=col]").all_text_contents()
    assert heads[4] == ("Logistic loss" if rule == "average" else "Balanced error")
    page.close()


def test_hostile_names_are_text_everywhere(shared):
    document, page = shared("hostile")
    page.see_all()
    open_numbers(page)
    injected = "main script, main img, main b, main i, main a, main iframe, .plot b, .plot a, nav script"
    assert page.page.locator(injected).count() == 0
    assert page.page.locator("#title").inner_text() == document["title"]
    assert page.page.title() == document["title"]
    shown = page.page.locator("#plot-effects .ytick text").all_text_contents()
    assert any(text == "&lt;entity&gt; &amp; &" for text in shown)
    assert any("<b>x</b><br><i>y</i>" in text for text in shown)
    assert all("tspan" not in text for text in shown)
    options = page.page.locator("#features [role=option]")
    titles = {option.get_attribute("title") for option in options.all()}
    expected = {name.replace("\n", " ").replace("\t", " ") for name in HOSTILE_NAMES if name.strip()} | {
        "(empty)"
    }
    assert titles == expected
    long = next(option for option in options.all() if option.get_attribute("title").startswith("long"))
    assert len(long.locator(".option-name").inner_text()) <= 32 and long.inner_text().count("…") == 1


def test_hostile_class_names_are_text_in_the_class_picker(browser, tmp_path):
    document = make_document(classes=(*HOSTILE_CLASSES, "</option><img src=x onerror=alert(4)>"))
    page = OpenPage(browser, write_page(document, tmp_path / "page.html"))
    names = page.page.locator("#score-control option").all_text_contents()
    assert names[0] == HOSTILE_CLASSES[0] and names[2].startswith("</option><img")
    assert page.page.locator("#score-control option").nth(1).get_attribute("title") == HOSTILE_CLASSES[1]
    page.see_all()
    page.close()


def test_hover_texts_give_names_in_full(shared):
    _, page = shared("hostile")
    texts = [text for trace in page.traces("plot-effects") for text in trace["text"]]
    plain = [
        text.replace("<br>", "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#36;", "$")
        .replace("&amp;", "&")
        for text in texts
    ]
    assert any(HOSTILE_NAMES[6] in text for text in plain)
    assert any("<script>alert(1)</script>" in text for text in plain)


def test_the_theme_follows_the_system_and_the_button_changes_it(opened):
    _, page = opened("two", scheme="dark")
    button = page.page.locator("#theme")
    dark = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    ink = page.layout("plot-roc")["font"]["color"]
    assert button.inner_text() == "Light"
    button.click()
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    assert page.layout("plot-roc")["font"]["color"] != ink
    assert button.inner_text() == "Dark"
    page.page.emulate_media(color_scheme="light")
    button.click()
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_tab_reaches_every_control_in_order(opened):
    _, page = opened("three")
    page.see_all()
    page.page.evaluate("scrollTo(0, 0)")
    page.page.locator("body").press("Tab")
    reached = []
    for _ in range(150):
        reached.append(page.page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
        page.page.keyboard.press("Tab")
    text = "\n".join(reached)
    for control in (
        "Skip to the report",
        'data-section="about"',
        "<select",
        'id="theme"',
        "Search features",
        'role="option"',
        "density-scale",
        "Search pairs",
        'type="range"',
        'type="checkbox"',
        "Search rows",
        "Previous",
        "Next",
        "<summary",
    ):
        assert control in text, control


def test_figures_have_summaries_and_tables_and_headings_step_by_one(opened):
    _, page = opened("three")
    page.see_all()
    for figure in page.page.locator("figure:visible").all():
        label = figure.locator(".plot").get_attribute("aria-label")
        assert figure.locator(".plot").get_attribute("role") == "img"
        assert len(label) > 40 and "undefined" not in label and "NaN" not in label
        figure.locator("summary").click()
        figure.locator(".numbers table").first.wait_for()
        assert figure.locator(".numbers tbody tr").count() > 0, label
    levels = page.page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map(head => Number(head.tagName[1]))"
    )
    assert levels[0] == 1
    assert page.page.locator("nav[aria-label]").count() == 1
    assert page.page.locator("section:not([aria-labelledby])").count() == 0


def test_navigation_leads_to_sections_and_marks_the_current_one(opened):
    _, page = opened("two")
    page.page.get_by_role("link", name="Rows").click()
    page.wait_for("document.querySelector('#sections [aria-current]')?.dataset.section === 'rows'")
    assert page.page.locator("#rows h2").evaluate("head => head.getBoundingClientRect().top") < 300
    assert page.page.evaluate("document.activeElement.id") == "rows-title"


def test_the_address_carries_what_is_chosen(opened):
    document, page = opened("two", fragment="#section=pairs&pair=3&row=24&feature=1")
    page.page.wait_for_selector("#plot-surface .main-svg")
    pair = document["pairs"][3]
    assert page.page.locator("#pairs h3").inner_text() == pair_name(
        f"feature_{pair['i']}", f"feature_{pair['j']}"
    )
    page.see("rows")
    assert page.page.locator("#rows h3").inner_text() == "Row 24"
    page.page.evaluate("location.hash = '#pair=1&section=pairs'")
    page.wait_for(
        "name => document.querySelector('#pairs h3').textContent === name",
        pair_name("feature_1", "feature_2"),
    )


@pytest.mark.parametrize(
    "fragment",
    ["#pair=-1&feature=1e9&row=x&score=7", "#<script>alert(5)</script>", "#section=__proto__", "#%"],
)
def test_a_nonsensical_address_is_left_aside(opened, fragment):
    _, page = opened("two", fragment=fragment)
    page.see_all()
    assert page.page.locator("#features h3").inner_text() == "feature_0"


def test_paper_shows_all_sections_and_no_controls(opened, tmp_path):
    _, page = opened("two", scheme="dark")
    page.page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").stat().st_size > 50_000
    page.page.wait_for_selector("#plot-calibration .main-svg", state="attached")
    assert page.page.evaluate("document.documentElement.dataset.theme ?? ''") == "", (
        "printing leaves the theme as it was"
    )
    page.page.emulate_media(media="print")
    page.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for section in page.page.locator("main section").all():
        assert section.is_visible()
    assert (
        page.page.locator(
            ".picker:visible, nav:visible, .controls:visible, .more:visible, #theme:visible"
        ).count()
        == 0
    )
    assert page.page.locator(".plot:visible:not(:has(.main-svg))").count() == 0
    widest = page.page.evaluate(
        "Math.max(...[...document.querySelectorAll('.main-svg')].map(svg => svg.clientWidth))"
    )
    assert widest <= 700


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    document = make_document(n_features=500, n_pairs=700, n_surfaces=30, n_rows=30)
    return document, write_page(document, tmp_path_factory.mktemp("wide") / "page.html")


def test_500_features_are_shown_from_the_top_and_the_rest_on_demand(browser, wide):
    document, path = wide
    page = OpenPage(browser, path)
    section = page.see("features")
    assert section.get_by_role("option").count() == 12
    section.get_by_role("button", name="Show more").first.click()
    assert section.get_by_role("option").count() == 36
    section.get_by_role("searchbox").fill("feature_499")
    section.get_by_role("option").click()
    assert section.locator("h3").inner_text() == "feature_499"
    pairs = page.see("pairs")
    assert pairs.get_by_role("option").count() == 12
    pairs.get_by_role("searchbox").fill("feature_340 feature_341")
    pairs.get_by_role("option").click()
    assert pairs.locator("h3").inner_text() == pair_name("feature_340", "feature_341")
    page.see_all()
    assert overflow(page) <= 0
    page.close()
    assert len(document["features"]) == 500


def test_sections_are_drawn_when_they_are_seen(browser, wide):
    page = OpenPage(browser, wide[1])
    drawn = page.page.locator("main section:has(figure)").evaluate_all(
        "sections => sections.map(section => section.id)"
    )
    assert "rows" not in drawn and "pairs" not in drawn
    page.close()


def test_a_page_of_50_features_stays_below_8_megabytes():
    document = make_document(n_features=50, n_pairs=200, n_surfaces=100, n_rows=40)
    assert len(assembled(document).encode()) < 8e6


def test_parts_that_a_document_may_lack_are_left_out_in_silence(browser, tmp_path):
    page = OpenPage(browser, write_page(without_optional_parts(make_document()), tmp_path / "page.html"))
    page.see_all()
    open_numbers(page)
    text = page.page.locator("main").inner_text()
    assert not any(word in text for word in ("undefined", "NaN", "null", "Infinity"))
    page.close()

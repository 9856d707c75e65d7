# SPDX-License-Identifier: BSD-3-Clause
"""The section What if of report pages in a real browser: the page predicts as the library does."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from report_documents import HOSTILE_NAMES
from report_pages import OpenPage, overflow

import dyad
from dyad import NaiveBayesKDE, SLBClassifier, TANClassifier, _core

pytestmark = pytest.mark.slow
pytest.importorskip("plotly", reason="the page's figures need the package plotly")


def trees():
    rows = pd.read_csv(ROOT / "examples" / "trees.csv")
    return rows.drop(columns="kind"), rows["kind"]


def hostile(n_classes):
    """Names, levels and labels that HTML, JavaScript or lists could take for something else."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=240)
    X = pd.DataFrame(rng.normal(size=(240, len(HOSTILE_NAMES))), columns=HOSTILE_NAMES)
    X.iloc[:, 1] += y
    levels = np.array(["</script><script>alert(1)</script>", "__proto__", "another level"])
    X[HOSTILE_NAMES[2]] = levels[rng.integers(3, size=240) * (y > 0)]
    X.iloc[::7, 3] = np.nan
    return X, np.array(["<img src=x onerror=alert(2)>", "' \"<b>", "constructor"])[y]


MODELS = {
    "trees": (SLBClassifier(), trees()),
    "costs": (TANClassifier(costs=[[0, 3], [1, 0]]), trees()),
    "hostile": (SLBClassifier(max_levels=2), hostile(2)),
    "three classes": (NaiveBayesKDE(calibration="isotonic"), hostile(3)),
    "softmax": (SLBClassifier(), hostile(3)),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Model, rows and page by the name of MODELS."""
    folder = tmp_path_factory.mktemp("what_if")
    made = {}

    def write(name):
        if name not in made:
            model, (X, y) = MODELS[name]
            model.fit(X, y)
            report = dyad.report(model, X, y, folder / f"{name}.html", n_rows=6, rows=[3, 40])
            made[name] = model, X, report.document, folder / f"{name}.html"
        return made[name]

    return write


class Changed:
    """The section of an open page, and the row that it should have."""

    def __init__(self, browser, written, name, **options):
        self.model, self.X, self.document, path = written(name)
        self.page = OpenPage(browser, path, fragment="#section=what-if&row=4", **options)
        self.section = self.page.see("what-if")
        while self.section.locator(".more").is_visible():
            self.section.locator(".more").click()
        self.start(4)

    def start(self, number):
        """The row of a number from 1."""
        self.row = self.X.iloc[[number - 1]].copy()

    def box(self, j):
        return self.section.locator(f"[data-feature='{j}']")

    def set_number(self, j, value):
        self.box(j).locator("input[type=text]").fill("" if value is None else repr(value))
        self.row.isetitem(j, [np.nan if value is None else value])

    def set_level(self, j, place, level):
        self.box(j).locator("select").select_option(str(place))
        self.row.isetitem(j, pd.array([level], dtype="object"))

    def expect_as_the_library(self):
        effects = self.model._effect_values(self.row)[0, 0]
        baseline = self.model.baseline_[0]
        score = baseline + effects.sum()
        shown = float(self.section.locator("#what-if-score").get_attribute("data-value"))
        parts = self.model._model.contributions(self.model._term_values(self.row), 0)[0]
        tolerance = 1e-8 * (np.abs(parts).sum() + 1)
        assert shown == pytest.approx(score, abs=tolerance)
        for c, probability in enumerate(self.model.predict_proba(self.row)[0]):
            text = self.section.locator(f"[data-probability='{c}']").inner_text()
            assert float(text) == pytest.approx(probability, abs=5.1e-5)
        label = shown_label(self.model.predict(self.row)[0])
        assert label in self.section.locator(".facts").inner_text()
        steps = self.page.traces("plot-what-if")[1]["x"]
        expected = sorted(effects, key=lambda part: -abs(part))[:12]
        assert steps[0] == pytest.approx(baseline)
        np.testing.assert_allclose(steps[1 : 1 + len(expected)], expected, rtol=1e-6, atol=tolerance)
        assert sum(steps) == pytest.approx(score, abs=tolerance)


def shown_label(label):
    return " ".join(str(label).split())


@pytest.fixture
def changed(browser, written):
    """Opens pages; at the end of the test they must have been silent."""
    opened = []

    def open_page(name, **options):
        opened.append(Changed(browser, written, name, **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.page.close()


@pytest.mark.parametrize("name", MODELS)
def test_the_page_predicts_changed_rows_as_the_library_does(changed, name):
    what = changed(name)
    what.expect_as_the_library()
    levels = [None if of is None else of[0] for of in what.model._model.levels or [None] * what.X.shape[1]]
    for j in range(what.X.shape[1]):
        if levels[j] is None:
            for value in (0.25, -1e6, None, 1.5):
                what.set_number(j, value)
                what.expect_as_the_library()
            continue
        for place, level in enumerate(levels[j]):
            what.set_level(j, place, level)
            what.expect_as_the_library()
        n_options = what.box(j).locator("option").count()
        if n_options == len(levels[j]) + 2:
            what.set_level(j, n_options - 2, "never met before")
            what.expect_as_the_library()
        what.set_level(j, n_options - 1, None)
        what.expect_as_the_library()


def test_it_starts_with_the_steps_of_the_row(changed):
    what = changed("trees")
    for plot in ("plot-what-if", "plot-waterfall"):
        what.page.see("rows" if plot == "plot-waterfall" else "what-if")
    ours, rows = (what.page.traces(plot)[1] for plot in ("plot-what-if", "plot-waterfall"))
    np.testing.assert_allclose(ours["x"], rows["x"], rtol=1e-7, atol=1e-7)
    assert (
        what.page.layout("plot-what-if")["yaxis"]["ticktext"]
        == what.page.layout("plot-waterfall")["yaxis"]["ticktext"]
    )


def test_sliders_and_boxes_change_the_number_and_the_score(changed):
    what = changed("trees")
    number = what.X.columns.get_loc("height")
    box = what.box(number)
    for share in (0, 0.37, 1):
        box.locator("input[type=range]").evaluate(
            "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input')); }", share
        )
        shown = float(box.locator("input[type=text]").input_value())
        points = [p for p in what.document["features"][number]["points"] if p is not None]
        expected = np.interp(share * (len(points) - 1), range(len(points)), points)
        assert shown == pytest.approx(expected, rel=1e-2)
        what.row.isetitem(number, [shown])
        what.expect_as_the_library()
    box.locator("input[type=checkbox]").check()
    what.row.isetitem(number, [np.nan])
    what.expect_as_the_library()
    box.locator("input[type=checkbox]").uncheck()
    what.row.isetitem(number, [float(box.locator("input[type=text]").input_value())])
    what.expect_as_the_library()


def test_text_that_is_no_number_changes_nothing_and_is_marked(changed):
    what = changed("trees")
    box = what.box(what.X.columns.get_loc("height"))
    box.locator("input[type=text]").fill("12x")
    assert "wrong" in box.locator("input[type=text]").get_attribute("class")
    what.expect_as_the_library()


def test_it_starts_from_any_row_and_can_be_reset(changed):
    what = changed("trees")
    rows = what.document["rows"]
    for place, row in enumerate(rows):
        what.section.locator("select[aria-label='Start from']").select_option(str(place))
        what.start(row["row"])
        what.expect_as_the_library()
        assert what.page.page.locator("#rows h3").inner_text() == f"Row {row['row']}"
    what.set_number(what.X.columns.get_loc("height"), 3.0)
    assert "by the changes" in what.section.locator(".facts").inner_text()
    what.section.get_by_role("button", name="Reset", exact=True).click()
    what.start(rows[-1]["row"])
    what.expect_as_the_library()
    assert "by the changes" not in what.section.locator(".facts").inner_text()


@pytest.mark.parametrize("width", [1400, 400])
def test_hostile_names_do_not_overflow(changed, width):
    what = changed("three classes", width=width, height=900)
    assert overflow(what.page) <= 0


def test_a_model_that_is_too_large_is_left_out(browser, written, tmp_path):
    model, X, _, _ = written("trees")
    report = dyad.report(model, X, path=tmp_path / "page.html", what_if_megabytes=0)
    assert report.document["predictor"] is None
    page = OpenPage(browser, tmp_path / "page.html")
    assert "does not hold the model" in page.see("what-if").inner_text()
    page.close()


def test_the_document_holds_the_exported_model(written):
    model, _, document, _ = written("trees")
    assert document["predictor"]["version"] == 1
    assert (
        _core.Model.from_bytes(model._model.to_bytes(), "copy").exported("json").decode() == model.to_json()
    )

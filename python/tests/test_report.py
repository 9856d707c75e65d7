# SPDX-License-Identifier: BSD-3-Clause
"""Reports on fitted models: what the document says, and that the page shows what `dyad explain` prints."""

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_documents import HOSTILE_NAMES, unpacked
from report_pages import ROOT, OpenPage, overflow, shown_row_numbers
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dyad

STARS = ROOT / "examples" / "stars.csv"
PROGRAM = ROOT / "build" / "dyad"


@pytest.fixture(scope="module")
def stars():
    table = pd.read_csv(STARS)
    return table.drop(columns="kind"), table["kind"]


@pytest.fixture(scope="module")
def model(stars):
    return dyad.SLBClassifier().fit(*stars)


def run(*arguments):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True, timeout=300
    ).stdout


def test_a_report_tells_what_the_model_says(model, stars):
    X, y = stars
    report = dyad.report(model, X, y, rows=[4], title="Stars")
    document = report.document
    assert repr(report) == "<Report: Stars>"
    assert document["evaluation"]["error"] == pytest.approx(1 - model.score(X, y))
    row = next(row for row in document["rows"] if row["row"] == 5)
    assert row["scores"][0] == pytest.approx(model.decision_function(X.iloc[[4]])[0])
    assert row["probabilities"] == pytest.approx(model.predict_proba(X.iloc[[4]])[0], abs=1e-5)
    assert [flip["feature"] for flip in row["flips"]] == [
        flip.feature for flip in model.flips(X.iloc[[4]])[0]
    ]
    first = model.importances(X)[0]
    effect = max(document["features"] + document["pairs"], key=lambda effect: effect["importance"][0][0])
    assert effect["importance"][0] == pytest.approx([first.mean, first.low, first.high], rel=0.05)
    assert {step["group"] for step in document["timings"]} == {"fit", "report"}


def test_a_loaded_model_has_a_report_without_times_of_its_fit(model, stars, tmp_path):
    model.save(tmp_path / "m.dyad")
    loaded = dyad.SLBClassifier.load(tmp_path / "m.dyad")
    document = dyad.report(loaded, stars[0]).document
    assert {step["group"] for step in document["timings"]} == {"report"}
    assert document["evaluation"] is None and document["dependence"] is None


def test_a_page_is_written_whole_or_not_at_all(model, stars, tmp_path):
    path = tmp_path / "page.html"
    report = dyad.report(model, *stars, path)
    assert path.read_text() == report.html
    assert report.html.startswith("<!DOCTYPE html>")
    assert "srcdoc=" in report._repr_html_()
    path.write_text("old")
    with pytest.raises(FileNotFoundError):
        report.save(tmp_path / "none" / "page.html")
    with pytest.raises(IsADirectoryError):
        report.save(tmp_path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["moon"] * 400}, "label 'moon'"),
        ({"y": ["star"]}, "inconsistent"),
        ({"rows": [400]}, "no row 400"),
        ({"rows": [-1]}, "no row -1"),
        ({"n_rows": -1}, "n_rows"),
        ({"title": "a\ud800b"}, r"title: '\\ud800' at 1 is half of a surrogate pair"),
        ({"max_megabytes": np.inf}, "max_megabytes"),
    ],
)
def test_what_does_not_fit_is_refused(model, stars, change, message):
    X = pd.concat([stars[0]] * 4)[:400]
    with pytest.raises(ValueError, match=message):
        dyad.report(model, X, **change)


@pytest.mark.parametrize("row", [1.7, "1", None])
def test_rows_are_numbers_of_rows(model, stars, row):
    with pytest.raises(TypeError, match="is no number of a row"):
        dyad.report(model, stars[0], rows=[row])


def test_only_fitted_classifiers_of_dyad_have_reports(model, stars):
    pipeline = make_pipeline(StandardScaler(), dyad.SLBClassifier())
    with pytest.raises(TypeError, match="a classifier of dyad, got Pipeline"):
        dyad.report(pipeline, *stars)
    with pytest.raises(NotFittedError):
        dyad.report(dyad.SLBClassifier(), *stars)


def test_models_of_every_kind_have_reports(stars):
    X, y = stars
    rng = np.random.default_rng(0)
    mixed = X.assign(site=rng.choice(["hill", "sea"], len(X)))
    mixed.iloc[::7, 0] = np.nan
    for estimator, table in [
        (dyad.SLBClassifier(), mixed),
        (dyad.SLBClassifier(preset="paper"), X),
        (dyad.SLBClassifier(engine="exact", preset="paper"), X.iloc[:, :3]),
        (dyad.LUClassifier(), mixed),
        (dyad.NaiveBayesKDE(), mixed),
        (dyad.TANClassifier(), mixed),
    ]:
        document = dyad.report(estimator.fit(table, y), table, y).document
        sums = [row["scores"][0] for row in document["rows"]]
        rows = [row["row"] - 1 for row in document["rows"]]
        assert sums == pytest.approx(estimator.decision_function(table.iloc[rows]))
        for feature, column in zip(document["features"], table.columns, strict=True):
            assert feature["name"] == column
            assert np.isfinite(unpacked(feature["curves"][0])).all()


def write_hostile_table(path):
    """A table of ten features whose names, levels and classes are hostile."""
    rng = np.random.default_rng(1)
    names = [" ".join(name.split()) or "blank" for name in HOSTILE_NAMES]
    classes = ["<script>alert(7)</script>", "b\"'</script> & co"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "class"])
        for row in range(120):
            values = rng.normal(size=len(names)) + row % 2
            writer.writerow(
                [*(f"{v:.4f}" for v in values[1:]), ["<i>a", "é🦊"][row % 3 % 2], classes[row % 2]]
            )
    return names, classes


@pytest.mark.parametrize("width", [1280, 390])
def test_the_program_writes_pages_of_hostile_tables(browser, tmp_path, width):
    table, model, page_path = tmp_path / "t.csv", tmp_path / "m.dyad", tmp_path / "page.html"
    names, classes = write_hostile_table(table)
    run("fit", table, "--label", "class", "-o", model)
    run("report", model, table, "-o", page_path)
    page = OpenPage(browser, page_path, width=width)
    page.see_all()
    assert overflow(page) <= 0
    text = page.page.locator("main").inner_text()
    assert names[0] in text
    assert any(name in text for name in classes)
    page.close()


def test_the_numbers_of_a_row_are_those_that_explain_prints(browser, tmp_path):
    model, page_path = tmp_path / "m.dyad", tmp_path / "page.html"
    run("fit", STARS, "--label", "kind", "-o", model)
    run("report", model, STARS, "--row", "7", "--n-rows", "0", "-o", page_path)
    printed = json.loads(run("explain", model, STARS, "--row", "7", "--json", "--top", "40"))
    page = OpenPage(browser, page_path)
    page.see("rows")
    shown = shown_row_numbers(page)
    assert "7" in shown["head"]
    assert shown["sum"]["score"] == f"{printed['score']:.4f}"
    assert shown["sum"]["intercept"] == f"{printed['intercept']:.4f}"
    assert len(shown["terms"]) == len(printed["terms"])
    for line, term in zip(shown["terms"], printed["terms"], strict=True):
        assert line[1:] == [f"{term['value']:.4f}", f"{term['contribution']:.4f}"]
        assert all(feature in line[0] for feature in term["features"])
    page.close()


@pytest.mark.parametrize(
    ("n_classes", "estimator"),
    [(2, dyad.SLBClassifier(preset="paper", pairs="count", n_pairs=2450)), (10, dyad.SLBClassifier())],
)
def test_a_page_of_fifty_features_stays_below_eight_megabytes(n_classes, estimator):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 50))
    y = np.arange(600) % n_classes
    assert len(dyad.report(estimator.fit(X + 0.1 * y[:, np.newaxis], y), X, y).html.encode()) < 8e6


def test_the_program_and_python_make_the_same_document(tmp_path, model, stars):
    model.save(tmp_path / "m.dyad")
    written = tmp_path / "page.html"
    run("report", tmp_path / "m.dyad", STARS, "--label", "kind", "-o", written, "--quiet")
    by_program = json.loads(
        run("report", tmp_path / "m.dyad", STARS, "--label", "kind", "-o", "-", "--json", "--quiet")
    )
    by_python = dyad.report(model, *stars, random_state=1).document
    for document in (by_program, by_python):
        for key in ("timings", "title"):
            del document[key]
    assert by_program == by_python
    assert Path(written).stat().st_size > 4_000_000

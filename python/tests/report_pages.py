# SPDX-License-Identifier: BSD-3-Clause
"""Report pages in a real browser: assembling them, opening them, reading what they show."""

import html
import json
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "dyad" / "report" / "page"
PREDICTOR = ROOT / "dyad" / "exports" / "predictor.js"


def plotly_script():
    """The text of plotly.min.js as the package plotly brings it."""
    import plotly

    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def assembled(document):
    """The page of a document: each placeholder of page.html is replaced once."""
    parts = {
        "title": html.escape(document["title"]),
        "style": (PAGE / "page.css").read_text(encoding="utf-8"),
        "plotly": plotly_script(),
        "script": "".join(
            path.read_text(encoding="utf-8") for path in [PREDICTOR, *sorted(PAGE.glob("*.js"))]
        ),
        "document": json.dumps(document).replace("<", "\\u003c"),
    }
    frame = (PAGE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], frame)


def write_page(document, path):
    """Writes the page of a document and returns its path."""
    path.write_text(assembled(document), encoding="utf-8")
    return path


@contextmanager
def a_browser():
    """Debian's chromium, driven by playwright; without either the test is skipped."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="a browser is driven with the package playwright"
    )
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no browser: install chromium")
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


class OpenPage:
    """A page in the browser, with what it wrote to the console, asked the network for, or failed at."""

    def __init__(self, browser, path, *, width=1280, height=900, scheme="light", fragment="", **options):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.problems, self.requests = [], []
        self.page.on("console", lambda message: self.problems.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.problems.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = path.as_uri()
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector(".main-svg")

    def close(self):
        """Closes the page; fails if it did anything but draw."""
        self.context.close()
        assert self.problems == []
        assert {url.split("#")[0] for url in self.requests} == {self.address}

    def turn_to(self, fragment):
        """Changes the part of the address after # and waits until the page has followed."""
        self.page.evaluate(
            """fragment => new Promise(done => {
                 if (location.hash === fragment) return done();
                 addEventListener("hashchange", () => done(), {once: true});
                 location.hash = fragment;
               })""",
            fragment,
        )

    def wait_for(self, expression, argument=None):
        """Waits until an expression is true; asked from outside, as the page itself may not evaluate text."""
        end = time.monotonic() + 15
        while not self.page.evaluate(expression, argument):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def see(self, section):
        """Brings a section into view, which draws it."""
        self.page.evaluate("id => document.getElementById(id).scrollIntoView()", section)
        self.page.wait_for_selector(f"#{section}:not([aria-busy])")
        return self.page.locator(f"#{section}")

    def see_all(self):
        """Brings each section into view once."""
        for section in ("quality", "overview", "features", "pairs", "dependence", "rows", "what-if", "about"):
            self.see(section)

    def traces(self, plot):
        """The traces that a figure draws."""
        self.page.wait_for_selector(f"#{plot} .main-svg", state="attached")
        return self.page.evaluate(
            """id => document.getElementById(id).data.map(trace => JSON.parse(JSON.stringify(trace)))""", plot
        )

    def layout(self, plot):
        """The layout of a figure."""
        return self.page.evaluate(
            "id => JSON.parse(JSON.stringify(document.getElementById(id).layout))", plot
        )

    def table(self, selector):
        """The cells of the body of a table, as texts."""
        return self.page.evaluate(
            """selector => [...document.querySelectorAll(`${selector} tbody tr`)].map(
                 row => [...row.children].map(cell => cell.textContent))""",
            selector,
        )

    def numbers(self, plot):
        """The table under a figure, opened."""
        self.page.evaluate(
            "id => document.querySelector(`figure:has(#${id}) details`).setAttribute('open', '')",
            plot,
        )
        self.wait_for("id => document.querySelector(`figure:has(#${id}) .numbers table`) !== null", plot)
        return self.page.evaluate(
            """id => [...document.querySelectorAll(`figure:has(#${id}) .numbers tbody tr`)].map(
                 row => [...row.children].map(cell => cell.textContent))""",
            plot,
        )


def shown_row_numbers(page):
    """What the rows' section shows: head, probabilities by class, terms and the sum, as texts."""
    page.page.locator("#rows details:has(#terms)").evaluate("details => { details.open = true; }")
    while page.page.locator("#rows .card:has(#terms) .more").count():
        page.page.locator("#rows .card:has(#terms) .more").first.click()
    marks = page.page.locator("#rows [data-probability]")
    return {
        "head": page.page.locator("#rows h3").inner_text(),
        "probabilities": {
            int(mark.get_attribute("data-probability")): mark.inner_text() for mark in marks.all()
        },
        "effects": page.table("#row-effects"),
        "terms": page.table("#terms"),
        "sum": {line[0]: line[2] for line in page.table("#terms-sum")},
    }


def pair_name(first, second):
    """A pair of features as the page names it."""
    return f"{first} \N{MULTIPLICATION SIGN} {second}"


def overflow(page):
    """By how many pixels the page is wider than its window."""
    return page.page.evaluate("document.documentElement.scrollWidth - innerWidth")

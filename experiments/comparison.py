# SPDX-License-Identifier: BSD-3-Clause
"""Our results beside the paper's numbers: as rows, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from experiments import significance
from experiments.designs import Case, Design
from experiments.methods import BAYES, label
from experiments.results import Results
from experiments.tables import Column, Folds, markdown

BEST = "†"


class Row(NamedTuple):
    """A method in a line of a table, in percent; None where the paper has no value."""

    setting: str
    n: int
    method: str
    mean: float
    sd: float  # NaN for a single value
    count: int
    tied: bool
    paper_mean: float | None
    paper_sd: float | None
    paper_tied: bool | None


def scores_of(column: Column, case: Case, methods: Collection[str]) -> dict[str, Folds]:
    """Return the folds or replicates of those methods that have any."""
    return {method: folds for method in methods if (folds := column.folds(case.set, method))}


def rows(results: Results, design: Design) -> list[Row]:
    """Return all that there are results of, in the order of the paper's table."""
    column = Column(results, design.score)
    listed = []
    for case in design.cases:
        scores = scores_of(column, case, design.methods)
        methods = {method: folds for method, folds in scores.items() if method != BAYES}
        tied = significance.tied(methods, design.compared) if methods else set()
        for method, folds in scores.items():
            values = 100 * np.array(list(folds.values()))
            sd = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
            printed = design.printed.get((case.setting, case.n, method), (None, None, None))
            about = (float(np.mean(values)), sd, len(values), method in tied)
            listed.append(Row(case.setting, case.n, method, *about, *printed))
    return listed


def as_csv(listed: list[Row]) -> str:
    """Return the rows as CSV, in percent; an empty field where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in listed:
        writer.writerow(["" if value is None or value != value else _field(value) for value in row])
    return text.getvalue()


def _field(value: float | int | str) -> str | int:
    if isinstance(value, bool):
        return int(value)
    return f"{value:.4g}" if isinstance(value, float) else value


def as_markdown(results: Results, design: Design) -> str:
    """Return a table with the paper's number behind each of ours, and what there is to know about it."""
    listed = rows(results, design)
    if not listed:
        return f"{design.title}: no results."
    present = {row.method for row in listed}
    methods = [method for method in design.methods if method in present]
    header = ["setting", "n"]
    header += [f"{label(each)} (paper)" if each in design.compared else label(each) for each in methods]
    lines = []
    for case in design.cases:
        cells = {row.method: row for row in listed if (row.setting, row.n) == (case.setting, case.n)}
        if cells:
            lines.append(_line(case, cells, methods, design))
    heading = f"## {design.title} (in percent)"
    return "\n\n".join([heading, markdown(header, lines), _notes(results, design, listed)])


def _line(case: Case, cells: dict[str, Row], methods: list[str], design: Design) -> list[str]:
    compared = [row for row in cells.values() if row.method in design.compared]
    least = min((row.mean for row in compared), default=np.nan)
    most = max(row.count for row in cells.values())
    alpha = significance.level(len(compared))
    best = [row.method for row in compared if row.mean <= least + 1e-9]
    ours = [_cell(cells[each], each in best, most, alpha) if each in cells else "" for each in methods]
    return [case.setting.replace("-", " "), str(case.n), *ours]


def _cell(row: Row, best: bool, most: int, alpha: float) -> str:
    """Return 12.3 ± 4.5 (6.7), the last being the paper's, with marks as the notes explain them."""
    bold = row.tied and significance.least_p_value(row.count) < alpha
    spread = "" if np.isnan(row.sd) else f" ± {row.sd:.1f}"
    count = "" if row.count == most else f" [{row.count}]"
    paper = "" if row.paper_mean is None else f" ({_bold(f'{row.paper_mean:.1f}', row.paper_tied)})"
    return _bold(f"{row.mean:.1f}{spread}", bold) + (BEST if best else "") + count + paper


def _bold(text: str, bold: bool | None) -> str:
    return f"**{text}**" if bold else text


def _notes(results: Results, design: Design, listed: list[Row]) -> str:
    """Say what the numbers are, how bold ones are found, and which versions were run."""
    units = "replicates" if design.networks else "folds"
    count = max(row.count for row in listed)
    compared = len({row.method for row in listed} & set(design.compared))
    alpha = significance.level(compared)
    sentences = [
        f"Mean ± standard deviation over {count} {units}, and the paper's mean in parentheses, bold as "
        f"printed; a number in brackets counts {units} where others have more.",
        f"{BEST} marks the smallest mean of the {compared} methods that the paper also has; bold is what a "
        f"two-sided Wilcoxon signed-rank test at the level {significance.LEVEL}/{max(compared - 1, 1)} does "
        "not find worse than that one.",
    ]
    fewest = min(row.count for row in listed)
    least = significance.least_p_value(fewest)
    if least >= alpha:
        sentences.append(
            f"With {fewest} {units} the smallest p-value that the test can have, {least:.2g}, exceeds "
            f"{alpha:.2g}: what has so few is not tested, and not bold."
        )
    if not design.networks:
        sentences.append("The test takes folds as independent, but folds and repeats share rows.")
    if any(row.method == BAYES for row in listed):
        sentences.append("bayes is the error of the true densities.")
    methods = {row.method for row in listed}
    versions = sorted({scores.version for key, scores in results.items() if key.method in methods})
    sentences.append(f"Run with {', '.join(versions)}.")
    return " ".join(sentences)

# SPDX-License-Identifier: BSD-3-Clause
"""What the paper says of its tables, and what ours say.

Each claim is looked at with the methods as the paper describes them, and again with our defaults (auto,
tan-auto) in the place of SLB and TAN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from experiments import significance
from experiments.comparison import scores_of
from experiments.designs import TABLE1, TABLE2, TABLE3, Case, Design
from experiments.results import Results
from experiments.tables import Column, Folds, markdown

NONE = "no results"


class Cast(NamedTuple):
    """The methods that play SLB and TAN."""

    slb: str
    tan: str

    def replace(self, methods: tuple[str, ...]) -> list[str]:
        """Return these methods with those that play SLB and TAN in their places."""
        return [{"slb": self.slb, "tan": self.tan}.get(method, method) for method in methods]


class Line(NamedTuple):
    """A line of a table: its case, and the folds or replicates of the methods that have any."""

    case: Case
    scores: dict[str, Folds]

    def gap(self, method: str, other: str) -> float:
        """Return by how many percentage points the mean of `method` is above that of `other`."""
        return 100 * (significance.mean(self.scores[method]) - significance.mean(self.scores[other]))


PAPER = Cast("slb", "tan")
AUTO = Cast("auto", "tan")
BOTH = Cast("auto", "tan-auto")

Tables = Mapping[str, Results]


def lines(tables: Tables, design: Design, methods: list[str], needed: list[str]) -> list[Line]:
    """Return the lines of a table that the paper has too, and that have all `needed` methods."""
    column = Column(tables[design.name], design.score)
    every = [Line(case, scores_of(column, case, methods)) for case in design.paper_cases]
    return [line for line in every if all(method in line.scores for method in needed)]


def _best_or_tied(found: list[Line], method: str) -> str:
    if not found:
        return NONE
    tied = sum(method in significance.tied(line.scores, set(line.scores)) for line in found)
    first = sum(significance.best(line.scores, set(line.scores)) == method for line in found)
    text = f"best or tied in {tied} of {len(found)}, smallest mean in {first}"
    return text + _warning(found)


def _warning(found: list[Line]) -> str:
    """Say where there are too few folds or replicates for any test to reject."""
    powerless = sum(
        significance.least_p_value(min(map(len, line.scores.values())))
        >= significance.level(len(line.scores))
        for line in found
    )
    return f" (too few values for the test to reject anything in {powerless})" if powerless else ""


def best_in_general(tables: Tables, cast: Cast) -> str:
    """Return in how many of the 40 settings SLB is best or tied."""
    found = lines(tables, TABLE3, cast.replace(TABLE3.compared), [cast.slb])
    return _best_or_tied(found, cast.slb)


def screening(tables: Tables, cast: Cast) -> str:
    """Return by how much all pairs are worse than those screened, for the fewest and the most rows."""
    found = lines(tables, TABLE3, [cast.slb, "slb-"], [cast.slb, "slb-"])
    parts = []
    for n in sorted({line.case.n for line in found}):
        same = [line for line in found if line.case.n == n]
        gaps = [line.gap("slb-", cast.slb) for line in same]
        rejected = [
            gap > 0 and significance.p_value(line.scores["slb-"], line.scores[cast.slb]) < significance.LEVEL
            for line, gap in zip(same, gaps, strict=True)
        ]
        parts.append(
            f"n = {n}: SLB- {np.mean(gaps):+.2f} points, significantly so in {sum(rejected)} of {len(gaps)}"
        )
    return "; ".join(parts[:1] + parts[1:][-1:]) + _warning(found) if found else NONE


def tan_in_forests(tables: Tables, cast: Cast) -> str:
    """Return where TAN is best or tied in normal forests, and how the gap to SLB changes with n."""
    found = lines(tables, TABLE2, cast.replace(TABLE2.compared), [cast.slb, cast.tan])
    normal = [line for line in found if line.case.setting.startswith("normal")]
    if not found:
        return NONE
    gaps: dict[str, dict[int, float]] = {}
    for line in found:
        gaps.setdefault(line.case.setting, {})[line.case.n] = line.gap(cast.slb, cast.tan)
    parts = []
    closing = []
    for setting, by_n in gaps.items():
        few, many = min(by_n), max(by_n)
        text = f"{setting.replace('-', ' ')}: {by_n[few]:+.1f} at n = {few}"
        if many > few:
            closing.append(abs(by_n[many]) < abs(by_n[few]))
            text += f", {by_n[many]:+.1f} at {many}"
        parts.append(text)
    narrower = f", narrower in {sum(closing)} of {len(closing)}" if closing else ""
    return f"{_best_or_tied(normal, cast.tan)}. Gap SLB - TAN{narrower}: {'; '.join(parts)}"


def best_on_real_sets(tables: Tables, cast: Cast) -> str:
    """Return on how many real sets SLB is best or tied."""
    return _best_or_tied(lines(tables, TABLE1, cast.replace(TABLE1.compared), [cast.slb]), cast.slb)


def against_tan_on_real_sets(tables: Tables, cast: Cast) -> str:
    """Return on how many real sets SLB has at most the error of TAN, or is not significantly worse."""
    found = lines(tables, TABLE1, list(cast), list(cast))
    if not found:
        return NONE
    gaps = [line.gap(cast.slb, cast.tan) for line in found]
    tied = [
        gap <= 0 or significance.p_value(*(line.scores[method] for method in cast)) >= significance.LEVEL
        for line, gap in zip(found, gaps, strict=True)
    ]
    smaller = sum(gap <= 0 for gap in gaps)
    text = (
        f"better or not significantly worse on {sum(tied)} of {len(found)}, mean at most TAN's on {smaller}"
    )
    return text + _warning(found)


def tan_against_the_paper(tables: Tables, cast: Cast) -> str:
    """Return in how many settings our TAN has a smaller mean error than the paper's."""
    gaps = [
        100 * significance.mean(line.scores[cast.tan])
        - design.printed[line.case.setting, line.case.n, "tan"].mean
        for design in (TABLE2, TABLE3)
        for line in lines(tables, design, [cast.tan], [cast.tan])
    ]
    if not gaps:
        return NONE
    return (
        f"smaller mean in {sum(gap < 0 for gap in gaps)} of {len(gaps)} settings, by {-np.mean(gaps):.1f} "
        f"points on average (from {0 - max(gaps):.1f} to {0 - min(gaps):.1f})"
    )


class Claim(NamedTuple):
    """A claim, the function that looks into it, and what is to play SLB and TAN."""

    text: str
    check: Callable[[Tables, Cast], str]
    casts: tuple[Cast, ...] = (PAPER, AUTO, BOTH)


CLAIMS = [
    Claim("SLB is best or tied in all 40 settings of general networks", best_in_general),
    Claim(
        "Without screening (SLB-), errors are larger for few rows, and the same for many",
        screening,
        (PAPER, AUTO),
    ),
    Claim("TAN is best or tied in normal forests; with more rows, SLB comes closer to it", tan_in_forests),
    Claim(
        "SLB is best or tied on 13 of 16 real sets (the paper's text; its table 1 has 12 in bold)",
        best_on_real_sets,
    ),
    Claim("SLB is better than TAN, or tied with it, on 15 of 16 real sets", against_tan_on_real_sets),
    Claim(
        "Not of the paper: our TAN has smaller errors than the paper's TAN",
        tan_against_the_paper,
        (PAPER, BOTH),
    ),
]


def as_markdown(tables: Tables) -> str:
    """Return a table of the claims and of what we find."""
    found = [
        [claim.text if cast is claim.casts[0] else "", ", ".join(cast), claim.check(tables, cast)]
        for claim in CLAIMS
        for cast in claim.casts
    ]
    return markdown(["claim", "SLB, TAN are", "our finding"], found, text_columns=3)

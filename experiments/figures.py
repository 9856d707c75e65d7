# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the simulations: errors by method and number of training rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments import INSTALL
from experiments.designs import TABLE2, TABLE3, Design
from experiments.methods import BAYES, label
from experiments.results import Results
from experiments.simulation import PRINTED, TRAINING_ROWS, Setting
from experiments.tables import Column

FORMATS = ("png", "svg")


class Look(NamedTuple):
    """How a method is drawn in all figures."""

    colour: str
    marker: str
    line: str
    filled: bool = True  # its boxes and markers

    @property
    def face(self) -> str:
        """The colour inside."""
        return self.colour if self.filled else "white"


LOOKS = {  # colours of Okabe and Ito, which colour-blind readers can tell apart, and grey
    "slb": Look("#D55E00", "o", "-"),
    "slb-": Look("#D55E00", "o", "--", filled=False),
    "auto": Look("#0072B2", "D", "-"),
    "tan": Look("#009E73", "^", "-"),
    "tan-auto": Look("#009E73", "^", "--", filled=False),
    "lu": Look("#CC79A7", "s", "-"),
    "nb": Look("#CC79A7", "s", "--", filled=False),
    "rf": Look("#E69F00", "P", "-."),
    "svm": Look("#56B4E9", "v", "-."),
    "5nn": Look("#808080", "X", ":"),
    BAYES: Look("#000000", "_", "-"),
}
TICKS = (0, 1, 2, 5, 10, 20, 30, 40, 50)  # percent, on an axis of square roots


def title(setting: Setting, separator: str = ", ") -> str:
    """Return a setting in words; `separator` is between the networks and the rows."""
    kind = {"forest": "forests", "general": "general networks"}[setting.structure]
    shared = {"none": "nothing shared", "third": "a third shared"}[setting.shared]
    middle = f"{shared}, " if setting.structure == "general" else ""
    marginals = setting.marginals.replace("-", " as ")
    return f"{kind.capitalize()}, {marginals}{separator}{middle}{setting.classes}"


def draw_settings(results: Results, design: Design, folder: Path) -> Iterator[Path]:
    """Draw box plots of the errors over replicates, a figure a setting, and return their files."""
    pyplot = pyplot_module()
    column = Column(results, design.score)
    for setting in design.networks:
        errors = _errors(column, setting)
        if not errors:
            continue
        groups = len({n for by_n in errors.values() for n in by_n})
        figure, axes = pyplot.subplots(figsize=(max(2.5 + 1.9 * groups, 7), 4.8), layout="constrained")
        _boxes(axes, errors, design, setting)
        axes.set_title(title(setting), loc="left")
        axes.set_ylabel("error on test rows (%)")
        axes.set_xlabel("training rows")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color="#DDDDDD")
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", frameon=False)
        yield from _save(figure, folder / f"{setting.structure}-{setting.name}")


def draw_summary(read: Mapping[str, Results], folder: Path) -> Iterator[Path]:
    """Draw mean errors against the number of rows, a panel a setting, and return the files."""
    pyplot = pyplot_module()
    columns = {design.name: Column(read[design.name], design.score) for design in (TABLE2, TABLE3)}
    panels = [(setting, design) for design in (TABLE2, TABLE3) for setting in design.networks]
    panels = [panel for panel in panels if panel[0] not in PRINTED]
    drawn = {setting: _errors(columns[design.name], setting) for setting, design in panels}
    if not any(drawn.values()):
        return
    figure, grid = pyplot.subplots(3, 4, figsize=(12, 10), sharex=True, sharey=True, layout="constrained")
    handles: dict[str, Any] = {}
    for axes, (setting, _) in zip(grid.flat, panels, strict=True):
        handles.update(_curves(axes, drawn[setting]))
        axes.set_title(title(setting, "\n"), fontsize=10)
        axes.grid(color="#E4E4E4")
    _square_root_axis(grid[0, 0])
    grid[0, 0].set_xticks(TRAINING_ROWS)
    figure.supxlabel("training rows", fontsize=11)
    figure.supylabel("mean error on test rows (%)", fontsize=11)
    ordered = [method for method in LOOKS if method in handles]
    figure.legend(
        [handles[method] for method in ordered],
        [label(method) for method in ordered],
        loc="outside upper center",
        ncols=len(ordered),
        frameon=False,
    )
    yield from _save(figure, folder / "summary")


def _square_root_axis(axes: Any) -> None:
    """Give small errors more room; the axis is that of all panels."""
    for panel in axes.get_shared_y_axes().get_siblings(axes):
        panel.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
    top = axes.get_ylim()[1]
    axes.set_yticks([tick for tick in TICKS if tick <= top])
    axes.minorticks_off()
    axes.set_ylim(0, top)


def _errors(column: Column, setting: Setting) -> dict[str, dict[int, np.ndarray]]:
    """Return the errors in percent by method and number of rows."""
    errors: dict[str, dict[int, np.ndarray]] = {}
    for method in LOOKS:
        for n in TRAINING_ROWS:
            folds = column.folds(setting.set(n), method)
            if folds:
                errors.setdefault(method, {})[n] = 100 * np.array(list(folds.values()))
    return errors


def _boxes(axes: Any, errors: dict[str, dict[int, np.ndarray]], design: Design, setting: Setting) -> None:
    rows = sorted({n for by_n in errors.values() for n in by_n})
    boxed = [method for method in errors if method != BAYES]
    width = 0.88 / max(len(boxed), 1)
    paper = []
    for place, method in enumerate(boxed):
        look, by_n = LOOKS[method], errors[method]
        centres = {n: rows.index(n) + (place - (len(boxed) - 1) / 2) * width for n in by_n}
        axes.boxplot(
            list(by_n.values()),
            positions=list(centres.values()),
            widths=0.75 * width,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": look.face, "edgecolor": look.colour},
            medianprops={"color": "black"},
            whiskerprops={"color": look.colour},
            capprops={"color": look.colour},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": look.colour},
        )
        axes.fill_between([], [], facecolor=look.face, edgecolor=look.colour, label=label(method))
        keys = {n: (setting.name, n, method) for n in by_n}
        paper += [(centres[n], design.printed[key].mean) for n, key in keys.items() if key in design.printed]
    for n, values in errors.get(BAYES, {}).items():
        ends = [rows.index(n) - 0.48, rows.index(n) + 0.48]
        axes.plot(ends, [values.mean()] * 2, color="black", label="mean of bayes" if n == rows[0] else None)
    if paper:
        look = {"linestyle": "", "marker": "D", "markersize": 4, "color": "white", "markeredgecolor": "black"}
        axes.plot(*zip(*paper, strict=True), **look, label="mean in the paper")
    axes.set_xticks(range(len(rows)), [str(n) for n in rows])
    for edge in range(1, len(rows)):
        axes.axvline(edge - 0.5, color="#BBBBBB", linewidth=0.8)
    axes.set_xlim(-0.5, len(rows) - 0.5)


def _curves(axes: Any, errors: dict[str, dict[int, np.ndarray]]) -> dict[str, Any]:
    handles = {}
    for method, by_n in errors.items():
        look = LOOKS[method]
        (handles[method],) = axes.plot(
            list(by_n),
            [values.mean() for values in by_n.values()],
            color=look.colour,
            marker=look.marker,
            markerfacecolor=look.face,
            linestyle=look.line,
            markersize=5,
            linewidth=1.4,
        )
    return handles


def _save(figure: Any, path: Path) -> Iterator[Path]:
    for kind in FORMATS:
        file = path.with_name(f"{path.name}.{kind}")
        figure.savefig(file, dpi=150)
        yield file
    pyplot_module().close(figure)


def pyplot_module() -> Any:
    """Return matplotlib's pyplot without a display, or say how to get it."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise ValueError(f"figures require matplotlib; {INSTALL}") from error
    return pyplot

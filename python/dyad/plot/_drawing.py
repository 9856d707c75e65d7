# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures share: axes, colours, texts, and the estimators and rows that they are of."""

from __future__ import annotations

import math
import unicodedata
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dyad import _core
from dyad._base import TermClassifier
from dyad._input import check_rows, is_table

# Okabe and Ito's colours, which colour-blind people tell apart.
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")

# From the first of two classes, blue, to the second.
_DIVERGING = ("#003f66", "#0072B2", "#8fc1dc", "#f7f7f7", "#f0b48c", "#D55E00", "#7a3500")

SEQUENTIAL = "viridis"
NEUTRAL = "#555555"
FAINT = "#cccccc"

_LONGEST_TEXT = 32
_FEWEST_DIGITS = 4
_MOST_DIGITS = 17


def pyplot() -> Any:
    """matplotlib.pyplot, which is imported when the first picture is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("dyad.plot needs matplotlib: pip install matplotlib") from error
    return plt


def axes_or_new(ax: Any, width: float = 6.4, height: float = 4.4) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def class_colour(code: int) -> str:
    """The colour of a class; those of many repeat."""
    return _PALETTE[code % len(_PALETTE)]


def class_line(code: int) -> dict[str, Any]:
    """The look of a line of a class: colour and, where colours repeat, dashes."""
    return {"color": class_colour(code), "linestyle": ("-", "--", ":", "-.")[code // len(_PALETTE) % 4]}


def diverging() -> Any:
    """Blue below 0, white at 0 and orange above."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blue_orange", _DIVERGING)


def centred(values: NDArray) -> Any:
    """Colours from -m to m, where m is the largest size of the values."""
    from matplotlib.colors import Normalize

    most = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    return Normalize(-most, most)


def shown(text: Any, longest: int = _LONGEST_TEXT) -> str:
    """A name as matplotlib shows it as it is: on one line, not too long, and no formula."""
    characters = (
        " " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in str(text)[: longest + 1]
    )
    line = "".join(characters)
    if len(line) > longest:
        line = line[: longest - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return line.replace("$", r"\$")


def in_legend(text: Any) -> str:
    """The same for a legend, which leaves out what begins with an underscore."""
    line = shown(text)
    return f" {line}" if line.startswith("_") else line


def number_text(value: float, digits: int = _FEWEST_DIGITS) -> str:
    """A number in a few digits; a large one that needs more is written in full."""
    text = f"{value:.{digits}g}"
    if "e+" in text and digits > _FEWEST_DIGITS and abs(value) < 1e15:
        text = f"{value:.0f}"
    return text.replace("-", "\N{MINUS SIGN}")


def digits_among(points: NDArray[np.float64], value: float) -> int:
    """Digits that tell a value from one a step between points away, those of missing values left out."""
    known = points[~np.isnan(points)]
    if len(known) < 2 or not known[-1] > known[0]:
        return 10
    after = int(np.clip(np.searchsorted(known, value), 1, len(known) - 1))
    step = known[after] - known[after - 1] or (known[-1] - known[0]) / (len(known) - 1)
    digits = math.floor(math.log10(abs(value) or step)) - math.floor(math.log10(step)) + 1
    return min(max(digits, _FEWEST_DIGITS), 15)


def value_text(
    value: Any, points: NDArray[np.float64], longest: int = _LONGEST_TEXT, more_digits: int = 0
) -> str:
    """The value of a feature: a number with the digits that its points need, the name of a level, or None."""
    if value is None:
        return "missing"
    if not isinstance(value, float):
        return shown(value, longest)
    return number_text(value, min(digits_among(points, value) + more_digits, _MOST_DIGITS))


def change_texts(before: Any, after: Any, points: NDArray[np.float64], longest: int) -> tuple[str, str]:
    """Two values of a feature in words that differ if the values do."""
    for more_digits in range(_MOST_DIGITS):
        texts = tuple(value_text(value, points, longest, more_digits) for value in (before, after))
        if texts[0] != texts[1]:
            break
    return texts


def require_fitted(estimator: Any) -> None:
    """Raise unless it is a classifier of this package, and fitted."""
    if not isinstance(estimator, TermClassifier):
        raise TypeError(f"expected a classifier of dyad, got {type(estimator).__name__}")
    check_is_fitted(estimator)


def chosen_label(estimator: Any, label: Any) -> Any:
    """The label, or the second of two; one of more must be given."""
    if label is not None:
        return label
    labels = estimator.classes_.tolist()
    if len(labels) > 2:
        raise ValueError(f"label must be given, one of {', '.join(map(repr, labels))}")
    return labels[1]


def known_rows(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Rows as numbers and codes of levels; columns without names are taken in their order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(check_rows(estimator, X, estimator._model), dtype=np.float64)


def one_row(estimator: Any, x: Any) -> NDArray[np.float64]:
    """One row, given as such or as a table with one, as numbers and codes of levels."""
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a pandas table
        x = x.to_frame().T
    elif not is_table(x):
        x = [list(x)] if np.ndim(x) == 1 else x
    rows = known_rows(estimator, x)
    if len(rows) != 1:
        raise ValueError(f"x must be one row, got {len(rows)}")
    return rows[0]


def effects_of_row(estimator: Any, row: NDArray) -> NDArray[np.float64]:
    """Each effect of a row on each score: n_scores x n_effects."""
    return _core.effect_values(estimator._model, row[np.newaxis], 1)[:, :, 0]

# SPDX-License-Identifier: BSD-3-Clause
"""How well a model predicts rows of known classes: curves and tables of its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from dyad._explanation import label_place
from dyad._input import check_labels
from dyad.plot._drawing import FAINT, axes_or_new, class_line, in_legend, require_fitted, shown
from dyad.plot._help import with_help

_MOST_COUNTS = 15  # classes whose numbers of rows are written into a table


@with_help
def roc(estimator: Any, X: Any, y: ArrayLike, *, label: Any = None, ax: Any = None) -> Any:
    """Share of a class that is found against the share of others that are taken for it.

    Parameters
    ----------
    {estimator X y label ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture; the legend tells the areas under the curves.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, "right", "left")
    >>> model = dyad.NaiveBayesKDE().fit(X[:200], y[:200])
    >>> ax = dyad.plot.roc(model, X[200:], y[200:])
    >>> ax.get_legend().get_texts()[0].get_text()
    'right, area 1.000'
    """
    ax, cases = _cases(estimator, X, y, label, ax)
    for one, line, is_class, scores in cases:
        false_share, true_share, _ = roc_curve(is_class, scores)
        text = f"{in_legend(one)}, area {roc_auc_score(is_class, scores):.3f}"
        ax.plot(false_share, true_share, linewidth=2, label=text, **line)
    ax.plot([0, 1], [0, 1], "--", color=FAINT, linewidth=1)
    _finish_unit_square(ax, "share of others taken for it", "share of the class found", "ROC curve")
    return ax


@with_help
def precision_recall(estimator: Any, X: Any, y: ArrayLike, *, label: Any = None, ax: Any = None) -> Any:
    """Share of right ones among the rows that are taken for a class, against the share of it that is found.

    Parameters
    ----------
    {estimator X y label ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture; dashed lines are the shares of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, "right", "left")
    >>> model = dyad.NaiveBayesKDE().fit(X[:200], y[:200])
    >>> ax = dyad.plot.precision_recall(model, X[200:], y[200:])
    >>> ax.get_ylabel()
    'precision'
    """
    ax, cases = _cases(estimator, X, y, label, ax)
    for one, line, is_class, scores in cases:
        precision, recall, _ = precision_recall_curve(is_class, scores)
        text = f"{in_legend(one)}, mean {average_precision_score(is_class, scores):.3f}"
        ax.plot(recall, precision, linewidth=2, label=text, drawstyle="steps-post", **line)
        ax.axhline(is_class.mean(), color=line["color"], linewidth=1, linestyle="--", alpha=0.6)
    _finish_unit_square(ax, "recall", "precision", "Precision and recall")
    return ax


@with_help
def calibration(
    estimator: Any, X: Any, y: ArrayLike, *, label: Any = None, bins: int = 10, ax: Any = None
) -> Any:
    """Shares of a class among rows of about the same predicted probability.

    Parameters
    ----------
    {estimator X y label}
    bins : int, default=10
        Groups of as many rows each.
    {ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture; good probabilities are on its diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, "right", "left")
    >>> model = dyad.NaiveBayesKDE().fit(X[:200], y[:200])
    >>> ax = dyad.plot.calibration(model, X[200:], y[200:], bins=5)
    >>> len(ax.lines[0].get_xdata())
    5
    """
    ax, cases = _cases(estimator, X, y, label, ax, probabilities=True)
    for one, line, is_class, scores in cases:
        share, predicted = calibration_curve(is_class, scores, n_bins=bins, strategy="quantile")
        ax.plot(predicted, share, marker="o", linewidth=1.5, markersize=5, label=in_legend(one), **line)
    ax.plot([0, 1], [0, 1], "--", color=FAINT, linewidth=1)
    _finish_unit_square(ax, "predicted probability", "share of the class", "Calibration of probabilities")
    return ax


@with_help
def confusion(estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None) -> Any:
    """Numbers of rows by true and predicted class, coloured by their shares of the true one.

    Parameters
    ----------
    {estimator X y ax}

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, "right", "left")
    >>> ax = dyad.plot.confusion(dyad.NaiveBayesKDE().fit(X, y), X, y)
    >>> sum(int(text.get_text()) for text in ax.texts)
    400
    """
    labels = _known_labels(estimator, X, y)
    counts = confusion_matrix(labels, estimator.predict(X), labels=estimator.classes_)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    n = len(counts)
    ax = axes_or_new(ax, 2.6 + 0.55 * n, 1.9 + 0.5 * n)
    edges = np.arange(n + 1) - 0.5
    mesh = ax.pcolormesh(edges, edges, shares, cmap="Blues", vmin=0, vmax=1)
    ax.figure.colorbar(mesh, ax=ax, label="share of the true class")
    if n <= _MOST_COUNTS:
        for (true, predicted), count in np.ndenumerate(counts):
            colour = "white" if shares[true, predicted] > 0.5 else "black"
            ax.text(predicted, true, str(count), ha="center", va="center", color=colour)
    names = [shown(label, 16) for label in estimator.classes_.tolist()]
    turned = (
        {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
        if n > 6 or max(map(len, names)) > 8
        else {}
    )
    ax.set_xticks(range(n), names, **turned)
    ax.set_yticks(range(n), names)
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_aspect("equal")
    ax.set_xlabel("predicted class")
    ax.set_ylabel("true class")
    ax.set_title(f"{np.trace(counts) / max(counts.sum(), 1):.1%} of {counts.sum()} rows right")
    return ax


def _known_labels(estimator: Any, X: Any, y: ArrayLike) -> NDArray:
    """Labels of rows, all of them among the classes of the estimator."""
    require_fitted(estimator)
    labels = check_labels(estimator, y, len(X))
    known = estimator.classes_.tolist()
    unknown = [label for label in np.unique(labels).tolist() if label not in known]
    if unknown:
        raise ValueError(f"y has the class {unknown[0]!r}; the model has {', '.join(map(repr, known))}")
    return labels


def _cases(
    estimator: Any, X: Any, y: ArrayLike, label: Any, ax: Any, probabilities: bool = False
) -> tuple[Any, list[tuple[Any, dict, NDArray, NDArray]]]:
    """Axes, and of each class to draw label, look of its line, which rows are of it, and their scores."""
    labels = _known_labels(estimator, X, y)
    known = estimator.classes_.tolist()
    two = len(known) == 2
    codes = [1] if two else list(range(len(known)))
    if label is not None:
        codes = [label_place(estimator, label)]
    for code in codes:
        if not 0 < (labels == estimator.classes_[code]).sum() < len(labels):
            raise ValueError(f"y needs rows of the class {known[code]!r} and of others")
    if two and not probabilities:
        score = estimator.decision_function(X)
        values = np.stack([-score, score], axis=1)
    else:
        values = estimator.predict_proba(X)
    cases = [
        (known[code], class_line(code), labels == estimator.classes_[code], values[:, code]) for code in codes
    ]
    return axes_or_new(ax, 5.0, 4.6), cases


def _finish_unit_square(ax: Any, x_label: str, y_label: str, title: str) -> None:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.set_title(title)
    ax.legend(frameon=False, loc="best")

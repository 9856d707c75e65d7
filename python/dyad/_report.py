# SPDX-License-Identifier: BSD-3-Clause
"""A page to look at a model with."""

from __future__ import annotations

import html
import json
import operator
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad import _core
from dyad._input import check_labels, check_rows, check_seed
from dyad._progress import progress
from dyad.plot._drawing import require_fitted


class Report:
    """A report on a model: a page, and the document behind it.

    Attributes
    ----------
    html : str
        The page: one HTML file that needs nothing else.
    document : dict
        What the page shows, as docs/report.md describes it.
    """

    def __init__(self, json_text: str, title: str) -> None:
        self._json = json_text
        self._title = title

    @cached_property
    def html(self) -> str:
        """The page."""
        return _core.report_page(self._json, self._title)

    @cached_property
    def document(self) -> dict[str, Any]:
        """What the page shows."""
        return json.loads(self._json)

    def save(self, path: str | os.PathLike) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        _core.write_file(os.fspath(path), self.html)

    def __repr__(self) -> str:
        """The title."""
        return f"<Report: {self._title}>"

    def _repr_html_(self) -> str:
        """The page inside that of a notebook."""
        page = html.escape(self.html)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 45em; border: 0"></iframe>'


def report(
    model: Any,
    X: Any,
    y: Any = None,
    path: str | os.PathLike | None = None,
    *,
    title: str | None = None,
    rows: Sequence[int] = (),
    n_rows: int = 60,
    max_megabytes: float = 2.5,
    what_if_megabytes: float = 8,
    random_state: Any = 0,
) -> Report:
    """Make a page to look at a model with: what matters, each feature and pair, rows, and how good it is.

    Parameters
    ----------
    model : classifier of dyad
        A fitted one.
    X : array-like or dataframe of shape (n_samples, n_features)
        Rows to look at it with: those it was fitted to or, for honest figures of its quality, others.
    y : array-like of shape (n_samples,), default=None
        Their classes. Without them the page shows neither quality nor dependence.
    path : str or path-like, default=None
        Where to write the page, if anywhere.
    title : str, default=None
        Title of the page; by default the kind of model.
    rows : sequence of int, default=()
        Numbers of rows, from 0, that the page shows in any case.
    n_rows : int, default=60
        How many others it shows: those most surely wrong, those closest to a tie, and evenly spaced ones.
    max_megabytes : float, default=2.5
        Size of the page's numbers: maps of pairs that matter least are left out for it.
    what_if_megabytes : float, default=8
        Size of the model in the page, which predicts rows with changed values; a larger model is left out.
    random_state : int, RandomState instance or None, default=0
        Which 20000 rows importances are means of, if there are more.

    Returns
    -------
    report : Report
        With the page as `html`, what is behind it as `document`, and `save`. A notebook shows the page.

    Examples
    --------
    >>> import numpy as np
    >>> import dyad
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> page = dyad.report(dyad.SLBClassifier().fit(X, y), X, y, title="Signs")
    >>> page
    <Report: Signs>
    >>> first = page.document["pairs"][0]
    >>> first["i"], first["j"]
    (0, 1)
    """
    require_fitted(model)
    values = check_rows(model, X, model._model)
    codes = None if y is None else _codes(model, y, len(values))
    title = type(model).__name__ if title is None else _valid_text("title", title)
    with progress("report", model.verbose) as tell:
        text = _core.report_document(
            model._model,
            values,
            codes,
            title=title,
            rows=[_row_number(row, len(values)) for row in rows],
            n_rows=n_rows,
            max_megabytes=max_megabytes,
            what_if_megabytes=what_if_megabytes,
            seed=check_seed(random_state),
            n_threads=model._n_threads(),
            progress=tell,
        )
    result = Report(text, title)
    if path is not None:
        result.save(path)
    return result


def _codes(model: Any, y: Any, n_rows: int) -> NDArray[np.int32]:
    """The places of labels in `classes_`."""
    places = {label: code for code, label in enumerate(model.classes_.tolist())}
    labels = check_labels("report", y, n_rows).tolist()
    for row, label in enumerate(labels):
        if label not in places:
            raise ValueError(f"row {row} of y has the label {label!r}; the classes are {list(places)}")
    return np.array([places[label] for label in labels], dtype=np.int32)


def _row_number(row: int, n_rows: int) -> int:
    try:
        number = operator.index(row)
    except TypeError:
        raise TypeError(f"rows: {row!r} is no number of a row") from None
    if not 0 <= number < n_rows:
        raise ValueError(f"rows: there is no row {number}; X has {n_rows} rows, from 0")
    return number


def _valid_text(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = ascii(text[error.start])
        raise ValueError(f"{name}: {found} at {error.start} is half of a surrogate pair, no text") from None
    return text

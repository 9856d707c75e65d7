# SPDX-License-Identifier: BSD-3-Clause
"""Fits to rows that are not at hand together: states that are updated chunk by chunk and merged."""

from __future__ import annotations

import copy
import numbers
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_scalar

from dyad import _core
from dyad._input import (
    Sample,
    check_labels,
    check_more_rows,
    check_new_rows,
    check_weights,
    feature_names,
    n_threads,
    require_text,
)
from dyad._labels import class_names, label_type, labels_of
from dyad._structure import structure_parameters

if TYPE_CHECKING:
    from typing_extensions import Self


def _check_whole(value: Any, name: str, least: int) -> None:
    if value is not None:
        check_scalar(value, name, numbers.Integral, min_val=least, max_val=2**62)


class _Columns(BaseEstimator):
    """What scikit-learn's checks of columns keep from one chunk for the next."""

    engine = "counts"

    def __init__(self, categorical_features: Any = None):
        self.categorical_features = categorical_features


class State:
    """What a fit has to know of rows that are not at hand together.

    Rows are gone over twice. The first time the state is a survey: numbers of rows, levels, and a sample.
    `plan` then chooses from the sample all that is to be chosen, and returns a state that counts. The second
    time that one is updated with the same rows, and `finalize` makes a model of its counts.

    States of parts of the rows can be merged in any order, so parts may be on different machines: the
    result is the same to the bit, but for weights that are not whole numbers, whose sums are rounded.

    Parameters
    ----------
    sample_rows : int, default=None
        Rows that the survey keeps at most; None for 2 million values, 20 000 to 200 000 rows. As many of each
        class as of any other, while it has them.
    categorical_features : list of str or int, or mask, default=None
        Columns of numbers to take as categories, by name or number. Columns of text always are.

    Attributes
    ----------
    n_rows : int
        Rows that were added.
    is_planned : bool
        Whether rows are counted rather than surveyed.

    Examples
    --------
    >>> import dyad, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(1000, 3)), rng.integers(2, size=1000)
    >>> X[:, 1] += X[:, 0] * y
    >>> halves = [slice(0, 500), slice(500, 1000)]
    >>> survey = dyad.State(sample_rows=400)
    >>> for rows in halves:
    ...     survey = survey.update(X[rows], y[rows])
    >>> counts = survey.plan(dyad.SLBClassifier())
    >>> for rows in halves:
    ...     counts = counts.update(X[rows], y[rows])
    >>> counts.finalize().predict(X[:3]).shape
    (3,)
    """

    def __init__(self, *, sample_rows: int | None = None, categorical_features: Any = None):
        _check_whole(sample_rows, "sample_rows", least=1)
        self._core = _core.State(0 if sample_rows is None else sample_rows)
        self._columns = _Columns(categorical_features)

    @property
    def n_rows(self) -> int:
        """Rows that were added."""
        return self._core.n_rows

    @property
    def is_planned(self) -> bool:
        """Whether rows are counted rather than surveyed."""
        return self._core.is_planned

    @property
    def has_all_rows(self) -> bool:
        """Whether the sample has all rows, so that no second pass is needed."""
        return self._core.has_all_rows

    @property
    def classes(self) -> NDArray:
        """The labels met so far, in the order of ``classes_``."""
        return labels_of(self._core.classes, self._core.label_type)

    def __repr__(self) -> str:
        """What it has."""
        verb = "counted" if self.is_planned else "surveyed"
        return f"<dyad.State: {self.n_rows} rows {verb}, {len(self._core.classes)} classes>"

    def update(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        first_row: int | None = None,
        n_jobs: int | None = -1,
    ) -> Self:
        """Add rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the same columns as those before.
        y : array-like of shape (n_samples,)
            The class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: numbers of rows.
        first_row : int, default=None
            The number of the first row in the table, the same in both passes. Numbers that the state has
            already are an error. None numbers the rows behind all others: they are new rows, even if they
            equal rows before. Which rows are in the sample depends on their numbers. States of parts that all
            count from 0 can be merged, too.
        n_jobs : int, default=-1
            Threads to count with; -1 for one per core.

        Returns
        -------
        self : State
            The state itself. If something is wrong with the rows, it is as before.
        """
        _check_whole(first_row, "first_row", least=0)
        columns = copy.copy(self._columns)
        given = columns.categorical_features
        if given is None:  # bytes do not have what was given, but levels
            columns.categorical_features = self._core.categories_of_numbers or None
        check_rows = check_more_rows if hasattr(columns, "n_features_in_") else check_new_rows
        values, levels, level_types = check_rows(columns, X)
        columns.categorical_features = given
        labels = check_labels("State", y, len(values))
        weights = check_weights(sample_weight, len(values))
        classes, codes = np.unique(labels, return_inverse=True)
        names = class_names(classes)
        require_text("the label", names)
        self._core.update(
            values,
            codes.astype(np.int32),
            features=feature_names(columns),
            classes=names,
            label_type=label_type(classes),
            levels=levels,
            level_types=list(level_types),
            sample_weight=weights,
            first_row=first_row,
            n_threads=n_threads(n_jobs),
        )
        self._columns = columns
        return self

    def merge(self, other: State) -> Self:
        """Add the rows of another state.

        Parameters
        ----------
        other : State
            A survey, if this is one, else a state of the same plan.

        Returns
        -------
        self : State
            The state itself.
        """
        self._core.merge(other._core)
        if not hasattr(self._columns, "n_features_in_"):
            self._columns = other._columns
        return self

    def plan(self, estimator: Any = None, *, table_bytes: int | None = None) -> State:
        """Choose terms from the sample, for all rows to be counted.

        Parameters
        ----------
        estimator : SLBClassifier, LUClassifier, NaiveBayesKDE or TANClassifier, default=None
            Whose parameters to fit with; None for an SLBClassifier. It is not changed.
        table_bytes : int, default=None
            What tables of counts may take, None for half a gigabyte. Axes are coarser where they would take
            more.

        Returns
        -------
        counts : State
            A state without rows that counts those it is updated with.
        """
        if estimator is None:
            from dyad._estimators import SLBClassifier

            estimator = SLBClassifier()
        _check_whole(table_bytes, "table_bytes", least=1)
        limit = {} if table_bytes is None else {"table_bytes": table_bytes}
        options = estimator._state_options(self)
        with estimator._progress() as tell:
            planned = self._core.plan(**options, **limit, n_threads=estimator._n_threads(), progress=tell)
        return self._with(planned)

    def finalize(self, estimator: Any = None) -> Any:
        """Fit a classifier to the rows.

        Parameters
        ----------
        estimator : SLBClassifier, LUClassifier, NaiveBayesKDE or TANClassifier, default=None
            Who is to be fitted, a copy of it. Of a planned state, the parameters that matter are those of the
            plan, and None is for the classifier of its method; of a survey, None is for an SLBClassifier.

        Returns
        -------
        estimator : object
            A fitted classifier: of a planned state, whose rows have all been counted, of all rows; of a
            survey, of those in its sample.
        """
        if estimator is None:
            from dyad._estimators import SLBClassifier, classifier_of

            estimator = SLBClassifier()
            if self.is_planned:
                named = hasattr(self._columns, "feature_names_in_")
                structure = structure_parameters(self._core.structure, self._core.features, named)
                estimator = classifier_of(self._core.options).set_params(**structure)
        return clone(estimator)._fit_state(self)

    def copy(self) -> State:
        """Return a state with the same rows, which is updated apart from this one."""
        return self._with(self._core.copy())

    def to_bytes(self) -> bytes:
        """Return all that it holds, for `from_bytes` and the program ``dyad``."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "state") -> State:
        """Make a state from bytes.

        Parameters
        ----------
        data : bytes
            What `to_bytes` returned, or a file of ``dyad count``. It need not be trusted: if it is no state,
            ValueError is raised.
        name : str, default="state"
            What the bytes are called in messages.

        Returns
        -------
        state : State
            A state of these rows, labels and categories. Labels of ``dyad count`` are integers if all of
            them look so, else text.
        """
        return cls.__new__(cls)._set(_core.State.from_bytes(data, name), None)

    def save(self, path: str | os.PathLike) -> None:
        """Write the state to a file, whole or not at all, as ``dyad count`` does."""
        self._core.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike) -> State:
        """Read a file that `save` or ``dyad count`` wrote."""
        return cls.from_bytes(Path(path).read_bytes(), os.fspath(path))

    def __reduce__(self) -> tuple:
        """Pickle with what is known of the columns."""
        return _unpickled, (self._core, self._columns)

    def _set(self, core: _core.State, columns: _Columns | None) -> State:
        self._core = core
        if columns is None:
            columns = _Columns()
            names = core.features
            if names:
                columns.n_features_in_ = len(names)
                if names != feature_names(columns):
                    columns.feature_names_in_ = np.asarray(names, dtype=object)
        self._columns = columns
        return self

    def _with(self, core: _core.State) -> State:
        return State.__new__(State)._set(core, self._columns)

    def _sample(self) -> Sample:
        """The rows of the sample."""
        X, codes, weights, levels = self._core.sample()
        codes = np.asarray(codes, dtype=np.int32)
        classes = self.classes
        weights = np.asarray(weights)
        return Sample(
            X, levels, classes[codes], classes, codes, None if np.all(weights == 1) else weights, None
        )


_Columns.__name__ = State.__name__  # messages of scikit-learn name the class


def _unpickled(core: _core.State, columns: _Columns) -> State:
    return State.__new__(State)._set(core, columns)

# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers for Dask arrays and data frames: rows stay where they are, states of them are merged.

Needs Dask (``pip install "dask[array,dataframe,distributed]"``); runs on any of its schedulers, a cluster if
a client is connected.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from dask import compute, delayed
from dask.array import Array
from sklearn.utils.validation import check_is_fitted

import dyad
from dyad._state import State

if TYPE_CHECKING:
    from typing_extensions import Self

# States that are merged by one task.
_MERGED_AT_ONCE = 8


class _DaskMixin:
    """`fit` and predictions on Dask collections; all else as in the class that it is mixed into."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows of known classes, which are gone over twice.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
            Rows. What is computed anew for each pass, such as a file that is parsed, may be worth persisting:
            for data frames there is one more to find the lengths of partitions.
        y : dask.array.Array or dask.dataframe.Series of shape (n_samples,)
            The class of each row, cut as X is.
        sample_weight : dask.array.Array or dask.dataframe.Series, default=None
            Weights of the rows: numbers of rows.

        Returns
        -------
        self : object
            The fitted estimator: what `fit_chunks` makes of the same rows, to the bit, however they are cut.
            States are made, merged and planned on the workers; what is left, from counts to weights, is done
            here.
        """
        self._checked_options()
        parts = _parts(X, y, sample_weight)
        surveys = [delayed(_survey)(self.categorical_features, *part) for part in parts]
        survey = _merged(surveys).persist()
        if survey.has_all_rows.compute():
            return self._fit_state(survey.compute())
        of_workers = {**self.get_params(deep=False), "callback": None}  # which is called here alone
        plan = delayed(State.plan)(survey, self._local_class(**of_workers))
        chains = [functools.reduce(_counted, chain, plan) for chain in _cut(parts, _n_workers())]
        return self._fit_state(_merged(chains).compute())

    def predict(self, X: Any) -> Any:
        """Predict the class of each row, when the result is computed; at once for rows that are at hand."""
        return self._lazily("predict", X, self.classes_.dtype if self._is_fitted() else None)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, when the result is computed; at once for rows that are at hand."""
        return self._lazily("predict_proba", X, np.float64, len(self.classes_) if self._is_fitted() else 0)

    def decision_function(self, X: Any) -> Any:
        """Scores of rows, when the result is computed; at once for rows that are at hand."""
        n_classes = len(self.classes_) if self._is_fitted() else 0
        return self._lazily("decision_function", X, np.float64, 0 if n_classes == 2 else n_classes)

    def _is_fitted(self) -> bool:
        check_is_fitted(self)
        return True

    def _lazily(self, method: str, X: Any, dtype: Any, n_columns: int = 0) -> Any:
        local = functools.partial(_answer, self._local(), method, dtype, n_columns)
        if isinstance(X, Array):
            X = X.rechunk({1: -1})
            if n_columns == 0:
                return X.map_blocks(local, dtype=dtype, drop_axis=1)
            return X.map_blocks(local, dtype=dtype, chunks=(X.chunks[0], (n_columns,)))
        if _is_frame(X):
            meta = _frame_meta(self, n_columns, dtype)
            return X.map_partitions(_frame_answer, local, list(self.classes_), method, meta=meta)
        return getattr(self._local(), method)(X)

    def _local(self) -> Any:
        """The same estimator for rows that are at hand."""
        check_is_fitted(self)
        local = self._local_class(**self.get_params(deep=False))
        vars(local).update({name: value for name, value in vars(self).items() if name != "state_"})
        return local


def _survey(categorical_features: Any, X: Any, y: Any, weights: Any, first_row: int) -> State:
    state = State(categorical_features=categorical_features)
    return state if len(X) == 0 else _updated(state, X, y, weights, first_row)


def _counted(state: Any, part: Sequence[Any]) -> Any:
    return delayed(_count)(state, *part)


def _count(state: State, X: Any, y: Any, weights: Any, first_row: int) -> State:
    # A task that runs anew must find what it was given as it was.
    return state if len(X) == 0 else _updated(state.copy(), X, y, weights, first_row)


def _updated(state: State, X: Any, y: Any, weights: Any, first_row: int) -> State:
    try:
        return state.update(X, y, weights, first_row=first_row, n_jobs=1)  # other tasks have the other cores
    except (TypeError, ValueError) as error:
        raise type(error)(f"the partition whose first row is row {first_row}: {error}") from error


def _merged(states: list[Any]) -> Any:
    """All rows, by a tree of tasks."""
    while len(states) > 1:
        states = [
            delayed(_merge)(states[k : k + _MERGED_AT_ONCE]) for k in range(0, len(states), _MERGED_AT_ONCE)
        ]
    return states[0]


def _merge(states: list[State]) -> State:
    return functools.reduce(State.merge, states[1:], states[0].copy())


def _cut(parts: list[Any], n_chains: int) -> list[list[Any]]:
    """Parts that are counted one after the other: a state that counts takes more room than its rows."""
    bounds = np.linspace(0, len(parts), min(n_chains, len(parts)) + 1).astype(int)
    return [parts[first:last] for first, last in itertools.pairwise(bounds)]


def _n_workers() -> int:
    try:
        from distributed import get_client

        return max(1, len(get_client().scheduler_info(n_workers=-1)["workers"]))
    except (ImportError, ValueError):  # no cluster: threads of this process
        import os

        return os.cpu_count() or 1


def _parts(X: Any, y: Any, weights: Any) -> list[tuple[Any, Any, Any, int]]:
    """Rows, labels, weights and the number of the first row of each partition."""
    if isinstance(X, Array):
        X = X.rechunk({1: -1})
        y, weights = (None if of is None else _like(of, X) for of in (y, weights))
        columns = [of if of is None else of.to_delayed().ravel().tolist() for of in (X, y, weights)]
        lengths = X.chunks[0]
        if any(np.isnan(length) for length in lengths):
            lengths = compute(*[delayed(len)(rows) for rows in columns[0]])
    elif _is_frame(X):
        for of in (y, weights):
            if of is not None and not _is_frame(of):
                raise TypeError(f"expected a Dask series beside a data frame, got {type(of).__name__}")
        columns = [of if of is None else of.to_delayed() for of in (X, y, weights)]
        lengths = X.map_partitions(len).compute()
    else:
        raise TypeError(
            f"X must be a Dask array or data frame, got {type(X).__name__}; for rows at hand there are the "
            "classes of the same names in dyad"
        )
    for name, of in zip(("y", "sample_weight"), columns[1:], strict=True):
        if of is not None and len(of) != len(columns[0]):
            raise ValueError(f"{name} has {len(of)} partitions, X has {len(columns[0])}")
    first_rows = np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist()
    nothing = [None] * len(lengths)
    return list(zip(*[of if of is not None else nothing for of in columns], first_rows[:-1], strict=True))


def _like(of: Any, X: Array) -> Array:
    """A vector in chunks as those of the rows."""
    if _is_frame(of):
        of = of.to_dask_array(lengths=True)
    if not isinstance(of, Array):
        raise TypeError(f"expected a Dask array beside X, got {type(of).__name__}")
    return of if of.chunks[0] == X.chunks[0] else of.rechunk({0: X.chunks[0]})


def _is_frame(X: Any) -> bool:
    return hasattr(X, "map_partitions") and hasattr(X, "to_delayed") and not isinstance(X, Array)


def _answer(estimator: Any, method: str, dtype: Any, n_columns: int, X: Any) -> Any:
    """What the method says of a partition, which has no rows where a filter has left none."""
    if len(X) == 0:
        return np.empty((0, n_columns) if n_columns > 0 else 0, dtype)
    return getattr(estimator, method)(X)


def _frame_answer(X: Any, local: Any, classes: list[Any], method: str) -> Any:
    import pandas

    answer = local(X)
    if answer.ndim == 1:
        return pandas.Series(answer, index=X.index, name=method)
    return pandas.DataFrame(answer, index=X.index, columns=classes)


def _frame_meta(estimator: Any, n_columns: int, dtype: Any) -> Any:
    import pandas

    if n_columns == 0:
        return pandas.Series([], dtype=dtype)
    return pandas.DataFrame({label: np.empty(0) for label in estimator.classes_})


class SLBClassifier(_DaskMixin, dyad.SLBClassifier):
    """`dyad.SLBClassifier` for Dask arrays and data frames; parameters are the same."""

    _local_class = dyad.SLBClassifier


class LUClassifier(_DaskMixin, dyad.LUClassifier):
    """`dyad.LUClassifier` for Dask arrays and data frames; parameters are the same."""

    _local_class = dyad.LUClassifier


class NaiveBayesKDE(_DaskMixin, dyad.NaiveBayesKDE):
    """`dyad.NaiveBayesKDE` for Dask arrays and data frames; parameters are the same."""

    _local_class = dyad.NaiveBayesKDE


class TANClassifier(_DaskMixin, dyad.TANClassifier):
    """`dyad.TANClassifier` for Dask arrays and data frames; parameters are the same."""

    _local_class = dyad.TANClassifier


__all__ = ["LUClassifier", "NaiveBayesKDE", "SLBClassifier", "TANClassifier"]

# SPDX-License-Identifier: BSD-3-Clause
"""Fits of estimators to rows in parts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from dyad._chunks import chunk_source
from dyad._columns import recoded
from dyad._input import check_class_weight, check_costs, feature_names, warn_columns
from dyad._state import State
from dyad._structure import excluded_columns
from dyad._terms import kept_hsic

if TYPE_CHECKING:
    from typing_extensions import Self


class PartsMixin:
    """Methods of classifiers that take rows in parts."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to those that `plan` or `finalize` go by.

        The first time all rows are to be surveyed, then, after `plan`, to be counted; `finalize` fits. Until
        then predictions are those of the last fit, if there was one.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows, as for `fit`.
        y : array-like of shape (n_samples,)
            The class of each row.
        classes : array-like, default=None
            Not needed: classes are those of the rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, as for `fit`.

        Returns
        -------
        self : object
            The estimator, with the rows in ``state_``.
        """
        if not hasattr(self, "state_"):
            self._checked_options()
            self.state_ = State(categorical_features=self.categorical_features)
        self.state_.update(X, y, sample_weight, n_jobs=self.n_jobs)
        self._take_columns(self.state_)
        return self

    def plan(self) -> Self:
        """Choose terms from the rows surveyed by `partial_fit`, which is then to count all rows.

        Returns
        -------
        self : object
            The estimator.
        """
        self.state_ = self._state("plan").plan(self)
        return self

    def finalize(self) -> Self:
        """Fit the model to the rows of `partial_fit`.

        Without `plan`, the model is one of the survey's sample: of all rows, exactly as `fit` makes it, if
        they are few enough to be in it.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        state = self._state("finalize")
        if not state.is_planned and not state.has_all_rows:
            warnings.warn(
                f"the model is fitted to a sample of the {state.n_rows} rows; to count all of them, call "
                "plan() and partial_fit() once more for each chunk before finalize()",
                UserWarning,
                stacklevel=2,
            )
        self._fit_state(state)
        del self.state_
        return self

    def fit_chunks(self, chunks: Any, *, label: str | None = None, weight: str | None = None) -> Self:
        """Fit to a table in chunks, larger than memory perhaps, by two passes over it.

        Parameters
        ----------
        chunks : list, function, tuple, dataset or path
            Where rows come from, from the beginning each time: a list of chunks, or a function that returns
            an iterator of them, which are tuples (X, y) or (X, y, sample_weight) or, with `label`, tables; a
            tuple of arrays such as ``numpy.memmap``; an Arrow dataset; the path of a Parquet, Arrow or CSV
            file, or of a folder of Parquet files.
        label : str, default=None
            The column of labels, of tables.
        weight : str, default=None
            The column of row weights, of tables.

        Returns
        -------
        self : object
            The fitted estimator: the same as by `fit` if the rows are few, else close to it.
        """
        source = chunk_source(chunks, label, weight)
        self._checked_options()
        with self._unchanged_on_failure():
            state = self._added(State(categorical_features=self.categorical_features), source, "survey")
            if not state.has_all_rows:
                state = self._added(state.plan(self), source, "counts", state.n_rows)
            return self._fit_state(state)

    def _added(self, state: State, source: Any, step: str, n_rows: int | None = None) -> State:
        """The state with all rows of a source, of which there are n_rows if that is known."""
        with self._progress() as tell:
            for number, (X, y, weights) in enumerate(source()):
                if hasattr(X, "shape") and X.shape[0] == 0:  # as a filter may leave it
                    continue
                try:
                    state.update(X, y, weights, n_jobs=self.n_jobs)
                except (TypeError, ValueError) as error:
                    message = f"chunk {number}, whose first row is row {state.n_rows}: {error}"
                    raise type(error)(message) from error
                if tell is not None:
                    tell(step, state.n_rows, n_rows)
        if state.n_rows == 0:
            raise ValueError("chunks: there is no row of positive weight")
        return state

    def _state(self, asker: str) -> State:
        if not hasattr(self, "state_"):
            raise ValueError(f"{asker} needs rows: call partial_fit() first")
        return self.state_

    def _take_columns(self, state: State) -> None:
        self.n_features_in_ = state._columns.n_features_in_
        if hasattr(state._columns, "feature_names_in_"):
            self.feature_names_in_ = state._columns.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _state_options(self, state: State) -> dict[str, Any]:
        """What `plan` and `fit_sample` of the core need of the parameters."""
        params = self.get_params(deep=False)
        cv = params.get("cv")
        if cv is not None and not isinstance(cv, int):
            raise ValueError(f"cv must be a number of folds where rows come in parts, got {cv!r}")
        return {
            "options": self._checked_options(),
            "class_weight": check_class_weight(params.get("class_weight"), state.classes),
            "costs": check_costs(self.costs, state.classes),
            **self._structure(state._core.features),
            **self._time_limit(),
        }

    def fit_state(self, state: State) -> Self:
        """Fit the model to the rows of a state, as `State.finalize` does with a copy of the estimator.

        Parameters
        ----------
        state : State
            A survey, of which the model takes the sample, or a planned state whose rows have all been
            counted; the parameters that matter are then those of its plan.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        TypeError
            If `state` is no `State`.
        ValueError
            If its rows do not suffice for a fit.
        """
        if not isinstance(state, State):
            raise TypeError(f"state: expected a dyad.State, got {type(state).__name__}")
        return self._fit_state(state)

    def _fit_state(self, state: State) -> Self:
        """What `fit_state` does; warnings point to the call of the method that calls it."""
        with self._unchanged_on_failure(), self._progress() as tell:
            threads = self._n_threads()
            if state.is_planned:
                model = state._core.finalize(n_threads=threads, progress=tell)
            else:
                model = state._core.fit_sample(**self._state_options(state), n_threads=threads, progress=tell)
            self._take_columns(state)
            core = state._core
            names = feature_names(self)
            excluded = excluded_columns(model.structure)
            constant, empty = (
                [j for j in columns if names[j] not in excluded]
                for columns in (core.constant_features, core.empty_features)
            )
            warn_columns(constant, empty, names, 4)
            sample = state._sample()
            sample = sample._replace(X=recoded(sample.X, sample.levels, model.levels))
            hsic = kept_hsic(model, sample.X, sample.codes, sample.weights, threads)
            directions = self._directions(getattr(self, "monotone", None))
            self._set_model(self._with_directions(model, directions), sample.classes, hsic)
            self._set_importances(sample)
            self._set_report()
        return self

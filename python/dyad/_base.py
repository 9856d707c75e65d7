# SPDX-License-Identifier: BSD-3-Clause
"""What the estimators share: from parameters and rows to a fitted model, and from the model to answers."""

from __future__ import annotations

import inspect
import numbers
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.validation import check_is_fitted

from dyad import _core
from dyad._columns import recoded
from dyad._editing import EditingMixin
from dyad._explanation import ExplanationMixin
from dyad._export import ExportMixin
from dyad._input import (
    Sample,
    check_class_weight,
    check_costs,
    check_labels,
    check_new_rows,
    check_rows,
    check_seed,
    check_splits,
    check_weights,
    encode_labels,
    feature_names,
    n_threads,
    order_levels,
    warn_constant,
    warn_light,
    warn_of_table,
)
from dyad._labels import class_names, label_type, labels_of
from dyad._parameters import ALIASES, CORE_NAMES, renamed
from dyad._parts import PartsMixin
from dyad._progress import progress
from dyad._structure import excluded_columns, structure_names, structure_parameters
from dyad._terms import (
    Setting,
    chosen_settings,
    evenly_spaced,
    importances,
    kept_hsic,
    named_terms,
    pairs_by_class,
)

if TYPE_CHECKING:
    from typing_extensions import Self

# Training rows that feature importances are computed from.
_MOST_IMPORTANCE_ROWS = 1000


class TermEstimator(BaseEstimator):
    """Rows and classes in, a model of log densities out. Subclasses have the parameters."""

    # Names of the core's methods: what `fit` asks for is the first, unless a subclass says otherwise.
    _methods: tuple[str, ...]

    def _method(self) -> str:
        return self._methods[0]

    def _core_options(self) -> dict[str, Any]:
        """The parameters as the core's options, without those that are left to the preset."""
        self._check_renamed_parameters()
        known = _core.default_options()
        defaults = inspect.signature(type(self)).parameters
        options = {
            CORE_NAMES.get(name, name): value
            for name, value in self.get_params(deep=False).items()
            if CORE_NAMES.get(name, name) in known and not (value is None and defaults[name].default is None)
        }
        for name, aliases in ALIASES.items():
            if isinstance(options.get(name), str):
                options[name] = aliases.get(options[name], options[name])
        options["method"] = self._method()
        if "seed" in options:
            options["seed"] = check_seed(self.random_state)
        balanced = isinstance(getattr(self, "class_weight", None), str)
        if balanced and options.setdefault("optimise", "balanced") != "balanced":
            raise ValueError(
                f"class_weight='balanced' contradicts optimise={self.optimise!r}; give one of them"
            )
        if not isinstance(options.get("inner_folds", 0), numbers.Integral):
            del options["inner_folds"]
        if "C" in options:  # a cost is given to be used
            options.setdefault("cost", "given")
        return options

    def _checked_options(self) -> dict[str, Any]:
        """The same, and right; what the core says about them is said in the words of the parameters."""
        options = self._core_options()
        try:
            _core.default_options(options)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("transform", "coordinate")) from None
        return options

    def _check_renamed_parameters(self) -> None:
        """Check the parameters that the core would complain about under names that the user has not used."""
        params = self.get_params(deep=False)
        if "tol" in params:
            check_scalar(self.tol, "tol", numbers.Real, min_val=0, include_boundaries="neither")
        if "max_iter" in params:
            check_scalar(self.max_iter, "max_iter", numbers.Integral, min_val=1)
        if params.get("max_seconds") is not None:
            check_scalar(
                self.max_seconds, "max_seconds", numbers.Real, min_val=0, include_boundaries="neither"
            )
        if not (self.callback is None or callable(self.callback)):
            raise TypeError(f"callback: expected a function, got {type(self.callback).__name__}")
        if isinstance(params.get("cv"), numbers.Integral):
            check_scalar(self.cv, "cv", numbers.Integral, min_val=2, max_val=1000)
        class_weight = params.get("class_weight")
        if not (class_weight is None or isinstance(class_weight, dict) or class_weight == "balanced"):
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _progress(self) -> AbstractContextManager[Any]:
        """What the core tells progress to: `verbose` and `callback`."""
        return progress(type(self).__name__, self.verbose, self.callback)

    def _structure(self, names: list[str]) -> dict[str, Any]:
        """Given pairs and excluded columns of a table with these columns, as the core's argument."""
        params = self.get_params(deep=False)
        if "exclude" not in params:
            return {}
        return {"structure": structure_names(params.get("pairs"), params["exclude"], names)}

    def _time_limit(self) -> dict[str, float]:
        """The limit of time as the core's argument, if the estimator has one."""
        seconds = self.get_params(deep=False).get("max_seconds")
        return {} if seconds is None else {"max_seconds": float(seconds)}

    @contextmanager
    def _unchanged_on_failure(self) -> Iterator[None]:
        """Leave what an earlier fit has set as it was if another one fails."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _check_sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Check what `fit` is given. Rows of weight zero are left out, as if they had not been passed."""
        X, levels, _ = check_new_rows(self, X)
        y = check_labels(self, y, len(X))
        weights = check_weights(sample_weight, len(X))
        kept = None
        if weights is not None and not np.all(weights):
            kept = weights > 0
            if not np.any(kept):
                raise ValueError("sample_weight is zero for every row: no row has a positive weight")
            X, y, weights = X[kept], y[kept], weights[kept]
        classes, codes = encode_labels(self, y)
        sample = Sample(X, levels, y, classes, codes, weights, kept)
        warn_light(sample)
        names = feature_names(self)
        excluded = excluded_columns(self._structure(names).get("structure"))
        used = [j for j, name in enumerate(names) if name not in excluded]
        seen = sample
        if excluded:
            seen = sample._replace(X=X[:, used], levels=[levels[j] for j in used] if levels else levels)
        warn_constant(seen.X, [names[j] for j in used])
        warn_of_table(seen, [names[j] for j in used])
        return sample

    def _fit_core(
        self, fit: Callable[..., _core.Model], sample: Sample, **more: Any
    ) -> tuple[_core.Model, Sample]:
        """Call one of the core's fitting functions; returns the sample with the codes of the model, too."""
        options = self._checked_options()
        params = self.get_params(deep=False)
        with self._progress() as tell:
            model = fit(
                sample.X,
                sample.codes,
                len(sample.classes),
                options,
                sample_weight=sample.weights,
                splits=check_splits(params.get("cv", 0), sample),
                class_weight=check_class_weight(params.get("class_weight"), sample.classes),
                features=feature_names(self),
                classes=class_names(sample.classes),
                label_type=label_type(sample.classes),
                levels=sample.levels,
                n_threads=self._n_threads(),
                progress=tell,
                **self._structure(feature_names(self)),
                **self._time_limit(),
                **more,
            )
        return model, sample._replace(X=recoded(sample.X, sample.levels, model.levels))

    def _set_terms(self, model: _core.Model, classes: NDArray, hsic: dict) -> None:
        """Set the attributes that come from the model's terms."""
        labels = classes.tolist()
        self._model = model
        self._may_lack_names = False
        self.classes_ = classes
        # A model of values as they are has no curves.
        names = feature_names(self)
        self.levels_ = {
            name: of[0] for name, of in zip(names, model.levels, strict=bool(model.levels)) if of is not None
        }
        curves = dict(zip(names, model.curves, strict=bool(model.curves)))
        self.coordinates_ = {name: curve for name, curve in curves.items() if name not in self.levels_}
        self.terms_ = named_terms(model.terms, names, labels)
        self.pairs_ = pairs_by_class(model.terms, labels, hsic, names)

    def __sklearn_tags__(self):
        """Missing values are for the counts engine.

        Categories are, too; but the tags for them mean rows of nothing but whole numbers, or of any objects.
        """
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.engine != "exact"
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """The attributes, with the model as bytes: not every serialiser takes objects of the core."""
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the attributes back. In pickles of version 0.1 the model is an object."""
        state = dict(state)
        if isinstance(state.get("_model"), bytes):
            state["_model"] = _core.Model.from_bytes(state["_model"], "pickled model")
        super().__setstate__(state)
        for name in ("coef_", "intercept_"):
            if name in state:
                setattr(self, name, _read_only(np.array(state[name])))

    def __sklearn_is_fitted__(self) -> bool:
        """Tell `check_is_fitted` whether there is a model."""
        return hasattr(self, "_model")

    def _term_values(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return self._model.term_values(check_rows(self, X, self._model), self._n_threads())


def _read_only(values: NDArray) -> NDArray:
    """An array that shows a part of a model: to change it would change no prediction."""
    values.flags.writeable = False
    return values


class TermClassifier(PartsMixin, EditingMixin, ExplanationMixin, ExportMixin, ClassifierMixin, TermEstimator):
    """Classifiers whose scores are weighted sums of log densities."""

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """The call that makes it, and after a fit what was chosen, as a comment."""
        call = super().__repr__(N_CHAR_MAX)
        return f"{call}  # {chosen_settings(self.settings_)}" if getattr(self, "settings_", None) else call

    def describe(self, *, options: bool = False) -> str:
        """What the model is, which effects matter, and what was tried, as text.

        Parameters
        ----------
        options : bool, default=False
            Whether to list the options of the fit, too.

        Returns
        -------
        text : str
            What ``dyad info`` tells about its file: features, classes, terms, coordinates, the largest
            effects with their mean size over the training rows and, of averages, the settings with the
            losses over rows held out that they were chosen by.
        """
        check_is_fitted(self)
        return f"{type(self).__name__}\n{self._model.summary(options)}"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows of known classes.

        With ``class_weight="balanced"`` or ``optimise="balanced"`` the probabilities of the model are those
        of equally frequent classes, else P(class | row).

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            A NumPy array, a pandas, polars or Arrow table, or lists. Columns of text, booleans or pandas
            categories are categories, others finite numbers; NaN, None, NA and null are missing values.
        y : array-like of shape (n_samples,)
            The class of each row: numbers, strings or booleans, of two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, 1 by default: numbers of rows from 0 to 2**20, not shares. A row of weight 2
            counts as two equal rows, one of weight 0 as none. Bandwidths shrink as the sum of the weights
            grows, and the cost of margin violations in an SVM grows with it.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with self._unchanged_on_failure():
            sample = self._check_sample(X, y, sample_weight)
            costs = check_costs(self.costs, sample.classes)
            directions = self._directions(getattr(self, "monotone", None))
            model, sample = self._fit_core(_core.fit, sample, costs=costs)
            order_levels(model, X)
            hsic = kept_hsic(model, sample.X, sample.codes, sample.weights, self._n_threads())
            self._set_model(self._with_directions(model, directions), sample.classes, hsic)
            self._set_importances(sample)
            self._set_report()
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; `optimize` is another name of `optimise`.

        Parameters
        ----------
        **params : dict
            Parameters and their values.

        Returns
        -------
        self : object
            The estimator.
        """
        return super().set_params(**renamed(params))

    def _set_model(self, model: _core.Model, classes: NDArray, hsic: dict) -> None:
        self._set_terms(model, classes, hsic)
        self.coef_ = _read_only(model.weights)
        self.intercept_ = _read_only(model.intercepts)
        if "settings" in self.get_params(deep=False):
            self.settings_ = [Setting(*values) for values in model.settings]

    def _set_importances(self, sample: Sample) -> None:
        rows, weights = evenly_spaced(len(sample.X), sample.weights, _MOST_IMPORTANCE_ROWS)
        values = self._model.term_values(sample.X[rows], self._n_threads())
        self.feature_importances_ = importances(self._model, values, weights)

    def _set_report(self) -> None:
        report = self._model.report
        if "iterations" in report and "max_iter" in self.get_params(deep=False):
            self.n_iter_ = report["iterations"]
        if not report["converged"]:
            gap, steps = report["gap"], report["iterations"]
            where = f"a duality gap of {gap:.2g}, above tol" if gap > 0 else f"step {steps}, before tol"
            warnings.warn(
                f"the solver of the weights stopped at {where}; "
                "a larger max_iter or tol, or a smaller C may help",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _scores(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return self._model.scores(check_rows(self, X, self._model), self._n_threads())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of rows: the intercept plus the contributions of all terms.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one score, positive for ``classes_[1]``; else one a class, of which the largest
            wins.
        """
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def novelty(self, X: Any, *, return_p_values: bool = False, return_features: bool = False) -> Any:
        """How unlike the training rows each row is.

        The number of standard deviations by which the least likely of the densities of a class is below its
        mean over rows of that class, for the class that the row is least unlike to. Rows like those of
        training have about 2 or 3, the more the more densities there are. Mean, deviation and p-values are
        those of training rows that were left out of the densities.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.
        return_p_values : bool, default=False
            Whether to return the share of new rows, from the source of the training rows, that are as novel
            or more.
        return_features : bool, default=False
            Whether to return the features of that density, too.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The larger, the more unlike.
        p_values : ndarray of shape (n_samples,)
            About uniform for rows like those of training, if `return_p_values`; NaN of models that versions
            before 0.3 fitted, and where no density tells.
        features : list of tuple
            The numbers of one or two columns for each row, none if no density tells, if `return_features`.
        """
        check_is_fitted(self)
        found = self._model.novelty(check_rows(self, X, self._model), self._n_threads())
        results = [found[:, 0].copy()]
        if return_p_values:
            results.append(found[:, 2].copy())
        if return_features:
            features = [(i,) if i == j else (i, j) for _, i, j in self._model.terms]
            results.append([features[int(term)] if term >= 0 else () for term in found[:, 1]])
        return results[0] if len(results) == 1 else tuple(results)

    def predict(self, X: Any) -> NDArray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            One of ``classes_`` for each row: the one that `decision_function` speaks for or, with `costs`,
            the one of least expected cost under `predict_proba`.
        """
        scores = self._scores(X)
        return self.classes_[self._model.classify(scores)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        They are P(class | row) for classes as frequent as in the training rows. With
        ``class_weight="balanced"`` or ``optimise="balanced"`` they are those of equally frequent classes,
        with weights by label those of classes whose frequencies are multiplied by the weights; with `costs`
        they are P(class | row) in any case.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows with the columns that `fit` saw, in the same order.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows add up to 1.
        """
        scores = self._scores(X)
        return self._model.probabilities(scores)

    def save(self, path: str | os.PathLike) -> None:
        """Write the model to a file, which the program ``dyad`` and `load` read.

        Parameters
        ----------
        path : str or path-like
            Where to; an existing file is replaced.
        """
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read a model file, written by `save` or by ``dyad fit``.

        What a file keeps are the model and those parameters that are options of the program:

        - Labels keep their type: text, truths, integers or floats. Those of a model that ``dyad fit`` made
          are integers if all of them look so, else text.
        - Parameters that were None are what they stood for. `categorical_features` are all columns that are
          categories, `random_state` is the seed that was used; `class_weight` comes back as None,
          ``"balanced"`` as ``optimise="balanced"``, `cv` other than a number as the number of folds of the
          preset, `max_seconds`, `callback`, `n_jobs` and `verbose` as their defaults.
        - ``feature_importances_`` and ``n_iter_`` are missing, and the HSIC of ``pairs_`` is NaN.

        Pickle and joblib keep all of it.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        estimator : object
            A fitted estimator.
        """
        model = _core.Model.load(os.fspath(path))
        if model.method not in cls._methods:
            raise ValueError(
                f"{os.fspath(path)} holds a model of the method {model.method!r}; {cls.__name__} is for "
                + " and ".join(repr(method) for method in cls._methods)
            )
        estimator = cls(**cls._parameters_of(model.options))
        estimator.costs = model.costs.tolist() or None
        estimator.n_features_in_ = model.n_features
        named = model.features != feature_names(estimator)
        estimator.feature_names_in_ = np.asarray(model.features, dtype=object)
        estimator._set_model(model, labels_of(model.classes, model.label_type), {})
        estimator._may_lack_names = not named
        estimator.monotone = estimator.monotone_ or None
        if estimator.levels_:
            places = [j for j, of in enumerate(model.levels) if of is not None]
            estimator.categorical_features = list(estimator.levels_) if named else places
        return estimator.set_params(**structure_parameters(model.structure, model.features, named))

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Parameters from the core's options."""
        params = {}
        for name in cls._get_param_names():
            core_name = CORE_NAMES.get(name, name)
            if core_name in options:
                params[name] = options[core_name]
        if params.get("cv") == 0:  # a number of folds that suits the rows
            params["cv"] = None
        return params


# scikit-learn breaks the lines of estimators that are printed by its own method; so it shall those of ours.
_EstimatorPrettyPrinter._dispatch[TermClassifier.__repr__] = _EstimatorPrettyPrinter._dispatch[
    BaseEstimator.__repr__
]

# SPDX-License-Identifier: BSD-3-Clause
"""From what users pass to what the core reads: rows, labels, weights, seeds and splits."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array, check_random_state, check_scalar, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _get_feature_names, validate_data

from dyad import _core
from dyad._columns import (
    Coded,
    Column,
    array_columns,
    code_known,
    code_new,
    column_mask,
    declared_orders,
    is_missing,
    require_text,
    table_columns,
)

Split = tuple[NDArray[np.int64], NDArray[np.int64]]

# The core reads both types and any order where they lie; NaN is a missing value.
ROWS = {"dtype": [np.float64, np.float32], "order": None, "ensure_all_finite": "allow-nan"}

# Kinds of arrays that NumPy converts to numbers, although they hold none.
_NO_NUMBERS = {"M": "dates", "m": "durations", "S": "bytes"}

# A weight is a number of rows; the core counts to this.
_LARGEST_WEIGHT = 2**20


class Sample(NamedTuple):
    """Rows to fit to, all of positive weight."""

    X: NDArray
    levels: list[list[str]]  #: of each column what its codes stand for; empty of numbers, or if all are
    y: NDArray  #: labels as given
    classes: NDArray
    codes: NDArray[np.int32]  #: place of each label in `classes`
    weights: NDArray[np.float64] | None
    kept: NDArray[np.bool_] | None  #: which of the rows given these are; None for all


def order_levels(model: _core.Model, X: Any) -> None:
    """Let a model draw levels in the order that the ordered categories of a pandas frame have."""
    for feature, names in declared_orders(X).items():
        _core.order_levels(model, feature, names)


def check_new_rows(estimator: BaseEstimator, X: Any) -> Coded:
    """Rows to fit to, as numbers and codes of levels; `estimator` keeps number and names of their columns."""
    return _coded(estimator, _checked_columns(estimator, X, reset=True))


def check_more_rows(estimator: BaseEstimator, X: Any) -> Coded:
    """More rows of the table whose columns `estimator` knows, as numbers and codes of their own levels."""
    return _coded(estimator, _checked_columns(estimator, X, reset=False))


def _coded(estimator: BaseEstimator, columns: NDArray | list[Column]) -> Coded:
    names = feature_names(estimator)
    named = column_mask(estimator.categorical_features, names, hasattr(estimator, "feature_names_in_"))
    require_text("the column name", names)
    if isinstance(columns, np.ndarray) and not named.any():
        coded = Coded(columns, [])
    else:
        coded = code_new(_as_columns(columns, names), named)
    if estimator.engine == "exact":
        require_complete_numbers(coded, names)
    return coded


def check_rows(estimator: BaseEstimator, X: Any, model: _core.Model) -> NDArray:
    """Rows as numbers and codes of the model's levels, checked against what `estimator` was fitted to.

    Names are checked before values: a wrong table is better told by its columns than by its contents.
    """
    values = _checked_columns(estimator, X, reset=False)
    known = model.levels
    if any(known) or not isinstance(values, np.ndarray):
        used = {j for place in model.terms for j in place[1:]}
        values = code_known(_as_columns(values, feature_names(estimator)), known, used)
    if estimator.engine == "exact":
        require_complete_numbers(Coded(values, []), feature_names(estimator))
    return values


def _as_columns(columns: NDArray | list[Column], names: list[str]) -> list[Column]:
    return array_columns(columns, names) if isinstance(columns, np.ndarray) else columns


def _without_names(estimator: BaseEstimator) -> BaseEstimator:
    """A view of a loaded estimator whose names, x0, x1, ..., are those of a table or stand for none."""
    view = object.__new__(type(estimator))
    vars(view).update(vars(estimator))
    del view.feature_names_in_
    return view


def _checked_columns(estimator: BaseEstimator, X: Any, *, reset: bool) -> NDArray | list[Column]:
    """The columns of X; an array where all of them are numbers, missing ones included."""
    if not reset and getattr(estimator, "_may_lack_names", False):
        estimator = _without_names(estimator)
    if not reset and _is_plain(estimator, X):
        if hasattr(estimator, "feature_names_in_"):  # as scikit-learn has it
            name = type(estimator).__name__
            warnings.warn(
                f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=5
            )
        return aligned(X)
    if is_table(X):
        if not reset and not hasattr(estimator, "feature_names_in_"):
            names = feature_names(estimator)
            _require_order(_names_of(X), names)
            if _names_of(X) == names:  # of a loaded model these may be its names
                return table_columns(X, estimator)
        validate_data(estimator, _with_names(X), reset=reset, skip_check_array=True)
        return table_columns(X, estimator)
    X = without_mask(_with_objects(X))
    if isinstance(X, np.ndarray) and X.dtype.kind in "OU":
        array = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        return array_columns(array, feature_names(estimator))
    if isinstance(X, np.ndarray) and X.dtype.kind in _NO_NUMBERS:
        kind = _NO_NUMBERS[X.dtype.kind]
        raise TypeError(f"column 'x0' has neither numbers nor text: X is an array of {kind} ({X.dtype})")
    return aligned(validate_data(estimator, X, reset=reset, **ROWS))


def _is_plain(estimator: BaseEstimator, X: Any) -> bool:
    """Whether X is an array in which no check finds anything; of one row, checks take most of the time."""
    return (
        type(X) is np.ndarray
        and X.dtype in ROWS["dtype"]
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not np.isinf(X).any()
    )


def aligned(array: NDArray) -> NDArray:
    """The array, copied if its values do not lie at multiples of their size, as those of packed records."""
    steps_fit = all(stride % array.itemsize == 0 for stride in array.strides)
    return array if steps_fit and array.flags.aligned else array.copy()


def require_numbers(values: Any, what: str) -> None:
    """Refuse arrays of dates, durations and bytes, of which NumPy would make numbers, and masked values."""
    if _is_masked(values):
        raise ValueError(f"{what} has masked values; fill them or leave them out")
    dtype = np.asarray(values).dtype
    if dtype.kind in _NO_NUMBERS:
        raise TypeError(f"{what} must be numbers, got {_NO_NUMBERS[dtype.kind]} ({dtype})")


def _with_objects(X: Any) -> Any:
    """Lists with text as an array of objects: NumPy would make text of their numbers, too."""
    if not isinstance(X, (list, tuple)):
        return X
    try:
        array = np.asarray(X)
    except ValueError:  # ragged
        return X
    return np.asarray(X, dtype=object) if array.dtype.kind == "U" else array


def _is_masked(array: Any) -> bool:
    return isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array)


def without_mask(X: Any) -> Any:
    """A masked array with missing values where it is masked: scikit-learn takes what lies under the mask."""
    if not _is_masked(X):
        return X
    kind = X.dtype.kind
    values = np.array(X.data, dtype=X.dtype if kind == "f" else np.float64 if kind in "biu" else object)
    values[np.ma.getmaskarray(X)] = np.nan
    return values


def is_table(X: Any) -> bool:
    """Whether X is a pandas, polars or Arrow table. Refuses those that cannot be read."""
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X is a polars LazyFrame; collect() it first")
    if not nw.dependencies.is_into_dataframe(X):
        return False
    names = _names_of(X)
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has {names.count(repeated)} columns named {repeated!r}; names must be unique")
    return True


def _names_of(table: Any) -> list[Any]:
    return list(table.column_names if nw.dependencies.is_pyarrow_table(table) else table.columns)


def _require_order(given: list[Any], names: list[str]) -> None:
    """Refuse columns x0, x1, ... in another order: files give these names to columns without names, too."""
    if given != names and set(given) == set(names):
        j = next(k for k, name in enumerate(names) if given[k] != name)
        raise ValueError(f"column {j} is {given[j]!r}, where the model has {names[j]!r}; order them alike")


def _with_names(frame: Any) -> Any:
    """The table, in a form whose names scikit-learn finds: before 1.9 it does not know all tables."""
    return frame if _get_feature_names(frame) is not None else _NamesOnly(frame)


class _NamesOnly:
    """The part of the dataframe interchange protocol that tells names."""

    def __init__(self, frame: Any):
        self._table = nw.from_native(frame, eager_only=True)
        self.shape = self._table.shape

    def __dataframe__(self) -> _NamesOnly:
        return self

    def column_names(self) -> list[str]:
        return self._table.columns


def require_complete_numbers(coded: Coded, names: list[str]) -> None:
    """Refuse what the exact engine does not take, naming the column."""
    for j, levels in enumerate(coded.levels):
        if levels:
            raise ValueError(
                f"column {names[j]!r} is categorical; engine='exact' takes numbers only, 'counts' takes both"
            )
    gaps = np.isnan(coded.values)
    if gaps.any():
        row, column = np.argwhere(gaps)[0].tolist()
        raise ValueError(
            f"column {names[column]!r} has a missing value (NaN or null) in row {row}; "
            "engine='exact' takes complete columns only, 'counts' takes both"
        )


def feature_names(estimator: BaseEstimator) -> list[str]:
    """The columns' names, or x0, x1, ... of a table without names."""
    names = getattr(estimator, "feature_names_in_", None)
    return (
        [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else [str(name) for name in names]
    )


def check_labels(estimator: BaseEstimator | str, y: Any, n_rows: int) -> NDArray:
    """One label a row, of a type that can be told apart and ordered. Errors name who asks, `estimator`."""
    name = estimator if isinstance(estimator, str) else type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    pandas = nw.dependencies.get_pandas()
    if pandas is not None and isinstance(y, pandas.api.extensions.ExtensionArray):
        y = pandas.Series(y)  # NumPy makes floats of nullable integers and truths
    if nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        if series.null_count() > 0:
            _raise_missing_label(int(np.argmax(series.is_null().to_numpy())))
        y = series.to_numpy()
    if _is_masked(y):
        _raise_missing_label(int(np.argmax(np.ma.getmaskarray(y).ravel())))
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind in "biuf":
        assert_all_finite(labels, input_name="y", estimator_name=name)
    elif labels.dtype.kind != "U" or not isinstance(y, np.ndarray):  # lists of text and None become text
        _check_label_types(np.asarray(y, dtype=object).ravel(), labels.dtype)
    if len(labels) != n_rows:
        raise ValueError(f"X and y have inconsistent numbers of samples: {n_rows} and {len(labels)}")
    check_classification_targets(labels)
    return labels


def _check_label_types(labels: NDArray[np.object_], dtype: np.dtype) -> None:
    """Refuse labels that are missing or cannot be ordered; `dtype` is what NumPy would make of them."""
    for row, label in enumerate(labels):
        if is_missing(label):
            _raise_missing_label(row)
    types = {type(label) for label in labels}
    if bytes in types:
        raise ValueError("y has labels of type bytes; decode them to text first")
    if dtype.kind == "m":
        raise ValueError(f"Unknown label type: y holds durations ({dtype}); convert it, as by y.astype(str)")
    if dtype.kind in "OU" and not all(issubclass(kind, str) for kind in types):
        names = " and ".join(sorted(kind.__name__ for kind in types))
        raise ValueError(
            f"Unknown label type: y holds objects of type {names}; convert it, as by y.astype(str)"
        )


def _raise_missing_label(row: int) -> None:
    raise ValueError(f"Input y contains NaN or null in row {row}; every row needs a label")


def encode_labels(estimator: BaseEstimator, y: NDArray) -> tuple[NDArray, NDArray[np.int32]]:
    """The classes in increasing order and the place of each row's label among them."""
    classes, codes = np.unique(y, return_inverse=True)
    require_text("the label", map(str, classes.tolist()))
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class, {classes.tolist()[0]!r}; {type(estimator).__name__} needs two"
        )
    return classes, codes.astype(np.int32)


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """One weight a row, or None where all are 1."""
    if sample_weight is None:
        return None
    if nw.dependencies.is_into_series(sample_weight):
        sample_weight = nw.from_native(sample_weight, series_only=True).to_numpy()
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, sample_weight, dtype=np.float64)
    try:
        require_numbers(sample_weight, "sample_weight")
        weights = check_array(sample_weight, dtype=np.float64, ensure_2d=False, ensure_all_finite=False)
    except ValueError as error:
        raise ValueError(f"sample_weight must be one number for each of {n_rows} rows: {error}") from error
    assert_all_finite(weights, input_name="sample_weight")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must be one number for each of {n_rows} rows, got shape {weights.shape}"
        )
    if np.any(weights < 0):
        row = int(np.argmax(weights < 0))
        raise ValueError(f"sample_weight must not be negative, got {weights[row]} for row {row}")
    if np.any(weights > _LARGEST_WEIGHT):
        row = int(np.argmax(weights > _LARGEST_WEIGHT))
        raise ValueError(
            f"sample_weight must be at most {_LARGEST_WEIGHT} rows, got {weights[row]} for row {row}"
        )
    return None if np.all(weights == 1) else aligned(weights)


def warn_light(sample: Sample) -> None:
    """Say if weights look like shares of one instead of numbers of rows."""
    if sample.weights is None:
        return
    rows = np.bincount(sample.codes)
    totals = np.bincount(sample.codes, weights=sample.weights)
    light = np.flatnonzero((rows >= 2) & (totals < 2))
    if len(light) > 0:
        label = sample.classes.tolist()[light[0]]
        warnings.warn(
            f"weights of class {label} add up to {totals[light[0]]:.3g}: weights are numbers of rows; "
            "multiply them by the number of rows if they are shares",
            UserWarning,
            stacklevel=4,
        )


def warn_constant(X: NDArray, names: list[str]) -> None:
    """Warn of columns with the same value in every row, and of columns without values."""
    least = X.min(axis=0)
    gaps = np.flatnonzero(np.isnan(least))
    warn_columns(
        np.flatnonzero(least == X.max(axis=0)), [j for j in gaps if np.isnan(X[:, j]).all()], names, 5
    )


def warn_of_table(sample: Sample, names: list[str]) -> None:
    """Warn of columns that look like ids, of labels with many numbers, and of classes with few rows."""
    levels = sample.levels or [None] * len(names)
    n_levels = [0 if of is None else len(of) for of in levels]
    rows = np.bincount(sample.codes, minlength=len(sample.classes))
    labels = [str(label) for label in sample.classes.tolist()]
    for note in _core.notes_on_table(sample.X, names, n_levels, labels, rows.tolist()):
        warnings.warn(note, UserWarning, stacklevel=4)


def warn_columns(constant: Iterable[int], empty: Iterable[int], names: list[str], stacklevel: int) -> None:
    """Warn of these columns, `stacklevel` calls above."""
    for what, columns in (("constant columns", constant), ("columns without values", empty)):
        found = [repr(names[j]) for j in columns]
        if found:
            listed = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
            warnings.warn(f"{what} carry no information: {listed}", UserWarning, stacklevel=stacklevel)


def n_threads(n_jobs: Any) -> int:
    """The threads that `n_jobs` means."""
    if not (n_jobs is None or isinstance(n_jobs, numbers.Integral)):
        raise TypeError(f"n_jobs must be None or a whole number, got {n_jobs!r}")
    return effective_n_jobs(n_jobs)


def check_seed(random_state: Any) -> int:
    """`random_state` itself if it is a number, else a number drawn from it."""
    if isinstance(random_state, numbers.Integral):
        return int(check_scalar(random_state, "random_state", numbers.Integral, min_val=0, max_val=2**53))
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_class_weight(class_weight: Any, classes: NDArray) -> NDArray[np.float64] | None:
    """A weight for each of `classes`, 1 for those that `class_weight` leaves out; None if it names none.

    A label without rows is a typo if another lacks a weight; else a fold of a cross-validation may lack it.
    """
    if not isinstance(class_weight, dict) or not class_weight:
        return None
    labels = classes.tolist()
    complete = all(label in class_weight for label in labels)
    for label, weight in class_weight.items():
        if label not in labels and not complete:
            raise ValueError(f"class_weight has the label {label!r}, which no row has; y has {labels}")
        if not (isinstance(weight, numbers.Real) and 0 <= weight <= _core.largest_class_weight):
            largest = f"{_core.largest_class_weight:g}"
            raise ValueError(f"class_weight of {label!r} must be between 0 and {largest}, got {weight!r}")
    return np.array([class_weight.get(label, 1) for label in labels], dtype=np.float64)


def check_costs(costs: Any, classes: NDArray) -> NDArray[np.float64] | None:
    """Costs by true and predicted class; those that a dict leaves out are 1, or 0 for the right class."""
    if costs is None:
        return None
    labels = classes.tolist()
    n = len(labels)
    if isinstance(costs, dict):
        result = 1 - np.eye(n)
        places = {label: k for k, label in enumerate(labels)}
        for pair, cost in costs.items():
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError(f"costs: expected a tuple (true, predicted) of labels, got {pair!r}")
            for label in pair:
                if label not in places:
                    raise ValueError(f"costs has the label {label!r}, which no row has; y has {labels}")
            if not isinstance(cost, numbers.Real):
                raise ValueError(f"costs: the cost of {pair!r} must be a number, got {cost!r}")
            result[places[pair[0]], places[pair[1]]] = cost
    else:
        try:
            result = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"costs must be a dict or a table of numbers: {error}") from None
        if result.shape != (n, n):
            raise ValueError(
                f"costs must be a table of shape {(n, n)}, a row a true class, got {result.shape}"
            )
    if not np.all((result >= 0) & np.isfinite(result)):
        wrong = result[~((result >= 0) & np.isfinite(result))][0]
        raise ValueError(f"a cost must be finite and not negative, got {wrong}")
    return result


def check_pairs(pairs: Any, estimator: BaseEstimator) -> list[tuple[int, int]]:
    """Distinct pairs (i, j) of columns, i < j, which may be given by their numbers or names."""
    if not np.iterable(pairs) or isinstance(pairs, Iterator):
        raise ValueError(f"pairs must be the name of a rule or a list of pairs (i, j), got {pairs!r}")
    numbers_of = {name: j for j, name in enumerate(getattr(estimator, "feature_names_in_", []))}
    found = {_column_numbers(pair, numbers_of, estimator.n_features_in_) for pair in pairs}
    return sorted(found)


def _column_numbers(pair: Any, numbers_of: dict[str, int], n_features: int) -> tuple[int, int]:
    columns = list(pair) if isinstance(pair, (Sequence, np.ndarray)) and not isinstance(pair, str) else []
    columns = [numbers_of.get(column) if isinstance(column, str) else column for column in columns]
    if not (
        len(columns) == 2
        and all(isinstance(j, numbers.Integral) and not isinstance(j, bool) for j in columns)
        and 0 <= min(columns) < max(columns) < n_features
    ):
        named = "number or name" if numbers_of else "number"
        raise ValueError(
            f"pairs: expected two different columns by {named}, n_features = {n_features}, got {pair!r}"
        )
    return int(min(columns)), int(max(columns))


def check_splits(cv: Any, sample: Sample) -> list[Split] | None:
    """(train, test) row numbers of the sample; None where `cv` is None or a number: the core draws folds.

    A list of splits counts the rows that were passed, a splitter those that are kept.
    """
    if cv is None or isinstance(cv, numbers.Integral):
        return None
    if isinstance(cv, Iterator):
        raise ValueError("cv is an iterator, which is used up by the first fit; pass a list")
    is_splitter = hasattr(cv, "split")
    if isinstance(cv, str) or not (is_splitter or isinstance(cv, Iterable)):
        raise ValueError(
            f"cv must be a number of folds, a list of (train, test) splits or a splitter, got {cv!r}"
        )
    kept = np.ones(len(sample.X), dtype=bool) if is_splitter or sample.kept is None else sample.kept
    given = cv.split(sample.X, sample.y) if is_splitter else cv
    splits = [_kept_rows(k, split, kept) for k, split in enumerate(given)]
    if not splits:
        raise ValueError("cv: no split is given; pass a number of folds to have them drawn")
    for k, (train, test) in enumerate(splits):
        _check_split(k, train, test, sample)
    return splits


def _kept_rows(k: int, split: Any, kept: NDArray[np.bool_]) -> Split:
    """Row numbers among those that are kept."""
    try:
        train, test = (np.asarray(rows) for rows in split)
    except (TypeError, ValueError):
        raise ValueError(
            f"cv: split {k} must be a pair (train, test) of row numbers, got {split!r}"
        ) from None
    place = np.cumsum(kept) - 1
    numbers_ = (_row_numbers(k, name, rows, len(kept)) for name, rows in (("train", train), ("test", test)))
    return tuple(place[rows[kept[rows]]] for rows in numbers_)


def _row_numbers(k: int, name: str, rows: NDArray, n_rows: int) -> NDArray[np.int64]:
    if rows.ndim != 1 or (rows.dtype.kind not in "iub" and len(rows) > 0):
        raise ValueError(f"cv: split {k} must have a list of row numbers or a mask for {name}, got {rows!r}")
    if rows.dtype == bool:
        if len(rows) != n_rows:
            raise ValueError(f"cv: split {k} has a {name} mask of {len(rows)} rows, but X has {n_rows}")
        return np.flatnonzero(rows)
    rows = rows.astype(np.int64)
    outside = rows[(rows < 0) | (rows >= n_rows)]
    if len(outside) > 0:
        raise ValueError(f"cv: split {k} has the {name} row {outside[0]}, but X has rows 0 to {n_rows - 1}")
    return rows


def _check_split(k: int, train: NDArray, test: NDArray, sample: Sample) -> None:
    if len(test) == 0:
        raise ValueError(f"cv: split {k} tests no row")
    rows = np.bincount(sample.codes[train], minlength=len(sample.classes))
    if not rows.all():
        raise ValueError(
            f"cv: split {k} trains on no row of class {sample.classes.tolist()[rows.argmin()]!r}"
        )

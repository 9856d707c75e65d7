# SPDX-License-Identifier: BSD-3-Clause
# Written by tools/estimator_stub.py; do not edit.
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from typing_extensions import Self

from dyad._base import TermClassifier, TermEstimator

class SLBClassifier(TermClassifier):
    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] | None = None,
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        pairs: Literal["cv", "fdr", "count", "threshold", "path", "all"] | None = None,
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        max_pairs: int | None = None,
        free_tables: bool | None = None,
        feature_mode: Literal["resubstitution", "leave_one_out", "cross_fit", "split", "auto"] | None = None,
        cross_fit_folds: int = 5,
        linear_terms: bool | None = None,
        term_scale: Literal["unit", "common", "none"] | None = None,
        settings: Literal["best", "average"] | None = None,
        n_average: int = 10,
        blend: Literal["never", "if_better", "always"] | None = None,
        cost: Literal["given", "cv"] | None = None,
        C: float | None = None,
        loss: Literal["hinge", "squared_hinge", "logistic"] = "hinge",
        penalty: Literal["l2", "l1", "elastic_net"] = "l2",
        l1_ratio: float = 0.5,
        norm_bound: float = 0.0,
        multiclass: Literal["auto", "one_vs_rest", "direct"] = "auto",
        tol: float = 0.0001,
        max_iter: int = 10000000,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        max_seconds: float | None = None,
        callback: Callable[[str, int, int | None], Any] | None = None,
        verbose: int = 0,
    ) -> None: ...

class LUClassifier(TermClassifier):
    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] | None = None,
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        feature_mode: Literal["resubstitution", "leave_one_out", "cross_fit", "split", "auto"] | None = None,
        cross_fit_folds: int = 5,
        linear_terms: bool | None = None,
        term_scale: Literal["unit", "common", "none"] | None = None,
        settings: Literal["best", "average"] | None = None,
        n_average: int = 10,
        blend: Literal["never", "if_better", "always"] | None = None,
        cost: Literal["given", "cv"] | None = None,
        C: float | None = None,
        loss: Literal["hinge", "squared_hinge", "logistic"] = "hinge",
        penalty: Literal["l2", "l1", "elastic_net"] = "l2",
        l1_ratio: float = 0.5,
        norm_bound: float = 0.0,
        multiclass: Literal["auto", "one_vs_rest", "direct"] = "auto",
        tol: float = 0.0001,
        max_iter: int = 10000000,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        max_seconds: float | None = None,
        callback: Callable[[str, int, int | None], Any] | None = None,
        verbose: int = 0,
    ) -> None: ...

class NaiveBayesKDE(TermClassifier):
    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] | None = None,
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        priors: Literal["estimated", "equal"] | None = None,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callable[[str, int, int | None], Any] | None = None,
        verbose: int = 0,
    ) -> None: ...

class TANClassifier(TermClassifier):
    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        optimise: Literal["balanced", "auc", "logloss", "error"] | None = None,
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        priors: Literal["estimated", "equal"] | None = None,
        class_weight: dict[Any, Any] | Literal["balanced"] | None = None,
        calibration: Literal["none", "platt", "isotonic"] = "platt",
        costs: dict[Any, Any] | ArrayLike | None = None,
        forest: bool = False,
        forest_beta: float = 0.5,
        n_jobs: int | None = None,
        callback: Callable[[str, int, int | None], Any] | None = None,
        verbose: int = 0,
    ) -> None: ...

class LogDensityTransformer(TransformerMixin, TermEstimator):
    def __init__(
        self,
        *,
        preset: Literal["auto", "paper"] = "auto",
        engine: Literal["exact", "counts"] = "counts",
        grid: int = 128,
        coordinate: Literal["none", "standard", "robust"] | None = None,
        bandwidth: Literal["plug_in", "plug_in_diagonal", "normal_scale"] | None = None,
        prior_rows: float | None = None,
        floor: float = 1e-16,
        categorical_features: ArrayLike | None = None,
        max_levels: int = 50,
        level_rows: float = 10.0,
        pairs: Literal["cv", "fdr", "count", "threshold", "all", "none"] | Sequence[tuple[Any, Any]] | None = None,
        fdr: float = 0.05,
        n_pairs: int = 10,
        min_hsic: float = 0.01,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        callback: Callable[[str, int, int | None], Any] | None = None,
        verbose: int = 0,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any=None) -> Self: ...
    def transform(self, X: Any) -> NDArray[np.float64]: ...
    def get_feature_names_out(self, input_features: ArrayLike | None=None) -> NDArray[np.object_]: ...

def classifier_of(options: dict[str, Any]) -> TermClassifier: ...

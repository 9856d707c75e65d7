# SPDX-License-Identifier: BSD-3-Clause
"""The classifier of sparse pairwise dependencies as a model of AutoGluon.

Needs AutoGluon (``pip install autogluon.tabular``): pass `DyadModel` among the hyperparameters of a
``TabularPredictor``.
"""

from __future__ import annotations

from typing import Any

from autogluon.core.models import AbstractModel

from dyad import SLBClassifier


class DyadModel(AbstractModel):
    """`SLBClassifier` within AutoGluon: its hyperparameters are those of the classifier.

    Text, booleans, categories and gaps are passed as they are. The limit of time that AutoGluon gives is
    `max_seconds`.
    """

    ag_key = "DYAD"
    ag_name = "Dyad"

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        num_cpus: int = 1,
        time_limit: float | None = None,
        **kwargs: Any,
    ) -> None:
        params = {"n_jobs": num_cpus, "max_seconds": time_limit, **self._get_model_params()}
        self.model = SLBClassifier(**params).fit(self.preprocess(X), y, sample_weight)

    def _get_default_auxiliary_params(self) -> dict[str, Any]:
        types = {"valid_raw_types": ["int", "float", "category", "bool", "object"]}
        return super()._get_default_auxiliary_params() | types

    @classmethod
    def supported_problem_types(cls) -> list[str]:
        """Classification alone."""
        return ["binary", "multiclass"]

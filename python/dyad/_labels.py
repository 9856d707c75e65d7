# SPDX-License-Identifier: BSD-3-Clause
"""Labels and the names and type under which the core knows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dyad import _core

_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "real"}


def label_type(labels: NDArray) -> str:
    """The type of labels, by that of their array."""
    return _TYPES.get(labels.dtype.kind, "text")


def class_names(classes: NDArray) -> list[str]:
    """The name of each label in model files: 1.0 is 1."""
    return [
        _core.normal_form(label) if isinstance(label, float) else str(label) for label in classes.tolist()
    ]


def labels_of(names: list[str], kind: str) -> NDArray:
    """Labels of a type by their names."""
    if kind == "boolean":
        return np.asarray([name == "True" for name in names])
    if kind == "integer":
        labels = [int(name) for name in names]
        if labels and np.asarray(labels).dtype.kind == "f":
            raise ValueError(f"the labels {min(labels)} and {max(labels)} have no integer type in common")
        return np.asarray(labels)
    return np.asarray([{"real": float, "text": str}[kind](name) for name in names])

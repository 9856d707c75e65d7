# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of fitted classifiers, with matplotlib: ``pip install matplotlib``.

Every function takes a fitted classifier first (`hsic` takes rows), draws into the axes that it is given or
into a new figure, and returns the axes. None of them shows the figure.
"""

from dyad.plot._graph import graph
from dyad.plot._model import densities, feature, importances
from dyad.plot._pair import pair
from dyad.plot._quality import calibration, confusion, precision_recall, roc
from dyad.plot._row import flips, row_in_pairs, waterfall
from dyad.plot._training import hsic, selection, timings

__all__ = [
    "calibration",
    "confusion",
    "densities",
    "feature",
    "flips",
    "graph",
    "hsic",
    "importances",
    "pair",
    "precision_recall",
    "roc",
    "row_in_pairs",
    "selection",
    "timings",
    "waterfall",
]

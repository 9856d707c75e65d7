# SPDX-License-Identifier: BSD-3-Clause
"""Classification of tables by their sparse pairwise dependencies, in the manner of scikit-learn."""

try:
    from dyad._core import __version__
except ImportError as error:
    raise ImportError(
        f"the module dyad._core is missing beside {__file__}, or does not fit this Python. 'dyad' of "
        "PyPI is another package and may have been installed over this one, which is dyad-slb: "
        "uninstall both (pip uninstall dyad dyad-slb), then install dyad-slb from its wheel or a clone"
    ) from error
from dyad import plot
from dyad._estimators import LogDensityTransformer, LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier
from dyad._explanation import Band, Change, Flip, Importance
from dyad._functions import (
    HSIC,
    Density,
    Screening,
    bandwidth,
    hsic,
    hsic_matrix,
    mutual_information,
    screen,
)
from dyad._report import Report, report
from dyad._simulation import Simulation, simulate
from dyad._state import State
from dyad._terms import Pair, Setting, Term

__all__ = [
    "HSIC",
    "Band",
    "Change",
    "Density",
    "Flip",
    "Importance",
    "LUClassifier",
    "LogDensityTransformer",
    "NaiveBayesKDE",
    "Pair",
    "Report",
    "SLBClassifier",
    "Screening",
    "Setting",
    "Simulation",
    "State",
    "TANClassifier",
    "Term",
    "__version__",
    "bandwidth",
    "hsic",
    "hsic_matrix",
    "mutual_information",
    "plot",
    "report",
    "screen",
    "simulate",
]

# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments, and the studies behind our defaults: ``python -m experiments --help``.

``table1``, ``table2`` and ``table3`` fit all methods of the paper's tables and set our numbers beside those
printed; ``claims`` and ``figures`` read their results; ``theory`` measures what its theorem bounds, and
``calibration`` how its networks may have been drawn. ``rivals`` compares with other classifiers on real
tables, ``ablation`` switches off one ingredient at a time. All run from the root of the repository, with
dyad installed (``make python``); the wheel does not contain them.
"""

import sys

import dyad

# Without the package, Python imports the folder of the C++ sources, which has the same name.
if not hasattr(dyad, "SLBClassifier"):
    raise ImportError("no Python package dyad; run: make python && .venv/bin/python -m experiments")

INSTALL = f"run: {sys.executable} -m pip install -r experiments/requirements.txt"

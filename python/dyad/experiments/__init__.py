# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments, and the studies behind our defaults: ``python -m dyad.experiments --help``.

``table1``, ``table2`` and ``table3`` fit all methods of the paper's tables and set our numbers beside those
printed; ``claims`` and ``figures`` read their results; ``theory`` measures what its theorem bounds, and
``calibration`` how its networks may have been drawn. ``rivals`` compares with other classifiers on real
tables, ``ablation`` switches off one ingredient at a time.
"""

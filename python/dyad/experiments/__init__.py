# SPDX-License-Identifier: BSD-3-Clause
"""The studies behind the defaults: ``python -m dyad.experiments --help``.

``rivals`` compares with other classifiers on real tables, ``ablation`` switches off one ingredient of the
recipe at a time, ``networks`` compares on simulated Bayesian networks.
"""

# SPDX-License-Identifier: BSD-3-Clause
"""The table of the study of the convergence theorem."""

from __future__ import annotations

import math

from experiments.tables import Mean, markdown
from experiments.theory_densities import LARGEST, SMALLEST
from experiments.theory_values import DISTANCES, RATES, SERIES, Sizes, Values


def table(values: Values, sizes: Sizes) -> str:
    """Return the excess risks, distances and slopes as Markdown."""
    names = [*SERIES, *DISTANCES]
    means = {name: values.mean(name) for name in names}
    rows = [
        [str(n), *(_cell(means[name][k], 1000 if name in SERIES else 1) for name in names)]
        for k, n in enumerate(values.grid)
    ]
    middle = len(values.grid) // 2
    for label, first in (("slope", 0), (f"slope, n >= {values.grid[middle]}", middle)):
        rows.append([label, *(values.slope(name, first).text() for name in names)])
    rows.append(["rate of the bound", *(RATES[name] for name in names)])
    return "\n\n".join([markdown(["n", *names], rows), _notes(values, sizes)])


def _cell(mean: Mean, unit: float) -> str:
    text = f"{unit * mean.value:.3g}"
    return text if math.isnan(mean.error) else f"{text} ± {unit * mean.error:.2g}"


def _notes(values: Values, sizes: Sizes) -> str:
    E, U = (values[name].mean(axis=0)[-1] for name in DISTANCES)
    n, excess, radius = values.grid[-1], values["both"].mean(axis=0)[-1], values["radius"].mean()
    return (
        f"Excess hinge risk in thousandths, mean ± standard error over {values.replicates} pairs of Gaussian "
        f"forests of {sizes.nodes} nodes. weights: exact densities, n1 = n; "
        "limit: densities from n0 = n rows, n1 without end; "
        f"densities: the same with n1 = {sizes.large}; both: n0 = n1 = n; same: the same n rows for both, "
        "left out of their own densities; resubstituted: not left out. E: mean distance of estimated and "
        "exact log densities; U: largest error of a density. Slopes are those of the logarithm of the mean "
        "on log n by least squares, with jackknife standard errors; rates of the bound are without "
        f"logarithms.\n\nMeans over the pairs: the oracle's risk is {values['risk'].mean():.3f}, the bound B "
        f"on the norm of weights {radius:.2f}, and {100 * values['clipped'].mean():.1f} % of the exact log "
        f"densities of test rows are clipped. At n0 = n1 = {n} the theorem's bound is "
        f"{bound(radius, sizes.nodes, n, E, U):.3g}, its term B E(n0) {radius * E:.3g}, and the excess risk "
        f"{excess:.2g}. On its training rows, no fit is further than {values['gap'].max():.1g} from the "
        "least risk."
    )


def bound(radius: float, d: int, n1: int, E: float, U: float) -> float:
    """Return the bound of the theorem on the excess risk."""
    L = max(abs(math.log(SMALLEST)), abs(math.log(LARGEST / 2)))
    return radius * (E + math.sqrt(d * (d + 1) * math.log(n1) / n1) * (2 * L + 2 / SMALLEST * U))

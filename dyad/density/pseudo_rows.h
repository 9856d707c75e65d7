// Pseudo-observations: a broad density mixed into a kernel estimate, which keeps its logarithm from falling
// without end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad {

/// values[i] = log p of n_rows rows becomes log((n_rows p + n_pseudo g) / (n_rows + n_pseudo)), g the product
/// of normal densities of standard deviation 1.5 about 0 in each coordinate of the point: x[i], or x[i] and
/// y[i] where y is not empty. n_pseudo > 0.
void mix_in_pseudo_rows(double n_pseudo, double n_rows, std::span<const double> x, std::span<const double> y,
                        std::span<double> values);

}  // namespace dyad

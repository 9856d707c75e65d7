// The inner loop of univariate density functionals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad::internal {

/// Sum of He_order(z) exp(-z^2 / 2) over z = (x_i - centre) / g, for order 4, 6 or 8 and |z| <= 37.
[[nodiscard]] double hermite_sum(std::span<const double> x, double centre, double g, int order);

}  // namespace dyad::internal

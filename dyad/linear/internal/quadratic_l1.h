// Minimum of a quadratic function with absolute values: a Newton step of weights that may become 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"

namespace dyad::internal {

/// w moved towards 0 by `by`, not beyond it.
[[nodiscard]] constexpr double shrunk(double w, double by) { return w > by ? w - by : w < -by ? w + by : 0; }

/// Returns the u that minimises   gradient.(u - w) + (u - w)' H (u - w) / 2 + sum_j l1_j |u_j|,   starting
/// from w.
///
/// H is symmetric and positive definite. A round passes over the elements, then steps to the minimum among
/// those that are not 0, as far as no sign changes. Ends when the violation of the conditions for a minimum
/// has fallen by a factor of 1e-6, or after 30 rounds (up to 200 for few elements). O(m^3) a round.
[[nodiscard]] std::vector<double> minimise_quadratic_l1(const Matrix& H, std::span<const double> gradient,
                                                        std::span<const double> w,
                                                        std::span<const double> l1);

}  // namespace dyad::internal

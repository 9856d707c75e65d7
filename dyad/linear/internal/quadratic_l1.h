// Quadratic functions with absolute values: what a Newton step is where weights may become 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "dyad/base/matrix_view.h"

namespace dyad::internal {

/// The u that minimises   gradient.(u - w) + (u - w)' H (u - w) / 2 + sum_j l1_j |u_j|,   H symmetric and positive definite, from u = w on:
/// passes over the elements, between them steps to the minimum among those that are not 0, as far as signs stay. Ends when the violation
/// of the conditions for a minimum, squared and divided by H_jj, has fallen by a factor of 1e-6, or after 30 rounds, up to 200 of few
/// elements. O(m^3) a round.
[[nodiscard]] std::vector<double> minimise_quadratic_l1(const Matrix& H, std::span<const double> gradient,
                                                        std::span<const double> w,
                                                        std::span<const double> l1);

}  // namespace dyad::internal

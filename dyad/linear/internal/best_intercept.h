// The intercept that the solvers of SVMs share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad::internal {

/// The b that minimises sum_i cost_i max(0, 1 - y_i (f_i + b)); the middle of the interval where there is one. O(n).
[[nodiscard]] double best_intercept(std::span<const double> f, std::span<const double> y,
                                    std::span<const double> cost);

}  // namespace dyad::internal

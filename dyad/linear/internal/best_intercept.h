// Best intercept of an SVM whose weights are given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad::internal {

/// Returns the b that minimises sum_i C_i max(0, 1 - y_i (f_i + b)). O(n).
///
/// b is the middle of the interval if there are several.
[[nodiscard]] double best_intercept(std::span<const double> f, std::span<const double> y,
                                    std::span<const double> C);

}  // namespace dyad::internal

// Isotonic regression: the nearest values that never fall.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace dyad::internal {

/// Replaces values by the non-decreasing ones that minimise sum weights (value - new)^2, by pooling adjacent
/// violators. Weights are positive. O(n).
void make_isotonic(std::span<double> values, std::span<const double> weights);

}  // namespace dyad::internal

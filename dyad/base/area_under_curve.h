// How well scores rank rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad {

/// Probability that a positive row (signs[i] > 0) has a larger score than another one, ties counting half;
/// rows count by their weight, or once if there are none. NaN if one kind is absent. O(n log n).
[[nodiscard]] double area_under_curve(std::span<const double> scores, std::span<const double> signs,
                                      std::span<const double> weights = {});

}  // namespace dyad

// Step lengths along a line on which an objective is convex.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace dyad::internal {

/// Tries the lengths 1, 1/2, 1/4, .. above `shortest`; returns whether accepts(t) was true for one of them.
template <class Accepts>
bool backtrack(double shortest, const Accepts& accepts) {
  for (double t = 1; t > shortest; t /= 2)
    if (accepts(t)) return true;
  return false;
}

/// Step t at which the slope of an objective has fallen to a tenth of that at 0.
///
/// slope_at(t) is the derivative, which must not fall. Tries t = 1 first, then secants and halvings; returns
/// 0 without descent.
template <class SlopeAt>
[[nodiscard]] double step_length(const SlopeAt& slope_at) {
  double low = 0;
  double high = 1;
  double slope_low = slope_at(low);
  double slope_high = slope_at(high);
  const double enough = 0.1 * std::abs(slope_low);
  if (std::abs(slope_high) <= enough) return high;
  while (slope_high < 0 && high < 1e6) {
    low = high;
    slope_low = slope_high;
    high *= 4;
    slope_high = slope_at(high);
  }
  // Rounding may leave no descent, or no end of it.
  if (slope_low >= 0) return 0;
  if (slope_high < 0) return high;
  double t = high;
  for (int k = 0; k < 40; ++k) {
    t = k % 2 == 0 ? low - slope_low * (high - low) / (slope_high - slope_low) : 0.5 * (low + high);
    const double slope = slope_at(t);
    if (std::abs(slope) <= enough) break;
    (slope < 0 ? low : high) = t;
    (slope < 0 ? slope_low : slope_high) = slope;
  }
  return t;
}

}  // namespace dyad::internal

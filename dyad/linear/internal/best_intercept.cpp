// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/best_intercept.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dyad::internal {

// The sum is convex and piecewise linear with a kink at b = y_i - f_i, where its slope rises by C_i. Halving
// finds the few kinks among which the slope stops being negative.
double best_intercept(std::span<const double> f, std::span<const double> y, std::span<const double> C) {
  constexpr std::ptrdiff_t few = 32;
  std::vector<std::pair<double, double>> kinks;
  kinks.reserve(f.size());
  double slope = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (C[i] == 0) continue;
    kinks.emplace_back(y[i] - f[i], C[i]);
    if (y[i] > 0) slope -= C[i];
  }
  const double flat = -1e-12 * slope;
  auto first = kinks.begin();
  auto last = kinks.end();
  while (last - first > few) {
    const auto middle = first + (last - first) / 2;
    std::ranges::nth_element(first, middle, last);
    double slope_at_middle = slope;
    for (auto kink = first; kink != middle; ++kink) slope_at_middle += kink->second;
    if (slope_at_middle >= -flat) {
      last = middle;
    } else {
      slope = slope_at_middle;
      first = middle;
    }
  }
  std::ranges::sort(first, last);
  for (auto kink = first; kink != last; ++kink) {
    slope += kink->second;
    if (slope > flat) return kink->first;
    if (slope < -flat) continue;
    const auto next = kink + 1 != last ? kink + 1 : std::ranges::min_element(last, kinks.end());
    return next != kinks.end() ? 0.5 * (kink->first + next->first) : kink->first;
  }
  return first == last ? 0 : (last - 1)->first;  // the slope stays within rounding of flat
}

}  // namespace dyad::internal

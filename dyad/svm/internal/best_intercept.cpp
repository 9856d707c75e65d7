// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/svm/internal/best_intercept.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dyad::internal {

// The sum is convex and piecewise linear with a kink at b = y_i - f_i, where its slope rises by cost_i.
double best_intercept(std::span<const double> f, std::span<const double> y, std::span<const double> cost) {
  std::vector<std::pair<double, double>> kinks;
  double slope = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (cost[i] == 0) continue;
    kinks.emplace_back(y[i] - f[i], cost[i]);
    if (y[i] > 0) slope -= cost[i];
  }
  std::ranges::sort(kinks);
  const double flat = -1e-12 * slope;
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    slope += kinks[k].second;
    if (slope > flat) return kinks[k].first;
    if (slope >= -flat)
      return k + 1 < kinks.size() ? 0.5 * (kinks[k].first + kinks[k + 1].first) : kinks[k].first;
  }
  return 0;
}

}  // namespace dyad::internal

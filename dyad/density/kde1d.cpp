// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde1d.h"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "dyad/data/summary.h"
#include "dyad/density/internal/log_sum.h"

namespace dyad {
namespace {

double distance_to_nearest(const std::vector<double>& sorted, double x) {
  const auto above = std::ranges::lower_bound(sorted, x);
  double distance = std::numeric_limits<double>::infinity();
  if (above != sorted.end()) distance = *above - x;
  if (above != sorted.begin()) distance = std::min(distance, x - *(above - 1));
  return distance;
}

/// log of sum_i exp(-z_i^2 / 2), z_i = (x - x_i) / h.
double log_kernel_sum(const Kde1d& kde, double x) {
  const double nearest = distance_to_nearest(kde.points, x) / kde.bandwidth;
  const double radius = kde.bandwidth * internal::radius(nearest * nearest);
  const auto begin = std::ranges::lower_bound(kde.points, x - radius) - kde.points.begin();
  const auto end = std::ranges::upper_bound(kde.points, x + radius) - kde.points.begin();
  const Eigen::Map<const Eigen::ArrayXd> points(kde.points.data() + begin, end - begin);
  const auto z = (points - x) / kde.bandwidth;
  return internal::log_sum_of_kernels(z.square(), nearest * nearest);
}

}  // namespace

Kde1d make_kde1d(std::span<const double> x, double bandwidth) {
  require_finite_sample(x, "density");
  if (!(bandwidth > 0) || !std::isfinite(bandwidth))
    throw std::invalid_argument("density: the bandwidth must be positive, got " + std::to_string(bandwidth));
  Kde1d kde{{x.begin(), x.end()}, bandwidth};
  std::ranges::sort(kde.points);
  return kde;
}

Kde1d fit_kde1d(std::span<const double> x, BandwidthRule rule) {
  return make_kde1d(x, bandwidth_1d(x, rule));
}

void log_density(const Kde1d& kde, std::span<const double> x, std::span<double> out) {
  assert(x.size() == out.size());
  if (x.empty()) return;
  require_finite_sample(x, "log_density");
  const double log_normaliser = std::log(static_cast<double>(kde.points.size())) + std::log(kde.bandwidth) +
                                0.5 * std::log(2 * std::numbers::pi);
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = std::max(log_kernel_sum(kde, x[i]) - log_normaliser, std::numeric_limits<double>::lowest());
}

}  // namespace dyad

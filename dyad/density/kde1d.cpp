// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde1d.h"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "dyad/base/text.h"
#include "dyad/data/summary.h"
#include "dyad/density/internal/log_sum.h"

namespace dyad {
namespace {

/// Distance from x to the nearest point, the one at place `own` left out.
double distance_to_nearest(const std::vector<double>& sorted, double x, std::size_t own) {
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(sorted, x) - sorted.begin());
  double distance = std::numeric_limits<double>::infinity();
  const std::size_t right = above == own ? above + 1 : above;
  if (right < sorted.size()) distance = sorted[right] - x;
  if (above > 0) distance = std::min(distance, x - sorted[above - 1]);
  return distance;
}

/// log of sum_i exp(-z_i^2 / 2), z_i = (x - x_i) / h, over all points but the one at place `own`.
double log_kernel_sum(const Kde1d& kde, double x, std::size_t own) {
  const double nearest = distance_to_nearest(kde.points, x, own) / kde.bandwidth;
  if (!std::isfinite(nearest * nearest)) return -std::numeric_limits<double>::infinity();
  const double radius = kde.bandwidth * internal::radius(nearest * nearest);
  const auto begin =
      static_cast<std::size_t>(std::ranges::lower_bound(kde.points, x - radius) - kde.points.begin());
  const auto end =
      static_cast<std::size_t>(std::ranges::upper_bound(kde.points, x + radius) - kde.points.begin());
  const auto sum = [&](std::size_t from, std::size_t to) {
    return internal::kernel_sum({kde.points.data() + from, to - from}, x, kde.bandwidth, nearest * nearest);
  };
  const double total = own == internal::no_point ? sum(begin, end) : sum(begin, own) + sum(own + 1, end);
  return std::log(total) - 0.5 * nearest * nearest;
}

/// `count` is the number of kernels in the sum.
double normalised(const Kde1d& kde, double log_sum, std::size_t count) {
  if (count == 0) return std::numeric_limits<double>::lowest();
  const double log_normaliser =
      std::log(static_cast<double>(count)) + std::log(kde.bandwidth) + 0.5 * std::log(2 * std::numbers::pi);
  return std::max(log_sum - log_normaliser, std::numeric_limits<double>::lowest());
}

}  // namespace

Kde1d make_kde1d(std::span<const double> x, double bandwidth) {
  require_finite_sample(x, "density");
  if (!(bandwidth > 0) || !std::isfinite(bandwidth))
    throw std::invalid_argument("density: the bandwidth must be positive, got " + number_text(bandwidth));
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
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = normalised(kde, log_kernel_sum(kde, x[i], internal::no_point), kde.points.size());
}

void log_density_without_own(const Kde1d& kde, std::span<const double> x, std::span<double> out) {
  assert(x.size() == out.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto own =
        static_cast<std::size_t>(std::ranges::lower_bound(kde.points, x[i]) - kde.points.begin());
    assert(own < kde.points.size() && kde.points[own] == x[i]);
    out[i] = normalised(kde, log_kernel_sum(kde, x[i], own), kde.points.size() - 1);
  }
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde2d.h"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "dyad/base/text.h"
#include "dyad/data/summary.h"
#include "dyad/density/internal/log_sum.h"

namespace dyad {
namespace {

struct Whitened {
  double u, v;
};

/// Squares beyond this overflow, and the density there is the lowest double whatever the direction.
constexpr double farthest = 1e160;

Whitened whiten(const Kde2d& kde, double x, double y) {
  const double u = std::clamp((x - kde.centre_x) / kde.unit_x / kde.L_xx, -farthest, farthest);
  const double v = ((y - kde.centre_y) / kde.unit_y - kde.L_yx * u) / kde.L_yy;
  return {u, std::clamp(v, -farthest, farthest)};
}

/// Squared distance from p to the nearest point but the one at place `own`: from its place among the sorted u
/// outwards, while |u - u_i| alone is not yet too far.
double nearest_squared(const Kde2d& kde, const Whitened& p, std::size_t own) {
  double nearest = std::numeric_limits<double>::infinity();
  const auto n = kde.u.size();
  const auto start = static_cast<std::size_t>(std::ranges::lower_bound(kde.u, p.u) - kde.u.begin());
  const auto closer = [&](std::size_t i) {
    const double du = kde.u[i] - p.u;
    const double dv = kde.v[i] - p.v;
    if (du * du >= nearest) return false;
    if (i != own) nearest = std::min(nearest, du * du + dv * dv);
    return true;
  };
  for (std::size_t i = start; i < n && closer(i); ++i) {
  }
  for (std::size_t i = start; i > 0 && closer(i - 1); --i) {
  }
  return nearest;
}

double log_kernel_sum(const Kde2d& kde, const Whitened& p, std::size_t own) {
  const double nearest = nearest_squared(kde, p, own);
  if (!std::isfinite(nearest)) return -nearest;
  const double radius = internal::radius(nearest);
  const auto begin = static_cast<std::size_t>(std::ranges::lower_bound(kde.u, p.u - radius) - kde.u.begin());
  const auto end = static_cast<std::size_t>(std::ranges::upper_bound(kde.u, p.u + radius) - kde.u.begin());
  const auto sum = [&](std::size_t from, std::size_t to) {
    return internal::kernel_sum({kde.u.data() + from, to - from}, {kde.v.data() + from, to - from}, p.u, p.v,
                                nearest);
  };
  const double total = own == internal::no_point ? sum(begin, end) : sum(begin, own) + sum(own + 1, end);
  return std::log(total) - 0.5 * nearest;
}

/// `count` is the number of kernels in the sum.
double normalised(const Kde2d& kde, double log_sum, std::size_t count) {
  if (count == 0) return std::numeric_limits<double>::lowest();
  const double log_normaliser = std::log(static_cast<double>(count)) + std::log(kde.L_xx) +
                                std::log(kde.L_yy) + std::log(kde.unit_x) + std::log(kde.unit_y) +
                                std::log(2 * std::numbers::pi);
  return std::max(log_sum - log_normaliser, std::numeric_limits<double>::lowest());
}

/// Place of the point of the sample that p is: the nearest one, as rounding may differ from when it was
/// stored.
std::size_t place_of(const Kde2d& kde, const Whitened& p) {
  const double margin = 1e-9 * (1 + std::abs(p.u));
  std::size_t best = internal::no_point;
  double least = std::numeric_limits<double>::infinity();
  const auto first = std::ranges::lower_bound(kde.u, p.u - margin) - kde.u.begin();
  for (auto i = static_cast<std::size_t>(first); i < kde.u.size() && kde.u[i] <= p.u + margin; ++i) {
    const double distance = std::abs(kde.u[i] - p.u) + std::abs(kde.v[i] - p.v);
    if (distance >= least) continue;
    least = distance;
    best = i;
  }
  assert(best != internal::no_point);
  return best;
}

}  // namespace

Kde2d make_kde2d(std::span<const double> x, std::span<const double> y, const Symmetric2& H, double unit_x,
                 double unit_y) {
  require_finite_pairs(x, y, "density");
  Kde2d kde{
      .centre_x = upper_median(x), .centre_y = upper_median(y), .unit_x = unit_x, .unit_y = unit_y, .H = H};
  kde.L_xx = std::sqrt(H.xx);
  kde.L_yx = H.xy / kde.L_xx;
  kde.L_yy = std::sqrt(H.yy - kde.L_yx * kde.L_yx);
  const bool finite = std::isfinite(kde.L_xx) && std::isfinite(kde.L_yx) && std::isfinite(kde.L_yy);
  if (!(kde.L_xx > 0 && kde.L_yy > 0 && finite))
    throw std::invalid_argument("density: the bandwidth matrix is not positive definite, got (" +
                                number_text(H.xx) + ", " + number_text(H.xy) + ", " + number_text(H.yy) +
                                ")");
  std::vector<Whitened> points(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) points[i] = whiten(kde, x[i], y[i]);
  std::ranges::sort(points, {}, [](const Whitened& p) { return std::pair(p.u, p.v); });
  for (const Whitened& p : points) {
    kde.u.push_back(p.u);
    kde.v.push_back(p.v);
  }
  return kde;
}

Kde2d fit_kde2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule) {
  require_finite_pairs(x, y, "density");
  const double unit_x = representable_unit(x);
  const double unit_y = representable_unit(y);
  const auto scaled_x = in_units_of(unit_x, x);
  const auto scaled_y = in_units_of(unit_y, y);
  return make_kde2d(x, y, bandwidth_2d(scaled_x, scaled_y, rule), unit_x, unit_y);
}

void log_density(const Kde2d& kde, std::span<const double> x, std::span<const double> y,
                 std::span<double> out) {
  assert(x.size() == out.size());
  if (x.empty()) return;
  require_finite_pairs(x, y, "log_density");
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = normalised(kde, log_kernel_sum(kde, whiten(kde, x[i], y[i]), internal::no_point), kde.u.size());
}

void log_density_without_own(const Kde2d& kde, std::span<const double> x, std::span<const double> y,
                             std::span<double> out) {
  assert(x.size() == out.size() && y.size() == out.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Whitened p = whiten(kde, x[i], y[i]);
    out[i] = normalised(kde, log_kernel_sum(kde, p, place_of(kde, p)), kde.u.size() - 1);
  }
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde2d.h"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

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

/// H is given in the units of `kde`.
void set_points(Kde2d& kde, std::span<const double> x, std::span<const double> y, const Symmetric2& H) {
  kde.L_xx = std::sqrt(H.xx);
  kde.L_yx = H.xy / kde.L_xx;
  kde.L_yy = std::sqrt(H.yy - kde.L_yx * kde.L_yx);
  if (!(kde.L_xx > 0 && kde.L_yy > 0 && std::isfinite(kde.L_xx * kde.L_yy * kde.L_yx)))
    throw std::invalid_argument("density: the bandwidth matrix is not positive definite, got (" +
                                std::to_string(H.xx) + ", " + std::to_string(H.xy) + ", " +
                                std::to_string(H.yy) + ")");
  kde.centre_x = mean(x);
  kde.centre_y = mean(y);
  std::vector<Whitened> points(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) points[i] = whiten(kde, x[i], y[i]);
  std::ranges::sort(points, {}, [](const Whitened& p) { return std::pair(p.u, p.v); });
  for (const Whitened& p : points) {
    kde.u.push_back(p.u);
    kde.v.push_back(p.v);
  }
}

/// Squared distance from p to the nearest point: from its place among the sorted u outwards, while |u - u_i|
/// alone is not yet too far.
double nearest_squared(const Kde2d& kde, const Whitened& p) {
  double nearest = std::numeric_limits<double>::infinity();
  const auto n = kde.u.size();
  const auto start = static_cast<std::size_t>(std::ranges::lower_bound(kde.u, p.u) - kde.u.begin());
  const auto closer = [&](std::size_t i) {
    const double du = kde.u[i] - p.u;
    const double dv = kde.v[i] - p.v;
    if (du * du >= nearest) return false;
    nearest = std::min(nearest, du * du + dv * dv);
    return true;
  };
  for (std::size_t i = start; i < n && closer(i); ++i) {
  }
  for (std::size_t i = start; i > 0 && closer(i - 1); --i) {
  }
  return nearest;
}

double log_kernel_sum(const Kde2d& kde, const Whitened& p) {
  const double nearest = nearest_squared(kde, p);
  const double radius = internal::radius(nearest);
  const auto begin = std::ranges::lower_bound(kde.u, p.u - radius) - kde.u.begin();
  const auto end = std::ranges::upper_bound(kde.u, p.u + radius) - kde.u.begin();
  const Eigen::Map<const Eigen::ArrayXd> u(kde.u.data() + begin, end - begin);
  const Eigen::Map<const Eigen::ArrayXd> v(kde.v.data() + begin, end - begin);
  return internal::log_sum_of_kernels((u - p.u).square() + (v - p.v).square(), nearest);
}

}  // namespace

Kde2d make_kde2d(std::span<const double> x, std::span<const double> y, const Symmetric2& H) {
  require_finite_pairs(x, y, "density");
  Kde2d kde;
  set_points(kde, x, y, H);
  return kde;
}

Kde2d fit_kde2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule) {
  require_finite_pairs(x, y, "density");
  Kde2d kde;
  kde.unit_x = representable_unit(x);
  kde.unit_y = representable_unit(y);
  std::vector<double> scaled_x(x.begin(), x.end());
  std::vector<double> scaled_y(y.begin(), y.end());
  for (double& value : scaled_x) value /= kde.unit_x;
  for (double& value : scaled_y) value /= kde.unit_y;
  set_points(kde, x, y, bandwidth_2d(scaled_x, scaled_y, rule));
  return kde;
}

void log_density(const Kde2d& kde, std::span<const double> x, std::span<const double> y,
                 std::span<double> out) {
  assert(x.size() == out.size());
  if (x.empty()) return;
  require_finite_pairs(x, y, "log_density");
  const double log_normaliser = std::log(static_cast<double>(kde.u.size())) + std::log(kde.L_xx) +
                                std::log(kde.L_yy) + std::log(kde.unit_x) + std::log(kde.unit_y) +
                                std::log(2 * std::numbers::pi);
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = std::max(log_kernel_sum(kde, whiten(kde, x[i], y[i])) - log_normaliser,
                      std::numeric_limits<double>::lowest());
}

}  // namespace dyad

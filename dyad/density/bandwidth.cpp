// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/bandwidth.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyad/data/summary.h"

namespace dyad {
namespace {

double normal_scale_1d(double spread, std::size_t n) {
  return std::pow(4 / (3 * static_cast<double>(n)), 0.2) * spread;
}

/// Plug-in with the kernel whose (R(K) / mu_2(K)^2)^(1/5) is `kernel_constant`.
double plug_in_1d(std::span<const double> x, int stages, double kernel_constant) {
  const double scale = plug_in_scale(x);
  if (!(scale > 0)) return normal_scale_1d(positive_spread(x), x.size());
  const double psi4 = plug_in_functional_1d(centred_and_scaled(x, scale), stages);
  return scale * kernel_constant * std::pow(psi4 * static_cast<double>(x.size()), -0.2);
}

/// A bivariate sample's spreads and the correlation, limited so that the matrix they make can be inverted.
struct Spread2d {
  double x, y, correlation;
};

Spread2d spread_2d(std::span<const double> x, std::span<const double> y) {
  Spread2d spread{positive_spread(x), positive_spread(y), 0};
  if (x.size() < 2) return spread;
  const double centre_x = mean(x);
  const double centre_y = mean(y);
  double sum_x = 0;  // 0 but for what rounding moves the means by
  double sum_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z_x = (x[i] - centre_x) / spread.x;
    const double z_y = (y[i] - centre_y) / spread.y;
    spread.correlation += z_x * z_y;
    sum_x += z_x;
    sum_y += z_y;
  }
  const auto n = static_cast<double>(x.size());
  spread.correlation = (spread.correlation - sum_x * sum_y / n) / (n - 1);
  spread.correlation = std::clamp(spread.correlation, -largest_correlation, largest_correlation);
  return spread;
}

/// M A M for symmetric M and A.
Symmetric2 congruent(const Symmetric2& M, const Symmetric2& A) {
  const double ax = A.xx * M.xx + A.xy * M.xy;
  const double bx = A.xy * M.xx + A.yy * M.xy;
  const double ay = A.xx * M.xy + A.xy * M.yy;
  const double by = A.xy * M.xy + A.yy * M.yy;
  return {M.xx * ax + M.xy * bx, M.xx * ay + M.xy * by, M.xy * ay + M.yy * by};
}

/// Two stages on a sample of unit variances and the given correlation.
Functionals2d plug_in_functionals_2d(std::span<const double> x, std::span<const double> y,
                                     double correlation) {
  const double g6 = samse_pilot(normal_functionals_2d(8, correlation), static_cast<double>(x.size()));
  const double g4 = samse_pilot(functionals_2d(x, y, 6, g6), static_cast<double>(x.size()));
  return functionals_2d(x, y, 4, g4);
}

Symmetric2 plug_in_full(std::span<const double> x, std::span<const double> y, const Spread2d& s) {
  // The symmetric root of S = (s_x^2, r s_x s_y; r s_x s_y, s_y^2) in closed form.
  const double root_det = s.x * s.y * std::sqrt((1 - s.correlation) * (1 + s.correlation));
  const double t = std::sqrt(s.x * s.x + s.y * s.y + 2 * root_det);
  const Symmetric2 root{(s.x * s.x + root_det) / t, s.correlation * s.x * s.y / t,
                        (s.y * s.y + root_det) / t};
  const double centre_x = upper_median(x);
  const double centre_y = upper_median(y);
  std::vector<double> sphered_x(x.size());
  std::vector<double> sphered_y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - centre_x;
    const double dy = y[i] - centre_y;
    sphered_x[i] = (root.yy * dx - root.xy * dy) / root_det;
    sphered_y[i] = (root.xx * dy - root.xy * dx) / root_det;
  }
  return congruent(
      root, minimise_amise(plug_in_functionals_2d(sphered_x, sphered_y, 0), static_cast<double>(x.size())));
}

Symmetric2 plug_in_diagonal(std::span<const double> x, std::span<const double> y, const Spread2d& s) {
  const auto psi4 =
      plug_in_functionals_2d(centred_and_scaled(x, s.x), centred_and_scaled(y, s.y), s.correlation);
  const Symmetric2 H = minimise_amise_diagonal(psi4, static_cast<double>(x.size()));
  return {H.xx * s.x * s.x, 0, H.yy * s.y * s.y};
}

}  // namespace

double plug_in_scale(std::span<const double> x, const WeightsView& weights) {
  const double sd = standard_deviation(x, weights);
  const double iqr_scale = interquartile_range(x, weights) / 1.349;
  return iqr_scale > 0 ? std::min(sd, iqr_scale) : sd;
}

double within_doubles(double bandwidth) {
  return std::clamp(bandwidth, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
}

Symmetric2 in_units_of_one(const Symmetric2& H, double unit_x, double unit_y) {
  const double xx = H.xx * unit_x * unit_x;
  const double yy = H.yy * unit_y * unit_y;
  if (within_doubles(xx) != xx || within_doubles(yy) != yy)
    return {within_doubles(xx), 0, within_doubles(yy)};
  return {xx, H.xy * unit_x * unit_y, yy};
}

double bandwidth_1d(std::span<const double> x, BandwidthRule rule) {
  require_finite_sample(x, "bandwidth");
  const double unit = representable_unit(x);
  const auto scaled = in_units_of(unit, x);
  const double h = rule == BandwidthRule::normal_scale
                       ? normal_scale_1d(positive_spread(scaled), x.size())
                       : plug_in_1d(scaled, 2, std::pow(4 * std::numbers::pi, -0.1));
  return within_doubles(h * unit);
}

double epanechnikov_bandwidth(std::span<const double> x) {
  require_finite_sample(x, "bandwidth");
  const double unit = representable_unit(x);
  return within_doubles(plug_in_1d(in_units_of(unit, x), 3, std::pow(15.0, 0.2)) * unit);
}

Symmetric2 bandwidth_2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule) {
  require_finite_pairs(x, y, "bandwidth");
  const double unit_x = representable_unit(x);
  const double unit_y = representable_unit(y);
  const auto scaled_x = in_units_of(unit_x, x);
  const auto scaled_y = in_units_of(unit_y, y);

  const Spread2d s = spread_2d(scaled_x, scaled_y);
  const double factor = std::pow(static_cast<double>(x.size()), -1.0 / 3);
  Symmetric2 H{factor * s.x * s.x, factor * s.correlation * s.x * s.y, factor * s.y * s.y};
  if (rule == BandwidthRule::plug_in) H = plug_in_full(scaled_x, scaled_y, s);
  if (rule == BandwidthRule::plug_in_diagonal) H = plug_in_diagonal(scaled_x, scaled_y, s);
  return in_units_of_one(H, unit_x, unit_y);
}

}  // namespace dyad

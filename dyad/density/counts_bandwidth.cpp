// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/counts_bandwidth.h"

#include <numbers>

#include "dyad/base/gather.h"
#include "dyad/base/simd.h"
#include "dyad/data/summary.h"
#include "dyad/density/counts_functionals.h"
#include "dyad/density/smoothing_axis.h"

namespace dyad {

DYAD_SIMD std::vector<float> sheared_values(std::span<const float> x, std::span<const float> y,
                                            double shear) {
  std::vector<float> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    result[i] = static_cast<float>(static_cast<double>(y[i]) - shear * static_cast<double>(x[i]));
  return result;
}

namespace {

/// Steps of the axes of functionals, in pilot bandwidths.
constexpr double finest_step = 0.3;
constexpr double coarsest_step = 0.6;
/// The second pilot bandwidth is seldom a smaller part of the first.
constexpr double usual_g4 = 0.6;

/// psi_4 of a sample of unit scale by two stages, as `plug_in_functional_1d`.
double plug_in_functional(std::span<const float> z, const WeightsView& weights) {
  const double n = weights.total(z.size());
  const double g6 = pilot_bandwidth(6, normal_functional(8), n);
  double step = g6 * finest_step;
  for (int attempt = 0;; ++attempt) {
    const Axis axis =
        axis_over(z, {.finest = step, .coarsest = 2 * step, .margin = 2 * step, .most = 1024}, weights);
    const AxisCounts counts = counts_on(axis, z, weights);
    const CountsFunctionals1d functionals(counts.counts, axis.step, counts.rows);
    const double g4 = pilot_bandwidth(4, functionals.functional(6, g6), n);
    if (axis.step <= coarsest_step * g4 || attempt == 3)
      return functionals.functional(4, std::max(g4, axis.step));
    step = finest_step * g4;
  }
}

/// Coefficients of (a D_1 + b D_2)^n in D_1^(n - k) D_2^k, k = 0 .. n.
std::array<double, 9> binomial_power(double a, double b, std::size_t n) {
  std::array<double, 9> coefficients{1};
  for (std::size_t degree = 1; degree <= n; ++degree) {
    for (std::size_t k = degree; k > 0; --k) coefficients[k] = a * coefficients[k] + b * coefficients[k - 1];
    coefficients[0] *= a;
  }
  return coefficients;
}

/// A turn of the coordinates in which functionals are counted into those in which pilot bandwidths are
/// defined.
struct Rotation {
  double cosine = 1;
  double sine = 0;
};

/// The functionals in coordinates z = R w from those in w.
Functionals2d rotated(const Functionals2d& psi, const Rotation& R) {
  Functionals2d result{.order = psi.order};
  const auto order = static_cast<std::size_t>(psi.order);
  for (std::size_t k = 0; k <= order; ++k) {
    const auto first = binomial_power(R.cosine, -R.sine, order - k);
    const auto second = binomial_power(R.sine, R.cosine, k);
    for (std::size_t i = 0; i <= order - k; ++i)
      for (std::size_t j = 0; j <= k; ++j) result.psi[k] += first[i] * second[j] * psi.psi[i + j];
  }
  return result;
}

/// Two stages on a sample of unit variances and the given correlation, as `plug_in_functionals_2d` in
/// bandwidth.cpp.
Functionals2d plug_in_functionals(std::span<const float> u, std::span<const float> v,
                                  const WeightsView& weights, double correlation, const Rotation& rotation) {
  const double n = weights.total(u.size());
  const double g6 = samse_pilot(normal_functionals_2d(8, correlation), n);
  double smallest = usual_g4 * g6;  // pilot bandwidth that axes and frequencies must resolve
  for (int attempt = 0;; ++attempt) {
    const AxisNeeds needs{.finest = finest_step * smallest / usual_g4,
                          .coarsest = coarsest_step * smallest,
                          .margin = coarsest_step * smallest,
                          .most = 192};
    const Axis u_axis = axis_over(u, needs, weights);
    const Axis v_axis = axis_beside(u_axis, u, v, needs, weights);
    const PlacedRows placed = place_rows(u_axis, u, v_axis, v, weights);
    PairCounts counts(u_axis.size, v_axis.size);
    counts.fill_quadratic(placed.u, placed.v, placed.weights);
    const CountsFunctionals2d functionals(counts, u_axis.step, v_axis.step, placed.rows, smallest, g6);
    const auto at = [&](int order, double g) { return rotated(functionals.functionals(order, g), rotation); };
    const double g4 = samse_pilot(at(6, g6), n);
    if (g4 >= smallest || attempt == 3) return at(4, std::max(g4, smallest));
    smallest = g4;
  }
}

double correlation_of(std::span<const float> x, std::span<const float> y, const WeightsView& weights) {
  double sum_x = 0;
  double sum_y = 0;
  double sum_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum_x += weights[i] * static_cast<double>(x[i]);
    sum_y += weights[i] * static_cast<double>(y[i]);
    sum_xy += weights[i] * static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
  const double n = weights.total(x.size());
  if (x.size() < 2) return 0;
  return std::clamp((sum_xy - sum_x * sum_y / n) / one_less(n), -largest_correlation, largest_correlation);
}

/// The rows of a column that functionals are estimated from.
std::vector<std::size_t> functional_rows(const ScaledColumn& column) {
  return evenly_spaced(column.values.size(), most_functional_rows);
}

/// The exact rule sphers by the symmetric root S^(-1/2); counts are in the coordinates w of S = L L'. The one
/// is the other turned: S^(-1/2) L. With S = root root, that is root^-1 L; its first column is enough.
Rotation from_triangular_to_symmetric(double scale_x, double scale_y, double correlation) {
  // Beyond such a ratio of the scales the turn stays the same, and products leave the range of double.
  constexpr double least = 1e-100;
  const double unit = std::max(scale_x, scale_y);
  const double s_x = std::max(scale_x / unit, least);
  const double s_y = std::max(scale_y / unit, least);
  const double root_det = s_x * s_y * std::sqrt((1 - correlation) * (1 + correlation));
  const double t = std::sqrt(s_x * s_x + s_y * s_y + 2 * root_det);
  const double root_xx = (s_x * s_x + root_det) / t;
  const double root_xy = correlation * s_x * s_y / t;
  // L's first column is (s_x, r s_y)', and root = root' has determinant root_det. R = (cosine, -sine; sine,
  // cosine).
  const double root_yy = (s_y * s_y + root_det) / t;
  return {(root_yy * s_x - root_xy * correlation * s_y) / root_det,
          (root_xx * correlation * s_y - root_xy * s_x) / root_det};
}

ShearedKernel plug_in_full(const ScaledColumn& x, const ScaledColumn& y, double correlation) {
  const double rest = std::sqrt((1 - correlation) * (1 + correlation));
  const auto rows = functional_rows(x);
  const auto u = gather(x.values, rows);
  auto v = sheared_values(u, gather(y.values, rows), correlation);
  for (float& value : v) value = static_cast<float>(static_cast<double>(value) / rest);
  const Rotation R = from_triangular_to_symmetric(x.scaling.scale, y.scaling.scale, correlation);
  const Symmetric2 M = minimise_amise(plug_in_functionals(u, v, gather(x.weights, rows), 0, R), x.n());
  // Back from z = R w to w = (u, v / rest), then to (x', y') = (u, correlation u + rest w_2).
  const double c = R.cosine;
  const double s = R.sine;
  const Symmetric2 W{c * c * M.xx + 2 * c * s * M.xy + s * s * M.yy,
                     c * s * (M.yy - M.xx) + (c * c - s * s) * M.xy,
                     s * s * M.xx - 2 * c * s * M.xy + c * c * M.yy};
  return sheared({W.xx, correlation * W.xx + rest * W.xy,
                  correlation * correlation * W.xx + 2 * correlation * rest * W.xy + rest * rest * W.yy});
}

}  // namespace

Symmetric2 matrix_of(const ShearedKernel& kernel) {
  const double xx = kernel.h_u * kernel.h_u;
  return {xx, kernel.shear * xx, kernel.h_v * kernel.h_v + kernel.shear * kernel.shear * xx};
}

ShearedKernel sheared(const Symmetric2& H) {
  return {H.xy / H.xx, std::sqrt(H.xx), std::sqrt(std::max(determinant(H) / H.xx, 1e-12 * H.yy))};
}

double counts_bandwidth_1d(const ScaledColumn& x, BandwidthRule rule) {
  const double n = x.n();
  const double normal_scale = std::pow(4 / (3 * n), 0.2);
  if (rule == BandwidthRule::normal_scale) return normal_scale;
  // In units of the spread the standard deviation is 1, or 0 for a constant.
  const auto rows = functional_rows(x);
  const RowWeights weights = gather(x.weights, rows);
  const auto z = gather(x.values, rows);
  const std::vector<double> values(z.begin(), z.end());
  const double scale = plug_in_scale(values, weights);
  if (!(scale > 0)) return normal_scale;
  std::vector<float> unit_scale(z.size());
  std::ranges::transform(values, unit_scale.begin(), [scale](double value) {
    return static_cast<float>(std::clamp(value / scale, -1e30, 1e30));
  });
  return scale * std::pow(4 * std::numbers::pi, -0.1) *
         std::pow(plug_in_functional(unit_scale, weights) * n, -0.2);
}

ShearedKernel counts_bandwidth_2d(const ScaledColumn& x, const ScaledColumn& y, BandwidthRule rule) {
  const double n = x.n();
  const double correlation = correlation_of(x.values, y.values, x.weights);
  if (rule == BandwidthRule::plug_in) return plug_in_full(x, y, correlation);
  if (rule == BandwidthRule::normal_scale) {
    const double h = std::pow(n, -1.0 / 6);
    return {correlation, h, h * std::sqrt((1 - correlation) * (1 + correlation))};
  }
  const auto rows = functional_rows(x);
  const auto psi4 = plug_in_functionals(gather(x.values, rows), gather(y.values, rows),
                                        gather(x.weights, rows), correlation, {});
  return sheared(minimise_amise_diagonal(psi4, n));
}

double counts_bandwidth_1d(std::span<const double> x, BandwidthRule rule) {
  require_finite_sample(x, "bandwidth");
  const ScaledColumn column = scaled_column(x);
  return within_doubles(counts_bandwidth_1d(column, rule) * column.scaling.scale);
}

Symmetric2 counts_bandwidth_2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule) {
  require_finite_pairs(x, y, "bandwidth");
  const ScaledColumn column_x = scaled_column(x);
  const ScaledColumn column_y = scaled_column(y);
  return in_units_of_one(matrix_of(counts_bandwidth_2d(column_x, column_y, rule)), column_x.scaling.scale,
                         column_y.scaling.scale);
}

}  // namespace dyad

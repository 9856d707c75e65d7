// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/functionals.h"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include "dyad/base/simd.h"
#include "dyad/density/internal/gaussian.h"

namespace dyad {
namespace {

using Array = Eigen::ArrayXd;
using ArrayMap = Eigen::Map<const Array>;

/// Beyond this many pilot bandwidths a pair adds less than 1e-28 of what the pair (i, i) adds.
constexpr double largest_distance = 13;

constexpr double inverse_sqrt_two_pi = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;

/// Sum of He_Order(z) exp(-z^2 / 2) over z = (x_i - centre) / g, |z| <= 37.
template <int Order>
[[gnu::always_inline]] inline double hermite_sum_of(std::span<const double> x, double centre, double g) {
  const double* const values = x.data();
  const double factor = 1 / g;
  return internal::sum_in_chains(x.size(), [=](std::size_t i) {
    const double z = (values[i] - centre) * factor;
    return internal::hermite(Order, z * z) * internal::gaussian(z * z);
  });
}

DYAD_SIMD double hermite_sum(std::span<const double> x, double centre, double g, int order) {
  if (order == 4) return hermite_sum_of<4>(x, centre, g);
  if (order == 6) return hermite_sum_of<6>(x, centre, g);
  return hermite_sum_of<8>(x, centre, g);
}

/// He_0 .. He_order of z, one row each.
void hermite_rows(const Array& z, int order, std::vector<Array>& rows) {
  rows.resize(static_cast<std::size_t>(order) + 1);
  rows[0].setOnes(z.size());
  rows[1] = z;
  for (std::size_t k = 2; k < rows.size(); ++k)
    rows[k] = z * rows[k - 1] - static_cast<double>(k - 1) * rows[k - 2];
}

/// E Z1^a Z2^b of a normal pair with equal variances.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the order, which is 8 at most
double normal_moment(int a, int b, double variance, double covariance) {
  if (a < 0 || b < 0) return 0;
  if (a == 0 && b == 0) return 1;
  if (a == 0) return (b - 1) * variance * normal_moment(0, b - 2, variance, covariance);
  return (a - 1) * variance * normal_moment(a - 2, b, variance, covariance) +
         b * covariance * normal_moment(a - 1, b - 1, variance, covariance);
}

}  // namespace

double normal_derivative_at_zero(int order) {
  if (order % 2 == 1) return 0;
  double value = inverse_sqrt_two_pi;
  for (int k = 1; k < order; k += 2) value *= -k;
  return value;
}

double functional_1d(std::span<const double> x, int order, double g) {
  assert(order == 4 || order == 6 || order == 8);
  std::vector<double> sorted(x.begin(), x.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  double sum = 0;
  auto end = sorted.begin();
  for (auto it = sorted.begin(); it != sorted.end(); ++it) {
    end = std::find_if(std::max(end, it + 1), sorted.end(),
                       [&](double v) { return v - *it > largest_distance * g; });
    sum += hermite_sum({it + 1, end}, *it, g, order);
  }
  const double diagonal = normal_derivative_at_zero(order) / inverse_sqrt_two_pi;
  return (2 * sum / n + diagonal) / n * inverse_sqrt_two_pi / std::pow(g, order + 1);
}

Functionals2d functionals_2d(std::span<const double> x, std::span<const double> y, int order, double g) {
  assert((order == 4 || order == 6) && x.size() == y.size());
  const auto n = static_cast<Eigen::Index>(x.size());
  const auto r = static_cast<std::size_t>(order);
  Functionals2d result{.order = order};
  std::vector<Array> hermite_u;
  std::vector<Array> hermite_v;
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    const ArrayMap rest_x(x.data() + i + 1, n - i - 1);
    const ArrayMap rest_y(y.data() + i + 1, n - i - 1);
    // Values too far are moved to the edge, where they add nothing, so that no power overflows.
    const Array u =
        ((rest_x - x[static_cast<std::size_t>(i)]) / g).max(-4 * largest_distance).min(4 * largest_distance);
    const Array v =
        ((rest_y - y[static_cast<std::size_t>(i)]) / g).max(-4 * largest_distance).min(4 * largest_distance);
    const Array e = (-0.5 * (u.square() + v.square())).exp();
    hermite_rows(u, order, hermite_u);
    hermite_rows(v, order, hermite_v);
    for (std::size_t k = 0; k <= r; ++k) result.psi[k] += (e * hermite_u[r - k] * hermite_v[k]).sum();
  }
  const auto count = static_cast<double>(n);
  const double scale = inverse_sqrt_two_pi * inverse_sqrt_two_pi / std::pow(g, order + 2);
  for (std::size_t k = 0; k <= r; ++k) {
    const double diagonal = normal_derivative_at_zero(order - static_cast<int>(k)) *
                            normal_derivative_at_zero(static_cast<int>(k)) /
                            (inverse_sqrt_two_pi * inverse_sqrt_two_pi);
    result.psi[k] = (2 * result.psi[k] / count + diagonal) / count * scale;
  }
  return result;
}

Functionals2d normal_functionals_2d(int order, double correlation) {
  // E f^(r)(X) = f_2^(r)(0), with f_2 the density of the sum of two such variables, of covariance 2 S. Up to
  // its constant f_2 is the characteristic function of N(0, (2 S)^-1), so its derivatives at 0 are moments of
  // that.
  const double det = (1 - correlation) * (1 + correlation);
  const double variance = 1 / (2 * det);
  const double covariance = -correlation / (2 * det);
  const double sign = order % 4 == 0 ? 1 : -1;
  const double f_2_at_zero = 1 / (4 * std::numbers::pi * std::sqrt(det));
  Functionals2d result{.order = order};
  for (int k = 0; k <= order; ++k)
    result.psi[static_cast<std::size_t>(k)] =
        sign * f_2_at_zero * normal_moment(order - k, k, variance, covariance);
  return result;
}

}  // namespace dyad

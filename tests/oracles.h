// The definitions, written as slowly and plainly as the papers state them. Every fast path is tested against
// its twin here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "dyad/density/plug_in.h"

namespace dyad::oracle {

using Sample = std::span<const double>;

inline double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

/// phi^(r)(z) by the recursion phi^(r)(z) = -z phi^(r-1)(z) - (r - 1) phi^(r-2)(z).
inline double normal_derivative(int r, double z) {
  if (r == 0) return normal_density(z);
  if (r == 1) return -z * normal_density(z);
  return -z * normal_derivative(r - 1, z) - (r - 1) * normal_derivative(r - 2, z);
}

// --- densities ---

inline double density_1d(Sample points, double h, double x) {
  double sum = 0;
  for (const double p : points) sum += normal_density((x - p) / h);
  return sum / (static_cast<double>(points.size()) * h);
}

inline double density_2d(Sample px, Sample py, const Symmetric2& H, double x, double y) {
  const double det = H.xx * H.yy - H.xy * H.xy;
  double sum = 0;
  for (std::size_t i = 0; i < px.size(); ++i) {
    const double dx = x - px[i];
    const double dy = y - py[i];
    const double squared = (H.yy * dx * dx - 2 * H.xy * dx * dy + H.xx * dy * dy) / det;
    sum += std::exp(-0.5 * squared) / (2 * std::numbers::pi * std::sqrt(det));
  }
  return sum / static_cast<double>(px.size());
}

/// n^-2 sum_i sum_k phi_g^(r)(x_i - x_k).
inline double functional_1d(Sample x, int r, double g) {
  double sum = 0;
  for (const double a : x)
    for (const double b : x) sum += normal_derivative(r, (a - b) / g) / std::pow(g, r + 1);
  return sum / static_cast<double>(x.size() * x.size());
}

/// n^-2 sum_i sum_k phi_g^(r)(x_i - x_k) phi_g^(s)(y_i - y_k).
inline double functional_2d(Sample x, Sample y, int r, int s, double g) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k)
      sum += normal_derivative(r, (x[i] - x[k]) / g) * normal_derivative(s, (y[i] - y[k]) / g);
  return sum / (static_cast<double>(x.size() * x.size()) * std::pow(g, r + s + 2));
}

/// The summed squared biases that `samse_pilot` minimises, at pilot bandwidth g.
inline double samse(const Functionals2d& higher, std::size_t n, double g) {
  const int order = higher.order - 2;
  double sum = 0;
  for (int k = 0; k <= order; k += 2) {
    const double at_zero = normal_derivative(order - k, 0) * normal_derivative(k, 0);
    const auto place = static_cast<std::size_t>(k);
    const double bias = at_zero / (static_cast<double>(n) * std::pow(g, order + 2)) +
                        g * g / 2 * (higher.psi[place] + higher.psi[place + 2]);
    sum += bias * bias;
  }
  return sum;
}

// --- counts ---

/// Linear binning: what a row at places x and y, in 1/256 steps, adds to node (a, b), in 1/65536: the product of two tents.
inline std::int64_t linear_count(std::int64_t x, std::int64_t y, std::int64_t a, std::int64_t b) {
  const auto tent = [](std::int64_t place, std::int64_t node) {
    return std::max<std::int64_t>(0, 256 - std::abs(place - 256 * node));
  };
  return tent(x, a) * tent(y, b);
}

/// The quadratic B-spline at a distance of t steps from its centre.
inline double quadratic_spline(double t) {
  t = std::abs(t);
  return t <= 0.5 ? 0.75 - t * t : t <= 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
}

/// sum_k counts_k phi_sd(step (k - node)).
inline double smoothed_counts(std::span<const double> counts, double step, double sd, std::size_t node) {
  double sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    sum += counts[k] * normal_density(step * (static_cast<double>(k) - static_cast<double>(node)) / sd) / sd;
  return sum;
}

// --- dependence ---

/// The element of 0-based rank floor(N / 2) among all N distances.
inline double median_distance(Sample x) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = i + 1; k < x.size(); ++k) distances.push_back(std::abs(x[i] - x[k]));
  std::ranges::sort(distances);
  return distances[distances.size() / 2];
}

using Square = std::vector<std::vector<double>>;

inline Square gaussian_kernel(Sample x, double s) {
  Square K(x.size(), std::vector<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k) K[i][k] = std::exp(-std::pow((x[i] - x[k]) / s, 2) / 2);
  return K;
}

inline Square product(const Square& A, const Square& B) {
  Square C(A.size(), std::vector<double>(A.size(), 0.0));
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t k = 0; k < A.size(); ++k)
      for (std::size_t j = 0; j < A.size(); ++j) C[i][j] += A[i][k] * B[k][j];
  return C;
}

/// Tr(K H L H) / n^2 with H = I - 11'/n.
inline double hsic(Sample x, double s_x, Sample y, double s_y) {
  const auto n = static_cast<double>(x.size());
  Square H(x.size(), std::vector<double>(x.size(), -1 / n));
  for (std::size_t i = 0; i < x.size(); ++i) H[i][i] += 1;
  const Square M = product(product(gaussian_kernel(x, s_x), H), product(gaussian_kernel(y, s_y), H));
  double trace = 0;
  for (std::size_t i = 0; i < x.size(); ++i) trace += M[i][i];
  return trace / (n * n);
}

inline double epanechnikov(double z) { return std::abs(z) < 1 ? 0.75 * (1 - z * z) : 0; }

/// Mean over the rows other than `left_out` of log(f_xy / (f_x f_y)), estimated from those rows.
inline double mutual_information_without(Sample x, Sample y, double h_x, double h_y, std::size_t left_out) {
  double total = 0;
  double count = 0;
  for (std::size_t k = 0; k < x.size(); ++k) count += k == left_out ? 0 : 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == left_out) continue;
    double f_x = 0;
    double f_y = 0;
    double f_xy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (k == left_out) continue;
      const double k_x = epanechnikov((x[i] - x[k]) / h_x) / (h_x * count);
      const double k_y = epanechnikov((y[i] - y[k]) / h_y) / (h_y * count);
      f_x += k_x;
      f_y += k_y;
      f_xy += k_x * k_y * count;
    }
    total += std::log(f_xy / (f_x * f_y));
  }
  return total / count;
}

inline double mutual_information(Sample x, Sample y, double h_x, double h_y) {
  return mutual_information_without(x, y, h_x, h_y, x.size());
}

inline double jackknife_mutual_information(Sample x, Sample y, double h_x, double h_y) {
  const auto n = static_cast<double>(x.size());
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += mutual_information_without(x, y, h_x, h_y, k);
  return n * mutual_information(x, y, h_x, h_y) - (n - 1) * sum / n;
}

}  // namespace dyad::oracle

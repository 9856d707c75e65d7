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
#include "dyad/svm/dual_svm.h"

namespace dyad::oracle {

using Sample = std::span<const double>;

inline double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

/// phi^(r)(z) by the recursion phi^(r)(z) = -z phi^(r-1)(z) - (r - 1) phi^(r-2)(z).
inline double normal_derivative(int r, double z) {
  if (r == 0) return normal_density(z);
  if (r == 1) return -z * normal_density(z);
  return -z * normal_derivative(r - 1, z) - (r - 1) * normal_derivative(r - 2, z);
}

// --- coordinates ---

/// R's type 7.
inline double quantile(Sample x, double p) {
  std::vector<double> sorted(x.begin(), x.end());
  std::ranges::sort(sorted);
  const double place = p * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, x.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

inline double mean(Sample x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

inline double deviation(Sample x) {
  const double centre = mean(x);
  double sum = 0;
  for (const double value : x) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(x.size() - 1));
}

/// The values `at` in the robust coordinate of sample x: step 1 of the recipe.
inline std::vector<double> robust_coordinate(Sample x, Sample at) {
  const double least = *std::ranges::min_element(x);
  const bool decades = least > 0 && quantile(x, 0.95) > 100 * quantile(x, 0.05);
  double s = (quantile(x, 0.75) - quantile(x, 0.25)) / 1.349;
  if (s < 0.001 * deviation(x)) s = deviation(x);
  if (s == 0) s = 1;
  const auto t = [&](double value) {
    return decades ? std::log(std::max(value, least / 2)) : std::asinh((value - quantile(x, 0.5)) / s);
  };
  std::vector<double> bent;
  for (const double value : x) bent.push_back(t(value));
  const double scale = deviation(bent) > 0 ? deviation(bent) : 1;
  std::vector<double> z;
  for (const double value : at) z.push_back((t(value) - mean(bent)) / scale);
  return z;
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

/// log((n p + m g) / (n + m)) from log p, g the product of normal densities of standard deviation 1.5 about 0.
inline double with_pseudo_rows(double n, double m, Sample point, double log_p) {
  long double log_g = 0;
  for (const double u : point) {
    const long double z = static_cast<long double>(u) / 1.5L;
    log_g -= 0.5L * z * z + std::log(1.5L) + 0.5L * std::log(2 * std::numbers::pi_v<long double>);
  }
  const long double a = std::log(static_cast<long double>(n)) + static_cast<long double>(log_p);
  const long double b = std::log(static_cast<long double>(m)) + log_g;
  const long double larger = std::max(a, b);
  const long double sum = std::exp(a - larger) + std::exp(b - larger);
  return static_cast<double>(larger + std::log(sum) -
                             std::log(static_cast<long double>(n) + static_cast<long double>(m)));
}

// --- ranks ---

/// Share by weight, of all pairs of a positive row and another, of those in the right order; a tie is half of one.
inline double area_under_curve(Sample scores, Sample signs, Sample weights) {
  double ordered = 0;
  double pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (signs[a] <= 0 || signs[b] > 0) continue;
      pairs += weights[a] * weights[b];
      ordered += weights[a] * weights[b] * (scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0);
    }
  return ordered / pairs;
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

// --- averages of SVMs ---

using Rows = std::vector<std::vector<double>>;

/// Steps 4 and 5 of the recipe: the first terms of all rows, centred, divided by their standard deviations if `unit`, sqrt(3) times as
/// large if linear; all divided by the root of the mean squared norm of a row.
inline Rows features_of_set(const Matrix& values, const std::vector<bool>& linear, std::size_t n_terms,
                            bool unit) {
  Rows rows(values.n_rows, std::vector<double>(n_terms));
  double squared_norm = 0;
  for (std::size_t t = 0; t < n_terms; ++t) {
    const double sd = deviation(values.column(t));
    const double factor = (linear[t] ? std::sqrt(3.0) : 1) / (unit ? sd : 1);
    for (std::size_t i = 0; i < values.n_rows; ++i)
      rows[i][t] = factor * (values(i, t) - mean(values.column(t)));
    squared_norm += std::pow(factor * sd, 2);
  }
  for (auto& row : rows)
    for (double& value : row) value /= std::sqrt(squared_norm);
  return rows;
}

/// Appends `column` to the rows, centred and scaled to variance blend^2 / 2 over the rows `train`.
inline void append_form(Rows& rows, Sample column, double blend, const std::vector<std::size_t>& train) {
  double centre = 0;
  for (const std::size_t i : train) centre += column[i] / static_cast<double>(train.size());
  double variance = 0;
  for (const std::size_t i : train)
    variance += std::pow(column[i] - centre, 2) / static_cast<double>(train.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].push_back(blend * (column[i] - centre) / std::sqrt(2 * variance));
}

/// Scores of rows `test` by the SVM of rows `train`, solved in the dual nearly to the end.
inline std::vector<double> svm_scores(const Rows& rows, const std::vector<std::size_t>& train,
                                      const std::vector<std::size_t>& test, Sample signs, Sample costs,
                                      double C) {
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t t = 0; t < rows[a].size(); ++t) sum += rows[a][t] * rows[b][t];
    return sum;
  };
  Matrix gram(train.size(), train.size());
  std::vector<double> y;
  std::vector<double> c;
  for (std::size_t a = 0; a < train.size(); ++a) {
    y.push_back(signs[train[a]]);
    c.push_back(costs[train[a]]);
    for (std::size_t b = 0; b < train.size(); ++b) gram(a, b) = dot(train[a], train[b]);
  }
  const SvmSolution svm = solve_svm(gram, y, c, {.C = C, .tolerance = 1e-6});
  std::vector<double> scores;
  for (const std::size_t i : test) {
    scores.push_back(svm.intercept);
    for (std::size_t a = 0; a < train.size(); ++a) scores.back() += svm.alpha[a] * y[a] * dot(i, train[a]);
  }
  return scores;
}

inline double weighted_root_mean_square(Sample scores, Sample weights) {
  double squares = 0;
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    squares += weights[i] * scores[i] * scores[i];
    total += weights[i];
  }
  return std::sqrt(squares / total);
}

/// Step 7: the least over slopes a of the weighted mean of log(1 + exp(-a y s / r)), r the size of the scores s.
inline double least_logistic_loss(Sample scores, Sample signs, Sample weights) {
  const double r = weighted_root_mean_square(scores, weights);
  double least = INFINITY;
  for (const double a : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      sum += weights[i] * std::log(1 + std::exp(-a * signs[i] * scores[i] / r));
      total += weights[i];
    }
    least = std::min(least, sum / total);
  }
  return least;
}

}  // namespace dyad::oracle

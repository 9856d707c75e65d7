// The definitions, written as slowly and plainly as the papers state them. Every fast path is tested against
// its twin here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <vector>

#include "dyad/density/plug_in.h"
#include "dyad/linear/hinge_gram.h"
#include "dyad/linear/table_regression.h"
#include "dyad/model/prediction.h"
#include "dyad/pairs/residual_gain.h"
#include "dyad/simulation/bayes_net.h"

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

// --- levels ---

using Grid = std::vector<std::vector<double>>;

/// The share of levels a of x and b of y, counts[a][b] rows of n having both. One feature: m rows of the
/// shares in all classes join the class's own. A pair: within each level of one feature, m rows of the
/// other's shares join its own; the mean of both ways.
inline double level_share(const Grid& counts, Sample prior_x, Sample prior_y, double m, std::size_t a,
                          std::size_t b) {
  double n = 0;
  double n_a = 0;
  double n_b = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    for (std::size_t l = 0; l < counts[k].size(); ++l) {
      n += counts[k][l];
      n_a += k == a ? counts[k][l] : 0;
      n_b += l == b ? counts[k][l] : 0;
    }
  const double p_a = (n_a + m * prior_x[a]) / (n + m);
  const double p_b = (n_b + m * prior_y[b]) / (n + m);
  if (prior_x.size() == 1) return p_b;
  if (prior_y.size() == 1) return p_a;
  const double b_if_a = n_a + m > 0 ? (counts[a][b] + m * p_b) / (n_a + m) : p_b;
  const double a_if_b = n_b + m > 0 ? (counts[a][b] + m * p_a) / (n_b + m) : p_a;
  return (p_a * b_if_a + p_b * a_if_b) / 2;
}

/// The rows of a class by two features, each a number or a code, NaN where it is missing; a feature alone has
/// 0 for y.
struct LevelRows {
  std::vector<double> x;
  std::vector<double> y;
  bool number_x = false;
  bool number_y = false;
  double fewest = 5;  ///< rows of two levels that have a density of their own
  double level_rows = 0;
  double prior_rows = 0;
  // Bandwidths, of the numbers `at` some rows of the class: of all that have one, or of those with the same
  // levels.
  double (*h_1d)(Sample at) = nullptr;
  Symmetric2 (*H_2d)(Sample x, Sample y) = nullptr;
};

inline bool same_level(double a, double b, bool number) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return number || a == b;
}

/// Density of the numbers among x and y, given their levels, by row i left out (none if there is no such row)
/// of every sum: bandwidths and numbers of rows stay those of all.
inline double density_in_levels(const LevelRows& rows, double x, double y,
                                std::size_t i = static_cast<std::size_t>(-1)) {
  struct Numbers {
    std::vector<double> x, y, all_x, all_y;
    [[nodiscard]] double n() const { return static_cast<double>(all_x.size()); }
  };
  const auto rows_where = [&](auto&& holds) {
    Numbers result;
    for (std::size_t k = 0; k < rows.x.size(); ++k) {
      if (!holds(k)) continue;
      result.all_x.push_back(rows.x[k]);
      result.all_y.push_back(rows.y[k]);
      if (k == i) continue;
      result.x.push_back(rows.x[k]);
      result.y.push_back(rows.y[k]);
    }
    return result;
  };
  const auto mixed = [&](double n, double f, std::initializer_list<double> point) {
    double g = 1;
    for (const double u : point) g *= normal_density(u / 1.5) / 1.5;
    return n + rows.prior_rows > 0 ? (n * f + rows.prior_rows * g) / (n + rows.prior_rows) : 0;
  };
  const auto f_x = [&](const Numbers& of) {
    return of.x.empty() ? 0 : density_1d(of.x, rows.h_1d(of.all_x), x);
  };
  const auto f_y = [&](const Numbers& of) {
    return of.y.empty() ? 0 : density_1d(of.y, rows.h_1d(of.all_y), y);
  };
  const bool has_x = rows.number_x && !std::isnan(x);
  const bool has_y = rows.number_y && !std::isnan(y);
  if (!has_x && !has_y) return 1;
  const Numbers with_x = rows_where([&](std::size_t k) { return has_x && !std::isnan(rows.x[k]); });
  const Numbers with_y = rows_where([&](std::size_t k) { return has_y && !std::isnan(rows.y[k]); });
  const Numbers own = rows_where([&](std::size_t k) {
    return same_level(rows.x[k], x, rows.number_x) && same_level(rows.y[k], y, rows.number_y);
  });
  const double m_x = has_x ? mixed(with_x.n(), f_x(with_x), {x}) : 1;
  const double m_y = has_y ? mixed(with_y.n(), f_y(with_y), {y}) : 1;
  if (own.n() < rows.fewest) return m_x * m_y;
  if (has_x && has_y)
    return mixed(own.n(), density_2d(own.x, own.y, rows.H_2d(own.all_x, own.all_y), x, y), {x, y});
  return (own.n() * (has_x ? f_x(own) : f_y(own)) + rows.level_rows * m_x * m_y) /
         (own.n() + rows.level_rows);
}

// --- counts ---

/// Linear binning: what a row at places x and y, in 1/256 steps, adds to node (a, b), in 1/65536: the product
/// of two tents.
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

/// log((n p + m g) / (n + m)) from log p, g the product of normal densities of standard deviation 1.5 about
/// 0.
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

/// Share by weight, of all pairs of a positive row and another, of those in the right order; a tie is half of
/// one.
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
inline double hsic(const Square& K, const Square& L) {
  const auto n = static_cast<double>(K.size());
  Square H(K.size(), std::vector<double>(K.size(), -1 / n));
  for (std::size_t i = 0; i < K.size(); ++i) H[i][i] += 1;
  const Square M = product(product(K, H), product(L, H));
  double trace = 0;
  for (std::size_t i = 0; i < K.size(); ++i) trace += M[i][i];
  return trace / (n * n);
}

inline double hsic(Sample x, double s_x, Sample y, double s_y) {
  return hsic(gaussian_kernel(x, s_x), gaussian_kernel(y, s_y));
}

/// 1 for equal codes and for two missing values, 0 for others.
inline Square equality_kernel(Sample x) {
  Square K(x.size(), std::vector<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k) K[i][k] = same_level(x[i], x[k], false) ? 1 : 0;
  return K;
}

/// That of numbers, 1 for two missing values and 0 for a missing value and a number.
inline Square gaussian_kernel_with_gaps(Sample x, double s) {
  Square K(x.size(), std::vector<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k) {
      const bool gap = std::isnan(x[i]) || std::isnan(x[k]);
      K[i][k] = gap ? (same_level(x[i], x[k], true) ? 1 : 0) : std::exp(-std::pow((x[i] - x[k]) / s, 2) / 2);
    }
  return K;
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

/// Steps 4 and 5 of the recipe: the first terms of all rows, centred, divided by their standard deviations if
/// `unit`, sqrt(3) times as large if linear; all divided by the root of the mean squared norm of a row.
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

/// The b of least sum_i cost_i max(0, 1 - y_i (f_i + b)), the middle of the interval where there is one:
/// among the places where the sum has a kink, which it is tried at all of.
inline double best_intercept(Sample f, Sample y, Sample cost) {
  const auto loss = [&](double b) {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += cost[i] * std::max(0.0, 1 - y[i] * (f[i] + b));
    return sum;
  };
  std::vector<double> kinks;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (cost[i] == 0) continue;
    kinks.push_back(y[i] - f[i]);
    least = std::min(least, loss(kinks.back()));
  }
  std::erase_if(kinks, [&](double b) { return loss(b) > least + 1e-9 * (1 + least); });
  return kinks.empty() ? 0 : (std::ranges::min(kinks) + std::ranges::max(kinks)) / 2;
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

/// Step 7: the least over slopes a of the weighted mean of log(1 + exp(-a y s / r)), r the size of the scores
/// s.
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

// --- losses and penalties ---

/// What a classifier of the rows minimises; the intercept is not penalised.
struct PenalisedLoss {
  const Rows& rows;
  Sample signs;
  std::vector<double> costs;  ///< C times the weight of the row
  Loss loss = Loss::logistic;
  double l1 = 0;
  double l2 = 1;

  [[nodiscard]] std::size_t n_weights() const { return rows[0].size(); }
  /// w, then b.
  [[nodiscard]] double margin(Sample w, std::size_t i) const {
    double sum = w.back();
    for (std::size_t j = 0; j < n_weights(); ++j) sum += w[j] * rows[i][j];
    return signs[i] * sum;
  }
  [[nodiscard]] double value(Sample w) const {
    double sum = 0;
    for (std::size_t j = 0; j < n_weights(); ++j) sum += l1 * std::abs(w[j]) + 0.5 * l2 * w[j] * w[j];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double m = margin(w, i);
      sum += costs[i] *
             (loss == Loss::logistic ? std::log(1 + std::exp(-m)) : std::pow(std::max(0.0, 1 - m), 2));
    }
    return sum;
  }
  /// Of the losses alone.
  [[nodiscard]] std::vector<double> loss_gradient(Sample w) const {
    std::vector<double> gradient(w.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double m = margin(w, i);
      const double slope =
          costs[i] * signs[i] * (loss == Loss::logistic ? -1 / (1 + std::exp(m)) : -2 * std::max(0.0, 1 - m));
      for (std::size_t j = 0; j < n_weights(); ++j) gradient[j] += slope * rows[i][j];
      gradient.back() += slope;
    }
    return gradient;
  }
};

/// Proximal gradient steps of one length, which no curvature of the losses exceeds, with Nesterov's momentum,
/// begun anew where the value rises: w, then b.
inline std::vector<double> minimise_penalised_loss(const PenalisedLoss& problem, int n_steps) {
  double curvature = problem.l2;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    double squares = 1;
    for (const double value : problem.rows[i]) squares += value * value;
    curvature += problem.costs[i] * squares * (problem.loss == Loss::logistic ? 0.25 : 2);
  }
  std::vector<double> w(problem.n_weights() + 1);
  std::vector<double> ahead = w;
  double momentum = 1;
  for (int step = 0; step < n_steps; ++step) {
    const auto gradient = problem.loss_gradient(ahead);
    std::vector<double> next(w.size());
    for (std::size_t j = 0; j < w.size(); ++j) {
      const bool penalised = j < problem.n_weights();
      const double smooth = gradient[j] + (penalised ? problem.l2 * ahead[j] : 0);
      const double moved = ahead[j] - smooth / curvature;
      const double by = penalised ? problem.l1 / curvature : 0;
      next[j] = moved > by ? moved - by : moved < -by ? moved + by : 0;
    }
    const double next_momentum = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const bool rises = step % 50 == 49 && problem.value(next) > problem.value(w);
    for (std::size_t j = 0; j < w.size(); ++j)
      ahead[j] = rises ? w[j] : next[j] + (momentum - 1) / next_momentum * (next[j] - w[j]);
    if (!rises) w = next;
    momentum = rises ? 1 : next_momentum;
  }
  return w;
}

// --- several classes at once ---

/// Multinomial logistic regression with features of a row and class: sum_i costs_i (log sum_k exp(w.x_ik) -
/// w.x_iy) / sum_i costs_i
/// + sum_j penalties_j w_j^2 / 2.
struct SoftmaxLoss {
  std::vector<Rows> features;  ///< by row, then class
  std::vector<std::int32_t> y;
  std::vector<double> costs;
  std::vector<double> penalties;

  [[nodiscard]] std::vector<double> scores(Sample w, std::size_t i) const {
    std::vector<double> result;
    for (const auto& x : features[i]) {
      result.push_back(0);
      for (std::size_t j = 0; j < w.size(); ++j) result.back() += w[j] * x[j];
    }
    return result;
  }
  [[nodiscard]] double value(Sample w) const {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto s = scores(w, i);
      double chances = 0;
      for (const double score : s) chances += std::exp(score);
      sum += costs[i] * (std::log(chances) - s[static_cast<std::size_t>(y[i])]);
      total += costs[i];
    }
    double penalty = 0;
    for (std::size_t j = 0; j < w.size(); ++j) penalty += penalties[j] * w[j] * w[j] / 2;
    return sum / total + penalty;
  }
  /// By central differences.
  [[nodiscard]] std::vector<double> gradient(std::vector<double> w) const {
    constexpr double step = 1e-5;
    std::vector<double> result;
    for (double& weight : w) {
      const double here = weight;
      weight = here + step;
      const double above = value(w);
      weight = here - step;
      result.push_back((above - value(w)) / (2 * step));
      weight = here;
    }
    return result;
  }
};

/// The solution of A x = b by elimination with pivots from the diagonal.
inline std::vector<double> solve_positive(Square A, std::vector<double> b) {
  const std::size_t p = b.size();
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = j + 1; k < p; ++k) {
      const double factor = A[k][j] / A[j][j];
      for (std::size_t l = j; l < p; ++l) A[k][l] -= factor * A[j][l];
      b[k] -= factor * b[j];
    }
  for (std::size_t j = p; j-- > 0;) {
    for (std::size_t l = j + 1; l < p; ++l) b[j] -= A[j][l] * b[l];
    b[j] /= A[j][j];
  }
  return b;
}

/// Its minimum by Newton steps, each halved until it gains.
inline std::vector<double> minimise_softmax_loss(const SoftmaxLoss& problem, int n_steps) {
  const std::size_t p = problem.penalties.size();
  double total = 0;
  for (const double cost : problem.costs) total += cost;
  std::vector<double> w(p);
  for (int step = 0; step < n_steps; ++step) {
    std::vector<double> gradient(p);
    Square hessian(p, std::vector<double>(p));
    for (std::size_t j = 0; j < p; ++j) {
      gradient[j] = problem.penalties[j] * w[j];
      hessian[j][j] = problem.penalties[j] + 1e-9;  // intercepts are known but for a constant
    }
    for (std::size_t i = 0; i < problem.features.size(); ++i) {
      auto chances = problem.scores(w, i);
      double sum = 0;
      for (double& score : chances) sum += score = std::exp(score);
      const double share = problem.costs[i] / total;
      std::vector<double> mean(p);
      for (std::size_t k = 0; k < chances.size(); ++k) {
        const auto& x = problem.features[i][k];
        for (std::size_t j = 0; j < p; ++j) {
          mean[j] += chances[k] / sum * x[j];
          for (std::size_t l = 0; l < p; ++l) hessian[j][l] += share * chances[k] / sum * x[j] * x[l];
        }
      }
      const auto& own = problem.features[i][static_cast<std::size_t>(problem.y[i])];
      for (std::size_t j = 0; j < p; ++j) {
        gradient[j] += share * (mean[j] - own[j]);
        for (std::size_t l = 0; l < p; ++l) hessian[j][l] -= share * mean[j] * mean[l];
      }
    }
    const auto direction = solve_positive(hessian, gradient);
    const double before = problem.value(w);
    for (double length = 1; length > 1e-9; length /= 2) {
      auto next = w;
      for (std::size_t j = 0; j < p; ++j) next[j] -= length * direction[j];
      if (problem.value(next) > before) continue;
      w = next;
      break;
    }
  }
  return w;
}

// --- residuals of pairs ---

/// The cell of each row by one feature; cells are told apart by their numbers alone.
inline std::vector<int> cells_of_feature(const LabelledSample& sample, std::size_t feature) {
  constexpr int of_gaps = -1;
  constexpr int of_other_levels = -2;
  const auto column = sample.X.column(feature);
  std::vector<double> sorted;
  std::map<double, double> level_weights;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) continue;
    sorted.push_back(column[i]);
    level_weights[column[i]] += WeightsView(sample.weights)[i];
  }
  std::ranges::sort(sorted);
  std::vector<int> cells;
  for (const double x : column) {
    int cell = 0;
    if (std::isnan(x)) {
      cell = of_gaps;
    } else if (sample.is_categorical(feature)) {
      int n_before = 0;
      for (const auto& [level, weight] : level_weights)
        n_before += weight > level_weights[x] || (weight == level_weights[x] && level < x) ? 1 : 0;
      cell = n_before < 7 ? static_cast<int>(x) : of_other_levels;
    } else {
      for (std::size_t k = 1; k < 6; ++k) cell += x >= sorted[k * sorted.size() / 6] ? 1 : 0;
    }
    cells.push_back(cell);
  }
  return cells;
}

/// The gain of a pair in one view, summed over scores; with `with_margins` without a + b taken out.
///
/// a and b solve the normal equations of min sum over cells of H (R / H - a - b)^2. They leave the share
/// 1 - H / H_a - H / H_b + H / H_all of the variance of R, with sums over the cells of a row, a column and
/// the table.
inline double residual_gain(const LabelledSample& sample, const HeldOutChances& chances,
                            const FeaturePair& pair, std::size_t view, bool with_margins = false) {
  struct Cell {
    double R = 0, H = 0, Q = 0;
  };
  const WeightsView weights = sample.weights;
  double largest = 0;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) largest = std::max(largest, weights[i]);
  const auto in_steps = [&](double x) { return std::round(x / largest * 0x1p20) * 0x1p-20 * largest; };
  const auto a = cells_of_feature(sample, pair.i);
  const auto b = cells_of_feature(sample, pair.j);
  double gain = 0;
  for (std::size_t k = 0; k < (sample.n_classes == 2 ? 1 : sample.n_classes); ++k) {
    std::map<std::pair<int, int>, Cell> cells;
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      if (chances.folds[i] == view || chances.folds[i] >= chances.n_folds) continue;
      const double p = chances.of_view[view](i, k);
      const double h = p * (1 - p);
      Cell& cell = cells[{a[i], b[i]}];
      cell.R += in_steps(weights[i] * ((static_cast<std::size_t>(sample.y[i]) == k ? 1 : 0) - p));
      cell.H += in_steps(weights[i] * h);
      cell.Q += in_steps(weights[i] * h * (1 - 6 * h));
    }
    std::erase_if(cells, [](const auto& cell) { return !(cell.second.H > 0); });
    if (cells.empty()) continue;
    std::map<int, double> H_a;
    std::map<int, double> H_b;
    double H_all = 0;
    for (const auto& [at, cell] : cells) {
      H_a[at.first] += cell.H;
      H_b[at.second] += cell.H;
      H_all += cell.H;
    }
    std::map<int, std::size_t> place_a;
    std::map<int, std::size_t> place_b;
    for (const auto& [number, H] : H_a) place_a.emplace(number, place_a.size());
    for (const auto& [number, H] : H_b) place_b.emplace(number, H_a.size() + place_b.size());
    Square normal(H_a.size() + H_b.size(), std::vector<double>(H_a.size() + H_b.size()));
    std::vector<double> right(normal.size());
    // a and b are known but for a constant.
    for (std::size_t t = 0; t < normal.size(); ++t) normal[t][t] = 1e-9 * H_all;
    for (const auto& [at, cell] : cells)
      for (const std::size_t t : {place_a[at.first], place_b[at.second]}) {
        right[t] += cell.R;
        for (const std::size_t u : {place_a[at.first], place_b[at.second]}) normal[t][u] += cell.H;
      }
    const auto fit = solve_positive(normal, right);
    double excess = 0;
    double variance = 0;
    for (const auto& [at, cell] : cells) {
      const double H = cell.H;
      const double R = cell.R - (with_margins ? 0 : H * (fit[place_a[at.first]] + fit[place_b[at.second]]));
      const double left = with_margins ? 1 : 1 - H / H_a[at.first] - H / H_b[at.second] + H / H_all;
      excess += (R * R - std::clamp(left, 0.0, 1.0) * H) / (H + 2);
      variance += std::clamp(left, 0.0, 1.0) * std::max(2 * H * H + cell.Q, 0.0) / ((H + 2) * (H + 2));
    }
    if (excess > 0 && variance > 0) gain += excess / std::sqrt(variance);
  }
  return gain;
}

// --- calibration ---

/// Isotonic regression at row i by the minimax formula: max over a <= i of min over b >= i of the mean of the
/// labels (1 for positive, else 0) of all rows with scores from score a to score b.
inline double isotonic(Sample scores, Sample y, Sample weights, std::size_t i) {
  double largest = 0;
  for (const double a : scores) {
    if (a > scores[i]) continue;
    double least = 1;
    for (const double b : scores) {
      if (b < scores[i]) continue;
      double sum = 0;
      double positive = 0;
      for (std::size_t k = 0; k < scores.size(); ++k) {
        if (scores[k] < a || scores[k] > b) continue;
        sum += weights[k];
        if (y[k] > 0) positive += weights[k];
      }
      least = std::min(least, positive / sum);
    }
    largest = std::max(largest, least);
  }
  return largest;
}

/// Expected calibration error of n bins of equal width of probabilities p, of which `hits` tells whether they
/// came true.
inline double calibration_error(Sample p, const std::vector<bool>& hits, int n_bins) {
  double result = 0;
  for (int bin = 0; bin < n_bins; ++bin) {
    double rows = 0;
    double predicted = 0;
    double observed = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (std::min(static_cast<int>(std::floor(p[i] * n_bins)), n_bins - 1) != bin) continue;
      rows += 1;
      predicted += p[i];
      observed += hits[i] ? 1 : 0;
    }
    if (rows > 0)
      result += rows / static_cast<double>(p.size()) * std::abs(predicted / rows - observed / rows);
  }
  return result;
}

// --- explanation ---

/// a(x) + b(y) of a table of f, y running fastest, weighted by rows: each in turn takes the weighted means of
/// what the other leaves, until nothing changes.
inline std::vector<double> backfitted(std::span<const std::uint64_t> rows, std::size_t n_x,
                                      std::span<const double> f) {
  const std::size_t n_y = rows.size() / n_x;
  std::vector<double> a(n_x);
  std::vector<double> b(n_y);
  const auto mean_rest = [&](std::size_t n, std::size_t k, bool is_x) {
    double sum = 0;
    double weight = 0;
    for (std::size_t l = 0; l < n; ++l) {
      const std::size_t cell = is_x ? k * n_y + l : l * n_y + k;
      sum += static_cast<double>(rows[cell]) * (f[cell] - (is_x ? b[l] : a[l]));
      weight += static_cast<double>(rows[cell]);
    }
    return weight > 0 ? sum / weight : 0;
  };
  for (int round = 0; round < 20000; ++round) {
    for (std::size_t x = 0; x < n_x; ++x) a[x] = mean_rest(n_y, x, true);
    for (std::size_t y = 0; y < n_y; ++y) b[y] = mean_rest(n_x, y, false);
  }
  std::vector<double> sums;
  for (std::size_t x = 0; x < n_x; ++x)
    for (std::size_t y = 0; y < n_y; ++y) sums.push_back(a[x] + b[y]);
  return sums;
}

// --- simulation ---

/// Density of Student's t with 5 degrees of freedom.
inline double student_density(double x) {
  return std::tgamma(3.0) / (std::sqrt(5 * std::numbers::pi) * std::tgamma(2.5)) *
         std::pow(1 + x * x / 5, -3);
}

/// Log density of row i of X: the sum over nodes of the log of the mixture around sums of parents.
inline double log_network_density(const std::vector<Node>& nodes, const Matrix& X, std::size_t i) {
  double result = 0;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    double density = 0;
    for (const Component& component : nodes[j]) {
      double sum = 0;
      for (const std::size_t parent : component.parents) sum += X(i, parent);
      const double scale = component.scale * (component.multiplies ? std::abs(sum) : 1);
      const double x = (X(i, j) - component.shift - (component.multiplies ? 0 : sum)) / scale;
      density += component.probability / scale *
                 (component.noise == Noise::normal ? normal_density(x) : student_density(x));
    }
    result += std::log(density);
  }
  return result;
}

/// sum_i c_i (log sum_k exp s_k(x_i) - s_{y_i}(x_i)) + sum |values|^2 / (2 variance).
inline double table_objective(const TableRows& rows, double variance, const TableSolution& solution) {
  double result = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    std::vector<double> scores = solution.intercepts;
    for (std::size_t k = 0; k < rows.n_classes; ++k)
      for (std::size_t t = 0; t < solution.values[k].size(); ++t)
        scores[k] += solution.values[k][t][rows.cells[t][i]];
    double sum = 0;
    for (const double score : scores) sum += std::exp(score);
    result += rows.loss_weights[i] * (std::log(sum) - scores[static_cast<std::size_t>(rows.y[i])]);
  }
  for (const auto& of_class : solution.values)
    for (const auto& of_table : of_class)
      for (const double value : of_table) result += value * value / (2 * variance);
  return result;
}

}  // namespace dyad::oracle

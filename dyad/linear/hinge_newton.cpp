// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/hinge_newton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "dyad/base/random.h"
#include "dyad/base/simd.h"
#include "dyad/linear/internal/best_intercept.h"
#include "dyad/linear/internal/conjugate_gradients.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/proximal_rounds.h"
#include "dyad/linear/internal/row_arithmetic.h"
#include "dyad/linear/smooth_loss.h"

namespace dyad {
namespace {

using internal::add;
using internal::add_four_products;
using internal::dot;
using internal::product;
using internal::whole_lines;

/// sum_i slope_i min(max(0, a_i - t stiffness cost_i slope_i), cost_i), for any n.
DYAD_SIMD double pull(double t, double stiffness, const double* a, const double* slope, const double* cost,
                      std::size_t n) {
  const auto term = [=](std::size_t i) {
    const double alpha = a[i] - t * stiffness * cost[i] * slope[i];
    return slope[i] * std::min(std::max(0.0, alpha), cost[i]);
  };
  double sum[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) sum[l] += term(i + l);
  for (; i < n; ++i) sum[0] += term(i);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// --- the solver ---

/// Vectors in the space of w hold the intercept's element last, after the columns padded to whole lines with zeros.
class Solver {
 public:
  Solver(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
         std::span<const double> y, std::span<const double> weights, const SvmOptions& options)
      : options_(options), n_cols_(n_cols), last_(whole_lines(n_cols)), w_(last_ + 1) {
    for (const std::uint32_t i : rows) {
      const double cost = options.C * (weights.empty() ? 1 : weights[i]);
      if (cost == 0) continue;
      row_.push_back(i);
      x_.push_back(X.row(i).data());
      y_.push_back(y[i]);
      cost_.push_back(cost);
    }
    v_.fill(std::vector<double>(last_ + 1));
    alpha_.resize(x_.size());
    margin_.resize(x_.size());
    a_.resize(x_.size());
    slope_.resize(x_.size());
    stiffness_ = 1 / first_width();
    for (const double cost : cost_) centre_.push_back(0.5 * cost * stiffness_);
  }

  void start_from(const LinearSolution& warm) {
    std::copy_n(warm.w.begin(), std::min(warm.w.size(), n_cols_), w_.begin());
    w_[last_] = warm.intercept;
    stiffness_ *= 5;
    // Other columns would need another alpha.
    if (warm.alpha.empty() || warm.C == 0 || warm.w.size() != n_cols_) return;
    for (std::size_t i = 0; i < x_.size(); ++i)
      centre_[i] = std::min(cost_[i], warm.alpha[row_[i]] * options_.C / warm.C);
  }

  LinearSolution solve(const Execution& execution) {
    read_margins(w_, margin_);
    update_alpha();
    LinearSolution solution;
    internal::run_proximal_rounds(
        solution, options_.tolerance, stiffness_, execution, [&] { return evaluate(solution); },
        [&] { return steps_ >= options_.max_iterations; },
        [&] {
          centre_ = alpha_;
          update_alpha();
        },
        [&] { newton_step(); });
    finish(solution);
    return solution;
  }

  /// Whether an intercept alone has no loss.
  [[nodiscard]] bool has_one_class() const {
    return std::ranges::adjacent_find(y_, std::not_equal_to<>()) == y_.end();
  }

  [[nodiscard]] LinearSolution one_class(std::size_t n_rows) const {
    return {.w = std::vector<double>(n_cols_),
            .intercept = y_.empty() ? 0 : y_[0],
            .alpha = std::vector<double>(n_rows),
            .C = options_.C,
            .converged = true};
  }

  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return row_; }

 private:
  /// Over which change of the margin alpha_i crosses its box at first. Found by trial: 1 where rows abound, more where alpha
  /// will be small beside C because the columns suffice to separate the rows.
  [[nodiscard]] double first_width() const {
    const std::size_t stride = x_.size() / 256 + 1;  // some rows tell enough
    double squares = 0;
    double n_read = 0;
    for (std::size_t i = 0; i < x_.size(); i += stride, ++n_read)
      for (std::size_t j = 0; j < n_cols_; ++j) squares += std::pow(static_cast<double>(x_[i][j]), 2);
    const double columns_per_row = static_cast<double>(n_cols_) / static_cast<double>(x_.size());
    return std::max(1.0, options_.C * columns_per_row * squares / (35 * n_read));
  }

  /// u.v without the intercept's elements.
  [[nodiscard]] double penalised_product(const std::vector<double>& u, const std::vector<double>& v) const {
    return product(u, v) - u[last_] * v[last_];
  }

  /// out_i = y_i (x_i, 1).u
  void read_margins(const std::vector<double>& u, std::vector<double>& out) {
    for (std::size_t i = 0; i < x_.size(); ++i) out[i] = y_[i] * (dot(x_[i], u.data(), last_) + u[last_]);
    reads_ += static_cast<std::int64_t>(x_.size());
  }

  /// alpha_i from the margins, and v = sum_i alpha_i y_i (x_i, 1), separately for the two classes.
  void update_alpha() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      a_[i] = centre_[i] + stiffness_ * cost_[i] * (1 - margin_[i]);
      const double alpha = std::clamp(a_[i], 0.0, cost_[i]);
      if (alpha == alpha_[i]) continue;
      std::vector<double>& v = v_[y_[i] > 0 ? 1 : 0];
      const double change = y_[i] * (alpha - alpha_[i]);
      add(change, x_[i], n_cols_, v.data());
      v[last_] += change;
      alpha_[i] = alpha;
      ++reads_;
    }
  }

  void newton_step() {
    std::vector<double> gradient(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) gradient[j] = w_[j] - v_[0][j] - v_[1][j];
    gradient[last_] -= w_[last_];
    const std::vector<double> d = newton_direction(gradient);
    read_margins(d, slope_);
    const double t = step_length(d);
    for (std::size_t j = 0; j <= last_; ++j) w_[j] += t * d[j];
    for (std::size_t i = 0; i < x_.size(); ++i) margin_[i] += t * slope_[i];
    update_alpha();
  }

  /// Solves (I + sum_i stiffness cost_i (x_i, 1) (x_i, 1)') d = -gradient, the sum over the rows inside their box: roughly,
  /// as exact directions would not pay.
  std::vector<double> newton_direction(const std::vector<double>& gradient) {
    std::vector<const float*> x;
    std::vector<float> scale;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (a_[i] <= 0 || a_[i] >= cost_[i]) continue;
      x.push_back(x_[i]);
      scale.push_back(static_cast<float>(stiffness_ * cost_[i]));
    }
    while (x.size() % 4 != 0) {
      x.push_back(x.back());
      scale.push_back(0);
    }
    // The intercept has no curvature of its own: it gets a little, for systems without rows.
    const auto curvature = static_cast<float>(1e-3 * stiffness_ * options_.C);

    std::vector<float> residual(gradient.size());
    for (std::size_t j = 0; j < residual.size(); ++j) residual[j] = static_cast<float>(-gradient[j]);
    const auto multiply = [&](const std::vector<float>& p) {
      std::vector<float> q = p;
      q[last_] *= curvature;
      for (std::size_t k = 0; k < x.size(); k += 4)
        add_four_products(&x[k], &scale[k], p.data(), last_, q.data());
      std::fill(q.begin() + static_cast<std::ptrdiff_t>(n_cols_), q.end() - 1, 0.0F);
      ++steps_;
      reads_ += static_cast<std::int64_t>(x.size());
      return q;
    };
    const std::vector<float> d = internal::conjugate_gradients(std::move(residual), 0.05F, multiply);
    ++steps_;
    return {d.begin(), d.end()};
  }

  /// How far the round's objective, convex along w + t d, is followed: O(n) for each t tried.
  [[nodiscard]] double step_length(const std::vector<double>& d) const {
    const double wd = penalised_product(w_, d);
    const double dd = penalised_product(d, d);
    const auto slope_at = [&](double t) {
      return wd + t * dd - pull(t, stiffness_, a_.data(), slope_.data(), cost_.data(), x_.size());
    };
    return internal::step_length(slope_at);
  }

  /// By what the alphas of the classes (-1, +1) must be multiplied to satisfy sum_i alpha_i y_i = 0 inside the box.
  [[nodiscard]] std::array<double, 2> balance() const {
    const double negative = std::max(0.0, -v_[0][last_]);
    const double positive = std::max(0.0, v_[1][last_]);
    if (negative == positive) return {1, 1};
    return {std::min(1.0, positive / negative), std::min(1.0, negative / positive)};
  }

  /// Objective and gap at w, its intercept and the balanced alpha. O(n + p).
  internal::RoundErrors evaluate(LinearSolution& solution) const {
    internal::RoundErrors errors;
    double primal = 0.5 * penalised_product(w_, w_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double loss = cost_[i] * std::max(0.0, 1 - margin_[i]);
      primal += loss;
      errors.centre += loss - alpha_[i] * (1 - margin_[i]);
      errors.move += (alpha_[i] - centre_[i]) * (alpha_[i] - centre_[i]) / (2 * stiffness_ * cost_[i]);
    }
    const auto [negative, positive] = balance();
    std::vector<double> v(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) v[j] = negative * v_[0][j] + positive * v_[1][j];
    const double dual = positive * v_[1][last_] - negative * v_[0][last_] - 0.5 * penalised_product(v, v);
    errors.newton = std::max(0.0, primal - dual - errors.centre);
    set_objective(solution, primal, dual);
    return errors;
  }

  void set_objective(LinearSolution& solution, double primal, double dual) const {
    solution.objective = primal;
    solution.gap = primal > 0 ? (primal - dual) / primal : 0;
    solution.converged = solution.gap <= options_.tolerance;
  }

  /// Moves the intercept to its best place, and fills in the rest.
  void finish(LinearSolution& solution) const {
    const double dual = solution.objective * (1 - solution.gap);
    std::vector<double> f(x_.size());
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = y_[i] * margin_[i] - w_[last_];
    solution.intercept = internal::best_intercept(f, y_, cost_);
    double primal = 0.5 * penalised_product(w_, w_);
    for (std::size_t i = 0; i < f.size(); ++i)
      primal += cost_[i] * std::max(0.0, 1 - y_[i] * (f[i] + solution.intercept));
    set_objective(solution, primal, dual);
    solution.w.assign(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n_cols_));
    const std::array<double, 2> factor = balance();
    solution.alpha = alpha_;
    for (std::size_t i = 0; i < alpha_.size(); ++i) solution.alpha[i] *= factor[y_[i] > 0 ? 1 : 0];
    solution.steps = steps_;
    solution.row_reads = reads_;
  }

  const SvmOptions& options_;
  std::size_t n_cols_;
  std::size_t last_;  ///< where the intercept's element is
  std::vector<std::uint32_t> row_;
  std::vector<const float*> x_;
  std::vector<double> y_;
  std::vector<double> cost_;
  std::vector<double> w_;
  std::array<std::vector<double>, 2> v_;  ///< of the classes -1, +1
  std::vector<double> centre_;
  std::vector<double> a_;  ///< alpha before it is clipped into its box
  std::vector<double> alpha_;
  std::vector<double> margin_;  ///< y_i (w.x_i + b)
  std::vector<double> slope_;   ///< its change along the Newton direction
  double stiffness_ = 1;
  std::int64_t steps_ = 0;
  std::int64_t reads_ = 0;
};

constexpr std::size_t many_rows = 3000;
constexpr std::size_t share = 8;

LinearSolution solve(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                     std::span<const double> y, std::span<const double> weights, const SvmOptions& options,
                     const LinearSolution& warm, const Execution& execution);

// NOLINTBEGIN(misc-no-recursion): each time of an eighth of the rows
/// A rough solution for an eighth of the rows, which stand for all.
LinearSolution solve_sample(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                            std::span<const double> y, std::span<const double> weights,
                            const SvmOptions& options, const Execution& execution) {
  std::vector<std::uint32_t> sample(rows.begin(), rows.end());
  Random(1).shuffle(sample);
  sample.resize(sample.size() / share);
  std::ranges::sort(sample);
  SvmOptions rough = options;
  rough.C *= static_cast<double>(share);
  rough.tolerance = std::max(0.05, options.tolerance);
  LinearSolution start = solve(X, sample, n_cols, y, weights, rough, {}, execution);
  start.alpha.clear();
  return start;
}

LinearSolution solve(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                     std::span<const double> y, std::span<const double> weights, const SvmOptions& options,
                     const LinearSolution& warm, const Execution& execution) {
  Solver solver(X, rows, n_cols, y, weights, options);
  if (solver.has_one_class()) return solver.one_class(X.n_rows());
  LinearSolution sample;
  if (warm.w.empty() && rows.size() > many_rows)
    sample = solve_sample(X, rows, n_cols, y, weights, options, execution);
  const LinearSolution& start = warm.w.empty() ? sample : warm;
  if (!start.w.empty()) solver.start_from(start);
  LinearSolution solution = solver.solve(execution);
  solution.steps += sample.steps;
  solution.row_reads += sample.row_reads;
  std::vector<double> alpha(X.n_rows());
  for (std::size_t i = 0; i < solution.alpha.size(); ++i) alpha[solver.rows()[i]] = solution.alpha[i];
  solution.alpha = std::move(alpha);
  solution.C = options.C;
  return solution;
}
// NOLINTEND(misc-no-recursion)

void check(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols) {
  if (n_cols > X.n_cols())
    throw std::invalid_argument("svm: " + std::to_string(n_cols) + " columns asked for, there are " +
                                std::to_string(X.n_cols()));
  for (const std::uint32_t i : rows)
    if (i >= X.n_rows())
      throw std::invalid_argument("svm: row " + std::to_string(i) + " asked for, there are " +
                                  std::to_string(X.n_rows()));
}

}  // namespace

LinearSolution solve_linear(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                            std::span<const double> y, std::span<const double> weights,
                            const SvmOptions& options, const LinearSolution& warm,
                            const Execution& execution) {
  require_valid(options);
  check(X, rows, n_cols);
  for (const std::size_t size : {y.size(), weights.empty() ? y.size() : weights.size(),
                                 warm.alpha.empty() ? y.size() : warm.alpha.size()})
    if (size != X.n_rows())
      throw std::invalid_argument("svm: labels, weights or a start of " + std::to_string(size) +
                                  " rows for " + std::to_string(X.n_rows()));
  for (const std::uint32_t i : rows)
    if (y[i] != 1 && y[i] != -1)
      throw std::invalid_argument("svm: a label is not +1 or -1, got " + std::to_string(y[i]));
  if (options.loss != Loss::hinge)
    return solve_smooth_loss(X, rows, n_cols, y, weights, options, warm, execution);
  return solve(X, rows, n_cols, y, weights, options, warm, execution);
}

std::vector<double> decision_values(const FloatRows& X, std::span<const std::uint32_t> rows,
                                    std::span<const double> w, double intercept) {
  check(X, rows, w.size());
  std::vector<double> padded(w.begin(), w.end());
  padded.resize(whole_lines(w.size()));
  std::vector<double> result;
  result.reserve(rows.size());
  for (const std::uint32_t i : rows)
    result.push_back(intercept + dot(X.row(i).data(), padded.data(), padded.size()));
  return result;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/multiclass_svm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "dyad/base/random.h"
#include "dyad/linear/internal/conjugate_gradients.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/proximal_rounds.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

using internal::add;
using internal::dot;
using internal::product;
using internal::whole_lines;

/// Moves a to the nearest point of the simplex { a_k >= 0, sum_k a_k = size } (Michelot 1986).
void project(std::span<double> a, double size) {
  double sum = 0;
  for (const double value : a) sum += value;
  auto count = static_cast<double>(a.size());
  double level = (sum - size) / count;
  for (;;) {
    double above = 0;
    double n_above = 0;
    for (const double value : a) {
      if (value <= level) continue;
      above += value;
      ++n_above;
    }
    if (n_above == 0 || n_above == count) break;  // none: all are equal, but for rounding
    count = n_above;
    level = (above - size) / count;
  }
  for (double& value : a) value = std::max(0.0, value - level);
}

/// Vectors in the space of w hold one part a class: its columns, padded to whole lines with zeros, then its intercept.
class Solver {
 public:
  Solver(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
         std::span<const std::int32_t> y, std::size_t n_classes, std::span<const double> weights,
         const SvmOptions& options)
      : options_(options),
        n_cols_(n_cols),
        n_classes_(n_classes),
        last_(whole_lines(n_cols)),
        w_(n_classes * part()),
        v_(w_.size()) {
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const std::uint32_t i = rows[place];
      const double cost = options.C * (weights.empty() ? 1 : weights[i]);
      if (cost == 0) continue;
      place_.push_back(place);
      x_.push_back(X.row(i).data());
      y_.push_back(static_cast<std::size_t>(y[i]));
      cost_.push_back(cost);
    }
    scores_.resize(x_.size() * n_classes);
    slopes_.resize(scores_.size());
    stiffness_ = 1 / first_width();
    // Begins as the SVM of two classes does: with a share of each row's cost given to the other classes.
    const double given = 0.5 * std::min(1.0, stiffness_);
    centre_.resize(scores_.size());
    beta_.resize(scores_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto others = static_cast<double>(n_classes - 1);
      for (std::size_t k = 0; k < n_classes; ++k) {
        centre_[i * n_classes + k] = cost_[i] * (k == y_[i] ? 1 - given : given / others);
        beta_[i * n_classes + k] = k == y_[i] ? cost_[i] : 0;
      }
    }
  }

  void start_from(const MulticlassSolution& warm) {
    for (std::size_t k = 0; k < n_classes_; ++k) {
      std::copy_n(warm.w[k].begin(), std::min(warm.w[k].size(), n_cols_), w_.begin() + at(k));
      w_[k * part() + last_] = warm.intercepts[k];
    }
    stiffness_ *= 5;
  }

  MulticlassSolution solve(std::size_t n_rows, const Execution& execution) {
    read_scores(w_, scores_);
    update_beta();
    MulticlassSolution solution;
    internal::run_proximal_rounds(
        solution, options_.tolerance, stiffness_, execution, [&] { return evaluate(solution); },
        [&] { return steps_ >= options_.max_iterations; },
        [&] {
          centre_ = beta_;
          update_beta();
        },
        [&] { newton_step(execution); });
    for (std::size_t k = 0; k < n_classes_; ++k) {
      solution.w.emplace_back(w_.begin() + at(k), w_.begin() + at(k) + static_cast<std::ptrdiff_t>(n_cols_));
      solution.intercepts.push_back(w_[k * part() + last_]);
    }
    solution.beta.assign(n_rows * n_classes_, 0.0);
    for (std::size_t i = 0; i < x_.size(); ++i)
      std::ranges::copy(of_row(beta_, i),
                        solution.beta.begin() + static_cast<std::ptrdiff_t>(place_[i] * n_classes_));
    solution.C = options_.C;
    solution.steps = steps_;
    return solution;
  }

 private:
  [[nodiscard]] std::size_t part() const { return last_ + 1; }
  [[nodiscard]] std::ptrdiff_t at(std::size_t k) const { return static_cast<std::ptrdiff_t>(k * part()); }

  /// The n_classes elements of row i.
  [[nodiscard]] std::span<double> of_row(std::vector<double>& values, std::size_t i) const {
    return std::span(values).subspan(i * n_classes_, n_classes_);
  }
  [[nodiscard]] std::span<const double> of_row(const std::vector<double>& values, std::size_t i) const {
    return std::span(values).subspan(i * n_classes_, n_classes_);
  }

  /// Over which change of a score beta_i crosses its simplex at first, as found by trial for two classes.
  [[nodiscard]] double first_width() const {
    const std::size_t stride = x_.size() / 256 + 1;  // some rows tell enough
    double squares = 0;
    double n_read = 0;
    for (std::size_t i = 0; i < x_.size(); i += stride, ++n_read)
      for (std::size_t j = 0; j < n_cols_; ++j) squares += std::pow(static_cast<double>(x_[i][j]), 2);
    const double columns_per_row = static_cast<double>(n_cols_) / static_cast<double>(x_.size());
    return std::max(1.0, options_.C * columns_per_row * squares / (35 * n_read));
  }

  /// out_ik = (x_i, 1).u_k
  void read_scores(const std::vector<double>& u, std::vector<double>& out) const {
    for (std::size_t i = 0; i < x_.size(); ++i)
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const double* const of_class = u.data() + k * part();
        out[i * n_classes_ + k] = dot(x_[i], of_class, last_) + of_class[last_];
      }
  }

  /// beta_i at scores s_i + t slope_i.
  void beta_along(double t, std::size_t i, std::span<double> beta) const {
    const double s = stiffness_ * cost_[i];
    for (std::size_t k = 0; k < n_classes_; ++k) {
      const std::size_t m = i * n_classes_ + k;
      beta[k] = centre_[m] + s * (scores_[m] + t * slopes_[m] + (k == y_[i] ? 0 : 1));
    }
    project(beta, cost_[i]);
  }

  /// beta from the scores, and v.
  void update_beta() {
    std::vector<double> beta(n_classes_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      beta_along(0, i, beta);
      const auto old = of_row(beta_, i);
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const double change = old[k] - beta[k];
        if (change == 0) continue;
        double* const v = v_.data() + k * part();
        add(change, x_[i], n_cols_, v);
        v[last_] += change;
        old[k] = beta[k];
      }
    }
  }

  void newton_step(const Execution& execution) {
    std::vector<double> gradient(w_.size());
    for (std::size_t j = 0; j < w_.size(); ++j) gradient[j] = w_[j] - v_[j];
    const std::vector<double> d = newton_direction(gradient, execution);
    read_scores(d, slopes_);
    const double t = step_length(d);
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += t * d[j];
    for (std::size_t m = 0; m < scores_.size(); ++m) scores_[m] += t * slopes_[m];
    std::ranges::fill(slopes_, 0.0);
    update_beta();
  }

  /// A row that several classes contend for.
  struct Contended {
    const float* x = nullptr;
    float scale = 0;
    std::size_t first = 0;  ///< of its classes
    std::size_t count = 0;
  };

  /// Solves (I + sum_i stiffness cost_i J_i (x) (x_i, 1) (x_i, 1)') d = -gradient: roughly, as exact directions would not pay.
  std::vector<double> newton_direction(const std::vector<double>& gradient, const Execution& execution) {
    std::vector<Contended> rows;
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      Contended row{x_[i], static_cast<float>(stiffness_ * cost_[i]), classes.size(), 0};
      for (std::size_t k = 0; k < n_classes_; ++k)
        if (beta_[i * n_classes_ + k] > 0) classes.push_back(k);
      row.count = classes.size() - row.first;
      if (row.count > 1)
        rows.push_back(row);
      else
        classes.resize(row.first);
    }
    std::vector<float> residual(gradient.size());
    for (std::size_t j = 0; j < residual.size(); ++j) residual[j] = static_cast<float>(-gradient[j]);
    std::vector<float> u(n_classes_);
    const auto multiply = [&](const std::vector<float>& p) {
      throw_if_stopped(execution);
      std::vector<float> q = p;
      for (const Contended& row : rows) {
        float mean = 0;
        for (std::size_t m = 0; m < row.count; ++m) {
          const float* const of_class = p.data() + classes[row.first + m] * part();
          u[m] = dot(row.x, of_class, last_) + of_class[last_];
          mean += u[m];
        }
        mean /= static_cast<float>(row.count);
        for (std::size_t m = 0; m < row.count; ++m) {
          float* const of_class = q.data() + classes[row.first + m] * part();
          const float c = row.scale * (u[m] - mean);
          add(c, row.x, n_cols_, of_class);
          of_class[last_] += c;
        }
      }
      ++steps_;
      return q;
    };
    const std::vector<float> d = internal::conjugate_gradients(std::move(residual), 0.05F, multiply);
    ++steps_;
    return {d.begin(), d.end()};
  }

  /// How far the round's objective, convex along w + t d, is followed: O(n K) for each t tried.
  [[nodiscard]] double step_length(const std::vector<double>& d) const {
    double constant = product(w_, d);
    for (std::size_t i = 0; i < x_.size(); ++i) constant -= cost_[i] * slopes_[i * n_classes_ + y_[i]];
    const double dd = product(d, d);
    std::vector<double> beta(n_classes_);
    const auto slope_at = [&](double t) {
      double sum = constant + t * dd;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        beta_along(t, i, beta);
        for (std::size_t k = 0; k < n_classes_; ++k) sum += beta[k] * slopes_[i * n_classes_ + k];
      }
      return sum;
    };
    return internal::step_length(slope_at);
  }

  /// Objective and gap at w and beta. O(n K + p K).
  internal::RoundErrors evaluate(MulticlassSolution& solution) const {
    internal::RoundErrors errors;
    double primal = 0.5 * product(w_, w_);
    double dual = -0.5 * product(v_, v_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto s = of_row(scores_, i);
      double largest = 0;
      double reached = 0;
      double moved = 0;
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const std::size_t m = i * n_classes_ + k;
        const double g = k == y_[i] ? 0 : 1 + s[k] - s[y_[i]];
        largest = std::max(largest, g);
        reached += beta_[m] * g;
        dual += k == y_[i] ? 0 : beta_[m];
        moved += std::pow(beta_[m] - centre_[m], 2);
      }
      primal += cost_[i] * largest;
      errors.centre += cost_[i] * largest - reached;
      errors.move += moved / (2 * stiffness_ * cost_[i]);
    }
    errors.newton = std::max(0.0, primal - dual - errors.centre);
    solution.objective = primal;
    solution.gap = primal > 0 ? (primal - dual) / primal : 0;
    solution.converged = solution.gap <= options_.tolerance;
    return errors;
  }

  const SvmOptions& options_;
  std::size_t n_cols_;
  std::size_t n_classes_;
  std::size_t last_;                ///< where the intercept is within a part
  std::vector<std::size_t> place_;  ///< in the rows given
  std::vector<const float*> x_;
  std::vector<std::size_t> y_;
  std::vector<double> cost_;
  std::vector<double> w_;
  std::vector<double> v_;
  std::vector<double> centre_;  ///< n_classes for each row, as all below
  std::vector<double> beta_;
  std::vector<double> scores_;
  std::vector<double> slopes_;  ///< their change along the Newton direction
  double stiffness_ = 1;
  std::int64_t steps_ = 0;
};

constexpr std::size_t many_rows = 3000;
constexpr std::size_t share = 8;

// NOLINTNEXTLINE(misc-no-recursion): each time of an eighth of the rows
MulticlassSolution solve(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                         std::span<const std::int32_t> y, std::size_t n_classes,
                         std::span<const double> weights, const SvmOptions& options,
                         const MulticlassSolution& warm, const Execution& execution) {
  Solver solver(X, rows, n_cols, y, n_classes, weights, options);
  MulticlassSolution sample;
  if (warm.w.empty() && rows.size() > many_rows) {
    // A rough solution for an eighth of the rows, which stand for all.
    std::vector<std::uint32_t> some(rows.begin(), rows.end());
    Random(1).shuffle(some);
    some.resize(some.size() / share);
    std::ranges::sort(some);
    SvmOptions rough = options;
    rough.C *= static_cast<double>(share);
    rough.tolerance = std::max(0.05, options.tolerance);
    sample = solve(X, some, n_cols, y, n_classes, weights, rough, {}, execution);
  }
  const MulticlassSolution& start = warm.w.empty() ? sample : warm;
  if (!start.w.empty()) solver.start_from(start);
  MulticlassSolution solution = solver.solve(rows.size(), execution);
  solution.steps += sample.steps;
  return solution;
}

}  // namespace

MulticlassSolution solve_multiclass(const FloatRows& X, std::span<const std::uint32_t> rows,
                                    std::size_t n_cols, std::span<const std::int32_t> y,
                                    std::size_t n_classes, std::span<const double> weights,
                                    const SvmOptions& options, const MulticlassSolution& warm,
                                    const Execution& execution) {
  validate(options);
  if (options.loss != Loss::hinge || options.penalty != Penalty::l2)
    throw std::invalid_argument(
        "svm: several classes at once are solved with loss hinge and penalty l2 only");
  if (n_cols > X.n_cols())
    throw std::invalid_argument("svm: " + std::to_string(n_cols) + " columns asked for, there are " +
                                std::to_string(X.n_cols()));
  for (const std::size_t size : {y.size(), weights.empty() ? y.size() : weights.size()})
    if (size != X.n_rows())
      throw std::invalid_argument("svm: classes or weights of " + std::to_string(size) + " rows for " +
                                  std::to_string(X.n_rows()));
  if (!warm.w.empty() && (warm.w.size() != n_classes || warm.intercepts.size() != n_classes))
    throw std::invalid_argument("svm: a start of " + std::to_string(warm.w.size()) + " classes for " +
                                std::to_string(n_classes));
  for (const std::uint32_t i : rows) {
    if (i >= X.n_rows())
      throw std::invalid_argument("svm: row " + std::to_string(i) + " asked for, there are " +
                                  std::to_string(X.n_rows()));
    if (y[i] < 0 || static_cast<std::size_t>(y[i]) >= n_classes)
      throw std::invalid_argument("svm: a row has class " + std::to_string(y[i]) + " of " +
                                  std::to_string(n_classes));
  }
  return solve(X, rows, n_cols, y, n_classes, weights, options, warm, execution);
}

}  // namespace dyad

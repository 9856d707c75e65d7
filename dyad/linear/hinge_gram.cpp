// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/hinge_gram.h"

#include "dyad/linear/internal/best_intercept.h"
#include "dyad/linear/norm_search.h"

namespace dyad {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest_curvature = 1e-12;

class GramSolver {
 public:
  GramSolver(const MatrixView& gram, std::span<const double> y, std::span<const double> loss_weights,
             const SvmOptions& options)
      : gram_(gram), y_(y), options_(options), C_(y.size(), options.C), alpha_(y.size()), f_(y.size()) {
    for (std::size_t i = 0; i < loss_weights.size(); ++i) C_[i] *= loss_weights[i];
  }

  void start_from(std::span<const double> warm) {
    if (warm.size() != alpha_.size()) return;
    std::vector<double> clipped(warm.begin(), warm.end());
    double sum = 0;
    double size = 0;
    for (std::size_t i = 0; i < clipped.size(); ++i) {
      clipped[i] = std::clamp(clipped[i], 0.0, C_[i]);
      sum += y_[i] * clipped[i];
      size += clipped[i];
    }
    if (std::abs(sum) > 1e-9 * size) return;
    alpha_ = std::move(clipped);
  }

  SvmSolution solve(const Execution& execution) {
    for (std::size_t k = 0; k < y_.size(); ++k) {
      throw_if_stopped(execution);
      if (alpha_[k] != 0) add_to_decision(k, alpha_[k]);
    }
    SvmSolution solution;
    const auto n = static_cast<std::int64_t>(y_.size());
    const std::int64_t between_checks = std::max<std::int64_t>(n, 100);
    for (bool moving = true;;) {
      throw_if_stopped(execution);
      if (!moving || solution.iterations % between_checks == 0) {
        evaluate(solution);
        if (solution.converged || !moving || solution.iterations >= options_.max_iterations) break;
      }
      moving = step_pair();
      ++solution.iterations;
    }
    solution.alpha = std::move(alpha_);
    solution.C = options_.C;
    return solution;
  }

 private:
  void add_to_decision(std::size_t k, double change) {
    const double signed_change = y_[k] * change;
    const double* const row = gram_.data + k * gram_.n_rows;
    for (std::size_t i = 0; i < y_.size(); ++i) f_[i] += signed_change * row[i];
  }

  /// Distance that y_k alpha_k can go up (sign 1) or down (sign -1).
  [[nodiscard]] double room(std::size_t k, double sign) const {
    return sign * y_[k] > 0 ? C_[k] - alpha_[k] : alpha_[k];
  }

  /// Moves y_k alpha_k by sign * t, to the bound itself where t uses up the room.
  void move(std::size_t k, double sign, double t) {
    const bool to_bound = t >= room(k, sign);
    const double bound = sign * y_[k] > 0 ? C_[k] : 0;
    const double target = to_bound ? bound : alpha_[k] + sign * y_[k] * t;
    add_to_decision(k, target - alpha_[k]);
    alpha_[k] = target;
  }

  /// Steps along y_i alpha_i + t, y_j alpha_j - t: i is the most violating row, j the one that gains most
  /// with it.
  bool step_pair() {
    const std::size_t n = y_.size();
    // y_i (-gradient)_i = y_i - f_i is what rises along y_i alpha_i.
    std::size_t i = n;
    double highest = -infinity;
    for (std::size_t k = 0; k < n; ++k)
      if (room(k, 1) > 0 && y_[k] - f_[k] > highest) {
        highest = y_[k] - f_[k];
        i = k;
      }
    if (i == n) return false;
    const double* const row = gram_.data + i * n;
    const auto curvature = [&](std::size_t k) {
      return std::max(row[i] + gram_.data[k * n + k] - 2 * row[k], smallest_curvature);
    };
    std::size_t j = n;
    double best_gain = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double violation = highest - (y_[k] - f_[k]);
      if (room(k, -1) <= 0 || violation <= 0) continue;
      const double gain = violation * violation / curvature(k);
      if (gain > best_gain) {
        best_gain = gain;
        j = k;
      }
    }
    if (j == n) return false;
    const double t = std::min({(highest - (y_[j] - f_[j])) / curvature(j), room(i, 1), room(j, -1)});
    if (!(t > 0)) return false;
    move(i, 1, t);
    move(j, -1, t);
    return true;
  }

  void evaluate(SvmSolution& solution) const {
    double squared_norm = 0;
    double alpha_sum = 0;
    double loss = 0;
    solution.intercept = internal::best_intercept(f_, y_, C_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      squared_norm += alpha_[i] * y_[i] * f_[i];
      alpha_sum += alpha_[i];
      loss += C_[i] * Hinge::value(y_[i] * (f_[i] + solution.intercept));
    }
    solution.norm = std::sqrt(std::max(0.0, squared_norm));
    solution.objective = 0.5 * squared_norm + loss;
    const double dual = alpha_sum - 0.5 * squared_norm;
    solution.gap = solution.objective > 0 ? (solution.objective - dual) / solution.objective : 0;
    solution.converged = std::abs(solution.gap) <= options_.tolerance;
  }

  MatrixView gram_;
  std::span<const double> y_;
  const SvmOptions& options_;
  std::vector<double> C_;  ///< C times the loss weight of each row
  std::vector<double> alpha_;
  std::vector<double> f_;  ///< sum_k alpha_k y_k k(x_i, x_k), without the intercept
};

}  // namespace

SvmSolution solve_svm(const MatrixView& gram, std::span<const double> y, std::span<const double> loss_weights,
                      const SvmOptions& options, std::span<const double> warm, const Execution& execution) {
  require_valid(options);
  if (options.loss != Loss::hinge)
    throw std::invalid_argument("svm: a Gram matrix is solved with loss hinge only");
  if (gram.n_rows != y.size() || gram.n_cols != y.size() ||
      (!loss_weights.empty() && loss_weights.size() != y.size()))
    throw std::invalid_argument("svm: " + std::to_string(y.size()) + " labels do not fit a Gram matrix of " +
                                std::to_string(gram.n_rows) + " rows or " +
                                std::to_string(loss_weights.size()) + " weights");
  for (const double label : y)
    if (label != 1 && label != -1)
      throw std::invalid_argument("svm: a label is not +1 or -1, got " + std::to_string(label));
  GramSolver solver(gram, y, loss_weights, options);
  solver.start_from(warm);
  return solver.solve(execution);
}

SvmSolution solve_svm_within(const MatrixView& gram, std::span<const double> y,
                             std::span<const double> loss_weights, const SvmOptions& options,
                             double norm_bound, std::span<const double> warm, const Execution& execution) {
  if (norm_bound == 0) return solve_svm(gram, y, loss_weights, options, warm, execution);
  const auto solve_at = [&](double C, const SvmSolution& from) {
    SvmOptions at = options;
    at.C = C;
    std::vector<double> scaled = from.alpha;
    for (double& alpha : scaled) alpha *= C / from.C;
    return solve_svm(gram, y, loss_weights, at, scaled, execution);
  };
  return search_norm<SvmSolution>(norm_bound, solve_at);
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "dyad/linear/internal/inverse_hessian.h"
#include "dyad/linear/internal/line_search.h"

namespace dyad {
namespace {

using internal::InverseHessian;
using internal::SoftmaxProblem;

double highest_score(const Matrix& scores, std::size_t i) {
  double highest = scores(i, 0);
  for (std::size_t k = 1; k < scores.n_cols; ++k) highest = std::max(highest, scores(i, k));
  return highest;
}

/// Steps after which the Hessian is computed anew.
constexpr std::int64_t steps_of_one_hessian = 20;

/// The last steps and changes of the gradient: an approximation of the inverse Hessian.
class History {
 public:
  /// Begins with the moves of a fit with the same parameters, if another penalty.
  History(const SoftmaxCurvature& known, const SoftmaxProblem& problem) {
    if (known.layout != problem.layout()) return;
    for (const auto& [step, change] : known.moves) {
      const Eigen::VectorXd first =
          Eigen::Map<const Eigen::VectorXd>(step.data(), internal::index(step.size()));
      add(first,
          Eigen::Map<const Eigen::VectorXd>(change.data(), first.size()) + problem.penalty_gradient(first));
    }
  }

  /// Keeps the moves for a later fit.
  void keep(const SoftmaxProblem& problem, SoftmaxCurvature& known) const {
    const auto numbers = [](const Eigen::VectorXd& v) {
      return std::vector<double>(v.data(), v.data() + v.size());
    };
    known.layout = problem.layout();
    known.moves.clear();
    for (const Pair& pair : pairs_) {
      const Eigen::VectorXd change = pair.change - problem.penalty_gradient(pair.step);
      known.moves.push_back({numbers(pair.step), numbers(change)});
    }
  }

  void add(const Eigen::VectorXd& step, const Eigen::VectorXd& change) {
    constexpr std::size_t most = 10;
    const double curvature = step.dot(change);
    if (!(curvature > 0)) return;
    pairs_.push_back({step, change, 1 / curvature});
    if (pairs_.size() > most) pairs_.pop_front();
  }

  [[nodiscard]] Eigen::VectorXd direction(const Eigen::VectorXd& gradient,
                                          const InverseHessian& first) const {
    Eigen::VectorXd result = -gradient;
    std::vector<double> shares(pairs_.size());
    for (std::size_t m = pairs_.size(); m-- > 0;) {
      shares[m] = pairs_[m].inverse * pairs_[m].step.dot(result);
      result -= shares[m] * pairs_[m].change;
    }
    first.apply(result);
    for (std::size_t m = 0; m < pairs_.size(); ++m)
      result += (shares[m] - pairs_[m].inverse * pairs_[m].change.dot(result)) * pairs_[m].step;
    return result;
  }

 private:
  struct Pair {
    Eigen::VectorXd step, change;
    double inverse;
  };
  std::deque<Pair> pairs_;
};

}  // namespace

SoftmaxSolution solve_softmax(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                              std::span<const std::size_t> n_cols, const SoftmaxOptions& options,
                              const SoftmaxSolution& warm, const Execution& execution,
                              SoftmaxCurvature* curvature) {
  SoftmaxCurvature own;
  SoftmaxCurvature& known = curvature == nullptr ? own : *curvature;
  const SoftmaxProblem problem(rows_of_classes, rows, n_cols, options, execution);
  const std::size_t n_shared = problem.n_shared();
  Eigen::VectorXd parameters = problem.parameters_of(warm);
  if (warm.weights.empty()) problem.solve_common(parameters);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  SoftmaxSolution solution{.objective = problem.objective(parameters, scores, residuals)};
  Eigen::VectorXd gradient = problem.gradient(parameters, residuals);
  std::optional<InverseHessian> inverse;
  History history(known, problem);
  int n_small = 0;
  while (solution.steps < options.max_steps && !solution.converged) {
    throw_if_stopped(execution);
    if (solution.steps % steps_of_one_hessian == 0 && (!inverse || !inverse->is_diagonal())) {
      if (solution.steps > 0) known.blocks.clear();
      inverse.emplace(problem, residuals, known);
    }
    const Eigen::VectorXd direction = history.direction(gradient, *inverse);
    const double slope = gradient.dot(direction);
    if (!(slope < 0)) {
      solution.converged = true;
      break;
    }
    const Matrix slopes = problem.scores(direction);
    Matrix next_scores = scores;
    Eigen::VectorXd next = parameters;
    double lower = solution.objective;
    internal::backtrack(0x1p-21, [&](double length) {
      next = parameters + length * direction;
      std::ranges::transform(scores.data, slopes.data, next_scores.data.begin(),
                             [length](double score, double change) { return score + length * change; });
      lower = problem.objective(next, next_scores, residuals);
      return lower <= solution.objective + 1e-4 * length * slope;
    });
    if (!(lower < solution.objective)) {
      solution.converged = true;
      break;
    }
    const Eigen::VectorXd next_gradient = problem.gradient(next, residuals);
    history.add(next - parameters, next_gradient - gradient);
    n_small = solution.objective - lower < options.tolerance * solution.objective ? n_small + 1 : 0;
    solution.converged = n_small == options.small_steps;
    parameters = std::move(next);
    scores = std::move(next_scores);
    gradient = next_gradient;
    solution.objective = lower;
    ++solution.steps;
  }

  if (curvature != nullptr) history.keep(problem, known);
  const double* const first = parameters.data();
  solution.factors.assign(first, first + n_shared);
  solution.intercepts.assign(first + n_shared, first + problem.n_common());
  for (std::size_t k = 0; k < n_cols.size(); ++k)
    solution.weights.emplace_back(first + problem.offset(k), first + problem.offset(k + 1));
  return solution;
}

Matrix softmax_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                      const SoftmaxSolution& solution, const Execution& execution) {
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const SoftmaxProblem problem(rows_of_classes, rows, n_cols, {.has_factors = !solution.factors.empty()},
                               execution);
  return problem.scores(problem.parameters_of(solution));
}

Matrix left_out_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                       const SoftmaxSolution& solution, const SoftmaxOptions& options,
                       const Execution& execution) {
  /// Least share of a row's curvature that the other rows leave.
  constexpr double least_share = 0.05;
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const SoftmaxProblem problem(rows_of_classes, rows, n_cols, options, execution);
  const Eigen::VectorXd parameters = problem.parameters_of(solution);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  static_cast<void>(problem.objective(parameters, scores, residuals));
  const Matrix curvatures = problem.curvatures(residuals);
  SoftmaxCurvature known;
  const Matrix forms = InverseHessian(problem, residuals, known).quadratic_forms();
  for (std::size_t k = 0; k < forms.n_cols; ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      scores(i, k) +=
          forms(i, k) * residuals(i, k) / std::max(1 - forms(i, k) * curvatures(i, k), least_share);
  return scores;
}

double softmax_loss(const Matrix& scores, std::span<const std::int32_t> y,
                    std::span<const double> loss_weights, double slope) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    const double highest = highest_score(scores, i);
    double chances = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) chances += std::exp(slope * (scores(i, k) - highest));
    sum +=
        loss_weights[i] * (std::log(chances) - slope * (scores(i, static_cast<std::size_t>(y[i])) - highest));
    total += loss_weights[i];
  }
  return sum / total;
}

}  // namespace dyad

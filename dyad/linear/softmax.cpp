// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <deque>
#include <numeric>

#include "dyad/base/simd.h"
#include "dyad/linear/internal/eigen_maps.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

using internal::index;

constexpr std::size_t lanes = FloatRows::line;

/// out[i] = w . row rows[i] of X; w has a number of whole lines.
DYAD_SIMD void products(const FloatRows& X, std::span<const std::uint32_t> rows, std::span<const float> w,
                        std::span<double> out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* const x = X.row(rows[i]).data();
    float sums[lanes] = {};
    for (std::size_t j = 0; j < w.size(); j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[j + lane] * w[j + lane];
    double sum = 0;
    for (const float part : sums) sum += static_cast<double>(part);
    out[i] = sum;
  }
}

/// out += sum_i r[i] row rows[i] of X, over its leading columns.
DYAD_SIMD void add_combination(const FloatRows& X, std::span<const std::uint32_t> rows,
                               std::span<const float> r, std::span<double> out) {
  constexpr std::size_t block = 64;
  std::vector<float> sums(out.size());
  for (std::size_t first = 0; first < rows.size(); first += block) {
    std::ranges::fill(sums, 0.0F);
    for (std::size_t i = first; i < std::min(rows.size(), first + block); ++i) {
      const float* const x = X.row(rows[i]).data();
      const float factor = r[i];
      float* const s = sums.data();
      for (std::size_t j = 0; j < out.size(); ++j) s[j] += factor * x[j];
    }
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += static_cast<double>(sums[j]);
  }
}

double highest_score(const Matrix& scores, std::size_t i) {
  double highest = scores(i, 0);
  for (std::size_t k = 1; k < scores.n_cols; ++k) highest = std::max(highest, scores(i, k));
  return highest;
}

/// The objective; its parameters are one list: factors, intercepts, then the weights of each class.
class Problem {
 public:
  Problem(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
          std::span<const std::size_t> n_cols, const SoftmaxOptions& options, const Execution& execution)
      : problem_(problem),
        rows_(rows),
        n_cols_(n_cols),
        options_(options),
        execution_(execution),
        n_shared_(problem.shared.size()),
        n_classes_(problem.n_classes()),
        offsets_{n_shared_ + n_classes_} {
    for (const std::size_t count : n_cols) offsets_.push_back(offsets_.back() + count);
    double total = 0;
    for (const std::uint32_t row : rows) total += problem.loss_weights[row];
    for (const std::uint32_t row : rows) loss_weights_.push_back(problem.loss_weights[row] / total);
  }

  [[nodiscard]] std::size_t n_parameters() const { return offsets_.back(); }
  [[nodiscard]] std::size_t n_common() const { return offsets_.front(); }
  [[nodiscard]] std::size_t offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] double loss_weight(std::size_t i) const { return loss_weights_[i]; }
  [[nodiscard]] std::size_t truth(std::size_t i) const {
    return static_cast<std::size_t>(problem_.y[rows_[i]]);
  }

  /// The parameters of a solution with as many columns or fewer; 0 for others.
  [[nodiscard]] Eigen::VectorXd parameters_of(const SoftmaxSolution& solution) const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
    std::ranges::copy(solution.factors, result.data());
    std::ranges::copy(solution.intercepts, result.data() + n_shared_);
    for (std::size_t k = 0; k < solution.weights.size(); ++k)
      std::copy_n(solution.weights[k].begin(), std::min(solution.weights[k].size(), n_cols_[k]),
                  result.data() + offsets_[k]);
    return result;
  }

  /// Scores, rows x K, which are linear in the parameters.
  [[nodiscard]] Matrix scores(const Eigen::VectorXd& parameters) const {
    Matrix result(rows_.size(), n_classes_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto column = result.column(k);
      std::vector<float> w(internal::whole_lines(n_cols_[k]));
      std::copy_n(parameters.data() + offsets_[k], n_cols_[k], w.begin());
      products(problem_.own[k], rows_, w, column);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        column[i] += parameters[index(n_shared_ + k)];
        for (std::size_t f = 0; f < n_shared_; ++f)
          column[i] += parameters[index(f)] * problem_.shared[f](rows_[i], k);
      }
    });
    return result;
  }

  /// The gradient of the objective at parameters that give `scores`.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& parameters, const Matrix& scores) const {
    const Matrix residuals = residuals_of(scores);
    Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
    Matrix of_shared(n_classes_, n_shared_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto r = residuals.column(k);
      result[index(n_shared_ + k)] = std::accumulate(r.begin(), r.end(), 0.0);
      for (std::size_t f = 0; f < n_shared_; ++f)
        for (std::size_t i = 0; i < rows_.size(); ++i)
          of_shared(k, f) += r[i] * problem_.shared[f](rows_[i], k);
      const std::vector<float> in_floats(r.begin(), r.end());
      add_combination(problem_.own[k], rows_, in_floats, {result.data() + offsets_[k], n_cols_[k]});
    });
    for (std::size_t f = 0; f < n_shared_; ++f)
      for (std::size_t k = 0; k < n_classes_; ++k) result[index(f)] += of_shared(k, f);
    const auto weights = index(n_parameters() - n_common());
    result.tail(weights) += parameters.tail(weights) / options_.C;
    result.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
    return result;
  }

  [[nodiscard]] double penalty(const Eigen::VectorXd& parameters) const {
    const auto weights = index(n_parameters() - n_common());
    return parameters.tail(weights).squaredNorm() / (2 * options_.C) +
           parameters.head(n_factors()).squaredNorm() / (2 * options_.factor_C);
  }

  /// Minimises over factors and intercepts alone, by damped Newton steps.
  void solve_common(Eigen::VectorXd& parameters) const {
    constexpr int most_steps = 30;
    const auto p = index(n_common());
    Matrix at = scores(parameters);
    double value = objective(parameters, at);
    for (int step = 0; step < most_steps; ++step) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
      Eigen::MatrixXd hessian = 1e-10 * Eigen::MatrixXd::Identity(p, p);
      add_common_derivatives(at, gradient, hessian);
      gradient.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
      hessian.diagonal().head(n_factors()).array() += 1 / options_.factor_C;
      const Eigen::VectorXd direction = -hessian.ldlt().solve(gradient);
      Eigen::VectorXd next = parameters;
      double lower = value;
      internal::backtrack(1e-6, [&](double length) {
        next.head(p) = parameters.head(p) + length * direction;
        at = scores(next);
        lower = objective(next, at);
        return lower <= value;
      });
      if (!(lower < value)) return;
      parameters = next;
      const bool done = value - lower < 1e-6 * value;
      value = lower;
      if (done) return;
    }
  }

  /// The objective at parameters that give `scores`.
  [[nodiscard]] double objective(const Eigen::VectorXd& parameters, const Matrix& scores) const {
    double loss = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double highest = highest_score(scores, i);
      double sum = 0;
      for (std::size_t k = 0; k < n_classes_; ++k) sum += std::exp(scores(i, k) - highest);
      loss += loss_weights_[i] * (highest + std::log(sum) - scores(i, truth(i)));
    }
    return loss + penalty(parameters);
  }

 private:
  [[nodiscard]] Eigen::Index n_factors() const { return index(n_shared_); }

  /// loss_weight_i (P_k(x_i) - [y_i = k])
  [[nodiscard]] Matrix residuals_of(const Matrix& scores) const {
    Matrix result = probabilities_of(scores);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      result(i, truth(i)) -= 1;
      for (std::size_t k = 0; k < n_classes_; ++k) result(i, k) *= loss_weights_[i];
    }
    return result;
  }

  [[nodiscard]] Matrix probabilities_of(const Matrix& scores) const {
    Matrix result(rows_.size(), n_classes_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double highest = highest_score(scores, i);
      double sum = 0;
      for (std::size_t k = 0; k < n_classes_; ++k) sum += result(i, k) = std::exp(scores(i, k) - highest);
      for (std::size_t k = 0; k < n_classes_; ++k) result(i, k) /= sum;
    }
    return result;
  }

  void add_common_derivatives(const Matrix& scores, Eigen::VectorXd& gradient,
                              Eigen::MatrixXd& hessian) const {
    const Matrix probabilities = probabilities_of(scores);
    Eigen::MatrixXd features(index(n_common()), index(n_classes_));  // of one row, by class
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      features.setZero();
      const Eigen::VectorXd chances = internal::mapped(probabilities).row(index(i));
      for (std::size_t k = 0; k < n_classes_; ++k) {
        for (std::size_t f = 0; f < n_shared_; ++f)
          features(index(f), index(k)) = problem_.shared[f](rows_[i], k);
        features(index(n_shared_ + k), index(k)) = 1;
      }
      const Eigen::VectorXd mean = features * chances;
      gradient += loss_weights_[i] * (mean - features.col(index(truth(i))));
      hessian += loss_weights_[i] *
                 (features * chances.asDiagonal() * features.transpose() - mean * mean.transpose());
    }
  }

  const SoftmaxRows& problem_;
  std::span<const std::uint32_t> rows_;
  std::span<const std::size_t> n_cols_;
  SoftmaxOptions options_;
  const Execution& execution_;
  std::size_t n_shared_;
  std::size_t n_classes_;
  std::vector<std::size_t> offsets_;  ///< where the weights of each class begin, and end
  std::vector<double> loss_weights_;  ///< loss weights of `rows`, adding up to 1
};

/// The objective along a line.
struct Line {
  const Problem& problem;
  const Matrix& scores;
  const Matrix& slopes;  ///< of the scores
  double penalty = 0;    ///< at 0, and its derivatives there
  double penalty_1 = 0;
  double penalty_2 = 0;

  /// Objective and its two derivatives.
  struct At {
    double value, first, second;
  };
  [[nodiscard]] At at(double t) const {
    At result{penalty + t * penalty_1 + t * t * penalty_2 / 2, penalty_1 + t * penalty_2, penalty_2};
    const std::size_t n_classes = scores.n_cols;
    std::vector<double> chances(n_classes);
    for (std::size_t i = 0; i < scores.n_rows; ++i) {
      double highest = -1e300;
      for (std::size_t k = 0; k < n_classes; ++k) {
        chances[k] = scores(i, k) + t * slopes(i, k);
        highest = std::max(highest, chances[k]);
      }
      const std::size_t truth = problem.truth(i);
      const double own = chances[truth];
      double sum = 0;
      double mean = 0;
      double square = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const double chance = std::exp(chances[k] - highest);
        sum += chance;
        mean += chance * slopes(i, k);
        square += chance * slopes(i, k) * slopes(i, k);
      }
      mean /= sum;
      result.value += problem.loss_weight(i) * (highest + std::log(sum) - own);
      result.first += problem.loss_weight(i) * (mean - slopes(i, truth));
      result.second += problem.loss_weight(i) * (square / sum - mean * mean);
    }
    return result;
  }

  /// Step to about the minimum, by Newton steps that are halved until they gain.
  [[nodiscard]] double minimum() const {
    constexpr int most_steps = 5;
    double t = 0;
    At here = at(0);
    for (int step = 0; step < most_steps; ++step) {
      const double newton = -here.first / std::max(here.second, 1e-300);
      if (!std::isfinite(newton)) break;
      At next{};
      double move = 0;
      internal::backtrack(0x1p-21, [&](double length) {
        move = length * newton;
        next = at(t + move);
        return next.value <= here.value;
      });
      if (!(next.value < here.value)) break;
      t += move;
      const bool done = std::abs(next.first) < 0.1 * std::abs(here.first);
      here = next;
      if (done) break;
    }
    return t;
  }
};

Line line_from(const Problem& problem, const Eigen::VectorXd& parameters, const Eigen::VectorXd& direction,
               const Matrix& scores, const Matrix& slopes) {
  const double penalty = problem.penalty(parameters);
  const double penalty_2 = 2 * problem.penalty(direction);
  const double penalty_1 = problem.penalty(parameters + direction) - penalty - penalty_2 / 2;
  return {problem, scores, slopes, penalty, penalty_1, penalty_2};
}

/// The last steps and changes of the gradient: an approximation of the inverse Hessian.
class History {
 public:
  void add(const Eigen::VectorXd& step, const Eigen::VectorXd& change) {
    constexpr std::size_t most = 10;
    const double curvature = step.dot(change);
    if (!(curvature > 0)) return;
    pairs_.push_back({step, change, 1 / curvature});
    if (pairs_.size() > most) pairs_.pop_front();
  }

  [[nodiscard]] Eigen::VectorXd direction(const Eigen::VectorXd& gradient) const {
    Eigen::VectorXd result = -gradient;
    if (pairs_.empty()) return result;
    std::vector<double> shares(pairs_.size());
    for (std::size_t m = pairs_.size(); m-- > 0;) {
      shares[m] = pairs_[m].inverse * pairs_[m].step.dot(result);
      result -= shares[m] * pairs_[m].change;
    }
    const Pair& last = pairs_.back();
    result *= 1 / (last.inverse * last.change.squaredNorm());
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
                              const SoftmaxSolution& warm, const Execution& execution) {
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const std::size_t n_shared = rows_of_classes.shared.size();
  Eigen::VectorXd parameters = problem.parameters_of(warm);
  if (warm.weights.empty()) problem.solve_common(parameters);
  Matrix scores = problem.scores(parameters);
  Eigen::VectorXd gradient = problem.gradient(parameters, scores);
  History history;
  SoftmaxSolution solution{.objective = problem.objective(parameters, scores)};
  int idle = 0;
  while (solution.steps < options.max_steps && idle < 2) {
    throw_if_stopped(execution);
    const Eigen::VectorXd direction = history.direction(gradient);
    const Matrix slopes = problem.scores(direction);
    const double length = line_from(problem, parameters, direction, scores, slopes).minimum();
    if (length == 0) {
      idle = 2;
      break;
    }
    parameters += length * direction;
    std::ranges::transform(scores.data, slopes.data, scores.data.begin(),
                           [length](double score, double slope) { return score + length * slope; });
    const Eigen::VectorXd next = problem.gradient(parameters, scores);
    history.add(length * direction, next - gradient);
    gradient = next;
    const double lower = problem.objective(parameters, scores);
    idle = solution.objective - lower < options.tolerance * solution.objective ? idle + 1 : 0;
    solution.objective = lower;
    ++solution.steps;
  }
  solution.converged = idle == 2;

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
  const Problem problem(rows_of_classes, rows, n_cols, {}, execution);
  return problem.scores(problem.parameters_of(solution));
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

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <deque>
#include <numeric>

#include "dyad/base/simd.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

constexpr std::size_t lanes = FloatRows::line;

/// out[i] = w . row rows[i] of X; n_cols is a number of whole lines.
DYAD_SIMD void products(const float* X, std::size_t stride, const std::uint32_t* rows, std::size_t n,
                        const float* w, std::size_t n_cols, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const float* const x = X + rows[i] * stride;
    float sums[lanes] = {};
    for (std::size_t j = 0; j < n_cols; j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[j + lane] * w[j + lane];
    double sum = 0;
    for (const float part : sums) sum += static_cast<double>(part);
    out[i] = sum;
  }
}

/// out += sum_i r[i] row rows[i] of X.
DYAD_SIMD void add_combination(const float* X, std::size_t stride, const std::uint32_t* rows, std::size_t n,
                               const float* r, std::size_t n_cols, double* out) {
  constexpr std::size_t block = 64;
  std::vector<float> sums(n_cols);
  for (std::size_t first = 0; first < n; first += block) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (std::size_t i = first; i < std::min(n, first + block); ++i) {
      const float* const x = X + rows[i] * stride;
      const float factor = r[i];
      float* const s = sums.data();
      for (std::size_t j = 0; j < n_cols; ++j) s[j] += factor * x[j];
    }
    for (std::size_t j = 0; j < n_cols; ++j) out[j] += static_cast<double>(sums[j]);
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
        C_(options.C),
        factor_C_(options.factor_C),
        execution_(execution) {
    n_shared_ = problem.shared.size();
    n_classes_ = problem.n_classes();
    offsets_.push_back(n_shared_ + n_classes_);
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

  /// Scores, rows x K, which are linear in the parameters.
  [[nodiscard]] Matrix scores(const Eigen::VectorXd& parameters) const {
    Matrix result(rows_.size(), n_classes_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto column = result.column(k);
      std::vector<float> w(internal::whole_lines(n_cols_[k]));
      for (std::size_t j = 0; j < n_cols_[k]; ++j)
        w[j] = static_cast<float>(parameters[static_cast<Eigen::Index>(offsets_[k] + j)]);
      const FloatRows& own = problem_.own[k];
      if (!rows_.empty())
        products(own.row(0).data(), own.stride(), rows_.data(), rows_.size(), w.data(), w.size(),
                 column.data());
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        column[i] += parameters[static_cast<Eigen::Index>(n_shared_ + k)];
        for (std::size_t f = 0; f < n_shared_; ++f)
          column[i] += parameters[static_cast<Eigen::Index>(f)] * problem_.shared[f](rows_[i], k);
      }
    });
    return result;
  }

  /// The gradient of the objective at parameters that give `scores`.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& parameters, const Matrix& scores) const {
    const Matrix residuals = residuals_of(scores);
    Eigen::VectorXd result = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_parameters()));
    Matrix of_shared(n_classes_, n_shared_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto r = residuals.column(k);
      result[static_cast<Eigen::Index>(n_shared_ + k)] = std::accumulate(r.begin(), r.end(), 0.0);
      for (std::size_t f = 0; f < n_shared_; ++f)
        for (std::size_t i = 0; i < rows_.size(); ++i)
          of_shared(k, f) += r[i] * problem_.shared[f](rows_[i], k);
      const std::vector<float> in_floats(r.begin(), r.end());
      const FloatRows& own = problem_.own[k];
      if (!rows_.empty())
        add_combination(own.row(0).data(), own.stride(), rows_.data(), rows_.size(), in_floats.data(),
                        n_cols_[k], result.data() + offsets_[k]);
    });
    for (std::size_t f = 0; f < n_shared_; ++f)
      for (std::size_t k = 0; k < n_classes_; ++k) result[static_cast<Eigen::Index>(f)] += of_shared(k, f);
    const auto weights = static_cast<Eigen::Index>(n_parameters() - n_common());
    result.tail(weights) += parameters.tail(weights) / C_;
    result.head(n_factors()) += parameters.head(n_factors()) / factor_C_;
    return result;
  }

  [[nodiscard]] double penalty(const Eigen::VectorXd& parameters) const {
    const auto weights = static_cast<Eigen::Index>(n_parameters() - n_common());
    return parameters.tail(weights).squaredNorm() / (2 * C_) +
           parameters.head(n_factors()).squaredNorm() / (2 * factor_C_);
  }

  /// Minimises over factors and intercepts alone, by damped Newton steps.
  void solve_common(Eigen::VectorXd& parameters) const {
    constexpr int most_steps = 30;
    const auto p = static_cast<Eigen::Index>(n_common());
    Matrix at = scores(parameters);
    double objective = loss_of(at) + penalty(parameters);
    for (int step = 0; step < most_steps; ++step) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
      Eigen::MatrixXd hessian = 1e-10 * Eigen::MatrixXd::Identity(p, p);
      add_common_derivatives(at, gradient, hessian);
      gradient.head(n_factors()) += parameters.head(n_factors()) / factor_C_;
      hessian.diagonal().head(n_factors()).array() += 1 / factor_C_;
      const Eigen::VectorXd direction = -hessian.ldlt().solve(gradient);
      Eigen::VectorXd next = parameters;
      double lower = objective;
      internal::backtrack(1e-6, [&](double length) {
        next.head(p) = parameters.head(p) + length * direction;
        at = scores(next);
        lower = loss_of(at) + penalty(next);
        return lower <= objective;
      });
      if (!(lower < objective)) return;
      parameters = next;
      const bool done = objective - lower < 1e-6 * objective;
      objective = lower;
      if (done) return;
    }
  }

  [[nodiscard]] double loss_of(const Matrix& scores) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) sum += loss_weights_[i] * row_loss(scores, i);
    return sum;
  }

 private:
  [[nodiscard]] Eigen::Index n_factors() const { return static_cast<Eigen::Index>(n_shared_); }

  [[nodiscard]] double row_loss(const Matrix& scores, std::size_t i) const {
    const double highest = highest_score(scores, i);
    double sum = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) sum += std::exp(scores(i, k) - highest);
    return highest + std::log(sum) - scores(i, truth(i));
  }

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
    const auto p = static_cast<Eigen::Index>(n_common());
    Eigen::MatrixXd features(p, static_cast<Eigen::Index>(n_classes_));  // of one row, by class
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      features.setZero();
      Eigen::VectorXd chances(static_cast<Eigen::Index>(n_classes_));
      for (std::size_t k = 0; k < n_classes_; ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        for (std::size_t f = 0; f < n_shared_; ++f)
          features(static_cast<Eigen::Index>(f), column) = problem_.shared[f](rows_[i], k);
        features(static_cast<Eigen::Index>(n_shared_ + k), column) = 1;
        chances[column] = probabilities(i, k);
      }
      const Eigen::VectorXd mean = features * chances;
      gradient += loss_weights_[i] * (mean - features.col(static_cast<Eigen::Index>(truth(i))));
      hessian += loss_weights_[i] *
                 (features * chances.asDiagonal() * features.transpose() - mean * mean.transpose());
    }
  }

  const SoftmaxRows& problem_;
  std::span<const std::uint32_t> rows_;
  std::span<const std::size_t> n_cols_;
  double C_;
  double factor_C_;
  const Execution& execution_;
  std::size_t n_shared_;
  std::size_t n_classes_;
  std::vector<std::size_t> offsets_;  ///< where the weights of each class begin, and end
  std::vector<double> loss_weights_;  ///< loss weights of `rows`, adding up to 1
};

/// The objective along a line.
class Line {
 public:
  Line(const Problem& problem, const Matrix& scores, const Matrix& slopes, const Eigen::VectorXd& parameters,
       const Eigen::VectorXd& direction)
      : problem_(problem), scores_(scores), slopes_(slopes) {
    penalty_ = problem.penalty(parameters);
    const double ahead = problem.penalty(parameters + direction);
    penalty_2_ = 2 * (problem.penalty(direction));
    penalty_1_ = ahead - penalty_ - penalty_2_ / 2;
  }

  /// Objective and its two derivatives.
  struct At {
    double value, first, second;
  };
  [[nodiscard]] At at(double t) const {
    At result{penalty_ + t * penalty_1_ + t * t * penalty_2_ / 2, penalty_1_ + t * penalty_2_, penalty_2_};
    const std::size_t n_classes = scores_.n_cols;
    std::vector<double> chances(n_classes);
    for (std::size_t i = 0; i < scores_.n_rows; ++i) {
      double highest = -1e300;
      for (std::size_t k = 0; k < n_classes; ++k) {
        chances[k] = scores_(i, k) + t * slopes_(i, k);
        highest = std::max(highest, chances[k]);
      }
      const std::size_t truth = problem_.truth(i);
      const double own = chances[truth];
      double sum = 0;
      double mean = 0;
      double square = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const double chance = std::exp(chances[k] - highest);
        sum += chance;
        mean += chance * slopes_(i, k);
        square += chance * slopes_(i, k) * slopes_(i, k);
      }
      mean /= sum;
      result.value += problem_.loss_weight(i) * (highest + std::log(sum) - own);
      result.first += problem_.loss_weight(i) * (mean - slopes_(i, truth));
      result.second += problem_.loss_weight(i) * (square / sum - mean * mean);
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

 private:
  const Problem& problem_;
  const Matrix& scores_;
  const Matrix& slopes_;
  double penalty_ = 0;
  double penalty_1_ = 0;
  double penalty_2_ = 0;
};

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

void add_scaled(Matrix& to, double factor, const Matrix& from) {
  std::ranges::transform(to.data, from.data, to.data.begin(),
                         [factor](double a, double b) { return a + factor * b; });
}

}  // namespace

SoftmaxSolution solve_softmax(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                              std::span<const std::size_t> n_cols, const SoftmaxOptions& options,
                              const SoftmaxSolution& warm, const Execution& execution) {
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const std::size_t n_shared = rows_of_classes.shared.size();
  const std::size_t n_classes = rows_of_classes.n_classes();
  Eigen::VectorXd parameters = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(problem.n_parameters()));
  if (warm.weights.empty()) {
    problem.solve_common(parameters);
  } else {
    std::ranges::copy(warm.factors, parameters.begin());
    std::ranges::copy(warm.intercepts, parameters.begin() + static_cast<std::ptrdiff_t>(n_shared));
    for (std::size_t k = 0; k < n_classes; ++k)
      std::copy_n(warm.weights[k].begin(), std::min(warm.weights[k].size(), n_cols[k]),
                  parameters.begin() + static_cast<std::ptrdiff_t>(problem.offset(k)));
  }

  Matrix scores = problem.scores(parameters);
  Eigen::VectorXd gradient = problem.gradient(parameters, scores);
  double objective = problem.loss_of(scores) + problem.penalty(parameters);
  History history;
  SoftmaxSolution solution;
  int idle = 0;
  while (solution.steps < options.max_steps && idle < 2) {
    throw_if_stopped(execution);
    const Eigen::VectorXd direction = history.direction(gradient);
    const Matrix slopes = problem.scores(direction);
    const double length = Line(problem, scores, slopes, parameters, direction).minimum();
    if (length == 0) break;
    parameters += length * direction;
    add_scaled(scores, length, slopes);
    const Eigen::VectorXd next = problem.gradient(parameters, scores);
    history.add(length * direction, next - gradient);
    gradient = next;
    const double lower = problem.loss_of(scores) + problem.penalty(parameters);
    idle = objective - lower < options.tolerance * objective ? idle + 1 : 0;
    objective = lower;
    ++solution.steps;
  }

  solution.objective = objective;
  solution.factors.assign(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(n_shared));
  solution.intercepts.assign(parameters.begin() + static_cast<std::ptrdiff_t>(n_shared),
                             parameters.begin() + static_cast<std::ptrdiff_t>(problem.n_common()));
  for (std::size_t k = 0; k < n_classes; ++k) {
    const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(problem.offset(k));
    solution.weights.emplace_back(first, first + static_cast<std::ptrdiff_t>(n_cols[k]));
  }
  return solution;
}

Matrix softmax_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                      const SoftmaxSolution& solution, const Execution& execution) {
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const Problem problem(rows_of_classes, rows, n_cols, {}, execution);
  Eigen::VectorXd parameters(static_cast<Eigen::Index>(problem.n_parameters()));
  auto to = std::ranges::copy(solution.factors, parameters.begin()).out;
  to = std::ranges::copy(solution.intercepts, to).out;
  for (const auto& weights : solution.weights) to = std::ranges::copy(weights, to).out;
  return problem.scores(parameters);
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

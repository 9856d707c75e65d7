// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"
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

/// out[i] = exp(scores[i] - highest[i]), added to sums[i].
DYAD_SIMD void add_exponentials(std::span<const double> scores, std::span<const double> highest,
                                std::span<double> out, std::span<double> sums) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out[i] = exponential(std::max(scores[i] - highest[i], -700.0));
    sums[i] += out[i];
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

  /// The gradient of the objective at parameters whose scores have these residuals.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& parameters, const Matrix& residuals) const {
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
    Matrix residuals(rows_.size(), n_classes_);
    double value = objective(parameters, at, residuals);
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
        lower = objective(next, at, residuals);
        return lower <= value;
      });
      if (!(lower < value)) return;
      parameters = next;
      const bool done = value - lower < 1e-6 * value;
      value = lower;
      if (done) return;
    }
  }

  /// The objective at parameters that give `scores`; `residuals` become loss_weight_i (P_k(x_i) - [y_i = k]).
  [[nodiscard]] double objective(const Eigen::VectorXd& parameters, const Matrix& scores,
                                 Matrix& residuals) const {
    std::vector<double> sums(rows_.size());
    double loss = to_chances(scores, residuals, sums);
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) residuals(i, k) *= loss_weights_[i] / sums[i];
    take_logarithms(sums);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      residuals(i, truth(i)) -= loss_weights_[i];
      loss += loss_weights_[i] * sums[i];
    }
    return loss + penalty(parameters);
  }

  /// Curvature of the loss by the scores of each class: loss_weight_i P_k(x_i) (1 - P_k(x_i)).
  [[nodiscard]] Matrix curvatures(const Matrix& residuals) const {
    Matrix result(rows_.size(), n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!(loss_weights_[i] > 0)) continue;
        const double chance = residuals(i, k) / loss_weights_[i] + (truth(i) == k ? 1 : 0);
        result(i, k) = loss_weights_[i] * std::max(chance * (1 - chance), 0.0);
      }
    return result;
  }

  /// A row of the features of class k, the constant first.
  void copy_features(std::size_t i, std::size_t k, float factor, float* to) const {
    to[0] = factor;
    const float* const x = problem_.own[k].row(rows_[i]).data();
    for (std::size_t j = 0; j < n_cols_[k]; ++j) to[j + 1] = factor * x[j];
  }
  [[nodiscard]] std::size_t n_rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t n_classes() const { return n_classes_; }
  [[nodiscard]] std::size_t n_cols(std::size_t k) const { return n_cols_[k]; }
  [[nodiscard]] std::size_t n_shared() const { return n_shared_; }
  [[nodiscard]] double ridge() const { return 1 / options_.C; }
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  [[nodiscard]] Eigen::Index n_factors() const { return index(n_shared_); }

  /// exp of the scores less the highest of the row, with their sums; returns the loss without the logarithms
  /// of those sums.
  double to_chances(const Matrix& scores, Matrix& chances, std::vector<double>& sums) const {
    std::vector<double> highest(rows_.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) highest[i] = std::max(highest[i], scores(i, k));
    for (std::size_t k = 0; k < n_classes_; ++k)
      add_exponentials(scores.column(k), highest, chances.column(k), sums);
    double loss = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      loss += loss_weights_[i] * (highest[i] - scores(i, truth(i)));
    return loss;
  }

  [[nodiscard]] Matrix probabilities_of(const Matrix& scores) const {
    Matrix result(rows_.size(), n_classes_);
    std::vector<double> sums(rows_.size());
    static_cast<void>(to_chances(scores, result, sums));
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) result(i, k) /= sums[i];
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

/// The inverse Hessian at some parameters, as far as it is worth its cost: of two classes all of it but for
/// the factors, of more the blocks of the classes; only the diagonal where a block would be large.
class InverseHessian {
 public:
  InverseHessian(const Problem& problem, const Matrix& residuals) : problem_(problem) {
    const Matrix curvatures = problem.curvatures(residuals);
    const std::size_t K = problem.n_classes();
    std::size_t largest = 0;
    for (std::size_t k = 0; k < K; ++k) largest = std::max(largest, problem.n_cols(k));
    is_diagonal_ = (K == 2 ? 2 : 1) * largest > most_columns;
    blocks_.resize(is_diagonal_ ? 0 : K == 2 ? 1 : K);
    diagonal_ = Eigen::VectorXd::Ones(index(problem.n_parameters()));
    parallel_for(is_diagonal_ ? K : blocks_.size(), problem.execution(), {}, [&](std::size_t k) {
      if (is_diagonal_)
        set_diagonal(k, curvatures.column(k));
      else
        blocks_[k].compute(hessian(k, curvatures.column(k)));
    });
  }

  /// Solves for the parameters in place. Factors stay as they are.
  void apply(Eigen::VectorXd& v) const {
    if (is_diagonal_) {
      v.array() *= diagonal_.array();
      return;
    }
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      Eigen::VectorXf part(index(size_of(block)));
      each_parameter(block, [&](std::size_t place, std::size_t parameter) {
        part[index(place)] = static_cast<float>(v[index(parameter)]);
      });
      blocks_[block].solveInPlace(part);
      each_parameter(block, [&](std::size_t place, std::size_t parameter) {
        v[index(parameter)] = static_cast<double>(part[index(place)]);
      });
    }
  }

  [[nodiscard]] bool is_diagonal() const { return is_diagonal_; }

  /// x' H^-1 x of the rows, by class; of two classes x are the features of their difference.
  [[nodiscard]] Matrix quadratic_forms() const {
    const std::size_t n_blocks = joins() ? 1 : problem_.n_classes();
    Matrix result(problem_.n_rows(), n_blocks);
    parallel_for(n_blocks, problem_.execution(), {}, [&](std::size_t block) {
      const auto m = index(size_of(block));
      Eigen::VectorXf inverse_diagonal(m);
      if (is_diagonal_)
        each_parameter(block, [&](std::size_t place, std::size_t parameter) {
          inverse_diagonal[index(place)] = static_cast<float>(diagonal_[index(parameter)]);
        });
      Eigen::MatrixXf rows(m, index(rows_at_once));
      for (std::size_t first = 0; first < problem_.n_rows(); first += rows_at_once) {
        const std::size_t count = std::min(rows_at_once, problem_.n_rows() - first);
        for (std::size_t i = 0; i < count; ++i) copy_row(first + i, block, 1, rows.col(index(i)).data());
        if (is_diagonal_)
          rows.array().colwise() *= inverse_diagonal.array().sqrt();
        else
          blocks_[block].matrixL().solveInPlace(rows);
        for (std::size_t i = 0; i < count; ++i)
          result(first + i, block) = static_cast<double>(rows.col(index(i)).squaredNorm());
      }
    });
    return result;
  }

 private:
  static constexpr std::size_t rows_at_once = 128;
  static constexpr std::size_t most_columns = 300;

  [[nodiscard]] bool joins() const { return problem_.n_classes() == 2; }
  [[nodiscard]] std::size_t size_of(std::size_t block) const {
    return joins() ? problem_.n_cols(0) + problem_.n_cols(1) + 2 : problem_.n_cols(block) + 1;
  }
  /// Writes the features of a row, by which the scores of a block change with its parameters.
  void copy_row(std::size_t i, std::size_t block, float factor, float* to) const {
    problem_.copy_features(i, joins() ? 0 : block, factor, to);
    if (joins()) problem_.copy_features(i, 1, -factor, to + problem_.n_cols(0) + 1);
  }
  /// Calls visit(place, parameter) for intercept and weights of the classes of a block.
  template <class Visit>
  void each_parameter(std::size_t block, const Visit& visit) const {
    std::size_t place = 0;
    for (std::size_t k = joins() ? 0 : block; k < (joins() ? 2 : block + 1); ++k) {
      visit(place++, problem_.n_shared() + k);
      for (std::size_t j = 0; j < problem_.n_cols(k); ++j) visit(place++, problem_.offset(k) + j);
    }
  }

  [[nodiscard]] Eigen::MatrixXf hessian(std::size_t block, std::span<const double> curvature) const {
    const std::size_t m = size_of(block);
    Eigen::MatrixXf result = Eigen::MatrixXf::Zero(index(m), index(m));
    Eigen::MatrixXf rows(index(m), index(rows_at_once));
    for (std::size_t first = 0; first < problem_.n_rows(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, problem_.n_rows() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const auto factor = static_cast<float>(std::sqrt(curvature[first + i]));
        copy_row(first + i, block, factor, rows.col(index(i)).data());
      }
      result.selfadjointView<Eigen::Lower>().rankUpdate(rows.leftCols(index(count)));
    }
    // A little more than the penalty, as single precision would lose that of large costs.
    const auto ridge =
        static_cast<float>(problem_.ridge() + 1e-6 * static_cast<double>(result.diagonal().maxCoeff()));
    result.diagonal().array() += ridge;
    return result;
  }

  void set_diagonal(std::size_t k, std::span<const double> curvature) {
    std::vector<float> row(problem_.n_cols(k) + 1);
    std::vector<double> sums(row.size());
    for (std::size_t i = 0; i < problem_.n_rows(); ++i) {
      problem_.copy_features(i, k, 1, row.data());
      for (std::size_t j = 0; j < row.size(); ++j)
        sums[j] += curvature[i] * static_cast<double>(row[j]) * static_cast<double>(row[j]);
    }
    diagonal_[index(problem_.n_shared() + k)] = 1 / std::max(sums[0], 1e-6);
    for (std::size_t j = 1; j < sums.size(); ++j)
      diagonal_[index(problem_.offset(k) + j - 1)] = 1 / (sums[j] + problem_.ridge());
  }

  const Problem& problem_;
  bool is_diagonal_ = false;
  std::vector<Eigen::LLT<Eigen::MatrixXf>> blocks_;
  Eigen::VectorXd diagonal_;
};

/// Steps after which the Hessian is computed anew.
constexpr std::int64_t steps_of_one_hessian = 10;

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
                              const SoftmaxSolution& warm, const Execution& execution) {
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const std::size_t n_shared = rows_of_classes.shared.size();
  Eigen::VectorXd parameters = problem.parameters_of(warm);
  if (warm.weights.empty()) problem.solve_common(parameters);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  SoftmaxSolution solution{.objective = problem.objective(parameters, scores, residuals)};
  Eigen::VectorXd gradient = problem.gradient(parameters, residuals);
  std::optional<InverseHessian> inverse;
  History history;
  int n_idle = 0;
  while (solution.steps < options.max_steps && !solution.converged) {
    throw_if_stopped(execution);
    if (solution.steps % steps_of_one_hessian == 0 && (!inverse || !inverse->is_diagonal()))
      inverse.emplace(problem, residuals);
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
    n_idle = solution.objective - lower < options.tolerance * solution.objective ? n_idle + 1 : 0;
    solution.converged = n_idle == 2;
    parameters = std::move(next);
    scores = std::move(next_scores);
    gradient = next_gradient;
    solution.objective = lower;
    ++solution.steps;
  }

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

Matrix left_out_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                       const SoftmaxSolution& solution, const SoftmaxOptions& options,
                       const Execution& execution) {
  /// Least share of a row's curvature that the other rows leave.
  constexpr double least_share = 0.05;
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const Eigen::VectorXd parameters = problem.parameters_of(solution);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  static_cast<void>(problem.objective(parameters, scores, residuals));
  const Matrix curvatures = problem.curvatures(residuals);
  const Matrix forms = InverseHessian(problem, residuals).quadratic_forms();
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

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/softmax_problem.h"

#include <algorithm>
#include <numeric>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad::internal {
namespace {

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

/// out += sum_i r[i] row rows[i] of X, over its leading columns; `sums` is scratch of the size of `out`.
DYAD_SIMD void add_combination(const FloatRows& X, std::span<const std::uint32_t> rows,
                               std::span<const float> r, std::span<float> sums, std::span<double> out) {
  // Clang 22 does not instantiate functions that only versions of a function call, such as std::ranges::fill.
  constexpr std::size_t block = 64;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    for (std::size_t j = 0; j < out.size(); ++j) sums[j] = 0;
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

/// H^-1 v by Cholesky's decomposition of the lower triangle of H, whose pivots are `ridge` at least.
///
/// Plain loops, in an order of their own: versions of Eigen differ in theirs, and fits with them.
Eigen::VectorXd solved(Eigen::MatrixXd H, Eigen::VectorXd v, double ridge) {
  const Eigen::Index n = v.size();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      double rest = H(i, j);
      for (Eigen::Index k = 0; k < j; ++k) rest -= H(i, k) * H(j, k);
      H(i, j) = i == j ? std::sqrt(std::max(rest, ridge)) : rest / H(j, j);
    }
    for (Eigen::Index k = 0; k < j; ++k) v[j] -= H(j, k) * v[k];
    v[j] /= H(j, j);
  }
  for (Eigen::Index j = n; j-- > 0;) {
    for (Eigen::Index k = j + 1; k < n; ++k) v[j] -= H(k, j) * v[k];
    v[j] /= H(j, j);
  }
  return v;
}

}  // namespace

SoftmaxProblem::SoftmaxProblem(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
                               std::span<const std::size_t> n_cols, const SoftmaxOptions& options,
                               const Execution& execution)
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

Eigen::VectorXd SoftmaxProblem::parameters_of(const SoftmaxSolution& solution) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
  std::ranges::copy(solution.factors, result.data());
  std::ranges::copy(solution.intercepts, result.data() + n_shared_);
  for (std::size_t k = 0; k < solution.weights.size(); ++k)
    std::copy_n(solution.weights[k].begin(), std::min(solution.weights[k].size(), n_cols_[k]),
                result.data() + offsets_[k]);
  return result;
}

Matrix SoftmaxProblem::scores(const Eigen::VectorXd& parameters) const {
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

Eigen::VectorXd SoftmaxProblem::gradient(const Eigen::VectorXd& parameters, const Matrix& residuals) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
  Matrix of_shared(n_classes_, n_shared_);
  parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
    const auto r = residuals.column(k);
    result[index(n_shared_ + k)] = std::accumulate(r.begin(), r.end(), 0.0);
    for (std::size_t f = 0; f < n_shared_; ++f)
      for (std::size_t i = 0; i < rows_.size(); ++i)
        of_shared(k, f) += r[i] * problem_.shared[f](rows_[i], k);
    const std::vector<float> in_floats(r.begin(), r.end());
    std::vector<float> sums(n_cols_[k]);
    add_combination(problem_.own[k], rows_, in_floats, sums, {result.data() + offsets_[k], n_cols_[k]});
  });
  for (std::size_t f = 0; f < n_shared_; ++f)
    for (std::size_t k = 0; k < n_classes_; ++k) result[index(f)] += of_shared(k, f);
  const auto weights = index(n_parameters() - n_common());
  result.tail(weights) += parameters.tail(weights) / options_.C;
  result.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
  return result;
}

double SoftmaxProblem::penalty(const Eigen::VectorXd& parameters) const {
  const auto weights = index(n_parameters() - n_common());
  return parameters.tail(weights).squaredNorm() / (2 * options_.C) +
         parameters.head(n_factors()).squaredNorm() / (2 * options_.factor_C);
}

void SoftmaxProblem::solve_common(Eigen::VectorXd& parameters) const {
  constexpr int most_steps = 30;
  constexpr double ridge = 1e-10;
  const auto p = index(n_common());
  Matrix at = scores(parameters);
  Matrix residuals(rows_.size(), n_classes_);
  double value = objective(parameters, at, residuals);
  for (int step = 0; step < most_steps; ++step) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
    Eigen::MatrixXd hessian = ridge * Eigen::MatrixXd::Identity(p, p);
    add_common_derivatives(at, gradient, hessian);
    gradient.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
    hessian.diagonal().head(n_factors()).array() += 1 / options_.factor_C;
    const Eigen::VectorXd direction = -solved(hessian, gradient, ridge);
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

double SoftmaxProblem::objective(const Eigen::VectorXd& parameters, const Matrix& scores,
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

Matrix SoftmaxProblem::curvatures(const Matrix& residuals) const {
  Matrix result(rows_.size(), n_classes_);
  for (std::size_t k = 0; k < n_classes_; ++k)
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!(loss_weights_[i] > 0)) continue;
      const double chance = residuals(i, k) / loss_weights_[i] + (truth(i) == k ? 1 : 0);
      result(i, k) = loss_weights_[i] * std::max(chance * (1 - chance), 0.0);
    }
  return result;
}

void SoftmaxProblem::copy_features(std::size_t i, std::size_t k, float factor, float* to) const {
  to[0] = factor;
  const float* const x = problem_.own[k].row(rows_[i]).data();
  for (std::size_t j = 0; j < n_cols_[k]; ++j) to[j + 1] = factor * x[j];
}

double SoftmaxProblem::to_chances(const Matrix& scores, Matrix& chances, std::vector<double>& sums) const {
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

Matrix SoftmaxProblem::probabilities_of(const Matrix& scores) const {
  Matrix result(rows_.size(), n_classes_);
  std::vector<double> sums(rows_.size());
  static_cast<void>(to_chances(scores, result, sums));
  for (std::size_t k = 0; k < n_classes_; ++k)
    for (std::size_t i = 0; i < rows_.size(); ++i) result(i, k) /= sums[i];
  return result;
}

void SoftmaxProblem::add_common_derivatives(const Matrix& scores, Eigen::VectorXd& gradient,
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
    hessian +=
        loss_weights_[i] * (features * chances.asDiagonal() * features.transpose() - mean * mean.transpose());
  }
}

}  // namespace dyad::internal

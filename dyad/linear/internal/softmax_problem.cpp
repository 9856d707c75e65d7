// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/softmax_problem.h"

#include <algorithm>
#include <numeric>

#include "dyad/base/simd.h"
#include "dyad/linear/chances.h"
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
    // By halves: a chain of additions would take longer than the products.
    float part[8];
    for (std::size_t l = 0; l < 8; ++l) part[l] = sums[l] + sums[l + 8];
    out[i] = static_cast<double>(((part[0] + part[4]) + (part[2] + part[6])) +
                                 ((part[1] + part[5]) + (part[3] + part[7])));
  }
}

/// out += sum_i r[i] row rows[i] of X, over its leading columns; `sums` is scratch of the size of `out`.
DYAD_SIMD void add_combination(const FloatRows& X, std::span<const std::uint32_t> rows,
                               std::span<const float> r, std::span<float> sums, std::span<double> out) {
  // Clang 22 does not instantiate functions that only versions of a function call, such as std::ranges::fill.
  constexpr std::size_t block = 64;
  constexpr std::size_t at_once = 4;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    float* const s = sums.data();
    for (std::size_t j = 0; j < out.size(); ++j) s[j] = 0;
    const std::size_t end = rows.size() < first + block ? rows.size() : first + block;
    std::size_t i = first;
    for (; i + at_once <= end; i += at_once) {
      const float* const x0 = X.row(rows[i]).data();
      const float* const x1 = X.row(rows[i + 1]).data();
      const float* const x2 = X.row(rows[i + 2]).data();
      const float* const x3 = X.row(rows[i + 3]).data();
      const float r0 = r[i];
      const float r1 = r[i + 1];
      const float r2 = r[i + 2];
      const float r3 = r[i + 3];
      for (std::size_t j = 0; j < out.size(); ++j)
        s[j] += (r0 * x0[j] + r1 * x1[j]) + (r2 * x2[j] + r3 * x3[j]);
    }
    for (; i < end; ++i) {
      const float* const x = X.row(rows[i]).data();
      const float factor = r[i];
      for (std::size_t j = 0; j < out.size(); ++j) s[j] += factor * x[j];
    }
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += static_cast<double>(s[j]);
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
      n_shared_(options.has_factors ? problem.shared.size() : 0),
      n_classes_(problem.n_classes()),
      offsets_{n_shared_ + n_classes_} {
  for (const std::size_t count : n_cols) offsets_.push_back(offsets_.back() + count);
  double total = 0;
  for (const std::uint32_t row : rows) total += problem.loss_weights[row];
  loss_weights_.reserve(rows.size());
  truths_.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    loss_weights_.push_back(problem.loss_weights[row] / total);
    truths_.push_back(static_cast<std::uint32_t>(problem.y[row]));
  }
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
  return result + penalty_gradient(parameters);
}

Eigen::VectorXd SoftmaxProblem::penalty_gradient(const Eigen::VectorXd& parameters) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(parameters.size());
  const auto weights = index(n_parameters() - n_common());
  result.tail(weights) = parameters.tail(weights) / options_.C;
  result.head(n_factors()) = parameters.head(n_factors()) / options_.factor_C;
  return result;
}

std::vector<std::size_t> SoftmaxProblem::layout() const {
  std::vector<std::size_t> result{n_shared_};
  result.insert(result.end(), offsets_.begin(), offsets_.end());
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
  std::vector<double> log_sums(rows_.size());
  to_chances(scores, residuals, log_sums);
  for (std::size_t k = 0; k < n_classes_; ++k) {
    const auto column = residuals.column(k);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] *= loss_weights_[i];
  }
  double loss = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    residuals(i, truth(i)) -= loss_weights_[i];
    loss += loss_weights_[i] * (log_sums[i] - scores(i, truth(i)));
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

void SoftmaxProblem::add_common_derivatives(const Matrix& scores, Eigen::VectorXd& gradient,
                                            Eigen::MatrixXd& hessian) const {
  Matrix chances(rows_.size(), n_classes_);
  std::vector<double> log_sums(rows_.size());
  to_chances(scores, chances, log_sums);
  // Features of one row by class: an intercept has the value 1 for its class alone.
  Eigen::MatrixXd features = Eigen::MatrixXd::Zero(index(n_common()), index(n_classes_));
  for (std::size_t k = 0; k < n_classes_; ++k) features(index(n_shared_ + k), index(k)) = 1;
  Eigen::VectorXd mean(index(n_common()));
  auto lower = hessian.selfadjointView<Eigen::Lower>();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    mean.setZero();
    for (std::size_t k = 0; k < n_classes_; ++k) {
      for (std::size_t f = 0; f < n_shared_; ++f)
        features(index(f), index(k)) = problem_.shared[f](rows_[i], k);
      mean += chances(i, k) * features.col(index(k));
      lower.rankUpdate(features.col(index(k)), loss_weights_[i] * chances(i, k));
    }
    gradient += loss_weights_[i] * (mean - features.col(index(truth(i))));
    lower.rankUpdate(mean, -loss_weights_[i]);
  }
}

}  // namespace dyad::internal

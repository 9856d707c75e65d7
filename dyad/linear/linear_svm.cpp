// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/linear_svm.h"

#include <Eigen/Core>
#include <utility>

namespace dyad {
namespace {

Eigen::Map<const Eigen::MatrixXd> mapped(const MatrixView& X) {
  return {X.data, static_cast<Eigen::Index>(X.n_rows), static_cast<Eigen::Index>(X.n_cols)};
}

}  // namespace

void add_gram(const MatrixView& X, Matrix& gram) {
  if (X.n_cols == 0) return;
  Eigen::Map<Eigen::MatrixXd> sum(gram.data.data(), static_cast<Eigen::Index>(gram.n_rows),
                                  static_cast<Eigen::Index>(gram.n_cols));
  sum.selfadjointView<Eigen::Lower>().rankUpdate(mapped(X));
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
}

void add_cross_gram(const MatrixView& A, const MatrixView& B, Matrix& cross) {
  if (A.n_cols == 0) return;
  Eigen::Map<Eigen::MatrixXd> sum(cross.data.data(), static_cast<Eigen::Index>(cross.n_rows),
                                  static_cast<Eigen::Index>(cross.n_cols));
  sum.noalias() += mapped(A) * mapped(B).transpose();
}

LinearSvmProblem::LinearSvmProblem(const MatrixView& X) : LinearSvmProblem(X, standardisation_of(X)) {}

LinearSvmProblem::LinearSvmProblem(const MatrixView& X, Standardisation scaling)
    : standardisation_(std::move(scaling)), Z_(standardised(X, standardisation_)), gram_(X.n_rows, X.n_rows) {
  add_gram(Z_, gram_);
}

LinearSvm LinearSvmProblem::in_original_columns(SvmSolution solution, std::span<const double> y) const {
  LinearSvm svm{.centre = standardisation_.centre, .intercept = solution.intercept};
  Eigen::VectorXd signed_alpha(static_cast<Eigen::Index>(y.size()));
  for (std::size_t i = 0; i < y.size(); ++i)
    signed_alpha[static_cast<Eigen::Index>(i)] = y[i] * solution.alpha[i];
  const Eigen::VectorXd w = mapped(Z_).transpose() * signed_alpha;
  svm.weights.assign(w.begin(), w.end());
  for (std::size_t j = 0; j < svm.weights.size(); ++j)
    if (standardisation_.scale[j] > 0) svm.weights[j] /= standardisation_.scale[j];
  svm.solution = std::move(solution);
  return svm;
}

LinearSvm LinearSvmProblem::solve(std::span<const double> y, std::span<const double> loss_weights,
                                  const SvmOptions& options, std::span<const double> warm,
                                  const Execution& execution) const {
  return in_original_columns(solve_svm(gram_, y, loss_weights, options, warm, execution), y);
}

LinearSvm LinearSvmProblem::solve_within(std::span<const double> y, std::span<const double> loss_weights,
                                         const SvmOptions& options, double norm_bound,
                                         const Execution& execution) const {
  return in_original_columns(solve_svm_within(gram_, y, loss_weights, options, norm_bound, execution), y);
}

}  // namespace dyad

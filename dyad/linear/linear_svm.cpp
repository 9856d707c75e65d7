// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/linear_svm.h"

#include <utility>

#include "dyad/linear/internal/block_products.h"

namespace dyad {

using internal::mapped;

void add_gram(const MatrixView& X, Matrix& gram, const Execution& execution) {
  if (X.n_cols == 0) return;
  auto sum = mapped(gram);
  internal::add_row_products(mapped(X), execution, sum);
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
}

void add_cross_gram(const MatrixView& A, const MatrixView& B, Matrix& cross, const Execution& execution) {
  if (A.n_cols == 0) return;
  const auto a = mapped(A);
  const auto b = mapped(B);
  auto sum = mapped(cross);
  internal::for_column_blocks<double>(
      a.cols(), a.rows(), b.rows(), execution, [&](Eigen::Index first, Eigen::Index count) {
        sum.noalias() += a.middleCols(first, count) * b.middleCols(first, count).transpose();
      });
}

LinearSvmProblem::LinearSvmProblem(const MatrixView& X, Standardisation scaling, const Execution& execution)
    : standardisation_(std::move(scaling)), Z_(standardised(X, standardisation_)), gram_(X.n_rows, X.n_rows) {
  add_gram(Z_, gram_, execution);
}

LinearSvm LinearSvmProblem::solve(std::span<const double> y, std::span<const double> loss_weights,
                                  const SvmOptions& options, double norm_bound,
                                  const Execution& execution) const {
  LinearSvm svm{.centre = standardisation_.centre,
                .solution = solve_svm_within(gram_, y, loss_weights, options, norm_bound, {}, execution)};
  svm.intercept = svm.solution.intercept;
  Eigen::VectorXd signed_alpha(internal::index(y.size()));
  std::ranges::transform(y, svm.solution.alpha, signed_alpha.data(), std::multiplies<>());
  const Eigen::VectorXd w = mapped(Z_).transpose() * signed_alpha;
  svm.weights.assign(w.data(), w.data() + w.size());
  for (std::size_t j = 0; j < svm.weights.size(); ++j)
    if (standardisation_.scale[j] > 0) svm.weights[j] /= standardisation_.scale[j];
  return svm;
}

}  // namespace dyad

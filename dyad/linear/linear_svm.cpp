// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/linear_svm.h"

#include <utility>

#include "dyad/linear/internal/eigen_maps.h"

namespace dyad {

using internal::mapped;

void add_gram(const MatrixView& X, Matrix& gram) {
  if (X.n_cols == 0) return;
  auto sum = mapped(gram);
  sum.selfadjointView<Eigen::Lower>().rankUpdate(mapped(X));
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
}

void add_cross_gram(const MatrixView& A, const MatrixView& B, Matrix& cross) {
  if (A.n_cols == 0) return;
  mapped(cross).noalias() += mapped(A) * mapped(B).transpose();
}

LinearSvmProblem::LinearSvmProblem(const MatrixView& X, Standardisation scaling)
    : standardisation_(std::move(scaling)), Z_(standardised(X, standardisation_)), gram_(X.n_rows, X.n_rows) {
  add_gram(Z_, gram_);
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

// Linear support vector machines on standardised features.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"
#include "dyad/linear/hinge_gram.h"
#include "dyad/linear/standardisation.h"

namespace dyad {

/// gram += X X'.  O(n^2 p).
void add_gram(const MatrixView& X, Matrix& gram, const Execution& execution = {});

/// cross += A B', for matrices of the same columns. O(n m p).
void add_cross_gram(const MatrixView& A, const MatrixView& B, Matrix& cross, const Execution& execution = {});

/// A linear decision function in the original columns: sum_j weights_j (x_j - centre_j) + intercept.
struct LinearSvm {
  std::vector<double> weights;
  std::vector<double> centre;
  double intercept = 0;
  SvmSolution solution;
};

/// Standardised columns of X with their Gram matrix: made once, solved for any labels, loss weights and
/// options.
///
/// O(n^2 p) time and O(n^2 + n p) memory.
class LinearSvmProblem {
 public:
  explicit LinearSvmProblem(const MatrixView& X) : LinearSvmProblem(X, standardisation_of(X)) {}
  /// Scales the columns as given.
  LinearSvmProblem(const MatrixView& X, Standardisation scaling, const Execution& execution = {});

  /// Solves for labels y_i of +1 or -1; |w| <= norm_bound in the standardised columns unless that is 0
  /// (`solve_svm_within`).
  [[nodiscard]] LinearSvm solve(std::span<const double> y, std::span<const double> loss_weights,
                                const SvmOptions& options, double norm_bound = 0,
                                const Execution& execution = {}) const;

  [[nodiscard]] const Standardisation& standardisation() const { return standardisation_; }
  [[nodiscard]] const Matrix& standardised_columns() const { return Z_; }
  [[nodiscard]] const Matrix& gram() const { return gram_; }

 private:
  Standardisation standardisation_;
  Matrix Z_;
  Matrix gram_;
};

}  // namespace dyad

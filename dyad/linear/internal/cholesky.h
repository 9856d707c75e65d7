// Cholesky factors of dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/internal/dense_products.h"

namespace dyad::internal {

/// The factor U of a positive definite matrix H = U'U, upper triangular. T is float or double.
///
/// A pivot that rounding makes too small is raised to `least`.
template <class T>
class Cholesky {
 public:
  /// Factors the matrix whose upper triangle is given. O(size^3).
  Cholesky(SquareRows<T> matrix, T least);

  /// Replaces x by H^-1 x.
  void solve(std::span<T> x) const;

  /// Replaces the columns x of a matrix stored by columns by U'^-1 x, so that |x|^2 becomes x' H^-1 x.
  void divide_columns(std::span<T> columns) const;

 private:
  SquareRows<T> upper_;
};

extern template class Cholesky<float>;
extern template class Cholesky<double>;

}  // namespace dyad::internal

// Rotation of a matrix with more columns than rows into few columns, by a pivoted Cholesky decomposition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"

namespace dyad {

/// Rows with nearly the inner products of others: a linear SVM with a penalty |w|^2 depends on nothing else.
struct CholeskyRows {
  FloatRows rows;                   ///< n x rank
  std::vector<std::size_t> pivots;  ///< rows that span the others
  Matrix factor;                    ///< rank x rank, lower triangular: those rows in the order of the pivots
};

/// Rotates the `n_cols` leading columns of X. O(n^2 n_cols + n rank^2).
///
/// The decomposition ends when at most the share `lost` of the rows' squares is left.
[[nodiscard]] CholeskyRows cholesky_rows(const FloatRows& X, std::size_t n_cols, double lost,
                                         const Execution& execution = {});

/// Returns the weights of those columns of X whose scores are those of w on the rotated rows.
[[nodiscard]] std::vector<double> rotated_back(const CholeskyRows& rotation, const FloatRows& X,
                                               std::size_t n_cols, std::span<const double> w);

}  // namespace dyad

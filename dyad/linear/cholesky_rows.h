// Rows with more columns than rows, turned so that few columns hold nearly all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"

namespace dyad {

/// Rows whose inner products are those of others, which is all that a linear SVM with a penalty |w|^2 sees of them.
struct CholeskyRows {
  FloatRows rows;                   ///< n x rank
  std::vector<std::size_t> pivots;  ///< rows that span the others
  Matrix factor;                    ///< rank x rank, lower triangular: those rows in the order of the pivots
};

/// Of the `n_cols` leading columns of X, by a Cholesky decomposition of its products with pivots that ends when what is left of the sum
/// of the rows' squares is below `lost` of it. O(n^2 n_cols + n rank^2).
[[nodiscard]] CholeskyRows cholesky_rows(const FloatRows& X, std::size_t n_cols, double lost);

/// The weights of those columns of X that give its rows the scores that w gives the rotated ones.
[[nodiscard]] std::vector<double> rotated_back(const CholeskyRows& rotation, const FloatRows& X,
                                               std::size_t n_cols, std::span<const double> w);

}  // namespace dyad

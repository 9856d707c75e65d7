// The two-way analysis of variance of a weighted table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "dyad/base/matrix_view.h"

namespace dyad::internal {

/// The functions a and b for which sum over y of rows(x, y) (f(x, y) - a(x) - b(y)) is 0 at every x, and the
/// same at every y with sums over x.
struct TwoWay {
  Matrix a;  ///< n_x x n_columns
  Matrix b;  ///< n_y x n_columns
};

/// `rows` has n_x n_y counts, `f` as many rows, y running fastest, and any columns. Places without rows get
/// 0. O(n_x n_y^2 + n_y^3), solved at once by Cholesky, however the two features depend on each other.
[[nodiscard]] TwoWay two_way(std::span<const std::uint64_t> rows, std::size_t n_x, const Matrix& f);

}  // namespace dyad::internal

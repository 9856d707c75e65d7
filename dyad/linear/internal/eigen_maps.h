// Matrices of the library as those of Eigen, without a copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "dyad/base/matrix_view.h"

namespace dyad::internal {

[[nodiscard]] constexpr Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

[[nodiscard]] inline Eigen::Map<const Eigen::MatrixXd> mapped(const MatrixView& X) {
  return {X.data, index(X.n_rows), index(X.n_cols)};
}

[[nodiscard]] inline Eigen::Map<Eigen::MatrixXd> mapped(Matrix& X) {
  return {X.data.data(), index(X.n_rows), index(X.n_cols)};
}

}  // namespace dyad::internal

// Products of large matrices in blocks, between which a computation may be stopped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/linear/internal/eigen_maps.h"

namespace dyad::internal {

/// body(first, count) for blocks of the columns that products of A and B' sum over. The blocks are those
/// that Eigen takes within a product, so that sums keep their order.
template <class Scalar, class Body>
void for_column_blocks(Eigen::Index n_cols, Eigen::Index rows_of_A, Eigen::Index rows_of_B,
                       const Execution& execution, const Body& body) {
  Eigen::Index block = n_cols;
  Eigen::internal::computeProductBlockingSizes<Scalar, Scalar>(block, rows_of_A, rows_of_B);
  for (Eigen::Index first = 0; first < n_cols; first += block) {
    throw_if_stopped(execution);
    body(first, std::min(block, n_cols - first));
  }
}

/// Adds A A' to the lower triangle of `products`.
template <class Rows, class Products>
void add_row_products(const Rows& A, const Execution& execution, Products&& products) {
  for_column_blocks<typename Rows::Scalar>(
      A.cols(), A.rows(), A.rows(), execution, [&](Eigen::Index first, Eigen::Index count) {
        products.template selfadjointView<Eigen::Lower>().rankUpdate(A.middleCols(first, count));
      });
}

}  // namespace dyad::internal

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/cholesky_rows.h"

#include <cmath>
#include <utility>

#include "dyad/linear/internal/block_products.h"

namespace dyad {

using internal::index;

CholeskyRows cholesky_rows(const FloatRows& X, std::size_t n_cols, double lost, const Execution& execution) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::size_t n = X.n_rows();
  Eigen::MatrixXf products = Eigen::MatrixXf::Zero(index(n), index(n));
  const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> given(X.row(0).data(), index(n), index(n_cols),
                                                              Eigen::OuterStride<>(index(X.stride())));
  internal::add_row_products(given, execution, products);
  Eigen::VectorXd left = products.diagonal().cast<double>();  // squares of the rows not yet explained
  const double enough = lost * left.sum();
  Eigen::MatrixXd columns(index(n), index(n));
  std::vector<std::size_t> pivots;
  while (pivots.size() < n && left.sum() > enough) {
    throw_if_stopped(execution);
    Eigen::Index pivot = 0;
    const double square = left.maxCoeff(&pivot);
    const Eigen::Index rank = index(pivots.size());
    auto column = columns.col(rank);
    column.head(pivot) = products.row(pivot).head(pivot).cast<double>();
    column.tail(index(n) - pivot) = products.col(pivot).tail(index(n) - pivot).cast<double>();
    column.noalias() -= columns.leftCols(rank) * columns.row(pivot).head(rank).transpose();
    column /= std::sqrt(square);
    left = (left.array() - column.array().square()).max(0);
    left[pivot] = 0;
    pivots.push_back(static_cast<std::size_t>(pivot));
  }
  const std::size_t rank = pivots.size();
  CholeskyRows result{FloatRows(n, rank), std::move(pivots), Matrix(rank, rank)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < rank; ++k)
      result.rows.row(i)[k] = static_cast<float>(columns(index(i), index(k)));
  for (std::size_t m = 0; m < rank; ++m)
    for (std::size_t k = 0; k <= m; ++k) result.factor(m, k) = columns(index(result.pivots[m]), index(k));
  return result;
}

std::vector<double> rotated_back(const CholeskyRows& rotation, const FloatRows& X, std::size_t n_cols,
                                 std::span<const double> w) {
  const Eigen::Map<const Eigen::VectorXd> rotated(w.data(), index(w.size()));
  const Eigen::VectorXd shares =
      internal::mapped(rotation.factor).transpose().triangularView<Eigen::Upper>().solve(rotated);
  std::vector<double> result(n_cols);
  for (std::size_t m = 0; m < rotation.pivots.size(); ++m) {
    const auto row = X.row(rotation.pivots[m]);
    for (std::size_t t = 0; t < n_cols; ++t) result[t] += shares[index(m)] * static_cast<double>(row[t]);
  }
  return result;
}

}  // namespace dyad

// A matrix somebody else owns: column by column, as tables and samples of features are stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace dyad {

/// Read-only view of an n_rows x n_cols matrix stored by columns; element (i, j) is data[j * n_rows + i].
struct MatrixView {
  const double* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_cols = 0;

  std::span<const double> column(std::size_t j) const { return {data + j * n_rows, n_rows}; }
};

/// An n_rows x n_cols matrix stored by columns, zero at first or a copy.
struct Matrix {
  std::size_t n_rows = 0;
  std::size_t n_cols = 0;
  std::vector<double> data;

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : n_rows(rows), n_cols(cols), data(rows * cols) {}
  explicit Matrix(const MatrixView& X)
      : n_rows(X.n_rows), n_cols(X.n_cols), data(X.data, X.data + X.n_rows * X.n_cols) {}

  std::span<double> column(std::size_t j) { return {data.data() + j * n_rows, n_rows}; }
  std::span<const double> column(std::size_t j) const { return {data.data() + j * n_rows, n_rows}; }
  double& operator()(std::size_t i, std::size_t j) {
    assert(i < n_rows && j < n_cols);
    return data[j * n_rows + i];
  }
  double operator()(std::size_t i, std::size_t j) const {
    assert(i < n_rows && j < n_cols);
    return data[j * n_rows + i];
  }
  operator MatrixView() const {
    return {data.data(), n_rows, n_cols};
  }  // NOLINT(google-explicit-constructor)
};

/// Drops all columns of X but the given ones, which are ascending.
inline void keep_columns(Matrix& X, std::span<const std::size_t> kept) {
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k] != k) std::ranges::copy(X.column(kept[k]), X.column(k).begin());
  X.n_cols = kept.size();
  X.data.resize(X.n_rows * X.n_cols);
}

}  // namespace dyad

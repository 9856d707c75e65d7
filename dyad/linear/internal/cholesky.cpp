// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/cholesky.h"

#include <cassert>
#include <cmath>
#include <cstring>

#include "dyad/base/simd.h"
#include "dyad/linear/internal/eigen_maps.h"

namespace dyad::internal {
namespace {

/// Rows that are eliminated one by one before the rest of the matrix is updated by all of them.
constexpr std::size_t rows_of_step = 32;

/// Eliminates the rows first .. end - 1 among themselves; the first entry of a row is the pivot.
template <class T>
[[gnu::always_inline]] inline void eliminate(T* matrix, std::size_t stride, std::size_t first,
                                             std::size_t end, T least) {
  for (std::size_t r = first; r < end; ++r) {
    T* const row = matrix + r * stride;
    const T root = std::sqrt(row[r] < least ? least : row[r]);
    const T inverse = 1 / root;
    for (std::size_t j = r + 1; j < stride; ++j) row[j] *= inverse;
    row[r] = root;
    for (std::size_t s = r + 1; s < end; ++s) {
      T* const to = matrix + s * stride;
      const T factor = row[s];
      for (std::size_t j = s; j < stride; ++j) to[j] -= factor * row[j];
    }
  }
}

DYAD_SIMD void eliminate_rows(float* matrix, std::size_t stride, std::size_t first, std::size_t end,
                              float least) {
  eliminate(matrix, stride, first, end, least);
}

DYAD_SIMD void eliminate_rows(double* matrix, std::size_t stride, std::size_t first, std::size_t end,
                              double least) {
  eliminate(matrix, stride, first, end, least);
}

/// x becomes U^-1 U'^-1 x.
template <class T>
[[gnu::always_inline]] inline void substitute(const T* upper, std::size_t stride, std::size_t n, T* x) {
  constexpr std::size_t width = numbers_of_register<T>;
  using Register [[gnu::vector_size(64)]] = T;
  for (std::size_t r = 0; r < n; ++r) {
    const T* const row = upper + r * stride;
    const T factor = x[r] /= row[r];
    for (std::size_t j = r + 1; j < n; ++j) x[j] -= factor * row[j];
  }
  for (std::size_t r = n; r-- > 0;) {
    const T* const row = upper + r * stride;
    Register products = {};
    std::size_t j = r + 1;
    for (; j + width <= n; j += width) {
      Register a;
      Register b;
      std::memcpy(&a, row + j, sizeof a);
      std::memcpy(&b, x + j, sizeof b);
      products += a * b;
    }
    T sum = 0;
    for (std::size_t lane = 0; lane < width; ++lane) sum += products[lane];
    for (; j < n; ++j) sum += row[j] * x[j];
    x[r] = (x[r] - sum) / row[r];
  }
}

DYAD_SIMD void substitute_all(const float* upper, std::size_t stride, std::size_t n, float* x) {
  substitute(upper, stride, n, x);
}

DYAD_SIMD void substitute_all(const double* upper, std::size_t stride, std::size_t n, double* x) {
  substitute(upper, stride, n, x);
}

}  // namespace

template <class T>
Cholesky<T>::Cholesky(SquareRows<T> matrix, T least) : upper_(std::move(matrix)) {
  const std::size_t n = upper_.size();
  const std::size_t stride = upper_.stride();
  for (std::size_t first = 0; first < n; first += rows_of_step) {
    const std::size_t end = std::min(n, first + rows_of_step);
    eliminate_rows(upper_.row(0), stride, first, end, least);
    if (end == n) break;
    Panels<T> panels(stride - end, rows_of_step);
    for (std::size_t r = first; r < end; ++r) panels.set_row(r - first, {upper_.row(r) + end, stride - end});
    add_products(panels, end - first, 0, T{-1}, upper_.row(end) + end, stride);
  }
}

template <class T>
void Cholesky<T>::solve(std::span<T> x) const {
  assert(x.size() == upper_.size());
  substitute_all(upper_.row(0), upper_.stride(), x.size(), x.data());
}

template <class T>
void Cholesky<T>::divide_columns(std::span<T> columns) const {
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = index(upper_.size());
  const Eigen::OuterStride<> stride(index(upper_.stride()));
  const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> upper(upper_.row(0), n, n, stride);
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>> mapped_columns(columns.data(), n,
                                                                              index(columns.size()) / n);
  upper.transpose().template triangularView<Eigen::Lower>().solveInPlace(mapped_columns);
}

template class Cholesky<float>;
template class Cholesky<double>;

}  // namespace dyad::internal

// NumPy arrays in and out: read where they lie, returned without a copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/text.h"
#include "dyad/base/vector_math.h"

namespace dyad::python {

namespace nb = nanobind;

/// Rows of float32 or float64 with any strides, read-only or not.
using Rows = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
using DoubleArray = nb::ndarray<nb::numpy, double>;

/// Throws std::invalid_argument naming the first entry that is infinite; NaN is a missing value. Rows count
/// from `first_row`.
inline void require_not_infinite(const MatrixView& X, const std::string& what, std::size_t first_row = 0,
                                 const Execution& execution = {}) {
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    throw_if_stopped(execution);
    const auto column = X.column(j);
    if (all_finite(column)) continue;
    const auto bad = std::ranges::find_if(column, [](double x) { return std::isinf(x); });
    if (bad == column.end()) continue;
    const auto row = first_row + static_cast<std::size_t>(bad - column.begin());
    throw std::invalid_argument(what + ": row " + std::to_string(row) + ", column " + std::to_string(j) +
                                " is " + number_text(*bad) + "; values must be finite or NaN");
  }
}

/// Throws nb::type_error unless the rows are of one of the two types that are read.
inline void require_floats(const Rows& rows) {
  if (rows.dtype() != nb::dtype<double>() && rows.dtype() != nb::dtype<float>())
    throw nb::type_error("expected an array of float32 or float64");
}

template <class T>
void copy_rows(const Rows& rows, std::size_t first_row, std::size_t count, double* to, std::size_t stride) {
  const std::int64_t row_step = rows.stride(0);
  const std::int64_t column_step = rows.stride(1);
  const T* const data = static_cast<const T*>(rows.data()) + static_cast<std::int64_t>(first_row) * row_step;
  // Columns in one piece are read whole; of others, few rows at a time stay in the cache while they are taken
  // apart.
  const std::size_t block = row_step == 1 ? count : 16;
  for (std::size_t first = 0; first < count; first += block)
    for (std::size_t j = 0; j < rows.shape(1); ++j) {
      const T* const from = data + static_cast<std::int64_t>(j) * column_step;
      for (std::size_t i = first; i < std::min(count, first + block); ++i)
        to[j * stride + i] = static_cast<double>(from[static_cast<std::int64_t>(i) * row_step]);
    }
}

/// Puts some of the rows, by columns in double precision, where `to` points; columns are `stride` apart.
inline void copy_rows(const Rows& rows, std::size_t first_row, std::size_t count, double* to,
                      std::size_t stride) {
  if (rows.dtype() == nb::dtype<double>())
    copy_rows<double>(rows, first_row, count, to, stride);
  else
    copy_rows<float>(rows, first_row, count, to, stride);
}

/// The rows where they lie, if that is as the library reads them: double precision by columns.
inline std::optional<MatrixView> in_place(const Rows& rows) {
  const std::size_t n = rows.shape(0);
  const std::size_t d = rows.shape(1);
  if (rows.dtype() != nb::dtype<double>() || (n > 1 && rows.stride(0) != 1) ||
      (d > 1 && rows.stride(1) != static_cast<std::int64_t>(n)))
    return {};
  return MatrixView{static_cast<const double*>(rows.data()), n, d};
}

/// A copy, made part by part: it may be stopped between them.
inline Matrix matrix_of(const Rows& rows, const Execution& execution = {}) {
  constexpr std::size_t part = 1U << 20U;  // values
  Matrix result;
  result.n_rows = rows.shape(0);
  result.n_cols = rows.shape(1);
  const std::size_t size = result.n_rows * result.n_cols;
  result.data.reserve(size);
  const auto view = in_place(rows);
  while (result.data.size() < size) {
    throw_if_stopped(execution);
    const std::size_t first = result.data.size();
    const std::size_t count = std::min(part, size - first);
    if (view)
      result.data.insert(result.data.end(), view->data + first, view->data + first + count);
    else
      result.data.resize(first + count);
  }
  const std::size_t part_rows = part / std::max<std::size_t>(1, result.n_cols) + 1;
  for (std::size_t first = 0; !view && first < result.n_rows; first += part_rows) {
    throw_if_stopped(execution);
    copy_rows(rows, first, std::min(part_rows, result.n_rows - first), result.data.data() + first,
              result.n_rows);
  }
  return result;
}

/// work(rows, execution), a Matrix of as many rows and `n_cols` columns, on rows without infinite values.
/// Those in another layout are copied part by part, so that neither memory nor the cache has to hold them
/// all; so are all that may be stopped, which happens between parts.
template <class Work>
Matrix by_columns(const Rows& rows, std::size_t n_cols, const Execution& execution, const Work& work) {
  if (const auto view = in_place(rows); view && execution.stop == nullptr) {
    require_not_infinite(*view, "X");
    return work(*view, execution);
  }
  const std::size_t n = rows.shape(0);
  const std::size_t part_rows =
      std::clamp<std::size_t>((1U << 15U) / std::max<std::size_t>(1, rows.shape(1)), 256, 8192);
  Matrix result(n, n_cols);
  parallel_for((n + part_rows - 1) / part_rows, execution, "", [&](std::size_t k) {
    const std::size_t first = k * part_rows;
    const std::size_t count = std::min(part_rows, n - first);
    const auto copy = std::make_unique_for_overwrite<double[]>(count * rows.shape(1));
    copy_rows(rows, first, count, copy.get(), count);
    const MatrixView part{copy.get(), count, rows.shape(1)};
    require_not_infinite(part, "X", first);
    const Matrix values = work(part, Execution{.threads = 1, .stop = execution.stop});
    for (std::size_t j = 0; j < n_cols; ++j)
      std::ranges::copy(values.column(j), result.column(j).begin() + static_cast<std::ptrdiff_t>(first));
  });
  return result;
}

/// All rows at once: where they lie if possible, else copied.
class ColumnMajor {
 public:
  explicit ColumnMajor(const Rows& rows) {
    if (const auto view = in_place(rows)) {
      view_ = *view;
    } else {
      copy_ = matrix_of(rows);
      view_ = copy_;
    }
  }
  ColumnMajor(const ColumnMajor&) = delete;
  ColumnMajor& operator=(const ColumnMajor&) = delete;

  [[nodiscard]] const MatrixView& view() const { return view_; }

 private:
  Matrix copy_;
  MatrixView view_;
};

template <class To, class From>
std::vector<To> vector_of(const Values<From>& values) {
  std::vector<To> result(values.shape(0));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<To>(values(i));
  return result;
}

/// A NumPy array that owns what it is made of.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape,
                                   std::initializer_list<std::int64_t> strides = {}) {
  auto* const owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner, strides);
}

template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values) {
  const std::size_t n = values.size();
  return array_of(std::move(values), {n});
}

inline DoubleArray array_of(Matrix matrix) {
  const std::size_t n = matrix.n_rows;
  const std::size_t d = matrix.n_cols;
  return array_of(std::move(matrix.data), {n, d}, {1, static_cast<std::int64_t>(n)});
}

}  // namespace dyad::python

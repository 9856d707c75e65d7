// Rows by their numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// The values at the given places, in the order of the places.
template <std::ranges::random_access_range Values>
[[nodiscard]] auto gather(const Values& values, std::span<const std::size_t> places) {
  std::vector<std::ranges::range_value_t<Values>> result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

/// The given rows of a matrix, in the order of `rows`.
[[nodiscard]] inline Matrix gather(const MatrixView& X, std::span<const std::size_t> rows) {
  Matrix result(rows.size(), X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto column = X.column(j);
    std::ranges::transform(rows, result.column(j).begin(), [&](std::size_t row) { return column[row]; });
  }
  return result;
}

/// The place of the first of ascending values that is not below `value`.
template <std::ranges::random_access_range Values>
[[nodiscard]] std::size_t place_in(const Values& ascending, const std::ranges::range_value_t<Values>& value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ascending, value) - ascending.begin());
}

/// The numbers i = 0 .. n - 1 for which holds(i), ascending.
template <class Condition>
[[nodiscard]] std::vector<std::size_t> rows_where(std::size_t n, const Condition& holds) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i)
    if (holds(i)) rows.push_back(i);
  return rows;
}

/// The numbers first, first + 1, .., first + n - 1.
template <class Number = std::size_t>
[[nodiscard]] std::vector<Number> all_rows(std::size_t n, Number first = 0) {
  std::vector<Number> rows(n);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace dyad

// Rows by their numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

namespace dyad {

/// The values at the given places, in the order of the places.
template <std::ranges::random_access_range Values>
[[nodiscard]] auto gather(const Values& values, std::span<const std::size_t> places) {
  std::vector<std::ranges::range_value_t<Values>> result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

/// The numbers first, first + 1, .., first + n - 1.
template <class Number = std::size_t>
[[nodiscard]] std::vector<Number> all_rows(std::size_t n, Number first = 0) {
  std::vector<Number> rows(n);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace dyad

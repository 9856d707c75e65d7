// Some elements of a sequence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

namespace dyad {

/// The values at the given places, in their order.
template <std::ranges::random_access_range Values>
[[nodiscard]] auto picked(const Values& values, std::span<const std::size_t> places) {
  std::vector<std::ranges::range_value_t<Values>> result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

}  // namespace dyad

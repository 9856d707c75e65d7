// The order in which values that belong to pairs of features are stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <compare>
#include <cstddef>

namespace dyad {

/// Number of pairs of d features.
[[nodiscard]] constexpr std::size_t pair_count(std::size_t d) { return d < 2 ? 0 : d * (d - 1) / 2; }

/// Place of the pair i < j in the order (0,1), (0,2), .. (0,d-1), (1,2), ..
[[nodiscard]] constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t d) {
  return i * (2 * d - i - 1) / 2 + (j - i - 1);
}

struct FeaturePair {
  std::size_t i = 0;  ///< i < j
  std::size_t j = 0;

  auto operator<=>(const FeaturePair&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The pair whose `pair_index` is k. O(log d).
[[nodiscard]] constexpr FeaturePair pair_at(std::size_t k, std::size_t d) {
  std::size_t i = 0;
  for (std::size_t step = std::bit_floor(d); step > 0; step /= 2)
    if (i + step + 1 < d && pair_index(i + step, i + step + 1, d) <= k) i += step;
  return {i, k - pair_index(i, i + 1, d) + i + 1};
}

}  // namespace dyad

// The order in which values that belong to pairs of features are stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace dyad {

/// Number of pairs of d features.
[[nodiscard]] constexpr std::size_t pair_count(std::size_t d) { return d < 2 ? 0 : d * (d - 1) / 2; }

/// Place of the pair i < j in the order (0,1), (0,2), .. (0,d-1), (1,2), ..
[[nodiscard]] constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t d) {
  return i * (2 * d - i - 1) / 2 + (j - i - 1);
}

}  // namespace dyad

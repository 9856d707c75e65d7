// Sorting positions instead of values: for millions of values that have to stay where they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "dyad/base/execution.h"

namespace dyad {

/// As many values as 32 bits can number.
inline constexpr std::size_t most_positions = std::size_t{1} << 32U;

/// The positions 0 .. n - 1 by ascending key(position), equal keys by position. Keys are no NaN; n is at most
/// `most_positions`. O(n log n) time, 5 bytes a position and what the keys that lie closest together need.
[[nodiscard]] std::vector<std::uint32_t> ordered_positions(std::size_t n,
                                                           const std::function<double(std::size_t)>& key,
                                                           const Execution& execution = {});

}  // namespace dyad

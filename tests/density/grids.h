// Shared helpers for the tests of smoothed grids.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

namespace dyad::test {

constexpr std::size_t grid = 128;  ///< nodes of an axis

/// Densities below e^-37 of the largest count as zero.
constexpr double depth = 37;

inline double highest(const std::vector<double>& logs) { return *std::ranges::max_element(logs); }

}  // namespace dyad::test

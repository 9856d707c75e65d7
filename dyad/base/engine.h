// How sums over rows are computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/options.h"

namespace dyad {

enum class Engine {
  exact,  ///< every pair of rows, as the formulas say: the reference
  counts  ///< from binned counts: the same to a percent or so, in time that grows with the rows
};
inline constexpr Names<2> engine_names{"exact", "counts"};

/// Limits of the number of nodes G that axes of the counts engine are measured by (docs/guide.md, Engines).
inline constexpr Interval grid_range{16, 128};

// Help of options that fits and screenings share.
inline constexpr const char* engine_help =
    "sums over rows are exact, or made of binned counts in linear time";
inline constexpr const char* grid_help = "grid points per feature of the counts engine; long tails get more";
inline constexpr const char* fdr_help = "keep pairs with a q-value of at most this (false discovery rate)";
inline constexpr const char* min_hsic_help = "keep pairs with an HSIC of at least this";

/// Throws std::invalid_argument, in the name of `function`, if `grid` is not within `grid_range`.
inline void require_grid(std::size_t grid, const char* function) {
  require_within(grid_range, std::string(function) + ": grid", grid);
}

}  // namespace dyad

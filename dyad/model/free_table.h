// A free table: one value for each level of a category, interval of a number, or cell of two such features.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dyad {

/// Bins of a feature: the levels of a category, or the intervals between the cuts of a number; the last holds
/// gaps and codes beyond the levels.
struct BinAxis {
  std::vector<double> cuts;  ///< ascending; a cut belongs to the interval that it begins
  std::size_t n_levels = 0;  ///< of a category; 0 for a number

  [[nodiscard]] std::size_t size() const { return (n_levels > 0 ? n_levels : cuts.size() + 1) + 1; }
  /// The bin of a number, of the code of a level, or of NaN.
  [[nodiscard]] std::size_t bin(double value) const;

  bool operator==(const BinAxis&) const = default;
};

/// Values of the cells of one feature, or of two.
struct FreeTable {
  BinAxis x;
  BinAxis y;                   ///< of one feature without levels and cuts, and not used
  std::vector<double> values;  ///< by x, then by y, the latter running fastest

  bool operator==(const FreeTable&) const = default;
};

/// out[i] is the value of the cell of x[i] and y[i]; `y` is empty for a table of one feature.
void look_up(const FreeTable& table, std::span<const double> x, std::span<const double> y,
             std::span<double> out);

}  // namespace dyad

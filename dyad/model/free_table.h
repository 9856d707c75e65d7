// A free table: one value for each level of a category, interval of a number, or cell of two such features.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dyad {

/// A bin, and the share of the next one in a value between two nodes.
struct BinPlace {
  std::size_t bin = 0;
  double share = 0;
};

/// Bins of a feature: the levels of a category, the intervals between the cuts of a number, or nodes of a
/// number, between which values are interpolated linearly; the last bin holds gaps and codes beyond the
/// levels.
struct BinAxis {
  std::vector<double> cuts;  ///< ascending; a cut belongs to the interval that it begins
  std::size_t n_levels = 0;  ///< of a category; 0 for a number
  bool has_nodes = false;    ///< cuts are nodes; two equal ones are a jump, a number at it being behind it

  [[nodiscard]] std::size_t size() const {
    return (n_levels > 0 ? n_levels : cuts.size() + (has_nodes ? 0 : 1)) + 1;
  }
  /// The bin of a number, of the code of a level, or of NaN; of nodes that before the number.
  [[nodiscard]] std::size_t bin(double value) const { return place(value).bin; }
  /// The bin, with the share of the next; beyond all nodes there is the last of them alone.
  [[nodiscard]] BinPlace place(double value) const;

  bool operator==(const BinAxis&) const = default;
};

/// Values of the cells of one feature, or of two.
struct FreeTable {
  BinAxis x;
  BinAxis y;                   ///< of one feature without levels and cuts, and not used
  std::vector<double> values;  ///< by x, then by y, the latter running fastest

  bool operator==(const FreeTable&) const = default;
};

/// True if values are interpolated along a feature.
[[nodiscard]] inline bool has_nodes(const FreeTable& table) { return table.x.has_nodes || table.y.has_nodes; }

/// out[i] is the value of the cell of x[i] and y[i]; `y` is empty for a table of one feature.
void look_up(const FreeTable& table, std::span<const double> x, std::span<const double> y,
             std::span<double> out);

/// The sum of two tables of the same feature, exact at every number: with nodes unless both have the same
/// axis.
[[nodiscard]] FreeTable sum_of(const FreeTable& a, const FreeTable& b);

}  // namespace dyad

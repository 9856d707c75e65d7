// The number of levels of a column of text, by those of its first rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "dyad/data/table.h"

namespace dyad {

/// The levels in the first rows of a column of text: all while they are few, else a sample of them.
///
/// A level is in the sample if its hash is below a threshold, which is halved when more than `most_levels`
/// are: the sample has those levels whatever their rows.
class LevelGrowth {
 public:
  explicit LevelGrowth(std::size_t most_levels = 4096) : most_levels_(most_levels) {}

  /// Adds rows that follow those before.
  void add(const CategoricalColumn& rows);

  /// The number of levels met, up to the error of the sample.
  [[nodiscard]] double n_levels() const { return static_cast<double>(levels_.size()) / share_; }

  /// The number of levels to expect in n_all rows, these included; at most n_all.
  ///
  /// D levels of n rows, f1 of them in one row and f2 in two, become, with t = n_all / n and g = 2 f2 / f1,
  ///   D + f1 (t^(1 - g) - 1) / (1 - g),
  /// a power law with the slope and curvature that the expected number of levels has at n: right for levels
  /// of Zipf's law and for identifiers (f2 = 0), too high for levels of equal frequency while n is below
  /// their number, and exact where f1 = 0.
  ///
  /// Levels may come in order, as days do. The second half of the rows has more new levels then than
  ///   e = sum over levels of 2^-rows,
  /// the number in random order; what exceeds e + 2 sqrt(e) is expected of all further rows at that rate.
  [[nodiscard]] double expected_levels(double n_all) const;

  /// The mean over levels of the bytes of text that a std::string keeps outside of itself.
  [[nodiscard]] double mean_bytes() const;

 private:
  struct Level {
    std::uint32_t n_rows = 0;
    std::uint32_t first_row = 0;
    std::uint32_t n_bytes = 0;
  };

  std::size_t most_levels_;
  double share_ = 1;  ///< of the levels in the sample, a power of 1/2
  std::size_t n_rows_ = 0;
  std::unordered_map<std::uint64_t, Level> levels_;  ///< by hash
};

}  // namespace dyad

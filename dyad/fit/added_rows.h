// Identity of the rows of a state, by which a part that is merged twice is refused.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "dyad/data/chunk.h"

namespace dyad {

/// Row numbers are below this one.
inline constexpr std::uint64_t most_row_numbers = std::uint64_t{1} << 62U;

/// Rows of consecutive numbers first .. end - 1, and hashes of their content.
///
/// Numbers are in blocks 0, 1, 2-3, 4-7, 8-15, .. A block's sum is that of the hashes of its rows modulo
/// 2^64, so that it does not depend on how the rows were cut. Runs that begin at 0 can be compared over all
/// blocks that both have in full.
struct RowRun {
  std::uint64_t first = 0;
  std::uint64_t end = 0;            ///< > first
  std::vector<std::uint64_t> sums;  ///< of each block that the run reaches into

  auto operator<=>(const RowRun&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The number of blocks that rows first .. end - 1 reach into.
[[nodiscard]] std::size_t block_count(std::uint64_t first, std::uint64_t end);

/// The rows that were added to a state, as runs that do not touch: one for a table whose parts are numbered
/// by their places in it, one for each part where all count from 0.
///
/// A run takes 16 bytes and 8 for each block: 250 bytes for a part of some 500 million rows.
class AddedRows {
 public:
  AddedRows() = default;
  explicit AddedRows(std::vector<RowRun> runs) : runs_(std::move(runs)) {}

  /// Adds the rows of a chunk, which go on with those added last if their numbers do. O(values).
  /// Throws std::invalid_argument if a number is too large or there already.
  void add(const Chunk& chunk, std::uint64_t first_row);
  void add(const AddedRows& other);

  /// Throws std::invalid_argument if both have the same rows.
  ///
  /// Numbers that both have are refused unless both runs begin at 0. Those are refused if one of them begins
  /// with the blocks of the other, 32 rows at least, or if they are equal. Hashes of different rows are equal
  /// with a probability of 2^-64. O((runs + other runs) blocks log).
  void require_apart_from(const AddedRows& other) const;

  /// The number behind the last row; 0 without rows.
  [[nodiscard]] std::uint64_t end() const;

  /// In order: the same rows have the same runs, however they were cut and in which order they were added, if
  /// no number occurs twice or if each part that counts from 0 was a state of its own.
  [[nodiscard]] std::vector<RowRun> runs() const;

 private:
  void add(RowRun run);

  std::vector<RowRun> runs_;  ///< the one added to last is the last
};

}  // namespace dyad

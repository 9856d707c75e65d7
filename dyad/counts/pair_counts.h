// Binned counts of a pair of features: the additive table that everything else is computed from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "dyad/counts/axis.h"

namespace dyad {

/// Shares of a row, in 1/256, that go to its nearest node and the nodes on either side: the quadratic
/// B-spline.
struct QuadraticShares {
  std::int32_t before, at, after;
};
/// `offset` is the distance from the nearest node in 1/256 steps, -128 .. 127.
[[nodiscard]] constexpr QuadraticShares quadratic_shares(std::int32_t offset) {
  const std::int32_t before = ((128 - offset) * (128 - offset) + 256) / 512;
  const std::int32_t after = ((128 + offset) * (128 + offset) + 256) / 512;
  return {before, 256 - before - after, after};
}

/// A row at cells (a, b) with fractions f, g adds (1 - f)(1 - g), (1 - f) g, f (1 - g) and f g to the nodes
/// (a, b), (a, b + 1), (a + 1, b) and (a + 1, b + 1). Counts are whole numbers of 1/65536, so sums are exact
/// to 10^14 rows and any order of adding, subtracting and merging gives the same table.
class PairCounts {
 public:
  static constexpr std::int64_t one = 65536;  ///< what a row of weight 1 adds in all

  /// An empty table for axes of n_x and n_y nodes.
  PairCounts(std::size_t n_x, std::size_t n_y) : n_x_(n_x), n_y_(n_y), counts_(n_x * n_y) {}
  /// A table with these counts, as `values` gives them.
  PairCounts(std::size_t n_x, std::size_t n_y, std::vector<std::int64_t> counts)
      : n_x_(n_x), n_y_(n_y), counts_(std::move(counts)) {}

  /// Adds rows with whole-numbered weights; with weight 1 if none are given. Places lie on axes of n_x and
  /// n_y nodes. About 1.5 ns a row without weights.
  void fill(std::span<const Place> x, std::span<const Place> y, std::span<const std::uint32_t> weights = {});

  /// Adds rows, weighted in the same way, each to the three by three nodes nearest to it by
  /// `quadratic_shares`. Linear shares move a row's mass by a variance between 0 and a quarter of a squared
  /// step, according to where it lies; these by a quarter wherever it lies, which a narrower kernel makes
  /// good for every row. All places must be half a step or more from the ends. About 4 ns a row.
  void fill_quadratic(std::span<const Place> x, std::span<const Place> y,
                      std::span<const std::uint32_t> weights = {});

  PairCounts& operator+=(const PairCounts& other);
  PairCounts& operator-=(const PairCounts& other);
  bool operator==(const PairCounts&) const = default;

  [[nodiscard]] std::size_t n_x() const { return n_x_; }
  [[nodiscard]] std::size_t n_y() const { return n_y_; }
  /// The counts, those of node (a, b) at a n_y + b.
  [[nodiscard]] std::span<const std::int64_t> values() const { return counts_; }
  /// Sum over all nodes.
  [[nodiscard]] std::int64_t total() const;

 private:
  template <class AddRows>
  void fill_by(const AddRows& add_rows_to, std::span<const Place> x, std::span<const Place> y);

  std::size_t n_x_;
  std::size_t n_y_;
  std::vector<std::int64_t> counts_;
};

}  // namespace dyad

// Weights of rows: how many rows each one stands for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dyad {

/// Whole numbers of a unit, 1 or a power of two below it, so that sums are exact whatever their order, and
/// counts stay whole numbers. No numbers at all: every row has weight 1.
struct WeightsView {
  std::span<const std::uint32_t> counts;
  double unit = 1;

  [[nodiscard]] bool empty() const { return counts.empty(); }
  [[nodiscard]] std::uint32_t count(std::size_t i) const { return counts.empty() ? 1 : counts[i]; }
  [[nodiscard]] double operator[](std::size_t i) const { return counts.empty() ? 1 : counts[i] * unit; }
  /// Sum over n rows.
  [[nodiscard]] double total(std::size_t n) const;
};

struct RowWeights {
  std::vector<std::uint32_t> counts;
  double unit = 1;

  operator WeightsView() const { return {counts, unit}; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return counts.empty(); }
};

inline constexpr double largest_weight = 0x1p20;
inline constexpr double smallest_largest_weight = 1e-12;

/// Whole numbers as they are; other weights to a whole number of a unit below a millionth of the largest,
/// positive ones to 1 unit at least. Throws std::invalid_argument naming the row of a weight that is
/// negative, not finite or above `largest_weight`, or if none is above `smallest_largest_weight`.
[[nodiscard]] RowWeights make_row_weights(std::span<const double> weights);

/// The unit that weights of a sample become whole numbers of: 1 for whole numbers, else one below a millionth
/// of the largest. Throws std::invalid_argument if that is below `smallest_largest_weight`.
[[nodiscard]] double unit_of_weights(bool are_whole, double largest, std::uint64_t n_rows);

/// Weights, right as above, as whole numbers of a given unit.
[[nodiscard]] RowWeights row_weights_in(double unit, std::span<const double> weights);

/// The weights of the given rows.
[[nodiscard]] RowWeights gather(const WeightsView& weights, std::span<const std::size_t> rows);

/// n - 1 of a sample of total weight n, the degrees of freedom of its spread; half of n below two rows.
[[nodiscard]] double one_less(double total_weight);

/// `most` evenly spaced numbers from 0 to n - 1, ascending; all if n is not larger.
[[nodiscard]] std::vector<std::size_t> evenly_spaced(std::size_t n, std::size_t most);

/// Rows 0 .. n - 1 each as often as its weight says; evenly spaced ones of those, `most` in all, if they are
/// more. Of weights that are not whole, or below one, as many rows as have a weight are spread in proportion
/// to the weights.
[[nodiscard]] std::vector<std::size_t> repeated_rows(const WeightsView& weights, std::size_t n,
                                                     std::size_t most);

}  // namespace dyad

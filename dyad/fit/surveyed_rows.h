// The rows of a survey's sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dyad {

/// The rows of a sample, by row.
struct SurveyedRows {
  std::vector<std::uint64_t> numbers;  ///< in the table
  std::vector<std::int32_t> y;
  std::vector<double> weights;
  std::vector<double> values;  ///< of all features: numbers, codes of levels, NaN

  static constexpr std::uint64_t all = ~std::uint64_t{0};

  [[nodiscard]] std::size_t size() const { return y.size(); }

  /// Makes room for another row of d values, for no more than `most` rows in all.
  void grow(std::size_t d, std::size_t most);
  /// Keeps rows of d values, given in ascending order, without further memory.
  void keep_ascending(std::size_t d, std::span<const std::size_t> kept);
  /// Keeps rows of d values, in the given order.
  void keep(std::size_t d, std::span<const std::size_t> kept);
};

/// The largest number L such that classes of at most L rows each, with all rows of smaller ones, have no more
/// than `most` rows; `SurveyedRows::all` if they have no more anyway.
[[nodiscard]] std::uint64_t rows_of_each_class(std::vector<std::uint64_t> class_rows, std::size_t most);

}  // namespace dyad

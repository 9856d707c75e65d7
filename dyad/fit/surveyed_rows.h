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

  [[nodiscard]] std::size_t size() const { return y.size(); }

  /// Makes room for another row of d values, for no more than `most` rows in all.
  void grow(std::size_t d, std::size_t most);
  /// Keeps rows of d values, given in ascending order, without further memory.
  void keep_ascending(std::size_t d, std::span<const std::size_t> kept);
  /// Keeps rows of d values, in the given order.
  void keep(std::size_t d, std::span<const std::size_t> kept);
};

}  // namespace dyad

// A few hashes of a model's training rows, by which rows of a table are known again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// The least hashes of different rows: a random sample of them that neither their order nor copies change.
struct RowSketch {
  double n_rows = 0;                  ///< different training rows
  std::vector<std::uint64_t> hashes;  ///< ascending, at most `most_row_hashes`

  [[nodiscard]] bool empty() const { return hashes.empty(); }
  bool operator==(const RowSketch&) const = default;
};

inline constexpr std::size_t most_row_hashes = 256;

/// The sketch of rows of numbers as tables have them, codes of levels, and NaN. O(n d).
///
/// If they are a sample, the table has `n_table` rows. Columns of `ignored`, ascending, have no part in it.
[[nodiscard]] RowSketch row_sketch(const MatrixView& X, double n_table,
                                   std::span<const std::size_t> ignored = {});

/// The estimated share of different rows of X that equal a training row, by the hashes found among them;
/// none for an empty sketch. It is 0 if no row does, and off by some 3 % otherwise.
///
/// `ignored` are the columns that the sketch ignores.
[[nodiscard]] std::optional<double> training_share(const RowSketch& sketch, const MatrixView& X,
                                                   std::span<const std::size_t> ignored = {});

}  // namespace dyad

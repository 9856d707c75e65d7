// Some rows of a table that need not be at hand as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"
#include "dyad/data/levels.h"
#include "dyad/data/table.h"
#include "dyad/data/values.h"

namespace dyad {

struct Chunk {
  std::vector<std::string> features;
  std::vector<std::string> classes;  ///< that may occur
  Matrix X;                          ///< finite numbers, or codes of `levels`; NaN where a value is missing
  std::vector<Levels> levels;        ///< of each feature; empty if all are numbers
  std::vector<std::int32_t> y;       ///< index into `classes`
  std::vector<double> weights;       ///< of the rows; empty if all are 1
  ValueType label_type = ValueType::unknown;  ///< of the classes, in their source
  std::vector<ValueType> level_types;         ///< of the levels of each feature; empty if unknown

  [[nodiscard]] std::size_t n_rows() const { return y.size(); }
  [[nodiscard]] bool is_categorical(std::size_t j) const { return !levels.empty() && !levels[j].is_number(); }
  [[nodiscard]] double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

/// Rows that a chunk of so many columns has unless there is a reason: some 32 MB, and of two classes alike no
/// more than a table of counts takes at once.
[[nodiscard]] std::size_t default_chunk_rows(std::size_t n_columns);

/// The rows of a table with labels.
[[nodiscard]] Chunk chunk_of(const Table& table);

}  // namespace dyad

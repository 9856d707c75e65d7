// Rows of numbers with a class each: what the fitting functions work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/matrix_view.h"
#include "dyad/data/table.h"

namespace dyad {

struct LabelledSample {
  Matrix X;                     ///< n x d, all values finite
  std::vector<std::int32_t> y;  ///< class of each row, 0 .. n_classes - 1
  std::size_t n_classes = 0;

  [[nodiscard]] std::size_t n_rows() const { return X.n_rows; }
  [[nodiscard]] std::size_t n_features() const { return X.n_cols; }
};

/// The features and labels of a table. Throws std::invalid_argument in the name of `method` if a column is categorical or has a
/// missing value, if there are fewer than two classes or a class has fewer than two rows, no feature, or row weights.
[[nodiscard]] LabelledSample labelled_sample(const Table& table, std::string_view method);

/// The same, freeing each column's values once they are copied, so that memory does not hold them twice. Names and labels stay.
[[nodiscard]] LabelledSample take_labelled_sample(Table& table, std::string_view method);

/// The given rows.
[[nodiscard]] LabelledSample rows_of(const LabelledSample& sample, std::span<const std::size_t> rows);

/// The rows of one class, in their order.
[[nodiscard]] Matrix rows_of_class(const LabelledSample& sample, std::int32_t code);

/// Number of rows of each class.
[[nodiscard]] std::vector<std::size_t> class_counts(const LabelledSample& sample);

}  // namespace dyad

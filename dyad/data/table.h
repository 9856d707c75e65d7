// A table of named, typed columns with class labels and row weights: what every method takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// Finite numbers; NaN stands for a missing value.
struct NumericColumn {
  std::vector<double> values;
};

/// One of a list of levels per row.
struct CategoricalColumn {
  static constexpr std::int32_t missing = -1;
  std::vector<std::int32_t> codes;  ///< index into levels, or `missing`
  std::vector<std::string> levels;  ///< distinct, in order of appearance
};

struct Column {
  std::string name;
  std::variant<NumericColumn, CategoricalColumn> data;
};

/// The class of every row: codes[i] indexes `classes`.
struct Labels {
  std::vector<std::int32_t> codes;
  std::vector<std::string>
      classes;  ///< in increasing order: of the numbers if all are numbers, else of the text
};

struct Table {
  std::size_t n_rows = 0;
  std::vector<Column> features;
  Labels labels;                ///< empty if the table has none
  std::vector<double> weights;  ///< one per row, finite and not negative; empty if all are 1
};

/// Labels from text, one per row. Texts of one `normal_form` (1 and 1.0) are one class, which has that name.
[[nodiscard]] Labels make_labels(const CategoricalColumn& column);

/// Throws std::invalid_argument naming the first column that is categorical or has a missing value;
/// `method` says who cannot take it.
void require_complete_numeric(const Table& table, std::string_view method);

/// Throws std::invalid_argument unless the table has labels of at least two classes, each number in one
/// spelling.
void require_classes(const Table& table);

/// Leaves out rows of weight 0, and classes that have no other rows; does nothing if every weight is 0.
void drop_weightless_rows(Table& table);

/// The rows of class `code`, in their order.
[[nodiscard]] std::vector<std::size_t> rows_of_class(const Labels& labels, std::int32_t code);

/// The given rows of all features, n_rows x n_features. Every feature must be numeric.
[[nodiscard]] Matrix numeric_rows(const Table& table, std::span<const std::size_t> rows);

}  // namespace dyad

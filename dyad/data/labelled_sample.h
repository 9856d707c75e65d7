// Rows with a class each: what the fitting functions work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"
#include "dyad/data/levels.h"
#include "dyad/data/row_weights.h"
#include "dyad/data/table.h"

namespace dyad {

struct LabelledSample {
  Matrix X;                     ///< n x d: finite numbers, or codes of levels; NaN where a value is missing
  std::vector<std::int32_t> y;  ///< class of each row, 0 .. n_classes - 1
  std::size_t n_classes = 0;
  RowWeights weights;          ///< of each row: 2 is the same as the row twice
  std::vector<Levels> levels;  ///< of each feature; empty if all are numbers

  [[nodiscard]] std::size_t n_rows() const { return X.n_rows; }
  [[nodiscard]] std::size_t n_features() const { return X.n_cols; }
  [[nodiscard]] bool is_categorical(std::size_t j) const { return !levels.empty() && !levels[j].is_number(); }
};

/// The features and labels of a table. Throws std::invalid_argument if there are fewer than two classes, no
/// feature, or a weight that is negative or not finite.
[[nodiscard]] LabelledSample labelled_sample(const Table& table);

/// Moves the features and labels of a table: each column's values are freed once they are copied.
///
/// Names and labels stay. Throws as `labelled_sample` does.
[[nodiscard]] LabelledSample take_labelled_sample(Table& table);

/// Gives the rarest levels of a categorical feature with more than `most` levels that have rows one code,
/// that of the others; `most` - 1 stay, of equally frequent ones the first by name. Levels without rows go.
void pool_rare_levels(LabelledSample& sample, std::size_t most);

/// Of each feature whether it is categorical; empty if none is.
[[nodiscard]] std::vector<bool> categorical_features(std::span<const Levels> levels);

/// Whether a feature is the same in all rows, or missing in all.
[[nodiscard]] bool is_constant(const LabelledSample& sample, std::size_t j);

/// The given rows.
[[nodiscard]] LabelledSample rows_of(const LabelledSample& sample, std::span<const std::size_t> rows);

/// The rows of one class, in their order, and their weights.
[[nodiscard]] Matrix rows_of_class(const LabelledSample& sample, std::int32_t code);
[[nodiscard]] RowWeights weights_of_class(const LabelledSample& sample, std::int32_t code);

/// Number of rows of each class, each counted as often as its weight says.
[[nodiscard]] std::vector<double> class_counts(const LabelledSample& sample);

/// The numbers of the rows of each class, ascending.
[[nodiscard]] std::vector<std::vector<std::size_t>> rows_by_class(const LabelledSample& sample);

/// Some rows that stand for all: as many of every class as of any other while it has them, evenly spaced
/// within the class, with weights that give the classes the shares they have among all rows, at 1 on average.
struct SampledRows {
  std::vector<std::size_t> rows;  ///< ascending
  RowWeights weights;             ///< in the order of `rows`
};

/// `most` rows at most, but for rounding; all rows, with their own weights, if they are not more.
[[nodiscard]] SampledRows sampled_rows(const LabelledSample& sample, std::size_t most);

/// Some rows of a sample that is itself a part of a table: those of each class whose `numbers` in the table
/// have the least `hashed` values.
///
/// Weights give the classes the shares of `class_rows` and add up to `total`.
[[nodiscard]] SampledRows sampled_rows(const LabelledSample& sample, std::size_t most,
                                       std::span<const std::uint64_t> numbers,
                                       std::span<const double> class_rows, double total);

}  // namespace dyad

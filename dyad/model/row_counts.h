// Training rows counted on coarse axes: ranges of features, and the rows in the cells of each pair of a
// model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"

namespace dyad {

/// Values of a feature in training, as tables have them; codes of levels have none.
struct ValueRange {
  bool has_numbers = false;
  bool is_whole = false;  ///< all values are whole numbers
  double low = 0;
  double high = 0;

  bool operator==(const ValueRange&) const = default;
};

/// Rows at the nodes of a feature's axis.
///
/// The nodes of a number are in the model's coordinates and take the rows that are nearest to them; those of
/// a category are its levels. Missing values, if any were met, are one more place behind the nodes.
struct FeatureCounts {
  ValueRange range;
  bool has_missing = false;
  std::vector<double> nodes;        ///< of a number, ascending
  std::vector<std::uint64_t> rows;  ///< at each place; empty for a feature without terms

  bool operator==(const FeatureCounts&) const = default;
};

/// Rows at the places of feature i by those of feature j, the latter running fastest.
struct PairRows {
  std::size_t i = 0;
  std::size_t j = 0;  ///< i < j
  std::vector<std::uint64_t> rows;

  bool operator==(const PairRows&) const = default;
};

/// Counts of a model's training rows; without features if they are not known.
struct RowCounts {
  double unit = 1;  ///< rows of weight 1 that a count of 1 stands for
  std::vector<FeatureCounts> features;
  std::vector<PairRows> pairs;  ///< those of the model's terms, ascending

  [[nodiscard]] bool empty() const { return features.empty(); }
  bool operator==(const RowCounts&) const = default;
};

/// Nodes that the axis of a number has at most.
inline constexpr std::size_t most_count_nodes = 32;
/// Rows that are counted at most; `SampledRows` stand for more.
inline constexpr std::size_t most_counted_rows = 10000;

/// Ranges of the columns of a sample that is not in coordinates.
[[nodiscard]] std::vector<ValueRange> ranges_of(const LabelledSample& sample);

/// Counts rows of a sample, in coordinates, for the features and pairs of terms; without ranges.
///
/// An axis has the distinct values of a number, or where they are too many its quantiles. O(rows features
/// log nodes + rows pairs).
[[nodiscard]] RowCounts count_rows(std::span<const Term> terms, const LabelledSample& sample,
                                   const SampledRows& counted, const Execution& execution);

/// The node nearest to a value that is not missing, the lower of two.
[[nodiscard]] std::size_t nearest_node(std::span<const double> nodes, double value);

/// The counts of the pair i < j; null if there are none.
[[nodiscard]] const PairRows* find_pair(const RowCounts& counts, std::size_t i, std::size_t j);

}  // namespace dyad

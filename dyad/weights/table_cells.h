// Rows of table regressions: which tables there are, and the cells of rows in them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/linear/table_regression.h"
#include "dyad/model/term.h"

namespace dyad {

/// The bins of all features, made from some rows, and the bins of all rows.
struct FeatureBins {
  std::vector<BinAxis> axes;
  std::vector<std::vector<std::uint16_t>> of_row;  ///< by feature and row
};

/// Rows with a value by feature, ascending by it; empty for categories.
using SortedRows = std::vector<std::vector<std::uint32_t>>;
[[nodiscard]] SortedRows sorted_rows(const LabelledSample& sample, const Execution& execution);

/// Makes the bins from the rows with a loss weight above 0, one weight for each row of the sample.
[[nodiscard]] FeatureBins feature_bins(const LabelledSample& sample, const SortedRows& sorted,
                                       std::span<const double> loss_weights, const Execution& execution);

/// The tables of all features and of some pairs: their cells for the given rows. Labels and loss weights are
/// those of the rows of the sample. Features that do not vary, and pairs of
/// more than 65536 cells, have no table.
[[nodiscard]] TableRows table_rows(const FeatureBins& bins, std::span<const FeaturePair> pairs,
                                   std::span<const std::uint32_t> rows, const LabelledSample& sample,
                                   std::span<const double> loss_weights);

/// The tables of a solution as terms, `share` times their values. Tables of zeros are left out.
[[nodiscard]] std::vector<Term> table_terms(const FeatureBins& bins, std::span<const FeaturePair> pairs,
                                            const TableSolution& solution, double share);

}  // namespace dyad

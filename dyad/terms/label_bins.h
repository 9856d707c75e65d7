// Bins of features for free tables, cut where the classes of the rows change.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/labelled_sample.h"
#include "dyad/model/free_table.h"

namespace dyad {

/// The rows with a value of a number, ascending by it.
[[nodiscard]] std::vector<std::uint32_t> rows_by_value(const LabelledSample& sample, std::size_t feature);

/// Bins of a feature: the levels of a category; intervals of a number, `most` at most.
///
/// Intervals are the leaves of a tree that is grown from its best split on, by the likelihood of the classes'
/// shares, each with five of the `rows` at least. These are rows of the sample ascending by value, as
/// `rows_by_value` gives them, and count by `loss_weights`, which belong to the rows of the sample. A cut is
/// halfway between two values. O(rows x most x classes).
[[nodiscard]] BinAxis label_bins(const LabelledSample& sample, std::size_t feature,
                                 std::span<const std::uint32_t> rows, std::span<const double> loss_weights,
                                 std::size_t most);

}  // namespace dyad

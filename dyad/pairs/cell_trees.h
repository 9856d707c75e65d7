// The trees of classes by the mutual information of binned features, for rankings that leave out folds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/pairs/residual_gain.h"

namespace dyad {

/// For each view of `chances` the edges of each class's maximum spanning forest among the given pairs.
///
/// The weight of an edge is the mutual information of the two features in `feature_cells`, over the rows of
/// the class that count in the view. Edges are left out unless it exceeds its mean by chance by two of its
/// standard deviations by chance: 2 n I is chi-squared with (A - 1)(B - 1) degrees of freedom then, A and B
/// the numbers of cells that have rows. Counts are whole numbers, so that the edges are the same for any
/// number of threads. O(rows + views x cells) for each pair and class.
[[nodiscard]] std::vector<std::vector<TermKey>> cell_trees(const LabelledSample& sample,
                                                           const HeldOutChances& chances,
                                                           std::span<const FeaturePair> pairs,
                                                           const Execution& execution);

}  // namespace dyad

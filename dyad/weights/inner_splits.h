// The splits of the inner cross-validation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/folds.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// Number of options.inner_splits, or of the folds to draw: at most one a row.
[[nodiscard]] std::size_t inner_fold_count(const LabelledSample& sample, const WeightOptions& options);

/// options.inner_splits, or the splits of stratified folds drawn by options.seed.
[[nodiscard]] std::vector<Split> inner_splits(const LabelledSample& sample, const WeightOptions& options);

/// Splits of `sample`, which has the given rows, ascending, of the sample that options.inner_splits are for.
///
/// Splits that test on no row, or train on no row of some class, are left out. Throws std::invalid_argument
/// if none is left.
[[nodiscard]] std::vector<Split> inner_splits_among(std::span<const std::size_t> rows,
                                                    const LabelledSample& sample,
                                                    const WeightOptions& options);

}  // namespace dyad

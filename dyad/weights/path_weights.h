// The weights of the terms that a path keeps: a multinomial regression.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/pair_path.h"

namespace dyad {

/// Fits the regressions of a path to rows of a sample with the values of terms, which are centred and scaled
/// in place.
///
/// Scores are log odds, times the slope at which those of the rows that the path held out are likeliest, and
/// shrunk towards the classes' shares where these rows hardly tell them apart. Free tables are fitted to 100
/// 000 of the rows at most.
[[nodiscard]] FittedWeights fit_path_weights(TrainingRows& rows, std::span<const TermKey> keys,
                                             const PairPath& path, const LabelledSample& sample,
                                             const WeightOptions& options, const Execution& execution);

}  // namespace dyad

// The weights of the terms that a path keeps: a multinomial regression.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/pair_path.h"

namespace dyad {

/// Fits the regression of a path to rows with the values of terms, which are centred and scaled in place.
///
/// Scores are log odds, times the slope at which those of the rows that the path held out are likeliest.
[[nodiscard]] FittedWeights fit_path_weights(TrainingRows& rows, std::span<const TermKey> keys,
                                             const PairPath& path, std::size_t n_classes,
                                             const WeightOptions& options, const Execution& execution);

}  // namespace dyad

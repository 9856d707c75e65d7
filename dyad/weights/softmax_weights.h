// The weights of the preset `auto` for three classes or more: the mean of multinomial logistic regressions over the best settings, in which
// the score of a class is a function of its own log densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/weights/averaged_weights.h"

namespace dyad {

/// As fit_averaged_weights, but all scores are fitted together: score_k = b_k + sum_t w_kt value_t over the features themselves and the
/// terms of class k, w_k = a_1 (weights of NB) + a_2 (those of TAN) + a_3 (those of all dependences) + what the penalty |.|^2 / (2 C) is on;
/// a are the same for all classes, and 0 with Blend::never. The loss is that of held-out probabilities, or 1 - AUC for Objective::auc; classes count in it, and in the
/// fit, as options.optimise says. Scores are logarithms of probabilities but for a term common to all classes.
[[nodiscard]] AveragedWeights fit_softmax_weights(TrainingRows& rows, const NestedTerms& terms,
                                                  std::size_t n_classes, const FitOptions& options,
                                                  const Execution& execution);

}  // namespace dyad

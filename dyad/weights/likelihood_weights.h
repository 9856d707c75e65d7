// The weights of NB and TAN, which follow from their densities (lemma 1), and the calibration of their
// scores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/terms/table_stats.h"
#include "dyad/weights/single_weights.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// Terms with their weights.
struct WeightedTerms {
  std::vector<Term> terms;
  FittedWeights weights;
};

/// Terms, weights and calibrations of NB and TAN.
///
/// The single row of a class takes no part in calibration: without it there is no density.
[[nodiscard]] WeightedTerms fit_likelihood_weights(const LabelledSample& sample,
                                                   std::span<const TermKey> keys, const TableStats& stats,
                                                   const TermOptions& options, const Likelihood& rule,
                                                   const ProbabilityRule& probability,
                                                   const Execution& execution, FitReport& report);

}  // namespace dyad

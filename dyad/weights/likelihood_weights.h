// The weights of NB and TAN, which follow from their densities (lemma 1), and the calibration of their scores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/terms/table_stats.h"

namespace dyad::internal {

/// Densities of the given terms by the engine of the options.
[[nodiscard]] std::vector<Term> terms_of(const LabelledSample& sample, std::span<const TermKey> places,
                                         const FitOptions& options, const Execution& execution);

/// Terms, weights and calibrations of NB and TAN. The single row of a class takes no part in calibration: without it there is no density.
void fit_generative(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                    const FitOptions& options, const Execution& execution, FitReport& report,
                    const TableStats* more = nullptr);

}  // namespace dyad::internal

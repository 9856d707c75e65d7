// Pairs ranked by HSIC, and which of them a rule keeps (paper, section 3: the threshold lambda).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"

namespace dyad {

/// A pair of features within a class, with its HSIC.
struct RankedPair {
  TermKey key;
  double hsic = 0;
  double p_value = 1;
};

/// The pairs of all classes that options.structure allows, largest HSIC first: a threshold keeps a leading
/// part.
[[nodiscard]] std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const TermOptions& options,
                                                 const Execution& execution);

/// These pairs, ranked by the rows that densities are estimated from.
[[nodiscard]] std::vector<RankedPair> rank_density_rows(const LabelledSample& sample,
                                                        const TermOptions& options,
                                                        const Execution& execution, FitReport& report);

/// The ranked pairs that a rule keeps: all for SLB- and where cross-validation is to choose, none for LU.
[[nodiscard]] std::vector<RankedPair> pairs_to_keep(const LabelledSample& sample, const TermRule& rule,
                                                    const TermOptions& options, const Execution& execution,
                                                    FitReport& report);

}  // namespace dyad

// Which terms a model has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/exact_terms.h"

namespace dyad::internal {

/// Whether the weights are means over settings.
[[nodiscard]] constexpr bool averages(const FitOptions& options) {
  return !is_generative(options.method) && options.settings == SettingsRule::average;
}

/// The terms that weights are to be found for, and what they were chosen by.
struct ChosenTerms {
  NestedTerms terms;           ///< sets are for averages alone
  std::vector<double> hsic;    ///< of each term that is a pair of SLB, else 0
  double C = 1;                ///< of the SVM
  std::vector<Setting> tried;  ///< by cross-validation, best first
};

/// The terms of one feature, then the pairs.
[[nodiscard]] std::vector<TermKey> with_pairs(std::vector<TermKey> places, std::span<const TermKey> pairs);

/// The pairs that the method keeps, and the cost that goes with them.
[[nodiscard]] Selection select_terms(const LabelledSample& sample, const FitOptions& options,
                                     const Execution& execution, FitReport& report);

/// All terms of options.method; `sample` is prepared.
[[nodiscard]] ChosenTerms choose_terms(const LabelledSample& sample, const FitOptions& options,
                                       const Execution& execution, FitReport& report);

}  // namespace dyad::internal

// Which terms a model has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/fit/recipe.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/terms/fit_report.h"
#include "dyad/weights/choice.h"
#include "dyad/weights/pair_path.h"

namespace dyad {

/// The terms that weights are to be found for, and what they were chosen by.
struct ChosenTerms {
  NestedTerms terms;           ///< sets are for averages alone
  std::vector<double> hsic;    ///< of each term that is a pair of SLB, else 0
  double C = 1;                ///< of the SVM
  std::vector<Setting> tried;  ///< by cross-validation, best first
  std::optional<PairPath> path;
};

/// The pairs that a recipe keeps with one setting, and the cost that goes with them.
[[nodiscard]] Selection select_pairs(const LabelledSample& sample, const Recipe& recipe,
                                     const Execution& execution, FitReport& report);

/// All terms of a recipe; `sample` is prepared. `C` is the cost where none is chosen.
[[nodiscard]] ChosenTerms choose_terms(const LabelledSample& sample, const Recipe& recipe, double C,
                                       const Execution& execution, FitReport& report);

}  // namespace dyad

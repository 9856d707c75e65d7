// The weights of the preset `auto`: the mean of linear classifiers over the best settings of terms, cost and
// blend, which is again one linear function of the terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/row_weights.h"
#include "dyad/model/model.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/weights/single_weights.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// Rows that weights are fitted to.
struct TrainingRows {
  std::vector<std::size_t> rows;  ///< which of the sample, ascending
  FloatRows values;               ///< of the terms
  std::vector<std::int32_t> y;    ///< class of each row
  RowWeights weights;
};

struct AveragedWeights {
  /// Scores are log odds. Solutions are rough on purpose: `converged` is false only where max_iterations
  /// stops them before that.
  FittedWeights weights;
  std::vector<Setting> settings;  ///< all that were tried, the smallest loss first
  bool ended_early = false;       ///< whether a limit of time left settings out
};

/// Fits a classifier for each set of `terms`, cost and blend to the rows outside each split of the inner
/// cross-validation, scores the rows inside, and averages those of the rule.n_average settings of least loss,
/// fitted to all rows.
///
/// Two classes, and more one against the rest, are SVMs (svm_average.h); more together are multinomial
/// regressions (softmax_average.h). The loss is the logistic one at the best of some slopes, or 1 - AUC for
/// Objective::auc; classes count in it as rule.optimise says. Scores of the average become log odds by
/// logistic regression on the rows inside. Of many rows, settings are tried on a part. Values are centred and
/// scaled in place.
[[nodiscard]] AveragedWeights fit_averaged_weights(TrainingRows& rows, const NestedTerms& terms,
                                                   std::size_t n_classes, const Average& rule,
                                                   const WeightOptions& options, const Execution& execution);

}  // namespace dyad

// The weights of the preset `auto`: the mean of linear SVMs over the best settings of terms, cost and blend with the weights of NB and
// TAN, which is again one linear function of the terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/row_weights.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/weights/single_weights.h"

namespace dyad {

/// Rows that weights are fitted to.
struct TrainingRows {
  std::vector<std::size_t> rows;  ///< which of the sample, ascending
  FloatRows values;               ///< of the terms
  std::vector<std::int32_t> y;    ///< class of each row
  RowWeights weights;
};

struct AveragedWeights {
  SvmWeights weights;  ///< scores are log odds; `converged` tells nothing, as solutions are rough on purpose
  std::vector<Setting> settings;  ///< all that were tried, the smallest loss first
};

/// Fits an SVM for each set of `terms`, cost and blend to the rows outside each split of the inner cross-validation, scores the rows
/// inside, and averages the SVMs of all rows of the options.n_average settings of least loss, each divided by the size of its scores. The
/// loss is the logistic one at the best of some slopes, or 1 - AUC for Objective::auc; classes count in it as options.optimise says. Scores of the average become log odds by logistic
/// regression on the rows inside. Of many rows, settings are tried on a part. Values are centred and scaled in place.
///
/// A blend s > 0 adds two columns to the terms, the log likelihood ratios of NB and of TAN, of s^2 / 2 times the variance of a row: the
/// penalty is then centred on multiples of their weights instead of 0. Trees are found from the rows outside.
[[nodiscard]] AveragedWeights fit_averaged_weights(TrainingRows& rows, const NestedTerms& terms,
                                                   std::size_t n_classes, const FitOptions& options,
                                                   const Execution& execution);

}  // namespace dyad

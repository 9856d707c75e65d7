// Which pairs a model keeps, and how many: a path of growing sets, judged by rows held out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// A set of terms that was tried, at the best of its costs.
struct PathStep {
  std::string name;  ///< its size, and what its pairs are ranked by
  std::size_t n_pairs = 0;
  double C = 1;
  double loss = 0;    ///< mean over the rows held out
  double behind = 0;  ///< mean over the rows of what their losses exceed those of the best set by
  double error = 0;   ///< standard error of that mean
  bool is_kept = false;
};

/// Rows with the scores of regressions that were fitted without them.
struct HeldOutRows {
  Matrix scores;  ///< rows x classes
  std::vector<std::int32_t> y;
  std::vector<double> weights;
};

/// The set of terms to keep, and the regression that goes with it.
struct PairPath {
  std::vector<TermKey> keys;    ///< linear terms, those of one feature, then pairs by their ranking
  bool is_linear = false;       ///< whether only linear terms have weights
  bool shares_weights = false;  ///< whether the classes share sums of terms
  std::vector<double> costs;    ///< of regressions that each start from the one before; the last is kept
  HeldOutRows held_out;
  std::vector<PathStep> steps;
};

/// Finds the terms to keep: linear ones, those of one feature, or these and some pairs, `most` at most.
///
/// All sets are fitted by multinomial regression without each fold of the inner cross-validation, with the
/// values of the counts engine by densities of the other folds alone, and judged by the rows of the fold.
/// Pairs are ranked by `residual_gains` of the model of single features, for each fold by the other folds; by
/// HSIC over all classes; and by the better of the two ranks. The ranking with the least loss at ten pairs is
/// followed to twice as many each time while the loss falls; five are tried last. Unless the options say
/// otherwise there are 10 folds of at most 1000 rows, 5 of at most 2000, else 3.
///
/// The smallest set is kept whose rows' losses exceed those of the best by one standard error at most, or
/// without pairs by two and less than 5 percent, as the best of many sets is so by chance, too. Of more than
/// 4000 rows a part is tried.
[[nodiscard]] PairPath find_pairs(const LabelledSample& sample, std::size_t most, const TermOptions& terms,
                                  const WeightOptions& options, const Execution& execution,
                                  FitReport& report);

}  // namespace dyad

// Which pairs a model keeps, and how many: a path of growing sets, judged by rows held out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// A set of pairs that was tried.
struct PathStep {
  std::string name;  ///< its size, and what its pairs are ranked by
  std::size_t n_pairs = 0;
  double C = 1;
  double loss = 0;    ///< mean over the rows held out
  double behind = 0;  ///< mean over the rows of what their losses exceed those of the best set by
  double error = 0;   ///< standard error of that mean
};

struct PairPath {
  std::vector<FeaturePair> pairs;  ///< those to keep, in the order of their ranking
  std::vector<PathStep> steps;
};

/// Finds the pairs to keep, of those in `ranked`, `most` at most.
///
/// Pairs are ranked by HSIC, the largest of the classes, by the `residual_gains` of a model of single
/// features, and by the better of the two ranks; gains are, for each fold of the inner cross-validation,
/// those of the other folds. Sets of 5, 10, 20, .. leading pairs, with the terms of one feature, are fitted
/// without each fold by multinomial regression, until the loss of the rows held out has not fallen twice in a
/// row. No pair is kept if the rows' losses without pairs exceed those of the best set by two standard errors
/// at most, as the best of many sets is so by chance, too; else the smallest set within one standard error.
///
/// Values are those of the counts engine, by densities of the rows that a fold trains on; of more than 4000
/// rows a part is tried.
[[nodiscard]] PairPath find_pairs(const LabelledSample& sample, std::span<const RankedPair> ranked,
                                  std::size_t most, const TermOptions& terms, const WeightOptions& options,
                                  const Execution& execution, FitReport& report);

}  // namespace dyad

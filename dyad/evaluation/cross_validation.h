// Repeated stratified cross-validation: everything is fitted anew on the rows outside each fold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/options.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/evaluation/metrics.h"
#include "dyad/fit/options.h"
#include "dyad/model/model.h"
#include "dyad/terms/fit_report.h"

namespace dyad {

struct CrossValidationOptions {
  int folds = 5;
  int repeats = 1;
  std::vector<std::size_t> groups;  ///< of the rows, as for `grouped_folds`; none if each is its own
  FitOptions fit;

  static void describe(auto& o, auto&& field) {
    field("folds", o.folds, Interval{2, 100000}, "number of folds, each predicted by a model of the others");
    field("repeats", o.repeats, at_least_one, "number of repeats, each with other folds");
    FitOptions::describe(o.fit, field);
  }
};

struct FoldResult {
  std::size_t repeat = 0;
  std::size_t fold = 0;
  double error = 0;
  double ber = 0;
  double auc = 0;
  double log_loss = 0;
  double cost = 0;  ///< mean of a row; 0 without costs
  std::size_t pairs_kept = 0;
  double seconds = 0;
};

struct CrossValidation {
  std::vector<FoldResult> folds;  ///< repeat by repeat
  Confusion confusion;            ///< over all folds and repeats
  Reliability reliability;        ///< over all folds and repeats
  Baseline baseline;              ///< of the class frequencies of all rows
  FitReport report;               ///< over all folds; seconds are those of one thread
  double seconds = 0;             ///< from start to end

  /// Mean of a field of the folds, without values that are not numbers (the AUC of a fold with one class).
  [[nodiscard]] double mean(double FoldResult::*field) const;
  /// Standard deviation of the repeats' mean BER; over folds if there is one repeat.
  [[nodiscard]] double ber_sd() const;
};

/// Figures that `held_out_text` reads: means over the folds, the standard error of the error, the baseline.
[[nodiscard]] Provenance held_out_quality(const CrossValidation& cv, int n_folds,
                                          const std::vector<std::string>& classes);

/// Folds run in parallel; each is the same for any number of threads. Folds and repeats draw from
/// options.fit.seed. Throws std::invalid_argument if an option is out of range or there are fewer rows than
/// folds.
[[nodiscard]] CrossValidation cross_validate(const LabelledSample& sample,
                                             const CrossValidationOptions& options,
                                             const Execution& execution = {});

}  // namespace dyad

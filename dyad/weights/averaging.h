// Averaging of linear classifiers: trials, held-out scores, losses, choice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/folds.h"
#include "dyad/data/row_weights.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/model.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// A setting, by its numbers.
struct Trial {
  std::size_t set = 0;
  double C = 1;
  double blend = 0;
  double loss = 0;
  std::vector<double> size{};  ///< by score, the root mean square of held-out scores
};

/// The settings that a learner tries.
struct TrialGrid {
  std::span<const double> costs;
  std::span<const double> more_linear_costs;  ///< of linear terms alone, which are few and do not overfit
  std::span<const double> blends;             ///< beside 0
  std::size_t most_rows = 0;                  ///< of more rows a part is tried
};

/// What all trials share.
struct Averaging {
  const NestedTerms& terms;
  std::size_t n_classes;
  const Average& rule;
  const WeightOptions& options;
  const Execution& execution;
  Standardisation standardisation;  ///< of the values
  std::vector<double> deviations;   ///< of the terms, before they are scaled

  [[nodiscard]] std::size_t n_scores() const { return score_count(n_classes); }
  [[nodiscard]] double scale(std::size_t t) const { return standardisation.scale[t]; }
};

/// Centres and scales the values of rows in place.
[[nodiscard]] Averaging scale_in_place(FloatRows& values, const WeightsView& weights,
                                       const NestedTerms& terms, std::size_t n_classes, const Average& rule,
                                       const WeightOptions& options, const Execution& execution);

/// Trials ordered by set, blend and ascending cost.
[[nodiscard]] std::vector<Trial> make_trials(const NestedTerms& terms, const Average& rule,
                                             const TrialGrid& grid);

/// The trials of one set.
[[nodiscard]] std::vector<const Trial*> trials_of_set(std::span<const Trial> trials, std::size_t set);

/// The trials to average, ascending: those of least loss, with blends only where the rule allows them.
[[nodiscard]] std::vector<std::size_t> choose_trials(std::span<const Trial> trials, const Average& rule);

/// All trials with their losses, the smallest first.
[[nodiscard]] std::vector<Setting> settings_tried(std::span<const Trial> trials,
                                                  std::span<const std::size_t> chosen,
                                                  const NestedTerms& terms);

/// Rows of a problem that splits hold out, with the scores of all trials.
struct HeldOutScores {
  std::vector<std::size_t> rows;
  std::vector<Matrix> scores;  ///< by trial: rows x n_scores

  /// Sums over trials of their scores k times shares.
  [[nodiscard]] std::vector<double> sum(std::size_t k, std::span<const std::size_t> trials,
                                        std::span<const double> shares) const;
};

/// Room for the scores of each split's rows: by split and trial.
class SplitScores {
 public:
  SplitScores(std::span<const Trial> trials, std::span<const Split> splits, std::size_t n_scores);

  [[nodiscard]] std::span<double> at(std::size_t f, const Trial& trial, std::size_t k) {
    return scores_[f][static_cast<std::size_t>(&trial - trials_.data())].column(k);
  }

  /// One split's rows after the other's.
  [[nodiscard]] HeldOutScores in_order_of_splits() const;
  /// Rows ascending; rows that several splits hold out get the mean.
  [[nodiscard]] HeldOutScores in_order_of_rows() const;

 private:
  std::span<const Trial> trials_;
  std::span<const Split> splits_;
  std::size_t n_scores_;
  std::vector<std::vector<Matrix>> scores_;
};

}  // namespace dyad

// Averaging of linear classifiers: trials, held-out scores, losses, choice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/model/model.h"
#include "dyad/weights/likelihood_forms.h"
#include "dyad/weights/single_weights.h"

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
  std::size_t many_values = 0;                ///< beyond so many values three splits suffice
};

/// The parts that all trials share.
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
  /// NB and TAN of each score, with trees found from the rows `train` of scaled ones.
  [[nodiscard]] std::vector<GenerativeForms> forms(const ScoredRows& rows,
                                                   std::span<const std::uint32_t> train) const;
  /// The value of a form less that of the terms' centres, for a row of scaled values.
  [[nodiscard]] double value(const LinearForm& form, std::span<const float> row) const;
};

/// The divisor of a term of this standard deviation before weights are fitted.
[[nodiscard]] double unit_of_term(double deviation, bool is_linear, const WeightOptions& options);

/// Centres and scales the values of rows in place.
[[nodiscard]] Averaging scale_in_place(FloatRows& values, const WeightsView& weights,
                                       const NestedTerms& terms, std::size_t n_classes, const Average& rule,
                                       const WeightOptions& options, const Execution& execution);

/// Trials ordered by set, blend and ascending cost.
[[nodiscard]] std::vector<Trial> make_trials(const NestedTerms& terms, const Average& rule,
                                             const TrialGrid& grid);

/// The trials to average, ascending: those of least loss, with blends only where the rule allows them.
[[nodiscard]] std::vector<std::size_t> choose_trials(std::span<const Trial> trials, const Average& rule);

/// 1 - AUC of scores; 0.5 if all rows have one sign.
[[nodiscard]] double ranking_loss(std::span<const double> scores, std::span<const double> signs,
                                  std::span<const double> loss_weights);

/// All trials with their losses, the smallest first.
[[nodiscard]] std::vector<Setting> settings_tried(std::span<const Trial> trials,
                                                  std::span<const std::size_t> chosen,
                                                  const NestedTerms& terms);

/// Rows of a problem that splits hold out, one split's after the other's, with the scores of all trials.
struct HeldOutScores {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> first;  ///< by split, where its rows begin
  std::vector<Matrix> scores;      ///< by trial: rows x n_scores

  HeldOutScores() = default;
  HeldOutScores(std::span<const Split> splits, std::size_t n_trials, std::size_t n_scores);

  /// Sets the scores k that trial t gives the rows of split f.
  void set(std::size_t f, std::size_t t, std::size_t k, std::span<const double> values);

  /// Rows ascending; rows that several splits hold out get the mean.
  [[nodiscard]] HeldOutScores in_order_of_rows() const;

  /// Sums over trials of their scores k times shares.
  [[nodiscard]] std::vector<double> sum(std::size_t k, std::span<const std::size_t> trials,
                                        std::span<const double> shares) const;
};

}  // namespace dyad

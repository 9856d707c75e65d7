// Effects of a model's features and pairs that can be read one by one: a functional ANOVA of its scores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/explanation/effects.h"

namespace dyad {

/// score_k(x) = baseline_k + sum of the effects at x.
///
/// What a pair says of its features one by one is moved to them: a function of each feature, linear between
/// the nodes of `counts`, is subtracted from the pair and added to the feature, so that a pair has the mean 0
/// over the rows at any node of either feature, and a feature over all rows. Their means are in the baseline.
/// With softmax (`is_centred`) each effect and the baseline have the mean 0 over classes, which leaves
/// probabilities unchanged; they add up to the score less the mean of all scores.
struct PurifiedEffects {
  std::vector<Effect> effects;    ///< those of features, ascending, then those of pairs, ascending
  std::vector<double> baselines;  ///< per score
  bool is_centred = false;
  bool is_by_rows = false;            ///< whether `counts` are those of training rows, not of densities
  RowCounts counts;                   ///< that means are taken over
  Matrix sizes;                       ///< n_scores x n_effects: mean absolute effect over those rows
  std::vector<Matrix> shifts;         ///< per effect: what is added at its first feature's places, and last
                                      ///< at values that were never met; by score
  std::vector<Matrix> second_shifts;  ///< of pairs at their second feature's places
};

/// Purifies the effects of a model, by its own densities if it has no counts of rows. O(nodes^2) a term and
/// O(nodes^3) a pair.
[[nodiscard]] PurifiedEffects purified_effects(const Model& model, const Execution& execution = {});

/// The effects for rows of X (as for `scores`): per score a matrix of n x n_effects.
[[nodiscard]] std::vector<Matrix> effect_values(const Model& model, const PurifiedEffects& purified,
                                                const MatrixView& X, const Execution& execution = {});

/// The place of the effect of feature i, or of the pair i < j; the number of effects if there is none.
[[nodiscard]] std::size_t effect_place(const PurifiedEffects& purified, std::size_t i, std::size_t j);

/// The number of largest effects that make up a share of the sizes of all, of the score where they are most.
[[nodiscard]] std::size_t count_that_carry(const PurifiedEffects& purified, double share);

/// points.size() x n_scores: the effect of feature i; 0 without one.
[[nodiscard]] Matrix effect_curve(const Model& model, const PurifiedEffects& purified, std::size_t i,
                                  std::span<const double> points);

/// The effect of the pair i < j: row a y.size() + b is that of x[a] and y[b]; 0 without one.
[[nodiscard]] Matrix effect_surface(const Model& model, const PurifiedEffects& purified, std::size_t i,
                                    std::size_t j, std::span<const double> x, std::span<const double> y);

/// False where no counted training row can lie in the cell around x[a] and y[b], in the order of
/// `effect_surface`; all true without counts of the pair.
[[nodiscard]] std::vector<bool> cells_with_rows(const Model& model, const PurifiedEffects& purified,
                                                std::size_t i, std::size_t j, std::span<const double> x,
                                                std::span<const double> y);

}  // namespace dyad

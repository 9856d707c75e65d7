// Changes of a fitted model, effect by effect: the new score is the sum of the edited effects.
// Edits of a model with names leave a trace (`edits_of`).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/pairs.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/model/monotone.h"

namespace dyad {

/// Multiplies purified effects, of features (i = j) or of pairs (i < j), by a factor.
///
/// score' = score + (factor - 1) x the sum of the effects, to 1e-9 in any row. What a pair lends its features
/// stays as it is: it is kept as tables of the features. Throws std::invalid_argument if the model has no
/// counts of training rows, or not such an effect.
[[nodiscard]] Model with_scaled_effects(const Model& model, std::span<const FeaturePair> effects,
                                        double factor, const Execution& execution = {});

/// Keeps the `most` effects of largest mean size over the training rows, in the score where that is largest.
///
/// The others are removed; features and pairs count alike. Throws as `with_scaled_effects`.
[[nodiscard]] Model with_largest_effects(const Model& model, std::size_t most,
                                         const Execution& execution = {});

/// The values of an effect at some points.
struct EffectShape {
  std::vector<double> x;  ///< ascending numbers as tables have them, or all codes of levels
  std::vector<double> y;  ///< of the second feature of a pair
  Matrix values;          ///< x.size() x n_scores; of a pair row a y.size() + b is that of x[a] and y[b]
};

/// Replaces an effect by a function that is linear between points in the model's coordinates, constant beyond
/// them, and as the effect was where values are missing.
///
/// score' = score - the effect + the function. Throws as `with_scaled_effects`, and if the points do not
/// ascend, are no levels, or a value is not finite.
[[nodiscard]] Model with_shape(const Model& model, FeaturePair effect, const EffectShape& shape,
                               const Execution& execution = {});

/// Makes the score of two classes never fall, or never rise, as each of some numbers grows.
///
/// A feature and its pairs become tables, with values interpolated between the nodes of their counts. The
/// feature's own effect is replaced by its isotonic regression, weighted by rows. Each step of it is divided
/// among the pairs in proportion to how far each falls there at worst; what each pair has then is replaced
/// along the feature, or along both of two such features, by its isotonic regression, weighted by the rows of
/// the cells. Features that were monotone before stay so. Throws as `with_scaled_effects`, and for a category
/// or more than two classes.
[[nodiscard]] Model with_monotone_features(const Model& model, std::span<const MonotoneFeature> features,
                                           const Execution& execution = {});

/// `age`, or `age, balance` of a pair.
[[nodiscard]] std::string effect_name(const Model& model, const FeaturePair& effect);

}  // namespace dyad

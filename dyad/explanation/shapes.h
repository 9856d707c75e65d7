// The shapes of a model: the curve of a feature, the surface of a pair, and the densities
// below them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad {

/// Values at which a feature is drawn, as tables have them: `n_numbers` numbers, ascending and evenly spaced
/// in the model's coordinate, from the least of its densities' quantiles at 0.005 to the largest at 0.995 (-3
/// to 3 if it has none), not beyond the training rows; or all codes of its levels, in the order drawn. Then
/// NaN, if values were missing in training.
[[nodiscard]] std::vector<double> points_of(const Model& model, std::size_t feature, std::size_t n_numbers);

/// The places of values among the points of a feature in the model's coordinate, whole at points and beyond 0
/// .. size - 1 outside, up to 1e100; NaN for missing values that are not among them.
[[nodiscard]] std::vector<double> positions_among(const Model& model, std::size_t feature,
                                                  std::span<const double> points,
                                                  std::span<const double> values);
[[nodiscard]] double position_among(const Model& model, std::size_t feature, std::span<const double> points,
                                    double value);

/// points.size() x n_scores: the sum of the contributions of the terms that feature i has alone.
[[nodiscard]] Matrix effect_curve(const Model& model, std::size_t i, std::span<const double> points);

/// The same of the terms of the pair i < j: row a y.size() + b is that of x[a] and y[b].
[[nodiscard]] Matrix effect_surface(const Model& model, std::size_t i, std::size_t j,
                                    std::span<const double> x, std::span<const double> y);

/// points.size() x n_classes: log p_y(x_i) in the model's coordinate; NaN of a class that does not have the
/// term.
[[nodiscard]] Matrix log_densities(const Model& model, std::size_t i, std::span<const double> points);

/// log p_y(x_i, x_j), rows as of `effect_surface`. A class that does not keep the pair takes its features as
/// independent: log p_y(x_i) + log p_y(x_j).
[[nodiscard]] Matrix log_densities(const Model& model, std::size_t i, std::size_t j,
                                   std::span<const double> x, std::span<const double> y);

}  // namespace dyad

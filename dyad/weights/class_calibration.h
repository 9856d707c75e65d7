// Calibrations of a model's scores, for the population of rows that its probabilities are about.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"
#include "dyad/linear/calibration.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// For each score what turns it into a probability, by rule.calibration; empty for CalibrationRule::none.
///
/// `scores` (n x n_scores) must come from models that have not seen the rows, which have classes y and the
/// given weights. Classes count alike, or as often as they are among the rows, times their weights if those
/// are given and costs are not. A class of which there is no row, or all, keeps its scores as log odds. With
/// K > 2 classes the logistic calibrations share a slope that maximises the likelihood of their softmax;
/// isotonic ones are of each class against the rest.
[[nodiscard]] std::vector<Calibration> fit_calibrations(const Matrix& scores, std::span<const std::int32_t> y,
                                                        std::span<const double> weights,
                                                        std::size_t n_classes, const ProbabilityRule& rule);

}  // namespace dyad

// Probabilities from scores: logistic (Platt 2000; Lin, Lin and Weng 2007), isotonic (Zadrozny and Elkan
// 2002), and for several classes by one slope (Guo et al. 2017).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"

namespace dyad {

/// Rule by which probabilities follow from scores.
enum class CalibrationRule {
  none,     ///< scores count as log odds
  platt,    ///< a logistic function of the score
  isotonic  ///< a non-decreasing function of the score
};
inline constexpr Names<3> calibration_rule_names{"none", "platt", "isotonic"};

/// A score and its probability.
struct CalibrationStep {
  double score = 0;
  double probability = 0;

  bool operator==(const CalibrationStep&) const = default;
};

/// P(positive | score) = 1 / (1 + exp(-(slope score + offset))), or a piecewise linear function.
///
/// With steps, P is interpolated between them, and constant before the first and after the last.
struct Calibration {
  double slope = 1;
  double offset = 0;
  std::vector<CalibrationStep> steps{};  ///< scores ascending, probabilities not falling

  bool operator==(const Calibration&) const = default;
};

// Scores must come from rows that the scoring function was not fitted to. Weights are numbers of copies;
// empty: 1 each.

/// Maximises the likelihood of the labels (y_i > 0 is positive) by Newton steps.
///
/// Targets are (n+ + 1) / (n+ + 2) and 1 / (n- + 2) instead of 1 and 0.
[[nodiscard]] Calibration fit_calibration(std::span<const double> scores, std::span<const double> y,
                                          std::span<const double> weights = {});

/// Fits the non-decreasing function with the least squares to the labels 1 and 0. O(n log n).
///
/// Pools adjacent violators, with a step at both ends of each pool; values are clamped to 1 / (n- + 2) and
/// (n+ + 1) / (n+ + 2).
[[nodiscard]] Calibration fit_isotonic(std::span<const double> scores, std::span<const double> y,
                                       std::span<const double> weights = {});

/// Returns the a in [1e-6, 1e6] that maximises the likelihood, P(k | i) proportional to exp(a scores(i, k) +
/// offsets_k).
///
/// Targets are (n_k + 1) / (n_k + 2) and 1 / ((n_k + 2) (K - 1)) for rows of class k instead of 1 and 0.
[[nodiscard]] double fit_softmax_slope(const Matrix& scores, std::span<const double> offsets,
                                       std::span<const std::int32_t> y, std::span<const double> weights = {});

[[nodiscard]] double probability(const Calibration& calibration, double score);

}  // namespace dyad

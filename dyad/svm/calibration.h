// Probabilities from scores (Platt 2000, in the form of Lin, Lin and Weng 2007).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace dyad {

/// P(positive | score) = 1 / (1 + exp(-(slope score + offset))).
struct Calibration {
  double slope = 1;
  double offset = 0;

  bool operator==(const Calibration&) const = default;
};

/// Maximises the likelihood of the labels (y_i > 0 is positive) with targets (n+ + 1) / (n+ + 2) and 1 / (n- + 2) instead of 1
/// and 0, by Newton steps; with weights, of as many copies of the labels. Scores must come from rows that the scoring function was not fitted to.
[[nodiscard]] Calibration fit_calibration(std::span<const double> scores, std::span<const double> y,
                                          std::span<const double> weights = {});

[[nodiscard]] double probability(const Calibration& calibration, double score);

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/svm/calibration.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dyad {
namespace {

/// -target log p - (1 - target) log(1 - p) at linear predictor z, without overflow.
double cross_entropy(double z, double target) {
  return std::max(z, 0.0) - z * target + std::log1p(std::exp(-std::abs(z)));
}

double loss(const Calibration& c, std::span<const double> scores, const std::vector<double>& targets,
            std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    sum += weights[i] * cross_entropy(c.slope * scores[i] + c.offset, targets[i]);
  return sum;
}

}  // namespace

double probability(const Calibration& calibration, double score) {
  const double z = calibration.slope * score + calibration.offset;
  return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
}

Calibration fit_calibration(std::span<const double> scores, std::span<const double> y,
                            std::span<const double> given_weights) {
  assert(scores.size() == y.size());
  std::vector<double> weights(given_weights.begin(), given_weights.end());
  weights.resize(y.size(), 1.0);
  double positives = 0;
  double negatives = 0;
  for (std::size_t i = 0; i < y.size(); ++i) (y[i] > 0 ? positives : negatives) += weights[i];
  std::vector<double> targets;
  for (const double label : y)
    targets.push_back(label > 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2));

  Calibration c{0, std::log((positives + 1) / (negatives + 1))};
  double value = loss(c, scores, targets, weights);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double g_slope = 0;
    double g_offset = 0;
    double h_ss = 1e-12;
    double h_so = 0;
    double h_oo = 1e-12;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = probability(c, scores[i]);
      const double error = weights[i] * (p - targets[i]);
      const double curvature = weights[i] * p * (1 - p);
      g_slope += error * scores[i];
      g_offset += error;
      h_ss += curvature * scores[i] * scores[i];
      h_so += curvature * scores[i];
      h_oo += curvature;
    }
    if (std::abs(g_slope) < 1e-9 && std::abs(g_offset) < 1e-9) break;
    const double det = h_ss * h_oo - h_so * h_so;
    const double d_slope = -(h_oo * g_slope - h_so * g_offset) / det;
    const double d_offset = -(h_ss * g_offset - h_so * g_slope) / det;
    double length = 1;
    for (; length > 1e-10; length /= 2) {
      const Calibration next{c.slope + length * d_slope, c.offset + length * d_offset};
      const double next_value = loss(next, scores, targets, weights);
      if (!(next_value <= value)) continue;
      c = next;
      value = next_value;
      break;
    }
    if (length <= 1e-10) break;
  }
  return c;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/svm/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/samples.h"

namespace dyad {
namespace {

TEST(Calibration, RecoversTheModelThatDrewTheLabels) {
  const auto scores = test::normal_sample(20000, 1);
  const Calibration truth{1.7, -0.4};
  Random random(2);
  std::vector<double> y;
  for (const double score : scores) y.push_back(random.uniform() < probability(truth, score) ? 1 : -1);
  const Calibration fitted = fit_calibration(scores, y);
  EXPECT_NEAR(fitted.slope, truth.slope, 0.1);
  EXPECT_NEAR(fitted.offset, truth.offset, 0.1);
}

TEST(Calibration, CannotBeImproved) {
  const auto scores = test::normal_sample(60, 3);
  std::vector<double> y;
  for (std::size_t i = 0; i < scores.size(); ++i)
    y.push_back(scores[i] + (i % 3 == 0 ? -1.0 : 0.5) > 0 ? 1 : -1);
  double positives = 0;
  for (const double label : y) positives += label > 0 ? 1 : 0;
  const double negatives = 60 - positives;
  const auto loss = [&](const Calibration& c) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double target = y[i] > 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2);
      const double p = probability(c, scores[i]);
      sum -= target * std::log(p) + (1 - target) * std::log(1 - p);
    }
    return sum;
  };
  const Calibration best = fit_calibration(scores, y);
  for (const double step : {-1e-3, 1e-3}) {
    EXPECT_GT(loss({best.slope + step, best.offset}), loss(best));
    EXPECT_GT(loss({best.slope, best.offset + step}), loss(best));
  }
}

TEST(Calibration, StaysFiniteForSeparatedAndConstantScores) {
  const std::vector<double> separated{-3, -2, 2, 3};
  const std::vector<double> constant{1, 1, 1, 1};
  const std::vector<double> y{-1, -1, 1, 1};
  for (const auto& scores : {separated, constant}) {
    const Calibration c = fit_calibration(scores, y);
    EXPECT_TRUE(std::isfinite(c.slope) && std::isfinite(c.offset));
  }
  EXPECT_GT(probability(fit_calibration(separated, y), 3), 0.7);
  EXPECT_NEAR(probability(fit_calibration(constant, y), 1), 0.5, 1e-6);
  EXPECT_EQ(probability({1, 0}, 1e9), 1);
  EXPECT_EQ(probability({1, 0}, -1e9), 0);
}

}  // namespace
}  // namespace dyad

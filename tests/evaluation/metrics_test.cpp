// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dyad {
namespace {

TEST(Metrics, CountWhatWasPredicted) {
  const std::vector<std::int32_t> truth{0, 0, 0, 0, 1, 1};
  const std::vector<std::int32_t> predicted{0, 0, 0, 1, 1, 0};
  const Confusion counts = confusion(truth, predicted, 2);
  EXPECT_EQ(counts, (Confusion{{3, 1}, {1, 1}}));
  EXPECT_DOUBLE_EQ(error_rate(counts), 2.0 / 6);
  EXPECT_DOUBLE_EQ(balanced_error_rate(counts), (0.25 + 0.5) / 2);
}

TEST(Metrics, BalancedErrorLeavesOutClassesThatAreAbsent) {
  EXPECT_DOUBLE_EQ(balanced_error_rate({{1, 1, 0}, {0, 2, 0}, {0, 0, 0}}), 0.25);
}

TEST(Metrics, MeanAreaTakesEachClassAgainstTheRest) {
  Matrix scores(4, 3);
  const std::vector<std::int32_t> truth{0, 1, 2, 2};
  for (std::size_t i = 0; i < 4; ++i) scores(i, static_cast<std::size_t>(truth[i])) = 1;
  EXPECT_DOUBLE_EQ(mean_area_under_curve(scores, truth, 3), 1);
  scores(1, 1) = -1;  // now last of its column
  EXPECT_DOUBLE_EQ(mean_area_under_curve(scores, truth, 3), (1 + 0 + 1) / 3.0);
}

TEST(Metrics, LogLossIsTheMeanOfMinusLogProbability) {
  Matrix p(2, 2);
  p(0, 0) = 0.8;
  p(0, 1) = 0.2;
  p(1, 0) = 1;
  const std::vector<std::int32_t> truth{0, 1};
  EXPECT_DOUBLE_EQ(log_loss(p, truth), -(std::log(0.8) + std::log(1e-15)) / 2);
}

}  // namespace
}  // namespace dyad

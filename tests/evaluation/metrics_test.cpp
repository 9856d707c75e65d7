// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/samples.h"

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

TEST(Metrics, AreaUnderCurveIsTheShareOfOrderedPairs) {
  Random random(1);
  std::vector<double> scores(80);
  std::array<bool, 80> positive{};
  for (std::size_t i = 0; i < 80; ++i) {
    scores[i] = std::floor(6 * random.uniform());  // with ties
    positive[i] = random.uniform() < 0.4;
  }
  double ordered = 0;
  double pairs = 0;
  for (std::size_t a = 0; a < 80; ++a)
    for (std::size_t b = 0; b < 80; ++b) {
      if (!positive[a] || positive[b]) continue;
      pairs += 1;
      ordered += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
    }
  EXPECT_NEAR(area_under_curve(scores, positive), ordered / pairs, 1e-14);
}

TEST(Metrics, AreaUnderCurveOfOneKindIsNotANumber) {
  const std::vector<double> scores{1, 2};
  const std::array<bool, 2> positive{true, true};
  EXPECT_TRUE(std::isnan(area_under_curve(scores, positive)));
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

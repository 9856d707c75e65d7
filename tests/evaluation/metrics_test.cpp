// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/random.h"
#include "dyad/model/prediction.h"
#include "tests/oracles.h"

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

/// Probabilities of n rows that add up to 1, and classes drawn without regard to them.
struct Predicted {
  Matrix p;
  std::vector<std::int32_t> truth;
};
Predicted predicted(std::size_t n, std::size_t n_classes, std::uint64_t seed) {
  Predicted result{Matrix(n, n_classes), {}};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k) sum += result.p(i, k) = random.uniform();
    for (std::size_t k = 0; k < n_classes; ++k) result.p(i, k) /= sum;
    result.truth.push_back(static_cast<std::int32_t>(random.below(n_classes)));
  }
  return result;
}

TEST(Metrics, CalibrationErrorAgreesWithTheDefinition) {
  for (const std::size_t n_classes : {2U, 3U, 5U}) {
    const auto [p, truth] = predicted(400, n_classes, n_classes);
    std::vector<double> told;
    std::vector<bool> hits;
    for (std::size_t i = 0; i < 400; ++i) {
      std::size_t best = 1;
      for (std::size_t k = 0; n_classes > 2 && k < n_classes; ++k)
        if (p(i, k) > p(i, best)) best = k;
      told.push_back(p(i, best));
      hits.push_back(static_cast<std::size_t>(truth[i]) == best);
    }
    const Reliability bins = reliability(p, truth);
    EXPECT_NEAR(calibration_error(bins), oracle::calibration_error(told, hits, 10), 1e-12);
    std::size_t rows = 0;
    for (const ReliabilityBin& bin : bins) rows += bin.rows;
    EXPECT_EQ(rows, 400U);
  }
}

TEST(Metrics, ReliabilityOfPartsAddsUp) {
  const auto [p, truth] = predicted(100, 3, 9);
  Matrix first(40, 3);
  Matrix second(60, 3);
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < 3; ++k) (i < 40 ? first(i, k) : second(i - 40, k)) = p(i, k);
  Reliability sum = reliability(first, std::span(truth).first(40));
  add(sum, reliability(second, std::span(truth).subspan(40)));
  const Reliability all = reliability(p, truth);
  for (std::size_t b = 0; b < all.size(); ++b) {
    EXPECT_EQ(sum[b].rows, all[b].rows);
    EXPECT_NEAR(sum[b].predicted, all[b].predicted, 1e-12);
    EXPECT_EQ(sum[b].observed, all[b].observed);
  }
}

TEST(Metrics, ReliabilityTakesTheEndsOfTheInterval) {
  Matrix p(3, 2);
  p.column(1)[0] = 1;
  p.column(1)[1] = 0;
  p.column(1)[2] = 0.5;
  const Reliability bins = reliability(p, std::vector<std::int32_t>{1, 0, 1});
  EXPECT_EQ(bins[9], (ReliabilityBin{1, 1, 1}));
  EXPECT_EQ(bins[0], (ReliabilityBin{1, 0, 0}));
  EXPECT_EQ(bins[5], (ReliabilityBin{1, 0.5, 1}));
  EXPECT_DOUBLE_EQ(calibration_error(bins), 0.5 / 3);
}

TEST(Metrics, MeanCostIsThatOfARow) {
  Matrix costs(2, 2);
  costs(0, 1) = 1;
  costs(1, 0) = 10;
  EXPECT_DOUBLE_EQ(mean_cost({{3, 1}, {2, 4}}, costs), (1 + 20) / 10.0);
}

TEST(Baseline, IsTheMostFrequentClassAndTheSharesOfTheClasses) {
  const std::vector<double> class_rows{30, 60, 10};
  const std::vector<std::int32_t> y{1, 1, 0, 2};
  const Baseline baseline = baseline_of(class_rows, y);
  EXPECT_EQ(baseline.class_code, 1U);
  EXPECT_DOUBLE_EQ(baseline.error, 0.5);
  EXPECT_NEAR(baseline.log_loss, -(2 * std::log(0.6) + std::log(0.3) + std::log(0.1)) / 4, 1e-12);
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/gather.h"
#include "dyad/model/prediction.h"
#include "tests/oracles.h"
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

TEST(Calibration, OfScoresThatAreAllButEqualIsNoWorseThanTheShareOfPositives) {
  for (const double size : {1.0, 1e4})
    for (const double noise : {1e-9, 1e-7, 1e-5, 1e-3})
      for (const std::size_t n : {50U, 1000U, 5000U}) {
        auto scores = test::normal_sample(n, 1);
        Random random(2);
        std::vector<double> y;
        double positives = 0;
        for (double& score : scores) {
          score = size + noise * score;
          y.push_back(random.uniform() < 0.5 ? 1 : -1);
          positives += y.back() > 0 ? 1 : 0;
        }
        const auto mean_loss = [&](const Calibration& c) {
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const double p = probability(c, scores[i]);
            sum -= std::log(y[i] > 0 ? p : 1 - p) / static_cast<double>(n);
          }
          return sum;
        };
        const auto negatives = static_cast<double>(n) - positives;
        const Calibration by_share{0, std::log((positives + 1) / (negatives + 1))};
        EXPECT_LT(mean_loss(fit_calibration(scores, y)), mean_loss(by_share) + 1e-3)
            << size << " " << noise << " " << n;
      }
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

/// Labels that are the likelier positive the larger the score, with scores that repeat.
struct Scored {
  std::vector<double> scores;
  std::vector<double> y;
};
Scored scored(std::size_t n, std::uint64_t seed) {
  Scored result{test::normal_sample(n, seed), {}};
  Random random(seed + 1);
  for (double& score : result.scores) {
    score = std::round(4 * score) / 4;
    result.y.push_back(random.uniform() < probability({1, 0}, score) ? 1 : -1);
  }
  return result;
}

TEST(Isotonic, AgreesWithTheMinimaxFormula) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto [scores, y] = scored(60, seed);
    std::vector<double> weights;
    for (const auto count : test::whole_weights(60, seed, 1).counts) weights.push_back(count);
    double positives = 0;
    double negatives = 0;
    for (std::size_t i = 0; i < 60; ++i) (y[i] > 0 ? positives : negatives) += weights[i];
    const Calibration fitted = fit_isotonic(scores, y, weights);
    for (std::size_t i = 0; i < 60; ++i) {
      const double expected = std::clamp(oracle::isotonic(scores, y, weights, i), 1 / (negatives + 2),
                                         (positives + 1) / (positives + 2));
      EXPECT_NEAR(probability(fitted, scores[i]), expected, 1e-12);
    }
  }
}

TEST(Isotonic, IsMonotoneBetweenItsStepsAndConstantBeyond) {
  const auto [scores, y] = scored(300, 4);
  const Calibration fitted = fit_isotonic(scores, y);
  EXPECT_LT(fitted.steps.size(), 40U);
  double before = 0;
  for (double score = -5; score <= 5; score += 0.01) {
    const double p = probability(fitted, score);
    EXPECT_GE(p, before);
    EXPECT_GT(p, 0);
    EXPECT_LT(p, 1);
    before = p;
  }
  EXPECT_EQ(probability(fitted, -1e300), fitted.steps.front().probability);
  EXPECT_EQ(probability(fitted, 1e300), fitted.steps.back().probability);
  const Calibration wide{1, 0, {{-1e308, 0.25}, {1e308, 0.75}}};
  EXPECT_NEAR(probability(wide, 0), 0.5, 1e-12);
}

TEST(Isotonic, OfWeightsIsThatOfCopies) {
  const auto [scores, y] = scored(50, 5);
  const RowWeights weights = test::whole_weights(50, 6, 0);
  const std::vector<double> numbers(weights.counts.begin(), weights.counts.end());
  const Calibration weighted = fit_isotonic(scores, y, numbers);
  const Calibration copies = fit_isotonic(test::repeated(scores, weights), test::repeated(y, weights));
  EXPECT_EQ(weighted, copies);
}

TEST(Isotonic, OfSeparatedOrConstantScoresIsNotSure) {
  const std::vector<double> y{-1, -1, 1, 1};
  const Calibration separated = fit_isotonic(std::vector<double>{-3, -2, 2, 3}, y);
  EXPECT_DOUBLE_EQ(probability(separated, 3), 0.75);
  EXPECT_DOUBLE_EQ(probability(separated, -3), 0.25);
  EXPECT_DOUBLE_EQ(probability(separated, 0), 0.5);
  EXPECT_DOUBLE_EQ(probability(fit_isotonic(std::vector<double>{1, 1, 1, 1}, y), 1), 0.5);
}

/// Scores of three classes, `factor` times too large for the labels that they draw.
struct ManyScored {
  Matrix scores;
  std::vector<std::int32_t> y;
};
ManyScored many_scored(std::size_t n, double factor, std::uint64_t seed) {
  ManyScored result{Matrix(n, 3), {}};
  result.scores.data = test::normal_sample(3 * n, seed);
  Random random(seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> p;
    for (std::size_t k = 0; k < 3; ++k) p.push_back(std::exp(result.scores(i, k)));
    const double drawn = random.uniform() * (p[0] + p[1] + p[2]);
    result.y.push_back(drawn < p[0] ? 0 : drawn < p[0] + p[1] ? 1 : 2);
    for (std::size_t k = 0; k < 3; ++k) result.scores(i, k) *= factor;
  }
  return result;
}

TEST(SoftmaxSlope, UndoesScoresThatAreTooLarge) {
  const std::vector<double> offsets(3);
  for (const double factor : {0.5, 1.0, 7.0}) {
    const auto [scores, y] = many_scored(20000, factor, 1);
    EXPECT_NEAR(fit_softmax_slope(scores, offsets, y) * factor, 1, 0.04);
  }
}

TEST(SoftmaxSlope, CannotBeImproved) {
  const std::vector<double> offsets{0.2, -0.3, 0};
  const auto [scores, y] = many_scored(80, 3, 2);
  std::vector<double> weights;
  for (const auto count : test::whole_weights(80, 3, 1).counts) weights.push_back(count);
  std::vector<double> counts(3);
  for (std::size_t i = 0; i < 80; ++i) counts[static_cast<std::size_t>(y[i])] += weights[i];
  const auto loss = [&, &scores = scores, &y = y](double a) {
    double sum = 0;
    for (std::size_t i = 0; i < 80; ++i) {
      const auto own = static_cast<std::size_t>(y[i]);
      double total = 0;
      for (std::size_t k = 0; k < 3; ++k) total += std::exp(a * scores(i, k) + offsets[k]);
      for (std::size_t k = 0; k < 3; ++k) {
        const double target = (k == own ? counts[own] + 1 : 0.5) / (counts[own] + 2);
        sum -= weights[i] * target * (a * scores(i, k) + offsets[k] - std::log(total));
      }
    }
    return sum;
  };
  const double best = fit_softmax_slope(scores, offsets, y, weights);
  EXPECT_GT(loss(best + 1e-3), loss(best));
  EXPECT_GT(loss(best - 1e-3), loss(best));
}

TEST(SoftmaxSlope, IsTheSameInAnyOrderOfRows) {
  const std::vector<double> offsets(3);
  for (const double factor : {0.1, 1.0, 10.0}) {
    const auto [scores, y] = many_scored(40, factor, 4);
    const double expected = fit_softmax_slope(scores, offsets, y);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::size_t> order(40);
      for (std::size_t i = 0; i < 40; ++i) order[i] = i;
      Random(seed).shuffle(order);
      Matrix shuffled(40, 3);
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t k = 0; k < 3; ++k) shuffled(i, k) = scores(order[i], k);
      EXPECT_NEAR(fit_softmax_slope(shuffled, offsets, gather(y, order)), expected, 1e-9 * expected);
    }
  }
}

TEST(SoftmaxSlope, StaysWithinItsBounds) {
  const std::vector<double> offsets(3);
  auto [scores, y] = many_scored(60, 1, 3);
  for (std::size_t i = 0; i < 60; ++i) y[i] = (y[i] + 1) % 3;  // the wrong way round
  EXPECT_NEAR(fit_softmax_slope(scores, offsets, y), 1e-6, 1e-9);
  std::ranges::fill(scores.data, 2.0);
  EXPECT_EQ(fit_softmax_slope(scores, offsets, y), 1);
  for (std::size_t i = 0; i < 60; ++i) scores(i, static_cast<std::size_t>(y[i])) = 3;  // all right
  const double sure = fit_softmax_slope(scores, offsets, y);
  EXPECT_GT(sure, 1);
  EXPECT_LT(sure, 20);
}

}  // namespace
}  // namespace dyad

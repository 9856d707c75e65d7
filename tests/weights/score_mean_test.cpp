// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/score_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/random.h"

namespace dyad {
namespace {

/// Scores of three classes by models of which each sees one of the features that the classes depend on, and
/// by one that guesses.
struct ScoredModels {
  std::vector<Matrix> models{4, Matrix(400, 3)};
  std::vector<std::int32_t> y;
  std::vector<double> loss_weights;

  ScoredModels() {
    Random random(1);
    for (std::size_t i = 0; i < 400; ++i) {
      std::vector<double> sums(3);
      for (std::size_t m = 0; m < 4; ++m)
        for (std::size_t k = 0; k < 3; ++k) {
          models[m](i, k) = 3 * random.normal();
          if (m < 3) sums[k] += static_cast<double>(m + 1) / 6 * models[m](i, k);
        }
      double left = random.uniform();
      double total = 0;
      for (const double sum : sums) total += std::exp(sum);
      std::int32_t code = 0;
      while (code < 2 && (left -= std::exp(sums[static_cast<std::size_t>(code)]) / total) > 0) ++code;
      y.push_back(code);
      loss_weights.push_back(i % 5 == 0 ? 0 : 1 + static_cast<double>(i % 3));
    }
  }

  [[nodiscard]] ScoreMean mean() const {
    std::vector<const Matrix*> scores;
    for (const Matrix& model : models) scores.push_back(&model);
    return fit_score_mean(scores, y, loss_weights);
  }

  /// The definition.
  [[nodiscard]] double loss_with(std::span<const double> shares) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::vector<double> scores(3);
      for (std::size_t m = 0; m < models.size(); ++m)
        for (std::size_t k = 0; k < 3; ++k) scores[k] += shares[m] * models[m](i, k);
      double total = 0;
      for (const double score : scores) total += std::exp(score);
      sum -= loss_weights[i] * std::log(std::exp(scores[static_cast<std::size_t>(y[i])]) / total);
    }
    return sum / std::accumulate(loss_weights.begin(), loss_weights.end(), 0.0);
  }
};

TEST(ScoreMean, HasTheLossOfItsDefinition) {
  const ScoredModels rows;
  const ScoreMean mean = rows.mean();
  EXPECT_NEAR(mean.loss, rows.loss_with(mean.shares), 1e-12);
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t m = 0; m < 4; ++m) sum += mean.shares[m] * rows.models[m](i, k);
      EXPECT_NEAR(mean.scores(i, k), sum, 1e-12);
    }
}

TEST(ScoreMean, HasSharesThatNoOthersBeat) {
  const ScoredModels rows;
  const ScoreMean mean = rows.mean();
  EXPECT_NEAR(std::accumulate(mean.shares.begin(), mean.shares.end(), 0.0), 1, 1e-12);
  Random random(2);
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<double> shares(4);
    double sum = 0;
    for (double& share : shares) sum += share = -std::log(random.uniform());
    // Shares nearby as well as far away.
    const double part = std::pow(0.5, draw % 10);
    for (std::size_t m = 0; m < 4; ++m) shares[m] = (1 - part) * mean.shares[m] + part * shares[m] / sum;
    EXPECT_GE(rows.loss_with(shares), mean.loss * (1 - 1e-4));
  }
}

TEST(ScoreMean, FindsTheSharesThatMadeTheClasses) {
  const ScoreMean mean = ScoredModels().mean();
  for (std::size_t m = 0; m < 4; ++m)
    EXPECT_NEAR(mean.shares[m], m < 3 ? static_cast<double>(m + 1) / 6 : 0, 0.1);
}

TEST(ScoreMean, PrefersTheBestOfModelsThatAreAlmostEqual) {
  ScoredModels rows;
  for (std::size_t m = 0; m < 3; ++m)
    for (std::size_t k = 0; k < rows.models[m].data.size(); ++k)
      rows.models[m].data[k] = rows.models[3].data[k] + 0.1 * static_cast<double>(m) * rows.models[0].data[k];
  const ScoreMean mean = rows.mean();
  double least = mean.loss;
  for (std::size_t m = 0; m < 4; ++m) {
    std::vector<double> shares(4);
    shares[m] = 1;
    least = std::min(least, rows.loss_with(shares));
  }
  EXPECT_LE(mean.loss, least * (1 + 1e-4));
}

TEST(ScoreMean, OfOneModelIsThatModel) {
  const ScoredModels rows;
  const std::vector<const Matrix*> one{&rows.models[1]};
  const ScoreMean mean = fit_score_mean(one, rows.y, rows.loss_weights);
  EXPECT_EQ(mean.shares, std::vector{1.0});
  EXPECT_EQ(mean.scores.data, rows.models[1].data);
}

TEST(ScoreMean, HasEqualSharesIfNoRowCounts) {
  ScoredModels rows;
  std::ranges::fill(rows.loss_weights, 0);
  const ScoreMean mean = rows.mean();
  EXPECT_EQ(mean.shares, std::vector(4, 0.25));
  EXPECT_EQ(mean.loss, 0);
}

TEST(ScoreMean, StaysFiniteForScoresThatSeparateTheClasses) {
  ScoredModels rows;
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      rows.models[0](i, k) = static_cast<std::size_t>(rows.y[i]) == k ? 1e4 : -1e4;
  const ScoreMean mean = rows.mean();
  EXPECT_NEAR(mean.loss, 0, 1e-6);
  for (const double share : mean.shares) EXPECT_TRUE(std::isfinite(share));
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/residual_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

std::vector<FeaturePair> pairs_of_features(std::size_t d) {
  std::vector<FeaturePair> pairs;
  for (std::size_t k = 0; k < pair_count(d); ++k) pairs.push_back(pair_at(k, d));
  return pairs;
}

/// Probabilities that are equal for all rows and views; rows are dealt to the folds in turn.
HeldOutChances equal_chances(const LabelledSample& sample, std::size_t n_folds) {
  HeldOutChances chances{{}, n_folds, {}};
  for (std::size_t i = 0; i < sample.n_rows(); ++i) chances.folds.push_back(i / sample.n_classes % n_folds);
  chances.of_view.assign(chances.n_views(), Matrix(sample.n_rows(), sample.n_classes));
  for (Matrix& view : chances.of_view)
    std::ranges::fill(view.data, 1 / static_cast<double>(sample.n_classes));
  return chances;
}

/// Probabilities drawn for each row and view; some rows are never held out.
HeldOutChances drawn_chances(const LabelledSample& sample, std::size_t n_folds, std::uint64_t seed) {
  HeldOutChances chances = equal_chances(sample, n_folds);
  Random random(seed);
  for (std::size_t& fold : chances.folds) fold = random.below(n_folds + (random.below(3) == 0 ? 1 : 0));
  for (Matrix& view : chances.of_view)
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < sample.n_classes; ++k) sum += view(i, k) = std::exp(random.normal());
      for (std::size_t k = 0; k < sample.n_classes; ++k) view(i, k) /= sum;
    }
  return chances;
}

/// Numbers and categories of 3, 8, 9 and 12 levels, the higher the rarer, with gaps where asked for.
LabelledSample sample_of_all_kinds(std::size_t n, std::size_t n_classes, double missing, std::uint64_t seed) {
  LabelledSample sample = test::class_sample(n, 7, n_classes, seed);
  sample.levels.assign(7, {});
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) sample.X(i, 2) = std::round(2 * sample.X(i, 2));  // ties
  std::size_t j = 3;
  for (const std::size_t n_levels : {3U, 8U, 9U, 12U}) {
    for (std::size_t k = 0; k < n_levels; ++k)
      sample.levels[j].names.push_back("level " + std::to_string(10 + k));
    for (std::size_t i = 0; i < n; ++i)
      sample.X(i, j) = static_cast<double>(std::min(random.below(n_levels), random.below(n_levels)));
    ++j;
  }
  for (double& value : sample.X.data)
    if (random.uniform() < missing) value = test::gap;
  return sample;
}

/// Compares all gains with the definition.
void expect_gains_of_definition(const LabelledSample& sample, const HeldOutChances& chances,
                                double tolerance) {
  const auto pairs = pairs_of_features(sample.n_features());
  const auto gains = residual_gains(sample, chances, pairs, {.threads = 1});
  ASSERT_EQ(gains.size(), chances.n_views());
  std::size_t n_positive = 0;
  for (std::size_t view = 0; view < gains.size(); ++view) {
    ASSERT_EQ(gains[view].size(), pairs.size());
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double expected = oracle::residual_gain(sample, chances, pairs[p], view);
      n_positive += expected > 0 ? 1 : 0;
      test::expect_close(gains[view][p], expected, tolerance,
                         "pair " + std::to_string(pairs[p].i) + " " + std::to_string(pairs[p].j), tolerance);
    }
  }
  EXPECT_GT(n_positive, gains.size() * pairs.size() / 4);
}

// The sweeps that find a + b stop a little before the best.
constexpr double of_sweeps = 1e-3;

/// Features 0 and 1 correlated, 2 on its own; the class depends on one of them alone.
LabelledSample sample_of_main_effect(std::size_t n, double correlation, std::size_t feature,
                                     std::uint64_t seed) {
  LabelledSample sample{Matrix(n, 3), {}, 2};
  const auto x = test::normal_sample(n, seed);
  std::ranges::copy(x, sample.X.column(0).begin());
  std::ranges::copy(test::correlated_with(x, correlation, seed + 1), sample.X.column(1).begin());
  std::ranges::copy(test::normal_sample(n, seed + 2), sample.X.column(2).begin());
  Random random(seed + 3);
  for (std::size_t i = 0; i < n; ++i)
    sample.y.push_back(random.uniform() < 1 / (1 + std::exp(-2 * sample.X(i, feature))) ? 1 : 0);
  return sample;
}

TEST(ResidualGains, AgreeWithTheirDefinition) {
  for (const std::size_t n_classes : {2U, 4U})
    for (const double missing : {0.0, 0.2}) {
      SCOPED_TRACE(std::to_string(n_classes) + " classes, missing " + std::to_string(missing));
      const LabelledSample sample = sample_of_all_kinds(300, n_classes, missing, n_classes);
      expect_gains_of_definition(sample, drawn_chances(sample, 3, 5), of_sweeps);
    }
}

TEST(ResidualGains, OfWeightedRowsAgreeWithTheirDefinition) {
  LabelledSample sample = sample_of_all_kinds(300, 2, 0.1, 3);
  sample.weights = test::whole_weights(300, 1, 0);
  expect_gains_of_definition(sample, drawn_chances(sample, 3, 5), of_sweeps);
  sample.weights.unit = 0.25;
  expect_gains_of_definition(sample, drawn_chances(sample, 3, 5), of_sweeps);
}

TEST(ResidualGains, OfCorrelatedFeaturesAgreeWithTheirDefinition) {
  for (const double correlation : {0.8, 0.9, 0.95}) {
    LabelledSample sample = sample_of_main_effect(600, correlation, 1, 1);
    // An interaction, too, for gains above 0.
    for (std::size_t i = 0; i < sample.n_rows(); ++i)
      if (sample.X(i, 0) * sample.X(i, 2) > 0.5) sample.y[i] = 1 - sample.y[i];
    expect_gains_of_definition(sample, equal_chances(sample, 3), 0.05);
  }
}

TEST(ResidualGains, AreTheSameOnAnyNumberOfThreads) {
  const LabelledSample sample = sample_of_all_kinds(200, 3, 0.1, 3);
  const HeldOutChances chances = drawn_chances(sample, 4, 5);
  const auto pairs = pairs_of_features(sample.n_features());
  EXPECT_EQ(residual_gains(sample, chances, pairs, {.threads = 1}),
            residual_gains(sample, chances, pairs, {.threads = 3}));
}

TEST(ResidualGains, AreTheSameForRowsInAnyOrder) {
  LabelledSample sample = sample_of_all_kinds(200, 3, 0.1, 3);
  sample.weights = test::whole_weights(200, 1, 0);
  const HeldOutChances chances = drawn_chances(sample, 4, 5);
  std::vector<std::size_t> rows(sample.n_rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Random(7).shuffle(rows);
  HeldOutChances moved{{}, chances.n_folds, {}};
  for (const std::size_t row : rows) moved.folds.push_back(chances.folds[row]);
  for (const Matrix& view : chances.of_view) {
    Matrix& to = moved.of_view.emplace_back(view.n_rows, view.n_cols);
    for (std::size_t k = 0; k < view.n_cols; ++k)
      for (std::size_t i = 0; i < rows.size(); ++i) to(i, k) = view(rows[i], k);
  }
  const auto pairs = pairs_of_features(sample.n_features());
  EXPECT_EQ(residual_gains(sample, chances, pairs, {}),
            residual_gains(rows_of(sample, rows), moved, pairs, {}));
}

TEST(ResidualGains, CountOnlyRowsOfAView) {
  const LabelledSample sample = sample_of_all_kinds(200, 2, 0, 3);
  const HeldOutChances chances = drawn_chances(sample, 3, 5);
  const auto pairs = pairs_of_features(sample.n_features());
  const auto gains = residual_gains(sample, chances, pairs, {});
  LabelledSample other = sample;
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    if (chances.folds[i] == 1 || chances.folds[i] == 3) other.y[i] = 1 - other.y[i];
  const auto of_other = residual_gains(other, chances, pairs, {});
  EXPECT_EQ(gains[1], of_other[1]);
  for (const std::size_t view : {0U, 2U, 3U}) EXPECT_NE(gains[view], of_other[view]);
}

TEST(ResidualGains, RankAPairThatDecidesTheClassAboveDependentOnes) {
  constexpr std::size_t n = 500;
  LabelledSample sample{Matrix(n, 8), {}, 2};
  for (std::size_t j = 0; j < 8; ++j)
    std::ranges::copy(test::normal_sample(n, j + 1), sample.X.column(j).begin());
  // Features 0 to 5 depend on each other alike in both classes; the product of 6 and 7 has the class's sign
  // more often than not.
  for (std::size_t j = 1; j < 6; ++j)
    for (std::size_t i = 0; i < n; ++i) sample.X(i, j) = 0.8 * sample.X(i, 0) + 0.6 * sample.X(i, j);
  Random random(3);
  for (std::size_t i = 0; i < n; ++i)
    sample.y.push_back((sample.X(i, 6) * sample.X(i, 7) > 0) == (random.uniform() < 0.75) ? 1 : 0);
  const auto by_hsic = rank_pairs(sample, FitOptions{}, {});
  for (std::size_t k = 0; k < 15; ++k) EXPECT_LT(by_hsic[k].key.j, 6U);
  const auto pairs = pairs_of_features(8);
  for (const auto& of_view : residual_gains(sample, equal_chances(sample, 3), pairs, {}))
    EXPECT_EQ(std::ranges::max_element(of_view) - of_view.begin(), pair_index(6, 7, 8));
}

TEST(ResidualGains, IgnoreWhatOneFeatureAloneExplains) {
  const std::vector<FeaturePair> pairs{{0, 1}, {0, 2}, {1, 2}};
  for (const double correlation : {0.0, 0.95})
    for (const std::size_t feature : {0U, 1U})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const LabelledSample sample = sample_of_main_effect(4000, correlation, feature, 10 * seed);
        const HeldOutChances chances = equal_chances(sample, 3);
        LabelledSample of_noise = sample;
        Random(seed).shuffle(of_noise.y);
        const auto largest = [&](const LabelledSample& of) {
          return std::ranges::max(residual_gains(of, chances, pairs, {.threads = 1}).back());
        };
        EXPECT_LT(largest(sample), 3) << "correlation " << correlation << ", feature " << feature;
        EXPECT_LT(largest(of_noise), 3);
        for (const FeaturePair& pair : pairs)
          if (pair.i == feature || pair.j == feature) {
            EXPECT_GT(oracle::residual_gain(sample, chances, pair, 3, true), 50);
          }
      }
}

TEST(ResidualGains, OfRandomLabelsAreRarelyLarge) {
  const std::vector<FeaturePair> pairs{{0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 4}, {4, 5}, {5, 6}};
  double n_gains = 0;
  double n_large = 0;
  double n_positive = 0;
  for (std::uint64_t table = 0; table < 200; ++table) {
    LabelledSample sample = sample_of_all_kinds(150, 2, 0.1, 100 * table);
    Random random(hashed(table));
    for (auto& label : sample.y) label = static_cast<std::int32_t>(random.below(2));
    const auto gains = residual_gains(sample, equal_chances(sample, 2), pairs, {.threads = 1});
    for (const double gain : gains.back()) {
      n_gains += 1;
      n_large += gain > 2 ? 1 : 0;
      n_positive += gain > 0 ? 1 : 0;
    }
  }
  // A mean of the statistic over 1400 gains that is off by a third of its standard deviation fails.
  EXPECT_LT(n_large / n_gains, 0.08);
  EXPECT_GT(n_positive / n_gains, 0.4);
  EXPECT_LT(n_positive / n_gains, 0.6);
}

TEST(ResidualGains, AreZeroWithoutRows) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  HeldOutChances chances = equal_chances(sample, 2);
  std::ranges::fill(chances.folds, 2U);
  for (const auto& of_view : residual_gains(sample, chances, pairs_of_features(3), {}))
    EXPECT_EQ(of_view, (std::vector<double>{0, 0, 0}));
}

// --- cells ---

LabelledSample sample_of_feature(const std::vector<double>& x, std::size_t n_levels = 0) {
  LabelledSample sample{Matrix(x.size(), 1), std::vector<std::int32_t>(x.size()), 2};
  std::ranges::copy(x, sample.X.column(0).begin());
  if (n_levels == 0) return sample;
  sample.levels.resize(1);
  for (std::size_t k = 0; k < n_levels; ++k)
    sample.levels[0].names.push_back("level " + std::to_string(10 + k));
  return sample;
}

using CellNumbers = std::vector<std::uint8_t>;

TEST(FeatureCells, AreSixIntervalsOfAsManyRows) {
  std::vector<double> x(600);
  std::iota(x.begin(), x.end(), -17.0);
  Random(1).shuffle(x);
  const FeatureCells cells = feature_cells(sample_of_feature(x), 0);
  ASSERT_EQ(cells.count, 6U);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(cells.of_row[i], static_cast<std::size_t>((x[i] + 17) / 100));
}

TEST(FeatureCells, KeepEqualNumbersTogether) {
  const FeatureCells binary = feature_cells(sample_of_feature({0, 1, 1, 0, 1, 1, 1, 1}), 0);
  EXPECT_EQ(binary.count, 2U);
  EXPECT_EQ(binary.of_row, (CellNumbers{0, 1, 1, 0, 1, 1, 1, 1}));
  const FeatureCells mostly_zero = feature_cells(sample_of_feature({0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 3}), 0);
  EXPECT_EQ(mostly_zero.count, 2U);
  EXPECT_EQ(mostly_zero.of_row, (CellNumbers{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}));
}

TEST(FeatureCells, OfAConstantAreOne) {
  const FeatureCells cells = feature_cells(sample_of_feature({4, 4, 4}), 0);
  EXPECT_EQ(cells.count, 1U);
  EXPECT_EQ(cells.of_row, (CellNumbers{0, 0, 0}));
}

TEST(FeatureCells, AreTheSevenMostFrequentLevelsAndAllOthers) {
  // Level k has k + 1 rows; levels 0 and 1 are equally frequent.
  std::vector<double> codes{0};
  for (std::size_t k = 0; k < 9; ++k) codes.insert(codes.end(), k + 1, static_cast<double>(k));
  const FeatureCells cells = feature_cells(sample_of_feature(codes, 9), 0);
  EXPECT_EQ(cells.count, 8U);
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(cells.of_row[i], std::min<std::size_t>(8 - static_cast<std::size_t>(codes[i]), 7));
}

TEST(FeatureCells, OfLevelsCountRowsByWeight) {
  const std::vector<double> codes{0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  LabelledSample sample = sample_of_feature(codes, 9);
  EXPECT_EQ(feature_cells(sample, 0).of_row, (CellNumbers{0, 0, 1, 2, 3, 4, 5, 6, 7, 7}));
  sample.weights = {{1, 0, 1, 1, 1, 1, 1, 1, 3, 2}, 1};
  EXPECT_EQ(feature_cells(sample, 0).of_row, (CellNumbers{2, 2, 3, 4, 5, 6, 7, 7, 0, 1}));
}

TEST(FeatureCells, OfGapsAreLast) {
  const double gap = test::gap;
  const FeatureCells numbers = feature_cells(sample_of_feature({gap, 0, 1, gap, 1}), 0);
  EXPECT_EQ(numbers.count, 3U);
  EXPECT_EQ(numbers.of_row, (CellNumbers{2, 0, 1, 2, 1}));
  const FeatureCells levels = feature_cells(sample_of_feature({1, gap, 1, 0}, 3), 0);
  EXPECT_EQ(levels.count, 4U);
  EXPECT_EQ(levels.of_row, (CellNumbers{0, 3, 0, 1}));
  const FeatureCells none = feature_cells(sample_of_feature({gap, gap}), 0);
  EXPECT_EQ(none.count, 2U);
  EXPECT_EQ(none.of_row, (CellNumbers{1, 1}));
}

}  // namespace
}  // namespace dyad

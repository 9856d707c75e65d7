// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/repeated_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/model_samples.h"

namespace dyad {
namespace {

TEST(RepeatedRows, LeaveASampleWithoutAnyAsItIs) {
  LabelledSample sample = test::class_sample(50, 3, 2, 1);
  const LabelledSample before = sample;
  std::vector<Split> splits{{{0, 1}, {2, 3}}};
  merge_repeated_rows(sample, splits);
  EXPECT_EQ(sample.X.data, before.X.data);
  EXPECT_EQ(sample.y, before.y);
  EXPECT_TRUE(sample.weights.empty());
  EXPECT_EQ(splits[0].outside, (std::vector<std::size_t>{2, 3}));
}

TEST(RepeatedRows, AreTheSameAsWeightsInAnyOrder) {
  const auto [weighted, copies, rows_of_copies] =
      test::weighted_and_repeated(test::class_sample(60, 3, 3, 1), 2);
  LabelledSample a = weighted;
  LabelledSample b = copies;
  std::vector<Split> none;
  merge_repeated_rows(a, none);
  merge_repeated_rows(b, none);
  EXPECT_EQ(a.X.data, b.X.data);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.weights.counts, b.weights.counts);
  EXPECT_EQ(class_counts(a), class_counts(weighted));
}

TEST(RepeatedRows, ShareManyCopiesAmongFewPieces) {
  LabelledSample sample{Matrix(103, 1), std::vector<std::int32_t>(103, 0), 2};
  sample.X(0, 0) = 7;
  sample.y[0] = 1;
  std::vector<Split> none;
  merge_repeated_rows(sample, none);
  ASSERT_EQ(sample.n_rows(), most_pieces + 1);
  EXPECT_EQ(class_counts(sample), (std::vector<double>{102, 1}));
  EXPECT_EQ(sample.weights.counts.front(), 11U);
  EXPECT_EQ(sample.weights.counts.back(), 1U);
}

TEST(RepeatedRows, KeepFractionsOfRows) {
  LabelledSample sample{Matrix(2, 1), {0, 1}, 2, make_row_weights(std::vector<double>{2.5, 0.25})};
  std::vector<Split> none;
  merge_repeated_rows(sample, none);
  ASSERT_EQ(sample.n_rows(), 4U);
  const WeightsView weights = sample.weights;
  EXPECT_EQ(weights[0], 1);
  EXPECT_EQ(weights[1], 1);
  EXPECT_EQ(weights[2], 0.5);
  EXPECT_EQ(weights[3], 0.25);
}

TEST(RepeatedRows, KeepTheirWeightHoweverSmall) {
  for (const double weight : {1e-12, 1e-5, 1 / 4096.0, 0.3, 1000.5}) {
    LabelledSample sample{Matrix(10001, 1), std::vector<std::int32_t>(10001, 0), 2,
                          make_row_weights(std::vector<double>(10001, weight))};
    sample.y[7] = 1;
    const auto before = class_counts(sample);
    std::vector<Split> none;
    merge_repeated_rows(sample, none);
    const auto after = class_counts(sample);
    EXPECT_NEAR(after[0] / before[0], 1, 1e-12) << weight;
    EXPECT_EQ(after[1], before[1]) << weight;
    EXPECT_EQ(std::ranges::count(sample.weights.counts, 0U), 0);
  }
}

TEST(RepeatedRows, StayApartWhereSplitsTreatThemDifferently) {
  LabelledSample sample{Matrix(6, 1), {0, 0, 0, 1, 1, 1}, 2};
  sample.X(5, 0) = 1;
  std::vector<Split> splits{{{0, 3, 5}, {1, 2, 4}}, {{1, 2, 4}, {0, 3, 5}}};
  merge_repeated_rows(sample, splits);
  ASSERT_EQ(sample.n_rows(), 6U);
  for (const Split& split : splits) EXPECT_EQ(split.inside.size() + split.outside.size(), 6U);
  // The value 1 is on the side where it was.
  const auto at = static_cast<std::size_t>(std::ranges::find(sample.X.data, 1.0) - sample.X.data.begin());
  EXPECT_EQ(std::ranges::count(splits[0].inside, at), 1);
}

/// Three columns of few values each, some of them missing: many rows are equal.
LabelledSample sample_with_gaps(std::size_t n) {
  LabelledSample sample{Matrix(n, 3), {}, 2};
  Random random(4);
  for (std::size_t i = 0; i < n; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(random.below(2)));
    for (std::size_t j = 0; j < 3; ++j) {
      const auto value = static_cast<double>(random.below(3));
      sample.X(i, j) = value == 2 ? std::numeric_limits<double>::quiet_NaN() : value;
    }
  }
  return sample;
}

TEST(RepeatedRows, WithMissingValuesInTheSamePlacesAreEqual) {
  LabelledSample sample = sample_with_gaps(400);
  // What a row is, and how often it is there; the sum over rows of a class does not change.
  const auto counts = [](const LabelledSample& rows) {
    std::map<std::string, double> result;
    const WeightsView weights = rows.weights;
    for (std::size_t i = 0; i < rows.n_rows(); ++i) {
      std::string text = std::to_string(rows.y[i]);
      for (std::size_t j = 0; j < rows.n_features(); ++j)
        text += std::isnan(rows.X(i, j)) ? " ?" : " " + std::to_string(rows.X(i, j));
      result[text] += weights[i];
    }
    return result;
  };
  const auto before = counts(sample);
  std::vector<Split> none;
  merge_repeated_rows(sample, none);
  EXPECT_EQ(counts(sample), before);
  EXPECT_LE(before.size(), 54U);
  std::size_t pieces = 0;
  for (const auto& [row, count] : before)
    pieces += std::min<std::size_t>(most_pieces, static_cast<std::size_t>(count));
  EXPECT_EQ(sample.n_rows(), pieces);
}

TEST(RepeatedRows, WithMissingValuesAreTheSameAsWeightsInAnyOrder) {
  const auto [weighted, copies, rows_of_copies] = test::weighted_and_repeated(sample_with_gaps(80), 2);
  LabelledSample a = weighted;
  LabelledSample b = copies;
  std::vector<Split> none;
  merge_repeated_rows(a, none);
  merge_repeated_rows(b, none);
  ASSERT_EQ(a.X.data.size(), b.X.data.size());
  for (std::size_t k = 0; k < a.X.data.size(); ++k)
    EXPECT_TRUE(a.X.data[k] == b.X.data[k] || (std::isnan(a.X.data[k]) && std::isnan(b.X.data[k]))) << k;
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.weights.counts, b.weights.counts);
  EXPECT_EQ(class_counts(a), class_counts(weighted));
}

TEST(RepeatedRows, AreWhatWholeWeightsExpandTo) {
  LabelledSample sample{Matrix(3, 1), {0, 1, 1}, 2, RowWeights{{2, 0, 1}, 1}};
  sample.X(2, 0) = 5;
  std::vector<Split> splits{{{0}, {2}}};
  expand_weights(sample, splits, "it");
  EXPECT_EQ(sample.X.data, (std::vector<double>{0, 0, 5}));
  EXPECT_EQ(sample.y, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_TRUE(sample.weights.empty());
  EXPECT_EQ(splits[0].inside, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(splits[0].outside, (std::vector<std::size_t>{2}));
  sample.weights = make_row_weights(std::vector<double>{1, 0.5, 1});
  EXPECT_THROW(expand_weights(sample, splits, "it"), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

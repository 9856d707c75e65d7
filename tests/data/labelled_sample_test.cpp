// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/labelled_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/samples.h"

namespace dyad {
namespace {

/// Classes of so many rows, dealt out by a shuffle.
LabelledSample sample_of(const std::vector<std::size_t>& class_sizes) {
  LabelledSample sample;
  for (std::size_t c = 0; c < class_sizes.size(); ++c)
    sample.y.insert(sample.y.end(), class_sizes[c], static_cast<std::int32_t>(c));
  Random(3).shuffle(sample.y);
  sample.X = Matrix(sample.y.size(), 0);
  sample.n_classes = class_sizes.size();
  return sample;
}

std::vector<double> by_class(const LabelledSample& sample, const SampledRows& some, bool weighted) {
  std::vector<double> sums(sample.n_classes);
  const WeightsView weights = some.weights;
  for (std::size_t k = 0; k < some.rows.size(); ++k)
    sums[static_cast<std::size_t>(sample.y[some.rows[k]])] += weighted ? weights[k] : 1;
  return sums;
}

TEST(LabelledSample, SampledRowsAreAllIfTheyAreFew) {
  LabelledSample sample = sample_of({30, 10});
  for (const std::size_t most : {40U, 41U, 1000U}) {
    const SampledRows some = sampled_rows(sample, most);
    std::vector<std::size_t> all(40);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(some.rows, all);
    EXPECT_TRUE(some.weights.empty());
  }
  sample.weights = test::whole_weights(40, 2);
  EXPECT_EQ(sampled_rows(sample, 40).weights.counts, sample.weights.counts);
}

TEST(LabelledSample, SampledRowsShareEvenlyAndKeepSmallClassesWhole) {
  const LabelledSample sample = sample_of({5000, 20, 900, 1});
  const SampledRows some = sampled_rows(sample, 600);
  EXPECT_EQ(some.rows.size(), 600U);
  EXPECT_TRUE(std::ranges::is_sorted(some.rows));
  EXPECT_EQ(std::ranges::adjacent_find(some.rows), some.rows.end());
  const auto counts = by_class(sample, some, false);
  EXPECT_EQ(counts[1], 20);
  EXPECT_EQ(counts[3], 1);
  EXPECT_NEAR(counts[0], (600 - 21) / 2.0, 1);
  EXPECT_NEAR(counts[2], (600 - 21) / 2.0, 1);
  // Evenly spaced: no gap within a class is much wider than another.
  const auto classes = rows_by_class(sample);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < classes[0].size(); ++k)
    if (std::ranges::binary_search(some.rows, classes[0][k])) places.push_back(k);
  EXPECT_LE(places.front(), 20U);
  for (std::size_t k = 1; k < places.size(); ++k) EXPECT_LE(places[k] - places[k - 1], 19U);
}

TEST(LabelledSample, SampledRowsAreAtMostWhatIsAskedForOrOneOfEachClass) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{700, 300}, {334, 333, 333}, {999, 1}})
    for (const std::size_t most : {1U, 2U, 3U, 10U, 500U, 999U}) {
      const LabelledSample sample = sample_of(sizes);
      const SampledRows some = sampled_rows(sample, most);
      EXPECT_LE(some.rows.size(), std::max(most, sizes.size())) << most;
      for (const double count : by_class(sample, some, false)) EXPECT_GE(count, 1) << most;
    }
}

TEST(LabelledSample, SampledRowsStandForTheSharesOfTheClasses) {
  const std::vector<std::size_t> sizes{5000, 20, 900};
  LabelledSample sample = sample_of(sizes);
  for (const bool weighted : {false, true}) {
    if (weighted) sample.weights = test::whole_weights(sample.n_rows(), 2, 0);
    const SampledRows some = sampled_rows(sample, 600);
    const auto expected = class_counts(sample);
    const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
    const auto sums = by_class(sample, some, true);
    const double sampled_total = std::accumulate(sums.begin(), sums.end(), 0.0);
    EXPECT_NEAR(sampled_total / static_cast<double>(some.rows.size()), 1, 0.01);
    for (std::size_t c = 0; c < sizes.size(); ++c)
      EXPECT_NEAR(sums[c] / sampled_total, expected[c] / total, 1e-5) << c;
  }
}

TEST(LabelledSample, SampledRowsKeepTheRatioOfTheirWeightsWithinAClass) {
  LabelledSample sample = sample_of({800, 50});
  sample.weights = test::whole_weights(850, 4);
  const SampledRows some = sampled_rows(sample, 200);
  const WeightsView before = sample.weights;
  const WeightsView after = some.weights;
  std::array<double, 2> ratio{};
  for (std::size_t k = 0; k < some.rows.size(); ++k) {
    double& known = ratio[static_cast<std::size_t>(sample.y[some.rows[k]])];
    const double own = after[k] / before[some.rows[k]];
    if (known == 0) known = own;
    EXPECT_NEAR(own / known, 1, 1e-4);
  }
}

}  // namespace
}  // namespace dyad

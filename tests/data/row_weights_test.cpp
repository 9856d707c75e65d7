// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/row_weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "dyad/data/summary.h"
#include "tests/samples.h"

namespace dyad {
namespace {

TEST(RowWeights, KeepWholeNumbers) {
  const RowWeights weights = make_row_weights(std::vector<double>{3, 0, 1, 1000000});
  EXPECT_EQ(weights.unit, 1);
  EXPECT_EQ(weights.counts, (std::vector<std::uint32_t>{3, 0, 1, 1000000}));
  EXPECT_EQ(WeightsView(weights).total(4), 1000004);
}

TEST(RowWeights, RoundOthersToAMillionthOfTheLargest) {
  for (const double size : {1e-9, 1.0, 1e5}) {
    const std::vector<double> given{0.3 * size, size, 0.001 * size, 0};
    const RowWeights weights = make_row_weights(given);
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_NEAR(WeightsView(weights)[i], given[i], 1e-6 * size);
    EXPECT_EQ(weights.counts[3], 0U);
  }
  // However small beside the largest, a positive weight is one.
  EXPECT_EQ(make_row_weights(std::vector<double>{1.5, 1e-9}).counts[1], 1U);
}

TEST(RowWeights, RejectsWhatIsNoWeight) {
  EXPECT_THROW(make_row_weights(std::vector<double>{1, -0.5}), std::invalid_argument);
  EXPECT_THROW(make_row_weights(std::vector<double>{1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(make_row_weights(std::vector<double>{std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
  EXPECT_THROW(make_row_weights(std::vector<double>{0, 0}), std::invalid_argument);
  EXPECT_THROW(make_row_weights(std::vector<double>{1, 2e6}), std::invalid_argument);
  EXPECT_THROW(make_row_weights(std::vector<double>{1e-20, 1e-20}), std::invalid_argument);
}

TEST(RowWeights, RepeatRowsAsOftenAsTheySay) {
  const RowWeights weights{{2, 0, 1, 3}, 1};
  EXPECT_EQ(repeated_rows(weights, 4, 100), (std::vector<std::size_t>{0, 0, 2, 3, 3, 3}));
  EXPECT_EQ(repeated_rows(weights, 4, 3), (std::vector<std::size_t>{0, 3, 3}));
  EXPECT_EQ(repeated_rows({}, 3, 100), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(repeated_rows(make_row_weights(std::vector<double>{0.5, 1.5, 2}), 3, 100),
            (std::vector<std::size_t>{1, 1, 2, 2}));
  EXPECT_EQ(repeated_rows(make_row_weights(std::vector<double>{0.001, 0.001, 0.001}), 3, 100),
            (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RowWeights, EvenlySpacedNumbersAreSpreadOverTheWhole) {
  EXPECT_EQ(evenly_spaced(10, 2), (std::vector<std::size_t>{2, 7}));
  EXPECT_EQ(evenly_spaced(3, 7), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Summary, CountsWeightsAsCopies) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto x = test::normal_sample(40, seed);
    const RowWeights weights = test::whole_weights(40, seed, 0);
    const auto copies = test::repeated(x, weights);
    EXPECT_NEAR(mean(x, weights), mean(copies), 1e-14);
    EXPECT_NEAR(standard_deviation(x, weights), standard_deviation(copies), 1e-14);
    EXPECT_EQ(upper_median(x, weights), upper_median(copies));
    for (const double p : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0})
      EXPECT_NEAR(quantile(x, p, weights), quantile(copies, p), 1e-14) << p;
  }
}

TEST(Summary, OfSmallWeightsDoesNotChangeWithTheirSize) {
  const auto x = test::normal_sample(40, 1);
  for (const double weight : {0.001, 0.0251, 0.5}) {
    const RowWeights weights = make_row_weights(std::vector<double>(40, weight));
    EXPECT_EQ(upper_median(x, weights), upper_median(x));
    EXPECT_NEAR(interquartile_range(x, weights), interquartile_range(x), 0.15);
    EXPECT_GT(standard_deviation(x, weights), 0.5);
    EXPECT_LT(standard_deviation(x, weights), 2);
  }
}

}  // namespace
}  // namespace dyad

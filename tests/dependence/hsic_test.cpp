// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/hsic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dyad/data/summary.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

TEST(Hsic, MatchesTheGoldenValues) {
  const std::size_t n_rows = test::for_each_golden(
      "hsic", [&](const std::string& sample, const test::Points& points, const auto& golden) {
        const auto& [x, y] = points;
        const Hsic result = hsic(x, y);
        expect_close(result.value, golden("dHSIC"), 1e-10, sample);
        expect_close(median_bandwidth(x), golden("bandwidth_x"), 1e-10, sample);
        expect_close(median_bandwidth(y), golden("bandwidth_y"), 1e-10, sample);
        expect_close(static_cast<double>(x.size()) * result.value, golden("gamma_statistic"), 1e-10);
        expect_close(std::log(result.p_value), std::log(golden("gamma_pvalue")), 1e-6, sample);
      });
  ASSERT_EQ(n_rows, 20U);
}

TEST(Hsic, PermutationPValuesMatchTheGoldenValuesWithinTheirNoise) {
  std::size_t compared = 0;
  test::for_each_golden(
      "hsic", [&](const std::string& sample, const test::Points& points, const auto& golden) {
        if (golden("n") > 200) return;
        const auto& [x, y] = points;
        const double expected = golden("perm_pvalue");
        // Both are Monte Carlo estimates.
        const double noise = 3 * std::sqrt(2 * expected * (1 - expected) / 1000);
        EXPECT_NEAR(hsic_permutation_p_value(x, y, 1000, 7), expected, noise + 2e-3) << sample;
        ++compared;
      });
  EXPECT_EQ(compared, 10U);
}

TEST(Hsic, AgreesWithTheDefinition) {
  for (const std::size_t n : {2U, 3U, 7U, 60U}) {
    const auto x = test::normal_sample(n, 1);
    const auto y = test::correlated_with(x, 0.5, 2);
    const double expected = oracle::hsic(x, median_bandwidth(x), y, median_bandwidth(y));
    expect_close(hsic(x, y).value, expected, 1e-11, "n = " + std::to_string(n), 1e-15);
  }
}

TEST(Hsic, MedianBandwidthIsTheMedianOfAllDistances) {
  for (const std::size_t n : {2U, 3U, 4U, 5U, 50U, 301U}) {
    const auto x = test::normal_sample(n, n);
    EXPECT_EQ(median_bandwidth(x), oracle::median_distance(x) / std::numbers::sqrt2) << n;
  }
  const std::vector<double> integers{1, 1, 2, 2, 2, 3, 5, 5};
  EXPECT_EQ(median_bandwidth(integers), oracle::median_distance(integers) / std::numbers::sqrt2);
}

TEST(Hsic, MedianBandwidthOfMostlyTiedValuesTellsEqualFromDifferent) {
  std::vector<double> ties(20, 4.0);
  ties[0] = 6;
  ties[1] = 4.5;
  ties[2] = 1e6;
  EXPECT_EQ(median_bandwidth(ties), 0.001 * 0.5);
  const std::vector<double> constant(20, 4.0);
  EXPECT_EQ(median_bandwidth(constant), 1);
}

TEST(Hsic, IsTheSameWhereverAnOutlierStands) {
  auto x = test::normal_sample(60, 1);
  auto y = test::correlated_with(x, 0.9, 2);
  x[0] = 1e30;
  const Hsic first = hsic(x, y);
  std::swap(x[0], x[59]);
  std::swap(y[0], y[59]);
  const Hsic last = hsic(x, y);
  expect_close(last.value, first.value, 1e-12);
  EXPECT_LT(first.p_value, 1e-8);
}

TEST(Hsic, SeesDependenceAtTheEndsOfTheRange) {
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(i % 2 == 0 ? 1.7e308 : -1.7e308);
  EXPECT_GT(hsic(x, x).value, 0.02);
  EXPECT_LT(hsic(x, x).p_value, 1e-6);
  EXPECT_TRUE(std::isfinite(median_bandwidth(x)));
}

Matrix mixed_columns(std::size_t n, std::size_t d) {
  Matrix X(n, d);
  const auto base = test::normal_sample(n, 11);
  for (std::size_t j = 0; j < d; ++j)
    std::ranges::copy(test::correlated_with(base, 0.1 * static_cast<double>(j % 10), 100 + j),
                      X.column(j).begin());
  return X;
}

TEST(Hsic, OfAllPairsIsTheHsicOfEachPair) {
  const Matrix X = mixed_columns(90, 7);
  const auto all = hsic_all_pairs(X);
  ASSERT_EQ(all.size(), 21U);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = i + 1; j < 7; ++j) {
      const Hsic pair = hsic(X.column(i), X.column(j));
      expect_close(all[pair_index(i, j, 7)].value, pair.value, 1e-11);
      expect_close(all[pair_index(i, j, 7)].p_value, pair.p_value, 1e-9);
    }
}

TEST(Hsic, IsTheSameBitForBitOnAnyNumberOfThreads) {
  const Matrix X = mixed_columns(150, 140);
  const auto one = hsic_all_pairs(X, Execution{.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const auto many = hsic_all_pairs(X, Execution{.threads = threads});
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_EQ(many[k].value, one[k].value);
      EXPECT_EQ(many[k].p_value, one[k].p_value);
    }
  }
}

TEST(Hsic, IgnoresOrderScaleAndShift) {
  const auto x = test::normal_sample(80, 1);
  const auto y = test::correlated_with(x, 0.3, 2);
  const double expected = hsic(x, y).value;
  expect_close(hsic(y, x).value, expected, 1e-12);
  for (const double factor : {1e-300, -3.0, 1e300})
    expect_close(hsic(test::scaled(x, factor), y).value, expected, 1e-10);
  expect_close(hsic(test::scaled(x, 1, 1000), y).value, expected, 1e-9);
  auto reversed_x = x;
  auto reversed_y = y;
  std::ranges::reverse(reversed_x);
  std::ranges::reverse(reversed_y);
  expect_close(hsic(reversed_x, reversed_y).value, expected, 1e-12);
}

TEST(Hsic, OfAConstantIsZeroWithPValueOne) {
  const std::vector<double> constant(40, 3.25);
  const auto y = test::normal_sample(40, 1);
  EXPECT_NEAR(hsic(constant, y).value, 0, 1e-15);
  EXPECT_EQ(hsic(constant, y).p_value, 1);
  EXPECT_EQ(hsic(constant, constant).p_value, 1);
}

TEST(Hsic, OfFewRowsHasPValueOne) {
  for (std::size_t n = 1; n < 6; ++n) {
    const auto x = test::normal_sample(n, 1);
    EXPECT_EQ(hsic(x, x).p_value, 1) << n;
  }
}

TEST(Hsic, GammaPValuesAreUniformUnderIndependence) {
  std::vector<double> p_values;
  for (std::uint64_t k = 0; k < 400; ++k)
    p_values.push_back(hsic(test::normal_sample(60, 2 * k + 1), test::normal_sample(60, 2 * k + 2)).p_value);
  for (const double level : {0.05, 0.25, 0.5, 0.75}) {
    const auto below = std::ranges::count_if(p_values, [&](double p) { return p <= level; });
    EXPECT_NEAR(static_cast<double>(below) / 400, level, 4 * std::sqrt(level * (1 - level) / 400)) << level;
  }
}

TEST(Hsic, PermutationPValueDependsOnTheSeedAlone) {
  const auto x = test::normal_sample(50, 1);
  const auto y = test::normal_sample(50, 2);
  EXPECT_EQ(hsic_permutation_p_value(x, y, 200, 3), hsic_permutation_p_value(x, y, 200, 3));
  EXPECT_EQ(hsic_permutation_p_value(x, x, 200, 3), 1.0 / 201);
}

TEST(Hsic, RejectsBadInput) {
  const std::vector<double> x{1, 2, 3};
  const std::vector<double> y{1, 2};
  const std::vector<double> broken{1, 2, INFINITY};
  EXPECT_THROW(hsic(x, y), std::invalid_argument);
  EXPECT_THROW(hsic(x, broken), std::invalid_argument);
  EXPECT_THROW(hsic_permutation_p_value(x, y, 10, 1), std::invalid_argument);
  EXPECT_THROW(median_bandwidth({}), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

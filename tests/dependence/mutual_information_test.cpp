// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/mutual_information.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dyad/base/pairs.h"
#include "dyad/density/bandwidth.h"
#include "tests/kern_smooth.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

TEST(MutualInformation, MatchesTheGoldenValuesGivenTheirBandwidths) {
  const std::size_t n_rows = test::for_each_golden(
      "cmi", [&](const std::string& sample, const test::Points& points, const auto& golden) {
        const auto& [x, y] = points;
        const double h_x = golden("hx");
        const double h_y = golden("hy");
        const MutualInformation xy = mutual_information(x, y, h_x, h_y);
        expect_close(xy.raw, golden("mi"), 1e-10, sample);
        expect_close(xy.corrected, golden("bcmi"), 1e-10, sample, 1e-11);
        expect_close(mutual_information(x, x, h_x, h_x).raw, golden("mi_xx"), 1e-10, sample);
        expect_close(mutual_information(y, y, h_y, h_y).raw, golden("mi_yy"), 1e-10, sample);
      });
  ASSERT_EQ(n_rows, 20U);
}

TEST(MutualInformation, BandwidthsDifferFromTheGoldenOnesByTheDroppedMaximum) {
  const double constant = std::pow(15, 0.2);
  test::for_each_golden("cmi",
                        [&](const std::string& sample, const test::Points& points, const auto& golden) {
                          const auto& [x, y] = points;
                          expect_close(test::dpik(x, 3, constant), golden("hx"), 1.1e-2, sample);
                          expect_close(test::dpik(y, 3, constant), golden("hy"), 1.1e-2, sample);
                          // Where the maximum is one point of many, dropping it hardly matters.
                          if (sample.starts_with("ties") || x.size() < 200) return;
                          expect_close(epanechnikov_bandwidth(x), golden("hx"), 1e-2, sample);
                          expect_close(epanechnikov_bandwidth(y), golden("hy"), 1e-2, sample);
                        });
}

TEST(MutualInformation, AgreesWithTheDefinition) {
  for (const std::size_t n : {2U, 3U, 40U}) {
    const auto x = test::normal_sample(n, 1);
    const auto y = test::correlated_with(x, 0.6, 2);
    for (const double h : {0.05, 0.8, 10.0}) {
      const MutualInformation result = mutual_information(x, y, h, 1.3 * h);
      const std::string what = "n = " + std::to_string(n) + ", h = " + std::to_string(h);
      expect_close(result.raw, oracle::mutual_information(x, y, h, 1.3 * h), 1e-11, what, 1e-14);
      expect_close(result.corrected, oracle::jackknife_mutual_information(x, y, h, 1.3 * h), 1e-10, what,
                   1e-11);
    }
  }
}

TEST(MutualInformation, OfAllPairsIsThatOfEachPairOnAnyNumberOfThreads) {
  Matrix X(60, 4);
  const auto base = test::normal_sample(60, 1);
  for (std::size_t j = 0; j < 4; ++j)
    std::ranges::copy(test::correlated_with(base, 0.3 * static_cast<double>(j), 10 + j), X.column(j).begin());
  for (const int threads : {1, 3}) {
    const auto all = mutual_information_all_pairs(X, Execution{.threads = threads});
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) {
        const MutualInformation pair = mutual_information(X.column(i), X.column(j));
        EXPECT_EQ(all[pair_index(i, j, 4)].raw, pair.raw);
        EXPECT_EQ(all[pair_index(i, j, 4)].corrected, pair.corrected);
      }
  }
}

TEST(MutualInformation, RawOnesOfAllPairsAreThoseWithTheCorrectedOnes) {
  Matrix X(150, 4);
  const auto base = test::normal_sample(150, 1);
  for (std::size_t j = 0; j < 4; ++j)
    std::ranges::copy(test::correlated_with(base, 0.3 * static_cast<double>(j), 10 + j), X.column(j).begin());
  for (std::size_t i = 0; i < 50; ++i) X(i, 1) = 0.5;  // ties
  const auto both = mutual_information_all_pairs(X);
  for (const int threads : {1, 3}) {
    const auto raw = raw_information_all_pairs(X, Execution{.threads = threads});
    ASSERT_EQ(raw.size(), both.size());
    for (std::size_t k = 0; k < raw.size(); ++k) expect_close(raw[k], both[k].raw, 1e-12);
  }
}

TEST(MutualInformation, IsSymmetricAndIgnoresOrderAndScale) {
  const auto x = test::normal_sample(70, 1);
  const auto y = test::correlated_with(x, 0.6, 2);
  const double expected = mutual_information(x, y).raw;
  expect_close(mutual_information(y, x).raw, expected, 1e-12);
  expect_close(mutual_information(test::scaled(x, 1e300), test::scaled(y, 1e-300)).raw, expected, 1e-9);
  auto reversed_x = x;
  auto reversed_y = y;
  std::ranges::reverse(reversed_x);
  std::ranges::reverse(reversed_y);
  expect_close(mutual_information(reversed_x, reversed_y).raw, expected, 1e-12);
}

TEST(MutualInformation, OfANormalPairApproachesItsClosedForm) {
  const auto x = test::normal_sample(2000, 1);
  const auto y = test::correlated_with(x, 0.8, 2);
  EXPECT_NEAR(mutual_information(x, y).corrected, -0.5 * std::log(1 - 0.64), 0.05);
}

TEST(MutualInformation, WithAConstantIsZero) {
  const std::vector<double> constant(40, 3.0);
  const auto y = test::normal_sample(40, 1);
  EXPECT_NEAR(mutual_information(constant, y).raw, 0, 1e-13);
  EXPECT_NEAR(mutual_information(constant, y).corrected, 0, 1e-10);
  const std::vector<double> one{1.0};
  EXPECT_EQ(mutual_information(one, one).raw, 0);
  EXPECT_EQ(mutual_information(one, one).corrected, 0);
}

TEST(MutualInformation, IsTheSameWhereverAnOutlierStands) {
  for (const double outlier : {1e18, 1e308}) {
    auto x = test::normal_sample(60, 1);
    auto y = test::correlated_with(x, 0.9, 2);
    x[0] = outlier;
    const double first = mutual_information(x, y, 0.005, 0.5).raw;
    std::swap(x[0], x[59]);
    std::swap(y[0], y[59]);
    expect_close(mutual_information(x, y, 0.005, 0.5).raw, first, 1e-12);
  }
}

TEST(MutualInformation, RejectsBadInput) {
  const std::vector<double> x{1, 2, 3};
  const std::vector<double> y{1, 2};
  EXPECT_THROW(mutual_information(x, y), std::invalid_argument);
  EXPECT_THROW(mutual_information(x, x, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

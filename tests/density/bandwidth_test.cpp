// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/bandwidth.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/kern_smooth.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

// --- golden values: the R packages, and the published formulas without ks's slips ---

TEST(Bandwidth1d, MatchesTheExactPlugInRuleOfTheGoldenValues) {
  const Table golden = test::golden_table("bandwidths_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  ASSERT_EQ(golden.n_rows, 16U);
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const std::string sample = test::text(golden, "sample", k);
    const auto& x = inputs.at(sample);
    const bool no_iqr = test::numbers(golden, "iqr")[k] == 0;
    const double expected = test::numbers(golden, no_iqr ? "dpi_exact_stdev" : "dpi_exact")[k];
    expect_close(bandwidth_1d(x, BandwidthRule::plug_in), expected, 1e-9, sample);
    expect_close(bandwidth_1d(x, BandwidthRule::plug_in_diagonal), expected, 1e-9, sample);
    expect_close(bandwidth_1d(x, BandwidthRule::normal_scale), test::numbers(golden, "hns")[k], 1e-12,
                 sample);
  }
}

TEST(Bandwidth1d, IsNearWhatKsReturns) {
  const Table golden = test::golden_table("bandwidths_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const double hpi = test::numbers(golden, "hpi")[k];
    if (std::isnan(hpi)) continue;
    const double n = test::numbers(golden, "n")[k];
    const double tolerance = n == 50 ? 1.5e-2 : n == 200 ? 6e-3 : 1.5e-3;
    const std::string sample = test::text(golden, "sample", k);
    expect_close(bandwidth_1d(inputs.at(sample), BandwidthRule::plug_in), hpi, tolerance, sample);
  }
}

TEST(Bandwidth1d, DiffersFromKsByTheDroppedMaximum) {
  const Table golden = test::golden_table("bandwidths_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const double hpi = test::numbers(golden, "hpi")[k];
    if (std::isnan(hpi)) continue;
    const std::string sample = test::text(golden, "sample", k);
    const double gaussian_constant = std::pow(4 * std::numbers::pi, -0.1);
    expect_close(test::dpik(inputs.at(sample), 2, gaussian_constant), hpi, 1.1e-3, sample);
  }
}

TEST(Bandwidth2d, MatchesTheStagesOfTheGoldenValues) {
  const Table golden = test::golden_table("hpi2d_stages");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    if (test::text(golden, "variant", k) != "as_formula") continue;
    const std::string sample = test::text(golden, "sample", k);
    const auto& [x, y] = inputs.at(sample);
    const Symmetric2 H = bandwidth_2d(x, y, BandwidthRule::plug_in);
    const double size = std::sqrt(H.xx * H.yy);
    expect_close(H.xx, test::numbers(golden, "H11")[k], 1e-5, sample);
    expect_close(H.xy, test::numbers(golden, "H12")[k], 0, sample, 1e-5 * size);
    expect_close(H.yy, test::numbers(golden, "H22")[k], 1e-5, sample);
    ++compared;
  }
  EXPECT_EQ(compared, 20U);
}

TEST(Bandwidth2d, MatchesTheNormalScaleOfKs) {
  const Table golden = test::golden_table("bandwidths_2d");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    if (test::text(golden, "method", k) != "Hns") continue;
    const std::string sample = test::text(golden, "sample", k);
    const auto& [x, y] = inputs.at(sample);
    const Symmetric2 H = bandwidth_2d(x, y, BandwidthRule::normal_scale);
    expect_close(H.xx, test::numbers(golden, "H11")[k], 1e-12, sample);
    expect_close(H.xy, test::numbers(golden, "H12")[k], 1e-12, sample, 1e-14 * std::sqrt(H.xx * H.yy));
    expect_close(H.yy, test::numbers(golden, "H22")[k], 1e-12, sample);
    ++compared;
  }
  EXPECT_EQ(compared, 20U);
}

// --- invariants ---

TEST(Bandwidth1d, FollowsScaleAndShiftAndIgnoresOrder) {
  auto x = test::normal_sample(120, 1);
  const double h = bandwidth_1d(x, BandwidthRule::plug_in);
  expect_close(bandwidth_1d(test::scaled(x, 250, -3), BandwidthRule::plug_in), 250 * h, 1e-11);
  std::ranges::reverse(x);
  expect_close(bandwidth_1d(x, BandwidthRule::plug_in), h, 1e-12);
}

TEST(Bandwidth2d, FollowsScaleAndShiftAndSwapsWithTheCoordinates) {
  const auto x = test::normal_sample(80, 1);
  const auto y = test::correlated_with(x, 0.7, 2);
  for (const BandwidthRule rule :
       {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale}) {
    const Symmetric2 H = bandwidth_2d(x, y, rule);
    const Symmetric2 moved = bandwidth_2d(test::scaled(x, 8, 5), test::scaled(y, 8, -1), rule);
    const Symmetric2 swapped = bandwidth_2d(y, x, rule);
    expect_close(moved.xx, 64 * H.xx, 1e-9);
    expect_close(moved.xy, 64 * H.xy, 1e-9);
    expect_close(moved.yy, 64 * H.yy, 1e-9);
    expect_close(swapped.xx, H.yy, 1e-9);
    expect_close(swapped.xy, H.xy, 1e-9);
    expect_close(swapped.yy, H.xx, 1e-9);
  }
}

TEST(Bandwidth2d, DiagonalRulesFollowTheScaleOfEachCoordinate) {
  const auto x = test::normal_sample(80, 1);
  const auto y = test::correlated_with(x, 0.7, 2);
  const Symmetric2 H = bandwidth_2d(x, y, BandwidthRule::plug_in_diagonal);
  const Symmetric2 scaled =
      bandwidth_2d(test::scaled(x, 1e-5), test::scaled(y, 1e7), BandwidthRule::plug_in_diagonal);
  expect_close(scaled.xx, 1e-10 * H.xx, 1e-9);
  expect_close(scaled.yy, 1e14 * H.yy, 1e-9);
}

// --- degenerate samples: finite and positive, whatever comes ---

std::vector<std::vector<double>> degenerate_samples() {
  std::vector<std::vector<double>> samples{{3.0},
                                           {0.0},
                                           {1.0, 2.0},
                                           {1.0, 1.0},
                                           {1.0, 2.0, 4.0},
                                           std::vector<double>(50, -7.0),
                                           std::vector<double>(50, 0.0)};
  std::vector<double> ties(100, 0.0);
  std::fill(ties.begin() + 80, ties.end(), 1.0);
  samples.push_back(ties);
  auto outlier = test::normal_sample(60, 3);
  outlier.front() = 1e12;
  samples.push_back(outlier);
  samples.push_back(test::scaled(test::normal_sample(60, 4), 1e300));
  samples.push_back(test::scaled(test::normal_sample(60, 4), 1e-300));
  samples.push_back({1e300, -1e300, 1.0, 1e-300});
  auto tiny = test::scaled(test::normal_sample(60, 5), 1e-10);
  tiny[0] = tiny[1] = 1e300;
  samples.push_back(tiny);
  samples.push_back({-1.7e308, 1.7e308, 1.7e308, -1.7e308});
  return samples;
}

TEST(Bandwidth1d, IsPositiveForDegenerateSamples) {
  for (const auto& x : degenerate_samples())
    for (const BandwidthRule rule : {BandwidthRule::plug_in, BandwidthRule::normal_scale}) {
      const double h = bandwidth_1d(x, rule);
      EXPECT_TRUE(std::isfinite(h) && h > 0) << "n = " << x.size() << ", first " << x[0] << ": " << h;
      EXPECT_GT(epanechnikov_bandwidth(x), 0) << "n = " << x.size() << ", first " << x[0];
    }
}

TEST(Bandwidth1d, HardlyFeelsOneOutlierHoweverFar) {
  auto x = test::normal_sample(60, 3);
  x[0] = 1e6;
  const double h = bandwidth_1d(x, BandwidthRule::plug_in);
  for (const double outlier : {1e12, 1e18, 1e24, 1e300}) {
    x[0] = outlier;
    expect_close(bandwidth_1d(x, BandwidthRule::plug_in), h, 1e-9, std::to_string(outlier));
  }
}

TEST(Bandwidth1d, OfAConstantIsTheNormalScaleOfItsMagnitude) {
  const std::vector<double> sevens(50, -7.0);
  expect_close(bandwidth_1d(sevens, BandwidthRule::plug_in), std::pow(4.0 / 150, 0.2) * 7, 1e-14);
  const std::vector<double> zeros(50, 0.0);
  expect_close(bandwidth_1d(zeros, BandwidthRule::plug_in), std::pow(4.0 / 150, 0.2), 1e-14);
}

TEST(Bandwidth1d, FollowsTheScaleToTheEndsOfTheRange) {
  const auto x = test::normal_sample(60, 4);
  const double h = bandwidth_1d(x, BandwidthRule::plug_in);
  expect_close(bandwidth_1d(test::scaled(x, 1e300), BandwidthRule::plug_in) / 1e300, h, 1e-11);
  expect_close(bandwidth_1d(test::scaled(x, 1e-300), BandwidthRule::plug_in) / 1e-300, h, 1e-11);
}

TEST(Bandwidth2d, IsPositiveDefiniteForDegenerateSamples) {
  for (const auto& x : degenerate_samples())
    for (const auto& other : degenerate_samples()) {
      if (x.size() != other.size()) continue;
      for (const BandwidthRule rule :
           {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale}) {
        const Symmetric2 H = bandwidth_2d(x, other, rule);
        // The determinant itself may leave the range of double.
        EXPECT_TRUE(std::isfinite(H.xx) && std::isfinite(H.yy) && H.xx > 0 && H.yy > 0 &&
                    std::abs(H.xy) / std::sqrt(H.xx) / std::sqrt(H.yy) < 1)
            << "n = " << x.size() << ", first " << x[0] << ", " << other[0] << ": " << H.xx << " " << H.xy
            << " " << H.yy;
      }
    }
}

TEST(Bandwidth2d, OfValuesFarFromZeroIsThatOfTheirDifferences) {
  // Means of 1e15 and the like are off by up to one.
  const auto x = test::scaled(test::normal_sample(40, 1), 1, 1e15);
  const auto y = test::scaled(test::correlated_with(test::scaled(x, 1, -1e15), 0.5, 2), 1, -1e15);
  const auto centred_x = test::scaled(x, 1, -1e15);
  const auto centred_y = test::scaled(y, 1, 1e15);
  for (const BandwidthRule rule : {BandwidthRule::plug_in, BandwidthRule::normal_scale}) {
    const Symmetric2 H = bandwidth_2d(x, y, rule);
    const Symmetric2 expected = bandwidth_2d(centred_x, centred_y, rule);
    test::expect_close(H.xx, expected.xx, 1e-9);
    test::expect_close(H.xy, expected.xy, 1e-9);
    test::expect_close(H.yy, expected.yy, 1e-9);
  }
}

TEST(Bandwidth2d, OfAPerfectlyCorrelatedPairIsPositiveDefinite) {
  const auto x = test::normal_sample(100, 5);
  for (const double slope : {1.0, -3.0, 1e-6}) {
    const Symmetric2 H = bandwidth_2d(x, test::scaled(x, slope), BandwidthRule::plug_in);
    EXPECT_GT(determinant(H), 0) << slope;
  }
}

// --- rejected input ---

TEST(Bandwidth, RejectsEmptyNonFiniteAndUnequalSamples) {
  const std::vector<double> three{1, 2, 3};
  const std::vector<double> two{1, 2};
  const std::vector<double> broken{1, NAN, 3};
  EXPECT_THROW(bandwidth_1d({}, BandwidthRule::plug_in), std::invalid_argument);
  EXPECT_THROW(bandwidth_1d(broken, BandwidthRule::normal_scale), std::invalid_argument);
  EXPECT_THROW(bandwidth_2d(three, two, BandwidthRule::plug_in), std::invalid_argument);
  EXPECT_THROW(bandwidth_2d(three, broken, BandwidthRule::plug_in), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

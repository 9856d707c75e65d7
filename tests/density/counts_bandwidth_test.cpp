// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/counts_bandwidth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/oracles.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::expect_close;

constexpr BandwidthRule rules[] = {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal,
                                   BandwidthRule::normal_scale};

/// Bandwidths, that is roots of the entries, within `tolerance`, and so is the root of the determinant's
/// root.
void expect_same_matrix(const Symmetric2& H, const Symmetric2& expected, double tolerance,
                        const std::string& what) {
  expect_close(std::sqrt(H.xx), std::sqrt(expected.xx), tolerance, what + " xx");
  expect_close(std::sqrt(H.yy), std::sqrt(expected.yy), tolerance, what + " yy");
  EXPECT_NEAR(H.xy, expected.xy, 2 * tolerance * std::sqrt(expected.xx * expected.yy)) << what;
  expect_close(std::pow(determinant(H), 0.25), std::pow(determinant(expected), 0.25), tolerance,
               what + " det");
}

// --- against the exact rules ---

/// 3 % is what is asked of any shape; these hold with room to spare.
double tolerance_1d(const std::string& shape) {
  return test::is_smooth(shape) ? 0.003 : shape == "tied" ? 0.015 : 0.005;
}
double tolerance_2d(const std::string& shape) {
  return test::is_smooth(shape) ? 0.002 : shape == "cauchy" ? 0.012 : 0.005;
}

TEST(CountsBandwidth1d, IsTheExactOneWithinAPercent) {
  for (const std::size_t n : test::shape_sizes)
    for (const auto& [name, x] : test::features(n)) {
      const std::string what = name + ", n = " + std::to_string(n);
      expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in), bandwidth_1d(x, BandwidthRule::plug_in),
                   tolerance_1d(name), what);
      expect_close(counts_bandwidth_1d(x, BandwidthRule::normal_scale),
                   bandwidth_1d(x, BandwidthRule::normal_scale), 1e-12, what);
    }
}

class CountsBandwidthPairs : public testing::TestWithParam<std::tuple<std::size_t, BandwidthRule>> {};
INSTANTIATE_TEST_SUITE_P(OfRowsByRule, CountsBandwidthPairs,
                         testing::Combine(testing::Values(50, 500), testing::ValuesIn(rules)));
INSTANTIATE_TEST_SUITE_P(SlowOfRowsByRule, CountsBandwidthPairs,
                         testing::Combine(testing::Values(2000), testing::ValuesIn(rules)));

TEST_P(CountsBandwidthPairs, AreTheExactOnesWithinAPercent) {
  const auto [n, rule] = GetParam();
  for (const test::Shape& shape : test::shapes(n))
    expect_same_matrix(counts_bandwidth_2d(shape.x, shape.y, rule), bandwidth_2d(shape.x, shape.y, rule),
                       rule == BandwidthRule::normal_scale ? 1e-5 : tolerance_2d(shape.name), shape.name);
}

// --- golden values, of the published formulas ---

TEST(CountsBandwidth1d, IsNearTheGoldenValues) {
  const Table golden = test::golden_table("bandwidths_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  ASSERT_EQ(golden.n_rows, 16U);
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const std::string sample = test::text(golden, "sample", k);
    const auto& x = inputs.at(sample);
    const bool no_iqr = test::numbers(golden, "iqr")[k] == 0;
    const double expected = test::numbers(golden, no_iqr ? "dpi_exact_stdev" : "dpi_exact")[k];
    expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in), expected, 0.03, sample);
    expect_close(counts_bandwidth_1d(x, BandwidthRule::normal_scale), test::numbers(golden, "hns")[k], 1e-12,
                 sample);
  }
}

TEST(CountsBandwidth2d, IsNearTheGoldenValues) {
  const Table golden = test::golden_table("hpi2d_stages");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    if (test::text(golden, "variant", k) != "as_formula") continue;
    const std::string sample = test::text(golden, "sample", k);
    const auto& [x, y] = inputs.at(sample);
    const auto entry = [&](const char* name) { return test::numbers(golden, name)[k]; };
    expect_same_matrix(counts_bandwidth_2d(x, y, BandwidthRule::plug_in),
                       {entry("H11"), entry("H12"), entry("H22")}, 0.03, sample);
    ++compared;
  }
  EXPECT_EQ(compared, 20U);
}

// --- invariants ---

TEST(CountsBandwidth1d, FollowsPowersOfTwoBitForBit) {
  const auto x = test::normal_sample(300, 1);
  for (const BandwidthRule rule : rules) {
    const double h = counts_bandwidth_1d(x, rule);
    for (const int power : {-900, -40, 1, 40, 900})
      EXPECT_EQ(counts_bandwidth_1d(test::scaled(x, std::ldexp(1, power)), rule), std::ldexp(h, power))
          << power;
    EXPECT_EQ(counts_bandwidth_1d(test::scaled(x, -1), BandwidthRule::normal_scale),
              counts_bandwidth_1d(x, BandwidthRule::normal_scale));
  }
}

TEST(CountsBandwidth2d, FollowsPowersOfTwoOfBothFeatures) {
  const auto x = test::normal_sample(300, 1);
  const auto y = test::correlated_with(x, 0.7, 2);
  for (const BandwidthRule rule : rules) {
    const Symmetric2 H = counts_bandwidth_2d(x, y, rule);
    for (const int power : {-40, 1, 40}) {
      const double factor = std::ldexp(1, power);
      const Symmetric2 scaled = counts_bandwidth_2d(test::scaled(x, factor), test::scaled(y, factor), rule);
      EXPECT_EQ(scaled, (Symmetric2{H.xx * factor * factor, H.xy * factor * factor, H.yy * factor * factor}))
          << power;
    }
  }
}

TEST(CountsBandwidth2d, SwapsWithTheFeatures) {
  for (const test::Shape& shape : test::shapes(500))
    for (const BandwidthRule rule : rules) {
      const Symmetric2 H = counts_bandwidth_2d(shape.x, shape.y, rule);
      const Symmetric2 swapped = counts_bandwidth_2d(shape.y, shape.x, rule);
      expect_same_matrix(swapped, {H.yy, H.xy, H.xx}, 0.01, shape.name);
    }
}

TEST(CountsBandwidth, IgnoresTheOrderOfRows) {
  for (const test::Shape& shape : test::shapes(500)) {
    auto x = shape.x;
    auto y = shape.y;
    std::ranges::reverse(x);
    std::ranges::reverse(y);
    expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in),
                 counts_bandwidth_1d(shape.x, BandwidthRule::plug_in), 1e-6, shape.name);
    expect_same_matrix(counts_bandwidth_2d(x, y, BandwidthRule::plug_in),
                       counts_bandwidth_2d(shape.x, shape.y, BandwidthRule::plug_in), 1e-4, shape.name);
  }
}

TEST(CountsBandwidth, OfManyRowsRestsOnEvenlySpacedOnes) {
  const auto x = test::normal_sample(2 * most_functional_rows, 3);
  const auto y = test::normal_sample(2 * most_functional_rows, 4);
  // What is best for normal samples, which the plug-in finds, is the normal scale.
  expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in),
               counts_bandwidth_1d(x, BandwidthRule::normal_scale), 0.02);
  expect_same_matrix(counts_bandwidth_2d(x, y, BandwidthRule::plug_in),
                     counts_bandwidth_2d(x, y, BandwidthRule::normal_scale), 0.03, "normal");
}

// --- sheared kernels ---

TEST(ShearedKernel, IsAnotherFormOfTheMatrix) {
  for (const Symmetric2 H : {Symmetric2{1, 0, 1}, Symmetric2{0.3, -0.2, 0.5}, Symmetric2{2, 0.0199, 2e-4}}) {
    const ShearedKernel kernel = sheared(H);
    const Symmetric2 back = matrix_of(kernel);
    expect_close(back.xx, H.xx, 1e-14);
    expect_close(back.xy, H.xy, 1e-14);
    expect_close(back.yy, H.yy, 1e-12);
    // The product of the kernels of u and v is the kernel of H.
    const double x = 0.04;
    const double y = -0.03;
    const double product = oracle::normal_density(x / kernel.h_u) / kernel.h_u *
                           oracle::normal_density((y - kernel.shear * x) / kernel.h_v) / kernel.h_v;
    const std::vector<double> origin{0};
    expect_close(std::log(product), std::log(oracle::density_2d(origin, origin, H, x, y)), 1e-9);
  }
}

TEST(ShearedKernel, ShearsValues) {
  const std::vector<float> x{1.0F, -2.0F};
  const std::vector<float> y{0.5F, 4.0F};
  EXPECT_EQ(sheared_values(x, y, 2), (std::vector<float>{-1.5F, 8.0F}));
}

// --- degenerate samples ---

std::vector<std::vector<double>> degenerate_columns() {
  auto outlier = test::normal_sample(60, 3);
  outlier.front() = 1e20;
  auto tiny = test::scaled(test::normal_sample(60, 5), 1e-10);
  tiny[0] = tiny[1] = 1e300;
  std::vector<double> mostly_zero(60, 0.0);
  std::fill(mostly_zero.begin() + 50, mostly_zero.end(), 1.0);
  return {{3.0},
          {0.0},
          {1.0, 2.0},
          {1.0, 1.0},
          {1.0, 2.0, 4.0},
          {1e300, -1e300, 1.0},
          {-1.7e308, 1.7e308},
          std::vector<double>(60, -7.0),
          std::vector<double>(60, 0.0),
          mostly_zero,
          outlier,
          tiny,
          test::scaled(test::normal_sample(60, 4), 1e300),
          test::scaled(test::normal_sample(60, 4), 1e-300)};
}

TEST(CountsBandwidth1d, IsPositiveForDegenerateSamples) {
  for (const auto& x : degenerate_columns())
    for (const BandwidthRule rule : rules) {
      const double h = counts_bandwidth_1d(x, rule);
      EXPECT_TRUE(std::isfinite(h) && h > 0) << "n = " << x.size() << ", first " << x[0] << ": " << h;
    }
}

TEST(CountsBandwidth2d, IsPositiveDefiniteForDegenerateSamples) {
  for (const auto& x : degenerate_columns())
    for (const auto& y : degenerate_columns()) {
      if (x.size() != y.size()) continue;
      for (const BandwidthRule rule : rules) {
        const ShearedKernel kernel = counts_bandwidth_2d(scaled_column(x), scaled_column(y), rule);
        EXPECT_TRUE(std::isfinite(kernel.shear) && std::isfinite(kernel.h_u) && std::isfinite(kernel.h_v) &&
                    kernel.h_u > 0 && kernel.h_v > 0)
            << "n = " << x.size() << ", first " << x[0] << ", " << y[0] << ": " << kernel.shear << ", "
            << kernel.h_u << ", " << kernel.h_v;
      }
    }
}

TEST(CountsBandwidth2d, IsPositiveDefiniteForValuesOfAnySize) {
  const auto x = test::normal_sample(50, 1);
  const auto y = test::correlated_with(x, 0.5, 2);
  for (const double factor : {1e-300, 1e-160, 1e160, 1e300}) {
    const Symmetric2 H = counts_bandwidth_2d(test::scaled(x, factor), y, BandwidthRule::plug_in);
    EXPECT_TRUE(H.xx > 0 && std::isfinite(H.xx)) << factor;
    EXPECT_EQ(H.xy, 0) << factor;
    EXPECT_GT(H.yy, 0) << factor;
  }
}

TEST(CountsBandwidth2d, OfAPerfectlyCorrelatedPairIsPositiveDefinite) {
  const auto x = test::normal_sample(100, 5);
  for (const double slope : {1.0, -3.0, 1e-6}) {
    const ShearedKernel kernel =
        counts_bandwidth_2d(scaled_column(x), scaled_column(test::scaled(x, slope)), BandwidthRule::plug_in);
    EXPECT_GT(kernel.h_v, 0) << slope;
    EXPECT_LT(kernel.h_v, 0.01 * kernel.h_u) << slope;
  }
}

TEST(CountsBandwidth1d, HardlyFeelsOneOutlierHoweverFar) {
  auto x = test::normal_sample(200, 3);
  const double h = bandwidth_1d(x, BandwidthRule::plug_in);
  for (const double outlier : {1e3, 1e6, 1e12, 1e20}) {
    x[0] = outlier;
    expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in), bandwidth_1d(x, BandwidthRule::plug_in),
                 0.03, std::to_string(outlier));
    expect_close(counts_bandwidth_1d(x, BandwidthRule::plug_in), h, 0.05, std::to_string(outlier));
  }
}

TEST(CountsBandwidth, RejectsEmptyNonFiniteAndUnequalSamples) {
  const std::vector<double> three{1, 2, 3};
  const std::vector<double> two{1, 2};
  const std::vector<double> broken{1, NAN, 3};
  EXPECT_THROW(counts_bandwidth_1d(std::vector<double>{}, BandwidthRule::plug_in), std::invalid_argument);
  EXPECT_THROW(counts_bandwidth_1d(broken, BandwidthRule::normal_scale), std::invalid_argument);
  EXPECT_THROW(counts_bandwidth_2d(three, two, BandwidthRule::plug_in), std::invalid_argument);
  EXPECT_THROW(counts_bandwidth_2d(three, broken, BandwidthRule::plug_in), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

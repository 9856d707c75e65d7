// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde2d.h"

#include <gtest/gtest.h>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

double log_density_at(const Kde2d& kde, double x, double y) {
  double out = 0;
  log_density(kde, {&x, 1}, {&y, 1}, {&out, 1});
  return out;
}

/// The bandwidth matrix that the golden densities were computed with.
std::map<std::string, Symmetric2> default_bandwidths() {
  const Table golden = test::golden_table("bandwidths_2d");
  std::map<std::string, Symmetric2> result;
  for (std::size_t k = 0; k < golden.n_rows; ++k)
    if (test::text(golden, "method", k) == "Hpi" && test::text(golden, "is_default", k) == "TRUE")
      result[test::text(golden, "sample", k)] = {
          test::numbers(golden, "H11")[k], test::numbers(golden, "H12")[k], test::numbers(golden, "H22")[k]};
  return result;
}

TEST(Kde2d, MatchesTheGoldenValuesFarIntoTheTails) {
  const Table golden = test::golden_table("kde_2d");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  const auto bandwidths = default_bandwidths();
  ASSERT_EQ(golden.n_rows, 1000U);
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const std::string sample = test::text(golden, "sample", k);
    const Kde2d kde = make_kde2d(inputs.at(sample).x, inputs.at(sample).y, bandwidths.at(sample));
    const double log_f = log_density_at(kde, test::numbers(golden, "x")[k], test::numbers(golden, "y")[k]);
    expect_close(log_f, test::numbers(golden, "log_exact")[k], 1e-10, sample);
    const double f = test::numbers(golden, "kde_exact")[k];
    if (f > 1e-290) expect_close(std::exp(log_f), f, 1e-10, sample);
  }
}

TEST(Kde2d, AgreesWithTheDefinition) {
  const auto x = test::normal_sample(150, 1);
  const auto y = test::correlated_with(x, -0.8, 2);
  for (const Symmetric2& H : {Symmetric2{0.2, -0.1, 0.3}, Symmetric2{1e-3, 0, 1e-2}, Symmetric2{4, 1.9, 1}}) {
    const Kde2d kde = make_kde2d(x, y, H);
    for (const double at : {-1.0, 0.02, 1.4})
      expect_close(log_density_at(kde, at, -at), std::log(oracle::density_2d(x, y, H, at, -at)), 1e-12);
  }
}

TEST(Kde2d, WithADiagonalMatrixAndOnePointIsAProduct) {
  const std::vector<double> x{1.0};
  const std::vector<double> y{-2.0};
  const Kde2d kde = make_kde2d(x, y, {4, 0, 0.25});
  expect_close(log_density_at(kde, 3, -1),
               std::log(oracle::normal_density(1) / 2 * oracle::normal_density(2) / 0.5), 1e-14);
}

TEST(Kde2d, FollowsTheScaleOfTheSampleToTheEndsOfTheRange) {
  const auto x = test::normal_sample(60, 3);
  const auto y = test::correlated_with(x, 0.5, 4);
  const Kde2d kde = fit_kde2d(x, y, BandwidthRule::plug_in);
  const double expected = log_density_at(kde, 0.3, -0.2);
  for (const double factor : {1e-300, 1e-120, 1e5, 1e300}) {
    const Kde2d scaled = fit_kde2d(test::scaled(x, factor), test::scaled(y, factor), BandwidthRule::plug_in);
    const double log_f = log_density_at(scaled, 0.3 * factor, -0.2 * factor);
    EXPECT_NEAR(log_f, expected - 2 * std::log(factor), 1e-8) << factor;
  }
}

TEST(Kde2d, IsPreciseFarFromZero) {
  const auto x = test::normal_sample(60, 3);
  const auto y = test::correlated_with(x, 0.5, 4);
  const Symmetric2 H{0.1, 0.02, 0.2};
  const Kde2d kde = make_kde2d(x, y, H);
  const Kde2d shifted = make_kde2d(test::scaled(x, 1, 1e6), test::scaled(y, 1, -1e6), H);
  EXPECT_NEAR(log_density_at(shifted, 1e6 + 0.5, -1e6 + 0.25), log_density_at(kde, 0.5, 0.25), 1e-8);
}

TEST(Kde2d, IsPreciseBesideAnOutlierAndForLargeValues) {
  auto x = test::normal_sample(60, 3);
  const auto y = test::correlated_with(x, 0.5, 4);
  x[0] = 1e20;
  const Symmetric2 H{0.1, 0, 0.1};
  expect_close(log_density_at(make_kde2d(x, y, H), 0.2, 0.1), std::log(oracle::density_2d(x, y, H, 0.2, 0.1)),
               1e-12);
  const auto large = test::scaled(y, 1e110);
  const Symmetric2 wide = bandwidth_2d(large, large, BandwidthRule::plug_in);
  EXPECT_NO_THROW(make_kde2d(large, large, wide));
}

TEST(Kde2d, KeepsFallingFarOutAndStaysFinite) {
  const auto x = test::normal_sample(50, 4);
  const Kde2d kde = make_kde2d(x, test::correlated_with(x, 0.9, 5), {0.1, 0.05, 0.1});
  double last = log_density_at(kde, 5, -5);
  for (double r = 10; r < 1e140; r *= 10) {
    const double log_f = log_density_at(kde, r, -r);
    EXPECT_LT(log_f, last) << r;
    EXPECT_TRUE(std::isfinite(log_f)) << r;
    last = log_f;
  }
  EXPECT_EQ(log_density_at(kde, 1e308, 1), std::numeric_limits<double>::lowest());
  EXPECT_EQ(log_density_at(kde, -1e308, 1e308), std::numeric_limits<double>::lowest());
}

TEST(Kde2d, IsFiniteForDegenerateSamples) {
  const std::vector<double> constant(30, 5.0);
  const auto x = test::normal_sample(30, 6);
  std::vector<double> ties(30, 0.0);
  ties[0] = 1;
  for (const BandwidthRule rule :
       {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale})
    for (const auto& a : {constant, x, ties, test::scaled(x, 1e300), test::scaled(x, 1e-300)})
      for (const auto& b : {constant, ties, test::scaled(x, -2), test::scaled(x, 1e300)}) {
        const Kde2d kde = fit_kde2d(a, b, rule);
        EXPECT_TRUE(std::isfinite(log_density_at(kde, a[1], b[1]))) << a[1] << ", " << b[1];
        EXPECT_GE(log_density_at(kde, a[1], b[1]), log_density_at(kde, a[1] + 1e301, b[1]))
            << a[1] << ", " << b[1];
      }
  for (std::size_t n = 1; n <= 3; ++n) {
    const Kde2d kde = fit_kde2d({x.data(), n}, {x.data() + 10, n}, BandwidthRule::plug_in);
    EXPECT_TRUE(std::isfinite(log_density_at(kde, 0, 0))) << n;
  }
}

TEST(Kde2d, WithoutOwnKernelIsTheDensityOfTheOthers) {
  auto x = test::normal_sample(60, 5);
  auto y = test::correlated_with(x, 0.7, 6);
  x[7] = x[8] = x[9];
  y[7] = y[8];
  x[0] = 30;
  const Symmetric2 H{0.1, 0.05, 0.2};
  std::vector<double> out(x.size());
  log_density_without_own(make_kde2d(x, y, H), x, y, out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto other_x = x;
    auto other_y = y;
    other_x.erase(other_x.begin() + static_cast<std::ptrdiff_t>(i));
    other_y.erase(other_y.begin() + static_cast<std::ptrdiff_t>(i));
    expect_close(out[i], log_density_at(make_kde2d(other_x, other_y, H), x[i], y[i]), 1e-11);
  }
}

TEST(Kde2d, RejectsBadInput) {
  const std::vector<double> x{1, 2};
  const std::vector<double> y{1, 2, 3};
  EXPECT_THROW(make_kde2d(x, y, {1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(make_kde2d(x, x, {1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(make_kde2d(x, x, {-1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(make_kde2d(x, x, {NAN, 0, 1}), std::invalid_argument);
  EXPECT_THROW(log_density_at(make_kde2d(x, x, {1, 0, 1}), 0, INFINITY), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

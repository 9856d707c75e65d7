// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/kde1d.h"

#include <gtest/gtest.h>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

double log_density_at(const Kde1d& kde, double x) {
  double out = 0;
  log_density(kde, {&x, 1}, {&out, 1});
  return out;
}

TEST(Kde1d, MatchesTheGoldenValuesFarIntoTheTails) {
  const Table golden = test::golden_table("kde_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  ASSERT_EQ(golden.n_rows, 800U);
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const std::string sample = test::text(golden, "sample", k);
    const Kde1d kde = make_kde1d(inputs.at(sample), test::numbers(golden, "h")[k]);
    const double log_f = log_density_at(kde, test::numbers(golden, "x")[k]);
    expect_close(log_f, test::numbers(golden, "log_exact")[k], 1e-10, sample);
    const double f = test::numbers(golden, "kde_exact")[k];
    if (f > 1e-290) expect_close(std::exp(log_f), f, 1e-10, sample);
  }
}

TEST(Kde1d, AgreesWithTheDefinition) {
  const auto x = test::normal_sample(200, 1);
  for (const double h : {0.01, 0.3, 5.0}) {
    const Kde1d kde = make_kde1d(x, h);
    for (const double at : {-1.0, 0.02, 1.7, x[3]})
      expect_close(log_density_at(kde, at), std::log(oracle::density_1d(x, h, at)), 1e-12);
  }
}

TEST(Kde1d, IntegratesToOne) {
  const Kde1d kde = fit_kde1d(test::normal_sample(100, 2), BandwidthRule::plug_in);
  double sum = 0;
  const double step = 0.01;
  for (double x = -10; x < 10; x += step) sum += std::exp(log_density_at(kde, x)) * step;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Kde1d, FollowsTheScaleOfTheSample) {
  const auto x = test::normal_sample(100, 3);
  const Kde1d kde = fit_kde1d(x, BandwidthRule::plug_in);
  const double expected = log_density_at(kde, 0.4);
  for (const double factor : {1e-300, 1e-5, 1e5, 1e300}) {
    const Kde1d scaled = fit_kde1d(test::scaled(x, factor), BandwidthRule::plug_in);
    EXPECT_NEAR(log_density_at(scaled, 0.4 * factor), expected - std::log(factor), 1e-9) << factor;
  }
}

TEST(Kde1d, KeepsFallingFarOutAndStaysFinite) {
  const Kde1d kde = make_kde1d(test::normal_sample(50, 4), 0.3);
  double last = log_density_at(kde, 5);
  for (double x = 10; x < 1e140; x *= 10) {
    const double log_f = log_density_at(kde, x);
    EXPECT_LT(log_f, last) << x;
    EXPECT_TRUE(std::isfinite(log_f)) << x;
    last = log_f;
  }
  EXPECT_EQ(log_density_at(kde, 1e300), std::numeric_limits<double>::lowest());
}

TEST(Kde1d, OfASinglePointIsItsKernel) {
  const std::vector<double> one{2.0};
  expect_close(log_density_at(make_kde1d(one, 0.5), 3), std::log(oracle::normal_density(2) / 0.5), 1e-14);
}

TEST(Kde1d, WithoutOwnKernelIsTheDensityOfTheOthers) {
  auto x = test::normal_sample(60, 5);
  x[7] = x[8] = x[9];  // ties lose one copy only
  x[0] = 30;           // an isolated point keeps a precise, very low value
  const Kde1d kde = make_kde1d(x, 0.2);
  std::vector<double> out(x.size());
  log_density_without_own(kde, x, out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto others = x;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    expect_close(out[i], log_density_at(make_kde1d(others, 0.2), x[i]), 1e-12);
  }
  const std::vector<double> one{2.0};
  log_density_without_own(make_kde1d(one, 1), one, {out.data(), 1});
  EXPECT_EQ(out[0], std::numeric_limits<double>::lowest());
}

TEST(Kde1d, RejectsBadInput) {
  const std::vector<double> x{1, 2};
  EXPECT_THROW(make_kde1d({}, 1), std::invalid_argument);
  EXPECT_THROW(make_kde1d(x, 0), std::invalid_argument);
  EXPECT_THROW(make_kde1d(x, INFINITY), std::invalid_argument);
  EXPECT_THROW(log_density_at(make_kde1d(x, 1), NAN), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

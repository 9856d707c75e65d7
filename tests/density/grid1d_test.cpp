// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/grid1d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/smoothing_axis.h"
#include "tests/density/grids.h"
#include "tests/oracles.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::depth;
using test::grid;
using test::highest;

std::vector<double> log_densities(const auto& density, std::span<const double> x) {
  std::vector<double> out(x.size());
  log_density(density, x, out);
  return out;
}

double log_density_at(const Grid1d& density, double x) { return log_densities(density, {&x, 1}).front(); }

/// A sample on its grid, for a bandwidth in its own units.
struct Grid1dFit {
  ScaledColumn column;
  BinnedColumn binned;
  FittedGrid1d fitted;

  Grid1dFit(std::span<const double> x, double h, std::size_t nodes = grid)
      : column(scaled_column(x)),
        binned(bin_column(column, h / column.scaling.scale, nodes)),
        fitted(smooth(binned)) {}
};

// --- against the exact estimate ---

class Grid1dOfRows : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Number, Grid1dOfRows, testing::ValuesIn(test::shape_sizes));

TEST_P(Grid1dOfRows, IsTheExactEstimateAtTrainingAndFreshRows) {
  const std::size_t n = GetParam();
  const auto fresh = test::features(std::min<std::size_t>(n, 500), 7);
  std::size_t k = 0;
  for (const auto& [name, x] : test::features(n)) {
    const auto& new_x = fresh[k++].values;
    for (const BandwidthRule rule : {BandwidthRule::plug_in, BandwidthRule::normal_scale}) {
      // Of the bandwidth nothing is asked here but its size.
      const double h = counts_bandwidth_1d(x, rule);
      const Kde1d kde = make_kde1d(x, h);
      const Grid1dFit fit(x, h);
      const auto exact = log_densities(kde, x);
      auto values = log_densities(fit.fitted.grid, x);
      add_own_beyond_axis(fit.fitted, fit.column.values, values);
      const double floor = highest(exact) - depth;
      test::expect_small_errors(test::sorted_errors(values, exact, floor), 0.003, 0.02,
                                name + ", training rows");
      // Of 50 fresh rows one or two may fall into a gap between far rows.
      test::expect_small_errors(
          test::sorted_errors(log_densities(fit.fitted.grid, new_x), log_densities(kde, new_x), floor), 0.003,
          n == 50 ? 0.1 : 0.03, name + ", fresh rows");
    }
  }
}

TEST(Grid1d, OfHalfTheNodesIsAsGoodUnlessTailsAreLong) {
  for (const auto& [name, x] : test::features(500)) {
    const double h = counts_bandwidth_1d(x, BandwidthRule::plug_in);
    const Grid1dFit fit(x, h, 64);
    const auto exact = log_densities(make_kde1d(x, h), x);
    auto values = log_densities(fit.fitted.grid, x);
    add_own_beyond_axis(fit.fitted, fit.column.values, values);
    test::expect_small_errors(test::sorted_errors(values, exact, highest(exact) - depth), 0.003, 0.02, name);
  }
}

TEST_P(Grid1dOfRows, LeavesOneOutAsTheExactEstimateDoes) {
  const std::size_t n = GetParam();
  for (const auto& [name, x] : test::features(n)) {
    const double h = counts_bandwidth_1d(x, BandwidthRule::plug_in);
    const Grid1dFit fit(x, h);
    std::vector<double> exact(n);
    log_density_without_own(make_kde1d(x, h), x, exact);
    auto values = log_densities(fit.fitted.grid, x);
    leave_out_own(fit.fitted, fit.column.values, values);
    // Where the rest is above 1e-6 of the own kernel.
    const double least = std::log(1e-6 * oracle::normal_density(0) / h / static_cast<double>(n - 1));
    std::vector<double> compared;
    std::vector<double> expected;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(std::isfinite(values[i]));
      if (exact[i] < least) {
        EXPECT_LT(values[i], least + 1) << name;
        continue;
      }
      compared.push_back(values[i]);
      expected.push_back(exact[i]);
    }
    EXPECT_GE(compared.size(), n * 9 / 10);
    test::expect_small_errors(test::sorted_errors(compared, expected), 0.003, 0.04, name);
  }
}

TEST(Grid1d, SmoothsByTheDefinition) {
  const auto x = test::normal_sample(80, 1);
  const Grid1dFit fit(x, 0.3);
  std::vector<double> counts;
  for (const std::int64_t count : fit.binned.counts) counts.push_back(static_cast<double>(count) / 256);
  for (const double factor : {1.0, 1.3}) {
    const FittedGrid1d fitted = smooth(fit.binned, factor);
    const double step = fit.binned.axis.step;
    EXPECT_EQ(fitted.grid.bandwidth, factor * fit.binned.bandwidth);
    for (std::size_t k = 0; k < counts.size(); ++k)
      test::expect_close(
          fitted.densities[k],
          oracle::smoothed_counts(counts, step, narrowed(factor * fit.binned.bandwidth, step), k), 1e-9, "",
          1e-12);
  }
}

TEST(Grid1d, OfAWiderKernelIsTheExactEstimateWithIt) {
  for (const auto& [name, x] : test::features(500)) {
    const double h = bandwidth_1d(x, BandwidthRule::plug_in);
    const Grid1dFit fit(x, h);
    const FittedGrid1d wider = smooth(fit.binned, 1.08);
    const auto exact = log_densities(make_kde1d(x, 1.08 * h), x);
    auto values = log_densities(wider.grid, x);
    add_own_beyond_axis(wider, fit.column.values, values);
    test::expect_small_errors(test::sorted_errors(values, exact, highest(exact) - depth), 0.003, 0.02, name);
  }
}

TEST(Grid1d, WithARowLeftOutIsTheGridOfTheOthers) {
  const auto x = test::normal_sample(60, 2);
  const Grid1dFit fit(x, 0.4);
  auto values = log_densities(fit.fitted.grid, x);
  const auto before = values;
  leave_out_own(fit.fitted, fit.column.values, values);
  for (std::size_t i = 0; i < x.size(); ++i) {
    BinnedColumn rest = fit.binned;
    const auto part = counts_on(rest.axis, std::span(fit.column.values).subspan(i, 1)).counts;
    for (std::size_t k = 0; k < part.size(); ++k) rest.counts[k] -= part[k];
    --rest.rows.n_rows;
    const FittedGrid1d others = smooth(rest);
    // The change of the interpolated logarithm is that of the tables, without their rounding and adjustment.
    const std::int32_t place = places_on(rest.axis, std::span(fit.column.values).subspan(i, 1)).front();
    const auto cell = static_cast<std::size_t>(place / 256);
    const double into = place % 256 / 256.0;
    const auto change = [&](std::size_t node) {
      return std::log(others.densities[node] / fit.fitted.densities[node]);
    };
    const double expected =
        (1 - into) * change(cell) + (into > 0 ? into * change(cell + 1) : 0) + std::log(60.0 / 59);
    EXPECT_NEAR(values[i] - before[i], expected, 1e-6) << i;
    EXPECT_NEAR(values[i], log_density_at(others.grid, x[i]), 0.01) << i;
  }
}

TEST(Grid1d, IntegratesToOne) {
  for (const auto& [name, x] : test::features(500)) {
    if (name == "cauchy") continue;  // rows beyond the axis are in no density of new rows
    const Grid1d density = fit_grid1d(x, BandwidthRule::plug_in, grid);
    const double step = 0.1 * density.bandwidth * density.scaling.scale;
    const auto [least, greatest] = std::ranges::minmax(x);
    double sum = 0;
    for (double at = least - 60 * step; at < greatest + 60 * step; at += step)
      sum += std::exp(log_density_at(density, at)) * step;
    EXPECT_NEAR(sum, 1, 0.002) << name;
  }
}

// --- invariants ---

TEST(Grid1d, FollowsTheScaleOfTheSample) {
  const auto x = test::normal_sample(100, 3);
  const double expected = log_density_at(fit_grid1d(x, BandwidthRule::plug_in, grid), 0.4);
  for (const double factor : {0x1p-900, 0x1p-20, 0x1p20, 0x1p900}) {
    const Grid1d scaled = fit_grid1d(test::scaled(x, factor), BandwidthRule::plug_in, grid);
    EXPECT_NEAR(log_density_at(scaled, 0.4 * factor), expected - std::log(factor), 1e-9) << factor;
  }
}

TEST(Grid1d, IgnoresTheOrderOfRows) {
  auto x = test::shapes(300)[3].x;
  const Grid1d first = fit_grid1d(x, BandwidthRule::normal_scale, grid);
  std::ranges::sort(x);
  const Grid1d second = fit_grid1d(x, BandwidthRule::normal_scale, grid);
  for (const double at : {0.1, 1.0, 5.0})
    EXPECT_NEAR(log_density_at(first, at), log_density_at(second, at), 1e-3);
}

TEST(Grid1d, KeepsFallingFarOutAndStaysFinite) {
  for (const auto& [name, x] : test::features(300)) {
    const Grid1d density = fit_grid1d(x, BandwidthRule::plug_in, grid);
    const double scale = density.scaling.scale;
    for (const double side : {-1.0, 1.0}) {
      const double end = side < 0 ? density.axis.origin : density.axis.last();
      double last = log_density_at(density, density.scaling.centre + scale * end);
      for (double beyond = 0.01; beyond < 1e28; beyond *= 3) {
        const double log_f = log_density_at(density, density.scaling.centre + scale * (end + side * beyond));
        ASSERT_TRUE(std::isfinite(log_f)) << name << ", " << beyond;
        EXPECT_LE(log_f, last) << name << ", " << beyond;
        EXPECT_TRUE(log_f < last || beyond > 1e17 * density.bandwidth) << name << ", " << beyond;
        last = log_f;
      }
      EXPECT_LT(last, -1e35);
    }
  }
}

TEST(Grid1d, HasNoJumpAtTheEndsOfItsAxis) {
  for (const auto& [name, x] : test::features(300)) {
    const Grid1d density = fit_grid1d(x, BandwidthRule::plug_in, grid);
    for (const double end : {density.axis.origin, density.axis.last()}) {
      const auto at = [&](double t) {
        return log_density_at(density, density.scaling.centre + density.scaling.scale * t);
      };
      const double off = 1e-3 * density.bandwidth;
      EXPECT_NEAR(at(end - off), at(end + off), 0.05) << name;
    }
  }
}

// --- few and odd rows ---

TEST(Grid1d, OfASingleRowIsItsKernel) {
  const std::vector<double> one{2.0};
  const Grid1dFit fit(one, 0.5);
  for (const double x : {2.0, 2.3, 1.0, 3.5, 0.0})
    EXPECT_NEAR(log_density_at(fit.fitted.grid, x), std::log(oracle::normal_density((x - 2) / 0.5) / 0.5),
                0.01)
        << x;
  auto values = log_densities(fit.fitted.grid, one);
  leave_out_own(fit.fitted, fit.column.values, values);
  EXPECT_TRUE(std::isfinite(values[0]));
  EXPECT_LT(values[0], -1e10);
}

TEST(Grid1d, OfTiesLosesOneCopyOnly) {
  std::vector<double> x(20, 1.0);
  x.resize(30, 4.0);
  x.push_back(100);  // alone: nothing is left
  const Grid1dFit fit(x, 0.5);
  auto values = log_densities(fit.fitted.grid, x);
  leave_out_own(fit.fitted, fit.column.values, values);
  EXPECT_NEAR(values[0], std::log(19.0 / 30 * oracle::normal_density(0) / 0.5), 0.01);
  EXPECT_NEAR(values[25], std::log(9.0 / 30 * oracle::normal_density(0) / 0.5), 0.01);
  EXPECT_LT(values[30], -40);
}

TEST(Grid1d, CountsRowsBeyondTheAxisWithTheirOwnKernel) {
  auto x = test::normal_sample(100, 4);
  x[0] = 1e9;
  const double h = 0.3;
  const Grid1dFit fit(x, h);
  auto values = log_densities(fit.fitted.grid, x);
  EXPECT_LT(values[0], -1e6);
  const auto before = values;
  add_own_beyond_axis(fit.fitted, fit.column.values, values);
  EXPECT_NEAR(values[0], std::log(oracle::normal_density(0) / h / 100), 1e-9);
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_EQ(values[i], before[i]);
}

TEST(Grid1d, TakesAnySample) {
  auto outlier = test::normal_sample(60, 3);
  outlier[0] = 1e20;
  for (const auto& x :
       {std::vector<double>{3.0}, std::vector<double>(50, -7.0), std::vector<double>{1, 2},
        std::vector<double>{-1.7e308, 1.7e308}, std::vector<double>{1e300, -1e300, 1, 1e-300}, outlier})
    for (const double log_f : log_densities(fit_grid1d(x, BandwidthRule::plug_in, grid), x))
      EXPECT_TRUE(std::isfinite(log_f)) << x[0] << ": " << log_f;
}

TEST(Grid1d, RejectsBadInput) {
  const std::vector<double> broken{1, NAN};
  const std::vector<double> x{1, 2};
  EXPECT_THROW(fit_grid1d({}, BandwidthRule::plug_in, grid), std::invalid_argument);
  EXPECT_THROW(fit_grid1d(broken, BandwidthRule::plug_in, grid), std::invalid_argument);
  EXPECT_THROW(log_density_at(fit_grid1d(x, BandwidthRule::plug_in, grid), INFINITY), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

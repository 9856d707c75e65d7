// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/grid2d.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dyad/density/kde2d.h"
#include "tests/density/grids.h"
#include "tests/oracles.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::depth;
using test::grid;
using test::highest;

std::vector<double> log_densities(const auto& density, std::span<const double> x, std::span<const double> y) {
  std::vector<double> out(x.size());
  log_density(density, x, y, out);
  return out;
}

double log_density_at(const Grid2d& density, double x, double y) {
  return log_densities(density, {&x, 1}, {&y, 1}).front();
}

/// A sample on its grid, for a bandwidth matrix in its own units.
struct Grid2dFit {
  ScaledColumn x;
  ScaledColumn y;
  BinnedPair binned;
  FittedGrid2d fitted;

  Grid2dFit(std::span<const double> x_, std::span<const double> y_, const Symmetric2& H,
            std::size_t nodes = grid)
      : x(scaled_column(x_)),
        y(scaled_column(y_)),
        binned(bin_pair(make_frame(x, y, kernel_of(H), nodes), x.values, y.values)),
        fitted(smooth(binned)) {}

  [[nodiscard]] ShearedKernel kernel_of(const Symmetric2& H) const {
    const double s_x = x.scaling.scale;
    const double s_y = y.scaling.scale;
    return sheared({H.xx / s_x / s_x, H.xy / s_x / s_y, H.yy / s_y / s_y});
  }
};

/// Errors of the log density: half of the rows within `median`, 99 % within `most`. 0.01 and 0.05 are asked
/// for; where half of the rows have the same value they are within 0.013, and fresh rows in long tails within
/// 0.06. Of 50 rows in long tails a fresh one may lie beyond the axes (a fit keeps the points of such pairs
/// instead).
struct Bounds {
  double median;
  double most;
};
Bounds training_bounds(const std::string& shape) {
  if (test::is_smooth(shape)) return {0.006, 0.025};
  return {shape == "zeros" ? 0.013 : 0.01, 0.05};
}
Bounds fresh_bounds(const std::string& shape, std::size_t n) {
  Bounds bounds = training_bounds(shape);
  if (!test::is_smooth(shape)) bounds.most = 0.06;
  if (n == 50 && (shape == "lognormal" || shape == "cauchy")) bounds.most = 1.5;
  return bounds;
}

// --- against the exact estimate ---

class Grid2dOfRows : public testing::TestWithParam<std::tuple<std::size_t, BandwidthRule>> {};
INSTANTIATE_TEST_SUITE_P(Number, Grid2dOfRows,
                         testing::Combine(testing::ValuesIn(test::shape_sizes),
                                          testing::Values(BandwidthRule::plug_in,
                                                          BandwidthRule::plug_in_diagonal,
                                                          BandwidthRule::normal_scale)));

TEST_P(Grid2dOfRows, IsTheExactEstimateAtTrainingAndFreshRows) {
  const auto [n, rule] = GetParam();
  const auto fresh = test::shapes(std::min<std::size_t>(n, 500), 7);
  std::size_t k = 0;
  for (const auto& [name, x, y] : test::shapes(n)) {
    const test::Shape& other = fresh[k++];
    const Symmetric2 H = counts_bandwidth_2d(x, y, rule);
    const Kde2d kde = make_kde2d(x, y, H);
    const Grid2dFit fit(x, y, H);
    const auto exact = log_densities(kde, x, y);
    auto values = log_densities(fit.fitted.grid, x, y);
    add_own_beyond_axes(fit.fitted, fit.x.values, fit.y.values, values);
    const double floor = highest(exact) - depth;
    const Bounds training = training_bounds(name);
    test::expect_small_errors(test::sorted_errors(values, exact, floor), training.median, training.most,
                              name + ", training rows");
    const Bounds elsewhere = fresh_bounds(name, n);
    test::expect_small_errors(test::sorted_errors(log_densities(fit.fitted.grid, other.x, other.y),
                                                  log_densities(kde, other.x, other.y), floor),
                              elsewhere.median, elsewhere.most, name + ", fresh rows");
  }
}

TEST_P(Grid2dOfRows, LeavesOneOutAsTheExactEstimateDoes) {
  const auto [n, rule] = GetParam();
  for (const auto& [name, x, y] : test::shapes(n)) {
    const Symmetric2 H = counts_bandwidth_2d(x, y, rule);
    const Grid2dFit fit(x, y, H);
    std::vector<double> exact(n);
    log_density_without_own(make_kde2d(x, y, H), x, y, exact);
    auto values = log_densities(fit.fitted.grid, x, y);
    leave_out_own(fit.fitted, fit.x.values, fit.y.values, values);
    // Where the rest is above 1e-6 of the own kernel.
    const double own =
        std::log(2 * std::numbers::pi * static_cast<double>(n - 1)) + 0.5 * std::log(determinant(H));
    const double least = std::log(1e-6) - own;
    std::vector<double> compared;
    std::vector<double> expected;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_FALSE(std::isnan(values[i]));
      if (exact[i] < least) continue;
      compared.push_back(values[i]);
      expected.push_back(exact[i]);
    }
    EXPECT_GE(compared.size(), n * 9 / 10);
    const bool smooth_shape = test::is_smooth(name) && n > 50;
    test::expect_small_errors(test::sorted_errors(compared, expected), smooth_shape ? 0.006 : 0.015,
                              smooth_shape ? 0.03 : 0.1, name);
  }
}

TEST(Grid2d, OfHalfTheNodesIsNearlyAsGoodAtTrainingRows) {
  for (const auto& [name, x, y] : test::shapes(500)) {
    const Symmetric2 H = counts_bandwidth_2d(x, y, BandwidthRule::plug_in);
    const Grid2dFit fit(x, y, H, 64);
    const auto exact = log_densities(make_kde2d(x, y, H), x, y);
    auto values = log_densities(fit.fitted.grid, x, y);
    add_own_beyond_axes(fit.fitted, fit.x.values, fit.y.values, values);
    test::expect_small_errors(test::sorted_errors(values, exact, highest(exact) - depth), 0.02, 0.05, name);
  }
}

TEST(Grid2d, SmoothsByTheDefinition) {
  const auto x = test::normal_sample(60, 1);
  const auto y = test::correlated_with(x, 0.6, 2);
  const Grid2dFit fit(x, y, {0.3, 0.1, 0.2});
  for (const double factor : {1.0, 1.2}) {
    const FittedGrid2d fitted = smooth(fit.binned, factor);
    const Frame2d& frame = fitted.grid.frame;
    EXPECT_EQ(frame.kernel.h_u, factor * fit.binned.frame.kernel.h_u);
    EXPECT_EQ(frame.kernel.h_v, factor * fit.binned.frame.kernel.h_v);
    const double sd_u = narrowed(frame.kernel.h_u, frame.u.step);
    const double sd_v = narrowed(frame.kernel.h_v, frame.v.step);
    for (std::size_t a = 0; a < frame.u.size; a += 5)
      for (std::size_t b = 0; b < frame.v.size; b += 5) {
        std::vector<double> along_v(frame.u.size);
        for (std::size_t k = 0; k < frame.u.size; ++k) {
          std::vector<double> row;
          for (const std::int64_t count : fit.binned.counts.values().subspan(k * frame.v.size, frame.v.size))
            row.push_back(static_cast<double>(count) / 65536);
          along_v[k] = oracle::smoothed_counts(row, frame.v.step, sd_v, b);
        }
        test::expect_close(fitted.densities[a * frame.v.size + b],
                           oracle::smoothed_counts(along_v, frame.u.step, sd_u, a), 1e-9, "", 1e-12);
      }
  }
}

TEST(Grid2d, OfAWiderKernelIsTheExactEstimateWithIt) {
  for (const auto& [name, x, y] : test::shapes(500)) {
    const Symmetric2 H = counts_bandwidth_2d(x, y, BandwidthRule::plug_in);
    const double factor = 1.07;
    const Grid2dFit fit(x, y, H);
    const FittedGrid2d wider = smooth(fit.binned, factor);
    const Symmetric2 wider_H{H.xx * factor * factor, H.xy * factor * factor, H.yy * factor * factor};
    const auto exact = log_densities(make_kde2d(x, y, wider_H), x, y);
    auto values = log_densities(wider.grid, x, y);
    add_own_beyond_axes(wider, fit.x.values, fit.y.values, values);
    const Bounds bounds = training_bounds(name);
    test::expect_small_errors(test::sorted_errors(values, exact, highest(exact) - depth), bounds.median,
                              bounds.most, name);
  }
}

TEST(Grid2d, WithARowLeftOutIsTheGridOfTheOthers) {
  const auto x = test::normal_sample(60, 2);
  const auto y = test::correlated_with(x, -0.8, 3);
  const Grid2dFit fit(x, y, {0.2, -0.1, 0.2});
  auto values = log_densities(fit.fitted.grid, x, y);
  const auto before = values;
  leave_out_own(fit.fitted, fit.x.values, fit.y.values, values);
  const Frame2d& frame = fit.binned.frame;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const PlacedRows row =
        place_rows(frame, std::span(fit.x.values).subspan(i, 1), std::span(fit.y.values).subspan(i, 1));
    ASSERT_EQ(row.u.size(), 1U);
    BinnedPair rest = fit.binned;
    PairCounts part(frame.u.size, frame.v.size);
    part.fill_quadratic(row.u, row.v);
    rest.counts -= part;
    --rest.n_rows;
    const FittedGrid2d others = smooth(rest);
    // The change of the interpolated logarithm is that of the tables, without their rounding and adjustment.
    double expected = std::log(60.0 / 59);
    for (const std::size_t a : {0U, 1U})
      for (const std::size_t b : {0U, 1U}) {
        const double into_u = row.u[0] % 256 / 256.0;
        const double into_v = row.v[0] % 256 / 256.0;
        const std::size_t node = (row.u[0] / 256U + a) * frame.v.size + row.v[0] / 256U + b;
        expected += (a == 0 ? 1 - into_u : into_u) * (b == 0 ? 1 - into_v : into_v) *
                    std::log(others.densities[node] / fit.fitted.densities[node]);
      }
    EXPECT_NEAR(values[i] - before[i], expected, 1e-6) << i;
    EXPECT_NEAR(values[i], log_density_at(others.grid, x[i], y[i]), 0.08) << i;
  }
}

TEST(Grid2d, IntegratesToOne) {
  for (const auto& [name, x, y] : test::shapes(300)) {
    if (name == "cauchy") continue;  // rows beyond the axes are in no density of new rows
    const Grid2d density = fit_grid2d(x, y, BandwidthRule::plug_in, grid);
    const Frame2d& frame = density.frame;
    double sum = 0;
    const double step = 0.3;  // of a bandwidth
    for (double u = frame.u.origin; u < frame.u.last(); u += step * frame.kernel.h_u)
      for (double v = frame.v.origin; v < frame.v.last(); v += step * frame.kernel.h_v)
        sum += std::exp(log_density_at(density, frame.x.centre + frame.x.scale * u,
                                       frame.y.centre + frame.y.scale * (v + frame.kernel.shear * u)));
    sum *= step * step * frame.kernel.h_u * frame.kernel.h_v * frame.x.scale * frame.y.scale;
    EXPECT_NEAR(sum, 1, 0.005) << name;
  }
}

// --- invariants ---

TEST(Grid2d, FollowsTheScalesOfTheFeatures) {
  const auto x = test::normal_sample(100, 3);
  const auto y = test::correlated_with(x, 0.5, 4);
  const double expected = log_density_at(fit_grid2d(x, y, BandwidthRule::plug_in_diagonal, grid), 0.4, -0.2);
  for (const double factor : {0x1p-900, 0x1p20, 0x1p900}) {
    const Grid2d scaled = fit_grid2d(test::scaled(x, factor), y, BandwidthRule::plug_in_diagonal, grid);
    EXPECT_NEAR(log_density_at(scaled, 0.4 * factor, -0.2), expected - std::log(factor), 1e-9) << factor;
  }
}

TEST(Grid2d, OfAGivenMatrixIsThatOfTheRuleWhichGivesIt) {
  const auto x = test::normal_sample(100, 3);
  const auto y = test::correlated_with(x, 0.5, 4);
  const Grid2d by_rule = fit_grid2d(x, y, BandwidthRule::plug_in, grid);
  const Grid2d by_matrix = make_grid2d(x, y, counts_bandwidth_2d(x, y, BandwidthRule::plug_in), grid);
  for (const double at : {-1.0, 0.3, 2.0})
    EXPECT_NEAR(log_density_at(by_rule, at, 0.1), log_density_at(by_matrix, at, 0.1), 2e-3);
}

TEST(Grid2d, HardlyChangesWhenTheFeaturesSwap) {
  for (const auto& [name, x, y] : test::shapes(300)) {
    const Symmetric2 H = counts_bandwidth_2d(x, y, BandwidthRule::plug_in);
    const auto values = log_densities(make_grid2d(x, y, H, grid), x, y);
    const auto swapped = log_densities(make_grid2d(y, x, {H.yy, H.xy, H.xx}, grid), y, x);
    const auto errors = test::sorted_errors(values, swapped, highest(values) - 20);
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.06) << name;
  }
}

TEST(Grid2d, KeepsFallingInEveryDirectionAndStaysFinite) {
  for (const auto& [name, x, y] : test::shapes(300)) {
    const Grid2d density = fit_grid2d(x, y, BandwidthRule::plug_in, grid);
    const Frame2d& frame = density.frame;
    const auto at = [&](double u, double v) {
      return log_density_at(density, frame.x.centre + frame.x.scale * u,
                            frame.y.centre + frame.y.scale * (v + frame.kernel.shear * u));
    };
    const double middle_u = frame.u.node(frame.u.size / 2);
    const double middle_v = frame.v.node(frame.v.size / 2);
    for (double angle = 0.1; angle < 6.3; angle += 0.39) {
      // From outside the corners of the grid outwards.
      const double du = (frame.u.last() - frame.u.origin) * std::cos(angle);
      const double dv = (frame.v.last() - frame.v.origin) * std::sin(angle);
      double last = at(middle_u + 1.5 * du, middle_v + 1.5 * dv);
      for (double t = 1.6; t < 1e25; t *= 1.5) {
        const double log_f = at(middle_u + t * du, middle_v + t * dv);
        ASSERT_TRUE(std::isfinite(log_f)) << name << ", direction " << angle << ", " << t;
        EXPECT_LE(log_f, last) << name << ", direction " << angle << ", " << t;
        EXPECT_TRUE(log_f < last || t > 1e14) << name << ", direction " << angle << ", " << t;
        last = log_f;
      }
      EXPECT_LT(last, -1e30);
    }
  }
}

TEST(Grid2d, FallsAlongARidgeAndAcrossIt) {
  const auto x = test::normal_sample(500, 5);
  const auto y = test::correlated_with(x, 0.99, 6);
  const Grid2d density = fit_grid2d(x, y, BandwidthRule::plug_in, grid);
  for (const auto& [dx, dy] : {std::pair{1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}, {-1.0, 1.0}}) {
    double last = log_density_at(density, 4 * dx, 4 * dy);
    for (double t = 5; t < 1000; t *= 1.3) {
      const double log_f = log_density_at(density, t * dx, t * dy);
      EXPECT_LT(log_f, last) << dx << ", " << dy << ", " << t;
      last = log_f;
    }
  }
  // Across it is much steeper.
  EXPECT_LT(log_density_at(density, 2, -2), log_density_at(density, 4, 4) - 20);
}

// --- few and odd rows ---

TEST(Grid2d, OfASingleRowIsItsKernel) {
  const std::vector<double> x{2.0};
  const std::vector<double> y{-1.0};
  const Symmetric2 H{0.4, 0.25, 0.3};
  const Grid2dFit fit(x, y, H);
  for (const double dx : {-0.6, 0.0, 0.5})
    for (const double dy : {-0.4, 0.0, 0.7})
      EXPECT_NEAR(log_density_at(fit.fitted.grid, 2 + dx, -1 + dy),
                  std::log(oracle::density_2d(x, y, H, 2 + dx, -1 + dy)), 0.05);
  auto values = log_densities(fit.fitted.grid, x, y);
  leave_out_own(fit.fitted, fit.x.values, fit.y.values, values);
  EXPECT_TRUE(std::isfinite(values[0]));
  EXPECT_LT(values[0], -1e10);
}

TEST(Grid2d, OfTiesLosesOneCopyOnly) {
  std::vector<double> x(20, 1.0);
  std::vector<double> y(20, 2.0);
  x.resize(30, 4.0);
  y.resize(30, -3.0);
  x.push_back(60);
  y.push_back(80);
  const Symmetric2 H{0.25, 0, 0.25};
  const Grid2dFit fit(x, y, H);
  auto values = log_densities(fit.fitted.grid, x, y);
  leave_out_own(fit.fitted, fit.x.values, fit.y.values, values);
  const double top = 1 / (2 * std::numbers::pi * 0.25);
  EXPECT_NEAR(values[0], std::log(19.0 / 30 * top), 0.05);
  EXPECT_NEAR(values[25], std::log(9.0 / 30 * top), 0.05);
  EXPECT_LT(values[30], -40);
}

TEST(Grid2d, CountsRowsBeyondTheAxesWithTheirOwnKernel) {
  auto x = test::normal_sample(100, 4);
  auto y = test::normal_sample(100, 5);
  x[0] = 1e9;
  y[7] = -1e9;
  const Symmetric2 H{0.1, 0, 0.2};
  const Grid2dFit fit(x, y, H);
  auto values = log_densities(fit.fitted.grid, x, y);
  const auto before = values;
  add_own_beyond_axes(fit.fitted, fit.x.values, fit.y.values, values);
  const double own = std::log(1 / (2 * std::numbers::pi * std::sqrt(determinant(H)) * 100));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || i == 7) {
      EXPECT_LT(before[i], -1e6);
      EXPECT_NEAR(values[i], own, 1e-9);
    } else {
      EXPECT_EQ(values[i], before[i]);
    }
  }
}

TEST(Grid2d, TakesAnySample) {
  auto outlier = test::normal_sample(60, 3);
  outlier[0] = 1e20;
  const std::vector<std::vector<double>> samples{{3.0},
                                                 {0.0},
                                                 {1, 2},
                                                 {1, 1},
                                                 {-1.7e308, 1.7e308},
                                                 {1e300, 1e-300},
                                                 outlier,
                                                 std::vector<double>(60, -7.0),
                                                 test::scaled(test::normal_sample(60, 4), 1e300),
                                                 test::scaled(test::normal_sample(60, 5), 1e-300)};
  for (const auto& x : samples)
    for (const auto& y : samples) {
      if (x.size() != y.size()) continue;
      for (const BandwidthRule rule :
           {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale})
        for (const double log_f : log_densities(fit_grid2d(x, y, rule, grid), x, y))
          ASSERT_TRUE(std::isfinite(log_f)) << x[0] << ", " << y[0] << ": " << log_f;
    }
}

TEST(Grid2d, RejectsBadInput) {
  const std::vector<double> x{1, 2};
  const std::vector<double> y{1, 2, 3};
  EXPECT_THROW(fit_grid2d(x, y, BandwidthRule::plug_in, grid), std::invalid_argument);
  EXPECT_THROW(make_grid2d(x, x, {1, 1, 1}, grid), std::invalid_argument);
  EXPECT_THROW(make_grid2d(x, x, {-1, 0, 1}, grid), std::invalid_argument);
  EXPECT_THROW(make_grid2d(x, x, {NAN, 0, 1}, grid), std::invalid_argument);
  EXPECT_THROW(log_density_at(make_grid2d(x, x, {1, 0, 1}, grid), 0, INFINITY), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

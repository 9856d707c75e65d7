// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/smoothing_axis.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dyad/counts/pair_counts.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

std::vector<float> float_sample(std::size_t n, std::uint64_t seed) {
  const auto x = test::normal_sample(n, seed);
  return {x.begin(), x.end()};
}

TEST(SmoothingAxis, CoversAllValuesWithTheirMarginsWhereItCan) {
  const auto x = float_sample(200, 1);
  const auto [least, greatest] = std::ranges::minmax(x);
  for (const double finest : {0.001, 0.04, 0.3, 100.0})
    for (const std::size_t most : {64U, 256U}) {
      const Axis axis = axis_over(x, {.finest = finest, .coarsest = 1, .margin = 0.8, .most = most});
      EXPECT_LE(axis.origin, static_cast<double>(least) - 0.8 + 1e-9);
      EXPECT_GE(axis.last(), static_cast<double>(greatest) + 0.8 - 1e-9);
      EXPECT_GE(axis.step, finest);
      EXPECT_LE(axis.step, std::max(1.0, finest));
      EXPECT_GE(axis.size, 3U);
      EXPECT_LE(axis.size, most);
      // No coarser than it must be.
      EXPECT_TRUE(axis.step == finest || axis.size == most);
    }
}

TEST(SmoothingAxis, HoldsTheStretchWithTheMostValuesWhereTheyAreTooWide) {
  std::vector<float> x;
  for (const float value : {0.0F, 1.0F, 2.0F}) x.push_back(value);
  for (int k = 0; k < 20; ++k) x.push_back(5000.0F + 0.1F * static_cast<float>(k));
  x.push_back(1e30F);
  const AxisNeeds needs{.finest = 0.25, .coarsest = 0.5, .margin = 1, .most = 65};
  const Axis axis = axis_over(x, needs);
  EXPECT_EQ(axis.size, 65U);
  EXPECT_EQ(axis.step, 0.5);
  EXPECT_EQ(axis.origin, 4999);
  EXPECT_EQ(std::ranges::count_if(places_on(axis, x), [](std::int32_t place) { return place >= 0; }), 20);
}

TEST(SmoothingAxis, OfASingleValueHasThreeNodesAroundIt) {
  const std::vector<float> x{4.0F};
  const Axis axis = axis_over(x, {.finest = 1, .coarsest = 2, .margin = 0.1, .most = 256});
  EXPECT_GE(axis.size, 3U);
  EXPECT_LT(axis.origin, 4);
  EXPECT_GT(axis.last(), 4);
}

TEST(SmoothingAxis, PlacesValuesHalfAStepOrMoreFromTheEnds) {
  const Axis axis{.origin = -1, .step = 0.5, .size = 9};
  const std::vector<float> x{-1.0F, -0.76F, -0.75F, 0.0F, 0.126F, 2.74F, 2.75F, 3.0F, -1e30F, 1e30F};
  const auto places = places_on(axis, x);
  const std::vector<bool> inside{false, false, true, true, true, true, false, false, false, false};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = static_cast<std::int32_t>(axis.place(static_cast<double>(x[i])));
    EXPECT_EQ(places[i], inside[i] ? expected : -1) << x[i];
  }
}

TEST(SmoothingAxis, CountsByQuadraticShares) {
  const auto x = float_sample(100, 2);
  const Axis axis{.origin = -1.5, .step = 0.3, .size = 11};  // some values lie beyond
  const auto places = places_on(axis, x);
  const AxisCounts counts = counts_on(axis, x);
  std::int64_t total = 0;
  for (std::size_t a = 0; a < axis.size; ++a) {
    double expected = 0;
    for (const std::int32_t place : places)
      if (place >= 0) expected += 256 * oracle::quadratic_spline(place / 256.0 - static_cast<double>(a));
    EXPECT_NEAR(static_cast<double>(counts.counts[a]), expected, 30);  // whole shares, 1 off at most
    total += counts.counts[a];
  }
  EXPECT_LT(counts.rows.inside, 100U);
  EXPECT_GT(counts.rows.inside, 50U);
  EXPECT_EQ(total, static_cast<std::int64_t>(256 * counts.rows.inside));
}

TEST(SmoothingAxis, PlacesTheRowsThatAreOnBothAxes) {
  const Axis u_axis{.origin = 0, .step = 1, .size = 4};
  const Axis v_axis{.origin = 0, .step = 1, .size = 8};
  const std::vector<float> u{1.0F, 1.5F, 9.0F, 2.0F};
  const std::vector<float> v{5.0F, -3.0F, 5.0F, 6.25F};
  const PlacedRows rows = place_rows(u_axis, u, v_axis, v);
  EXPECT_EQ(rows.u, (std::vector<Place>{256, 512}));
  EXPECT_EQ(rows.v, (std::vector<Place>{5 * 256, 6 * 256 + 64}));
}

TEST(SmoothingAxis, BinnedAndSmoothedRowsAreAsWideAsTheBandwidth) {
  // A row's counts, smoothed by the narrowed kernel, have mean 0 and variance h^2 around the row.
  const double h = 1;
  for (const double step : {0.25, 0.5, 0.6})
    for (const double offset : {-0.5, -0.3, 0.0, 0.2, 0.49}) {
      const auto kernel = node_kernel(narrowed(h, step), step);
      const auto place = static_cast<std::int32_t>(std::lround(256 * offset));
      const auto shares = quadratic_shares(place);
      double mass = 0;
      double variance = 0;
      for (int node = -40; node <= 40; ++node) {
        double density = 0;
        for (int k = -1; k <= 1; ++k) {
          const auto distance = static_cast<std::size_t>(std::abs(node - k));
          const double share = (k < 0 ? shares.before : k == 0 ? shares.at : shares.after) / 256.0;
          if (distance < kernel.size()) density += share * kernel[distance];
        }
        mass += density * step;
        variance += density * step * std::pow((node - place / 256.0) * step, 2);
      }
      EXPECT_NEAR(mass, 1, 1e-9) << step << ", " << offset;
      EXPECT_NEAR(variance, h * h, 1.1 * step * step / 256) << step << ", " << offset;
    }
}

TEST(SmoothingAxis, NodeKernelReachesToWhereItHasDiedAway) {
  const auto kernel = node_kernel(0.4, 0.25);
  for (std::size_t k = 0; k < kernel.size(); ++k)
    test::expect_close(kernel[k], oracle::normal_density(static_cast<double>(k) * 0.25 / 0.4) / 0.4, 1e-12);
  const double beyond = oracle::normal_density(static_cast<double>(kernel.size()) * 0.25 / 0.4) / 0.4;
  EXPECT_LT(beyond, std::exp(-36.9) * kernel[0]);
}

}  // namespace
}  // namespace dyad

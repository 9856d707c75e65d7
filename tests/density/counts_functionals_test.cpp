// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/counts_functionals.h"

#include <gtest/gtest.h>

#include "dyad/counts/axis.h"
#include "dyad/density/smoothing_axis.h"
#include "tests/oracles.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::expect_close;

std::vector<float> as_floats(std::span<const double> x) { return {x.begin(), x.end()}; }

/// Bulk and tails within a few units.
std::vector<double> tame(std::vector<double> x) {
  for (double& value : x) value = std::clamp(value, -4.0, 4.0);
  return x;
}

CountsFunctionals1d counted_1d(std::span<const double> x, double step, std::size_t most = 4096) {
  const auto z = as_floats(x);
  const Axis axis = axis_over(z, {.finest = step, .coarsest = step, .margin = 2 * step, .most = most});
  const AxisCounts counts = counts_on(axis, z);
  return {counts.counts, axis.step, counts.rows};
}

TEST(CountsFunctionals, OneDimensionalAgreeWithTheExactOnes) {
  for (const std::size_t n : {50U, 500U})
    for (const test::Shape& shape : test::shapes(n)) {
      const auto x = tame(shape.x);
      for (const double g : {0.1, 0.3, 1.0})
        for (const int order : {4, 6, 8})
          expect_close(counted_1d(x, 0.3 * g).functional(order, g), functional_1d(x, order, g), 0.01,
                       shape.name + ", n = " + std::to_string(n) + ", order " + std::to_string(order) +
                           ", g = " + std::to_string(g),
                       1e-3 * std::abs(oracle::normal_derivative(order, 0)));
    }
}

TEST(CountsFunctionals, OneDimensionalDoWithCoarseSteps) {
  // Twice the steps: the largest that bandwidths are taken from. Many equal values all lie at one offset from
  // the nodes.
  for (const test::Shape& shape : test::shapes(500)) {
    if (shape.name == "tied" || shape.name == "zeros") continue;
    const auto x = tame(shape.x);
    for (const int order : {4, 6})
      for (const double g : {0.1, 0.3, 1.0})
        expect_close(counted_1d(x, 0.6 * g).functional(order, g), functional_1d(x, order, g), 0.08,
                     shape.name);
  }
}

TEST(CountsFunctionals, OneDimensionalCountRowsBeyondTheAxisWithThemselves) {
  auto x = test::normal_sample(200, 1);
  x[3] = 1e6;
  x[100] = -3e7;
  const auto functionals = counted_1d(x, 0.15, 100);
  for (const int order : {4, 6, 8})
    expect_close(functionals.functional(order, 0.5), functional_1d(x, order, 0.5), 0.006,
                 std::to_string(order));
}

CountsFunctionals2d counted_2d(std::span<const double> x, std::span<const double> y, double step,
                               double smallest_g, double largest_g) {
  const auto u = as_floats(x);
  const auto v = as_floats(y);
  const AxisNeeds needs{.finest = step, .coarsest = step, .margin = 2 * step, .most = 256};
  const Axis u_axis = axis_over(u, needs);
  const Axis v_axis = axis_over(v, needs);
  const PlacedRows rows = place_rows(u_axis, u, v_axis, v);
  PairCounts counts(u_axis.size, v_axis.size);
  counts.fill_quadratic(rows.u, rows.v);
  return {counts, u_axis.step, v_axis.step, rows.rows, smallest_g, largest_g};
}

void expect_same_functionals(const Functionals2d& actual, const Functionals2d& expected, double tolerance,
                             const std::string& what) {
  ASSERT_EQ(actual.order, expected.order);
  const auto order = static_cast<std::size_t>(expected.order);
  const double size = std::max(std::abs(expected.psi[0]), std::abs(expected.psi[order]));
  for (std::size_t k = 0; k <= order; ++k)
    EXPECT_NEAR(actual.psi[k], expected.psi[k], tolerance * size) << what << ", order " << order << ", " << k;
  for (std::size_t k = order + 1; k < actual.psi.size(); ++k) EXPECT_EQ(actual.psi[k], 0);
}

TEST(CountsFunctionals, TwoDimensionalAgreeWithTheExactOnes) {
  for (const std::size_t n : {50U, 300U})
    for (const test::Shape& shape : test::shapes(n)) {
      const auto x = tame(shape.x);
      const auto y = tame(shape.y);
      const auto functionals = counted_2d(x, y, 0.1, 0.25, 0.6);
      for (const int order : {4, 6})
        for (const double g : {0.25, 0.4, 0.6})
          expect_same_functionals(functionals.functionals(order, g), functionals_2d(x, y, order, g),
                                  order == 4 ? 0.015 : 0.025,
                                  shape.name + ", n = " + std::to_string(n) + ", g = " + std::to_string(g));
    }
}

TEST(CountsFunctionals, TwoDimensionalCountRowsBeyondTheAxesWithThemselves) {
  auto x = test::normal_sample(200, 1);
  auto y = test::correlated_with(x, 0.5, 2);
  x[3] = 1e6;
  y[50] = -1e7;
  const auto functionals = counted_2d(x, y, 0.15, 0.4, 0.8);
  for (const int order : {4, 6})
    expect_same_functionals(functionals.functionals(order, 0.5), functionals_2d(x, y, order, 0.5), 0.005,
                            "outliers");
}

TEST(CountsFunctionals, ThatAreOddInACoordinateChangeSignWithIt) {
  const auto x = test::normal_sample(100, 3);
  const auto y = test::correlated_with(x, 0.8, 4);
  const Functionals2d psi = counted_2d(x, y, 0.1, 0.3, 0.5).functionals(4, 0.4);
  const Functionals2d mirrored = counted_2d(x, test::scaled(y, -1), 0.1, 0.3, 0.5).functionals(4, 0.4);
  for (std::size_t k = 0; k <= 4; ++k)
    EXPECT_NEAR(mirrored.psi[k], (k % 2 == 0 ? 1 : -1) * psi.psi[k], 0.003 * psi.psi[0]) << k;
  EXPECT_GT(std::abs(psi.psi[1]), 0.1 * psi.psi[0]);
}

}  // namespace
}  // namespace dyad

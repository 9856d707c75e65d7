// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/log_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

double log_at(const LogTable& table, const Axis& axis, double t, double bandwidth = 1) {
  Located located;
  locate({&t, 1}, axis, bandwidth, located);
  double out = 0;
  look_up(table, located, {&out, 1});
  return out;
}

double log_at(const LogTable& table, const Axis& x_axis, double x, const Axis& y_axis, double y) {
  Located at_x;
  Located at_y;
  locate({&x, 1}, x_axis, 1, at_x);
  locate({&y, 1}, y_axis, 1, at_y);
  double out = 0;
  look_up(table, at_x, at_y, y_axis.size, {&out, 1});
  return out;
}

TEST(LogTable, KeepsExponentialsToHalfAUnit) {
  // Their logarithms are linear: no curvature to make good.
  const Axis axis{.origin = -3, .step = 0.5, .size = 20};
  std::vector<double> densities;
  for (std::size_t k = 0; k < axis.size; ++k) densities.push_back(std::exp(2 - 3 * axis.node(k)));
  const LogTable table = make_log_table(densities, axis.size, 1, 0.7);
  EXPECT_LE(table.unit, 0.001);
  for (double t = -3; t <= axis.last(); t += 0.03)
    EXPECT_NEAR(log_at(table, axis, t), 2 - 3 * t - 0.7, 0.51 * table.unit + 1e-4) << t;
}

TEST(LogTable, IsBilinearBetweenFourNodes) {
  const Axis x_axis{.origin = 1, .step = 2, .size = 4};
  const Axis y_axis{.origin = -1, .step = 0.1, .size = 6};
  std::vector<double> densities;
  for (std::size_t a = 0; a < x_axis.size; ++a)
    for (std::size_t b = 0; b < y_axis.size; ++b)
      densities.push_back(
          std::exp(0.5 * x_axis.node(a) - 4 * y_axis.node(b) + x_axis.node(a) * y_axis.node(b)));
  const LogTable table = make_log_table(densities, x_axis.size, y_axis.size, 0);
  for (double x = 1; x <= 7; x += 0.37)
    for (double y = -1; y <= -0.5; y += 0.043)
      EXPECT_NEAR(log_at(table, x_axis, x, y_axis, y), 0.5 * x - 4 * y + x * y, 1e-4) << x << ", " << y;
}

TEST(LogTable, ErrsToBothSidesAlikeWhereLogarithmsAreConcave) {
  const Axis axis{.origin = -4, .step = 0.5, .size = 17};
  std::vector<double> densities;
  for (std::size_t k = 0; k < axis.size; ++k) densities.push_back(oracle::normal_density(axis.node(k)));
  const LogTable table = make_log_table(densities, axis.size, 1, 0);
  double sum = 0;
  double largest = 0;
  int count = 0;
  for (double t = -3; t <= 3; t += 0.001) {
    const double error = log_at(table, axis, t) - std::log(oracle::normal_density(t));
    sum += error;
    largest = std::max(largest, std::abs(error));
    ++count;
  }
  // Without adjustment the mean is -step^2 / 12 = -0.021 and the largest step^2 / 8 = 0.031.
  EXPECT_NEAR(sum / count, 0, 3e-4);
  EXPECT_LT(largest, 0.0215);
  EXPECT_GT(largest, 0.009);
}

TEST(LogTable, CountsLowDensitiesAsE64thOfTheLargest) {
  const Axis axis{.origin = 0, .step = 1, .size = 12};
  std::vector<double> densities(axis.size, 0.0);
  densities[0] = 5;
  densities[1] = 5;
  const LogTable table = make_log_table(densities, axis.size, 1, 0);
  EXPECT_LE(table.unit, 0.001);
  for (const double t : {4.0, 5.5, 9.9}) EXPECT_NEAR(log_at(table, axis, t), std::log(5) - 64, 0.1) << t;
}

TEST(LogTable, OfConstantDensitiesIsConstant) {
  const Axis axis{.origin = 0, .step = 1, .size = 5};
  const LogTable table = make_log_table(std::vector<double>(5, 0.25), 5, 1, 0);
  for (const double t : {0.0, 1.3, 4.0}) EXPECT_NEAR(log_at(table, axis, t), std::log(0.25), 1e-6);
}

TEST(LogTable, TakesTinyAndHugeDensities) {
  const Axis axis{.origin = 0, .step = 1, .size = 5};
  for (const double unit : {1e-200, 1e200}) {
    const LogTable table = make_log_table(std::vector<double>(5, unit), 5, 1, 3);
    EXPECT_NEAR(log_at(table, axis, 1.5), std::log(unit) - 3, 1e-6);
  }
}

TEST(LogTable, FallsBeyondTheAxisAsTheKernelOfARowWithinTheMargin) {
  const double h = 0.4;
  const double row = 2;
  const Axis axis{.origin = 0,
                  .step = 0.1,
                  .size = static_cast<std::size_t>(std::lround((row + axis_margin * h) / 0.1)) + 1};
  std::vector<double> densities;
  for (std::size_t k = 0; k < axis.size; ++k)
    densities.push_back(oracle::normal_density((axis.node(k) - row) / h) / h);
  const LogTable table = make_log_table(densities, axis.size, 1, 0);
  for (const double t : {3.5, 4.0, 7.0, 30.0}) {
    const double expected = -0.5 * std::pow((t - row) / h, 2) - std::log(h * std::sqrt(2 * std::numbers::pi));
    EXPECT_NEAR(log_at(table, axis, t, h), expected, 0.01 + 1e-6 * std::abs(expected)) << t;
  }
}

TEST(LogTable, LocatesRowsAmongTheNodes) {
  const Axis axis{.origin = -1, .step = 0.5, .size = 5};
  const std::vector<double> t{-1, -0.9, 0.25, 0.99, 1, 2, -3};
  Located located;
  locate(t, axis, 0.5, located);
  const std::vector<std::int32_t> cells{0, 0, 2, 3, 3, 3, 0};
  const std::vector<float> fractions{0, 0.2F, 0.5F, 0.98F, 1, 1, 0};
  const std::vector<float> beyond{0, 0, 0, 0, 0, 2, -4};
  EXPECT_TRUE(located.any_beyond);
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(located.cells[i], cells[i]) << t[i];
    EXPECT_NEAR(located.fractions[i], fractions[i], 1e-6) << t[i];
    EXPECT_NEAR(located.beyond[i], beyond[i], 1e-5) << t[i];
  }
}

TEST(LogTable, LooksUpManyRowsAsItDoesOne) {
  const Axis axis{.origin = -2, .step = 0.25, .size = 17};
  std::vector<double> densities;
  for (std::size_t k = 0; k < axis.size; ++k) densities.push_back(1 + std::sin(static_cast<double>(k)));
  const LogTable table = make_log_table(densities, axis.size, 1, 0);
  const auto t = test::scaled(test::normal_sample(Located::most, 1), 2);
  Located located;
  for (const std::size_t n : {1UL, 7UL, 16UL, 33UL, Located::most}) {
    std::vector<double> out(n, 1e9);
    locate({t.data(), n}, axis, 1, located);
    look_up(table, located, out);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], log_at(table, axis, t[i]), 1e-5);
  }
}

}  // namespace
}  // namespace dyad

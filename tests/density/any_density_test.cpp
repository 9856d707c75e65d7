// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/any_density.h"

#include <gtest/gtest.h>

#include "dyad/density/counts_bandwidth.h"
#include "tests/density/grids.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

constexpr BandwidthRule any_rule = BandwidthRule::plug_in;

Matrix sample_of_columns(std::size_t n_cols) {
  Matrix x(3000, n_cols);
  for (std::size_t j = 0; j < n_cols; ++j)
    std::ranges::copy(test::normal_sample(x.n_rows, 3 + j), x.column(j).begin());
  return x;
}

TEST(AnyDensity, IsTheDensityOfItsEngineAndColumns) {
  const Matrix one = sample_of_columns(1);
  const Matrix two = sample_of_columns(2);
  const auto u = two.column(0);
  const auto v = two.column(1);
  const auto expect = [](const Matrix& x, Engine engine, const auto& same) {
    const AnyDensity density = fit_density(x, any_rule, engine, test::grid);
    EXPECT_EQ(dimension_of(density), x.n_cols);
    std::vector<double> expected(x.n_rows);
    if constexpr (requires { log_density(same, x.column(0), expected); })
      log_density(same, x.column(0), expected);
    else
      log_density(same, x.column(0), x.column(1), expected);
    EXPECT_EQ(log_densities(density, x), expected);
    EXPECT_EQ(log_densities(density, x, {.threads = 3}), expected);
  };
  expect(one, Engine::exact, fit_kde1d(one.column(0), any_rule));
  expect(one, Engine::counts, fit_grid1d(one.column(0), any_rule, test::grid));
  expect(two, Engine::exact, fit_kde2d(u, v, any_rule));
  expect(two, Engine::counts, fit_grid2d(u, v, any_rule, test::grid));
}

TEST(AnyDensity, HasTheBandwidthOfItsRuleAndTakesItAgain) {
  for (const std::size_t n_cols : {1U, 2U})
    for (const Engine engine : {Engine::exact, Engine::counts}) {
      const Matrix x = sample_of_columns(n_cols);
      const Matrix H = bandwidth_matrix(x, any_rule, engine);
      const AnyDensity fitted = fit_density(x, any_rule, engine, test::grid);
      const AnyDensity made = make_density(x, H, engine, test::grid);
      ASSERT_EQ(H.n_rows, n_cols);
      for (std::size_t k = 0; k < H.data.size(); ++k) {
        EXPECT_NEAR(bandwidth_matrix(fitted).data[k], H.data[k], 1e-12);
        EXPECT_NEAR(bandwidth_matrix(made).data[k], H.data[k], 1e-6);
      }
      const auto a = log_densities(fitted, x);
      const auto b = log_densities(made, x);
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-4);
    }
}

TEST(AnyDensity, RefusesOtherColumnsAndBandwidths) {
  const Matrix one = sample_of_columns(1);
  const Matrix two = sample_of_columns(2);
  const Matrix three = sample_of_columns(3);
  const auto make = [](const Matrix& x, const std::vector<double>& values, std::size_t d) {
    Matrix H(d, d);
    H.data = values;
    for (const Engine engine : {Engine::exact, Engine::counts})
      EXPECT_THROW(static_cast<void>(make_density(x, H, engine, test::grid)), std::invalid_argument);
  };
  make(one, {0}, 1);
  make(one, {std::numeric_limits<double>::infinity()}, 1);
  make(one, {1, 0, 0, 1}, 2);
  make(two, {1}, 1);
  make(two, {1, 0.5, 0.4, 1}, 2);
  make(two, {1, 2, 2, 1}, 2);
  make(three, {1}, 1);
  for (const Engine engine : {Engine::exact, Engine::counts}) {
    EXPECT_THROW(static_cast<void>(bandwidth_matrix(three, any_rule, engine)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(fit_density(three, any_rule, engine, test::grid)), std::invalid_argument);
    const AnyDensity density = fit_density(one, any_rule, engine, test::grid);
    EXPECT_THROW(static_cast<void>(log_densities(density, two)), std::invalid_argument);
  }
  EXPECT_THROW(static_cast<void>(fit_density(one, any_rule, Engine::counts, 5)), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

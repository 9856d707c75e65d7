// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/pseudo_rows.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

TEST(PseudoRows, AreMixedInAsTheDefinitionSays) {
  const std::vector<double> logs{0, -1, 2.5, -30, -700, -800, -1e6, -1e30, 20};
  const std::vector<double> places{0, 0.3, -2, 40, 1e5, -1e15};
  for (const double n : {1.0, 40.0, 1e6, 1e-9})
    for (const double n_pseudo : {3.0, 0.01, 1e6}) {
      std::vector<double> x;
      std::vector<double> y;
      std::vector<double> before;
      for (const double log : logs)
        for (const double u : places)
          for (const double v : places) {
            x.push_back(u);
            y.push_back(v);
            before.push_back(log);
          }
      auto one = before;
      auto two = before;
      mix_in_pseudo_rows(n_pseudo, n, x, {}, one);
      mix_in_pseudo_rows(n_pseudo, n, x, y, two);
      for (std::size_t i = 0; i < x.size(); ++i) {
        test::expect_close(one[i], oracle::with_pseudo_rows(n, n_pseudo, std::array{x[i]}, before[i]), 1e-12,
                           "1-D", 1e-12);
        test::expect_close(two[i], oracle::with_pseudo_rows(n, n_pseudo, std::array{x[i], y[i]}, before[i]),
                           1e-12, "2-D", 1e-12);
      }
    }
}

TEST(PseudoRows, NeverLetAValueFallBelowTheirOwn) {
  std::vector<double> values{-1e30, -1e300, -1e4};
  const std::vector<double> x{0, 1, 2};
  mix_in_pseudo_rows(2, 98, x, {}, values);
  for (std::size_t i = 0; i < 3; ++i)
    test::expect_close(values[i], std::log(0.02 * oracle::normal_density(x[i] / 1.5) / 1.5), 1e-12);
}

TEST(PseudoRows, MakeADensityOfADensity) {
  // The integral of the mixture of a narrow normal density is still 1.
  double integral = 0;
  constexpr double step = 0.01;
  for (double u = -15; u <= 15; u += step) {
    std::vector<double> value{-0.5 * u * u / 0.04 - std::log(0.2 * std::sqrt(2 * std::numbers::pi))};
    mix_in_pseudo_rows(3, 10, std::array{u}, {}, value);
    integral += step * std::exp(value[0]);
  }
  EXPECT_NEAR(integral, 1, 1e-9);
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/functionals.h"

#include <gtest/gtest.h>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

TEST(Functionals, OneDimensionalAgreeWithTheDefinition) {
  for (const std::size_t n : {1U, 2U, 37U}) {
    const auto x = test::normal_sample(n, n);
    for (const int order : {4, 6, 8})
      for (const double g : {0.01, 0.3, 2.0})
        expect_close(functional_1d(x, order, g), oracle::functional_1d(x, order, g), 1e-11,
                     "order " + std::to_string(order));
  }
}

TEST(Functionals, TwoDimensionalAgreeWithTheDefinition) {
  const auto x = test::normal_sample(31, 1);
  const auto y = test::correlated_with(x, 0.5, 2);
  for (const int order : {4, 6})
    for (const double g : {0.01, 0.4, 2.0}) {
      const Functionals2d psi = functionals_2d(x, y, order, g);
      EXPECT_EQ(psi.order, order);
      for (int k = 0; k <= order; ++k)
        expect_close(psi.psi[static_cast<std::size_t>(k)], oracle::functional_2d(x, y, order - k, k, g),
                     1e-11, "derivative " + std::to_string(order - k) + ", " + std::to_string(k),
                     1e-12 * std::abs(psi.psi[0]));
    }
}

TEST(Functionals, HaveTheSignsOfIntegratedSquares) {
  const auto x = test::normal_sample(50, 3);
  EXPECT_GT(functional_1d(x, 4, 0.5), 0);  // integral of f''^2
  EXPECT_LT(functional_1d(x, 6, 0.5), 0);  // minus the integral of f'''^2
  EXPECT_GT(functional_1d(x, 8, 0.5), 0);
}

TEST(Functionals, OfTheNormalDensityAreIntegralsOverIt) {
  // psi_(r, s) = integral of f^(r, s) f, summed over a fine grid; for a correlated pair by differences of f.
  const double correlation = 0.6;
  const double det = 1 - correlation * correlation;
  const auto f = [&](double x, double y) {
    return std::exp(-(x * x - 2 * correlation * x * y + y * y) / (2 * det)) /
           (2 * std::numbers::pi * std::sqrt(det));
  };
  const double step = 0.05;
  double psi40 = 0;
  double psi22 = 0;
  double psi31 = 0;
  for (double x = -7; x <= 7; x += step)
    for (double y = -7; y <= 7; y += step) {
      const double h = 0.02;
      const double xx = (f(x + h, y) - 2 * f(x, y) + f(x - h, y)) / (h * h);
      const double yy = (f(x, y + h) - 2 * f(x, y) + f(x, y - h)) / (h * h);
      const double xy = (f(x + h, y + h) - f(x + h, y - h) - f(x - h, y + h) + f(x - h, y - h)) / (4 * h * h);
      // Integrating by parts twice moves two derivatives to the other factor.
      psi40 += xx * xx * step * step;
      psi22 += xx * yy * step * step;
      psi31 += xx * xy * step * step;
    }
  const Functionals2d psi = normal_functionals_2d(4, correlation);
  expect_close(psi.psi[0], psi40, 2e-3);
  expect_close(psi.psi[1], psi31, 2e-3);
  expect_close(psi.psi[2], psi22, 2e-3);
  expect_close(psi.psi[3], psi.psi[1], 1e-14);
  expect_close(psi.psi[4], psi.psi[0], 1e-14);
}

TEST(Functionals, OfIndependentNormalsAreProductsOfUnivariateOnes) {
  for (const int order : {4, 6, 8}) {
    const Functionals2d psi = normal_functionals_2d(order, 0);
    for (int k = 0; k <= order; ++k) {
      const double sqrt2 = std::numbers::sqrt2;
      const double expected = oracle::normal_derivative(order - k, 0) * oracle::normal_derivative(k, 0) /
                              std::pow(sqrt2, order + 2);
      expect_close(psi.psi[static_cast<std::size_t>(k)], expected, 1e-13, "", 1e-16);
    }
  }
}

TEST(Functionals, StayFiniteForPointsVeryFarApart) {
  const std::vector<double> x{0, 1, 1e300};
  const std::vector<double> y{0, -1e300, 2};
  EXPECT_TRUE(std::isfinite(functional_1d(x, 8, 0.1)));
  for (const double psi : functionals_2d(x, y, 6, 0.1).psi) EXPECT_TRUE(std::isfinite(psi));
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/quadratic_l1.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/samples.h"

namespace dyad {
namespace {

using internal::minimise_quadratic_l1;

/// A'A + 0.01 I of normal rows that have a part in common.
Matrix correlated(std::size_t m, std::size_t n_rows) {
  Random random(m);
  Matrix A(n_rows, m);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double common = random.normal();
    for (std::size_t j = 0; j < m; ++j) A(i, j) = 3 * common + random.normal();
  }
  Matrix H(m, m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      H(a, b) = a == b ? 0.01 : 0;
      for (std::size_t i = 0; i < n_rows; ++i) H(a, b) += A(i, a) * A(i, b);
    }
  return H;
}

/// How far u is from the conditions for a minimum, squared and divided by H_jj.
double violation(const Matrix& H, const std::vector<double>& gradient, const std::vector<double>& w,
                 const std::vector<double>& l1, const std::vector<double>& u) {
  double sum = 0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    double slope = gradient[j];
    for (std::size_t k = 0; k < u.size(); ++k) slope += H(j, k) * (u[k] - w[k]);
    const double excess =
        u[j] == 0 ? std::max(0.0, std::abs(slope) - l1[j]) : slope + (u[j] > 0 ? l1[j] : -l1[j]);
    sum += excess * excess / H(j, j);
  }
  return sum;
}

TEST(QuadraticL1, MeetsTheConditionsForAMinimum) {
  for (const std::size_t m : {1U, 5U, 40U})
    for (const std::size_t n_rows : {20U, 100U})
      for (const double size : {0.0, 5.0, 100.0}) {
        const Matrix H = correlated(m, n_rows);
        // As of a loss of the rows: along no direction that they do not have.
        const auto z = test::normal_sample(m, 3);
        std::vector<double> gradient(m);
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t k = 0; k < m; ++k) gradient[j] += H(j, k) * z[k];
        const auto w = test::normal_sample(m, 4);
        std::vector<double> l1(m, size);
        l1.back() = 0;
        const auto u = minimise_quadratic_l1(H, gradient, w, l1);
        EXPECT_LE(violation(H, gradient, w, l1, u), 1.001e-6 * violation(H, gradient, w, l1, w))
            << m << " elements of " << n_rows << " rows, l1 " << size;
      }
}

TEST(QuadraticL1, OfADiagonalIsKnown) {
  Matrix H(3, 3);
  for (std::size_t j = 0; j < 3; ++j) H(j, j) = 2;
  const auto u = minimise_quadratic_l1(H, std::vector<double>{-4, 1, 6}, std::vector<double>{0, 0, 1},
                                       std::vector<double>{1, 1, 0});
  EXPECT_NEAR(u[0], 1.5, 1e-12);
  EXPECT_EQ(u[1], 0);
  EXPECT_NEAR(u[2], -2, 1e-12);
}

}  // namespace
}  // namespace dyad

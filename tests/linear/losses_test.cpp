// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dyad {
namespace {

constexpr double h = 1e-5;

/// Calls check(loss) for each smooth loss.
template <class Check>
void for_smooth_losses(const Check& check) {
  for (std::size_t k = 1; k < loss_names.size(); ++k) with_smooth_loss(static_cast<Loss>(k), check);
}

TEST(SmoothLosses, AndTheHingeHaveTheirKnownValues) {
  for (const double m : {-3.0, -0.5, 0.0, 0.3, 1.0, 2.5}) {
    EXPECT_EQ(Hinge::value(m), m < 1 ? 1 - m : 0);
    EXPECT_DOUBLE_EQ(SquaredHinge::value(m), m < 1 ? (1 - m) * (1 - m) : 0);
    EXPECT_NEAR(Logistic::value(m), std::log(1 + std::exp(-m)), 1e-14);
  }
  EXPECT_EQ(Logistic::value(-1000), 1000);
  EXPECT_EQ(Logistic::value(1000), 0);
}

TEST(SmoothLosses, HaveTheSlopeAndCurvatureOfTheirValue) {
  for_smooth_losses([](auto loss) {
    for (const double m : {-7.1, -1.2, 0.1, 0.8, 1.3, 6.4}) {
      EXPECT_NEAR(loss.slope(m), -(loss.value(m + h) - loss.value(m - h)) / (2 * h), 1e-8) << m;
      EXPECT_NEAR(loss.curvature(m), -(loss.slope(m + h) - loss.slope(m - h)) / (2 * h), 1e-8) << m;
      EXPECT_GE(loss.slope(m), 0);
    }
  });
}

TEST(SmoothLosses, HaveTheConjugateOfTheirValue) {
  for_smooth_losses([](auto loss) {
    for (const double a : {0.01, 0.3, 0.5, 0.97}) {
      double least = std::numeric_limits<double>::infinity();
      for (double m = -8; m < 8; m += 1e-3) least = std::min(least, loss.value(m) + a * m);
      EXPECT_NEAR(loss.conjugate(a), least, 1e-6) << a;
    }
  });
}

TEST(SmoothLosses, DoNotIncludeTheHinge) {
  EXPECT_THROW(with_smooth_loss(Loss::hinge, [](auto) {}), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/counts/scaled_column.h"

#include <gtest/gtest.h>

#include "dyad/data/summary.h"
#include "tests/samples.h"

namespace dyad {
namespace {

TEST(ScaledColumn, IsCentredAtTheMedianInUnitsOfTheStandardDeviation) {
  for (const std::size_t n : {2U, 5U, 300U}) {
    const auto x = test::scaled(test::normal_sample(n, 1), 40, 1e4);
    const ScaledColumn column = scaled_column(x);
    EXPECT_EQ(column.scaling.centre, upper_median(x));
    EXPECT_EQ(column.scaling.scale, standard_deviation(x));
    ASSERT_EQ(column.values.size(), n);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(static_cast<double>(column.values[i]), (x[i] - upper_median(x)) / standard_deviation(x),
                  3e-7);
  }
}

TEST(ScaledColumn, CountsWeightsAsCopies) {
  const auto x = test::normal_sample(50, 2);
  const auto weights = test::whole_weights(50, 3);
  const ScaledColumn weighted = scaled_column(x, weights);
  const ScaledColumn repeated = scaled_column(test::repeated(x, weights));
  EXPECT_EQ(weighted.scaling.centre, repeated.scaling.centre);
  EXPECT_NEAR(weighted.scaling.scale, repeated.scaling.scale, 1e-14);
  EXPECT_EQ(weighted.n(), repeated.n());
}

TEST(ScaledColumn, IsTheSameForAColumnTimesAPowerOfTwo) {
  const auto x = test::normal_sample(100, 3);
  const ScaledColumn column = scaled_column(x);
  for (const int power : {-300, -3, 10, 300}) {
    const ScaledColumn scaled = scaled_column(test::scaled(x, std::ldexp(1, power)));
    EXPECT_EQ(scaled.values, column.values) << power;
    EXPECT_EQ(scaled.scaling.scale, std::ldexp(column.scaling.scale, power));
  }
}

TEST(ScaledColumn, HasHarmlessNumbersWhateverTheValues) {
  auto outlier = test::normal_sample(60, 4);
  outlier[5] = 1e20;
  const std::vector<std::vector<double>> samples{{3.0},
                                                 {0.0},
                                                 std::vector<double>(50, -7.0),
                                                 {1e300, -1e300, 1.0},
                                                 {1e-300, 2e-300},
                                                 outlier,
                                                 {-1.7e308, 1.7e308},
                                                 {0.0, 5e-324}};
  for (const auto& x : samples) {
    const ScaledColumn column = scaled_column(x);
    EXPECT_TRUE(std::isfinite(column.scaling.scale) && column.scaling.scale > 0) << x[0];
    for (const float value : column.values) EXPECT_LE(std::abs(value), 1.0001e30F) << x[0];
  }
  for (const float value : scaled_column(std::vector<double>(50, -7.0)).values) EXPECT_EQ(value, 0.0F);
}

TEST(ScaledColumn, LimitsWhatLiesFarOutside) {
  const Scaling scaling{2, 0.5};
  EXPECT_EQ(scaling(3), 2);
  EXPECT_EQ(scaling(1e300), 1e30);
  EXPECT_EQ(scaling(-1e300), -1e30);
}

}  // namespace
}  // namespace dyad

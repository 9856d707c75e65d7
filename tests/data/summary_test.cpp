// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/summary.h"

#include <gtest/gtest.h>

#include "tests/samples.h"

namespace dyad {
namespace {

TEST(Summary, MatchesTheGoldenValues) {
  const Table golden = test::golden_table("bandwidths_1d");
  const auto inputs = test::by_sample(test::golden_table("inputs_1d"), "x");
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const auto& x = inputs.at(test::text(golden, "sample", k));
    test::expect_close(standard_deviation(x), test::numbers(golden, "sd")[k], 1e-13);
    test::expect_close(interquartile_range(x), test::numbers(golden, "iqr")[k], 1e-13);
  }
}

TEST(Summary, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> x{4, 1, 3, 2};
  EXPECT_EQ(quantile(x, 0), 1);
  EXPECT_EQ(quantile(x, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(x, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 1.75);
  const std::vector<double> one{7};
  EXPECT_EQ(quantile(one, 0.3), 7);
}

TEST(Summary, IsPreciseForValuesOfAnySize) {
  const auto x = test::normal_sample(100, 1);
  for (const double factor : {1e-300, 1e-200, 1e200, 1e300}) {
    test::expect_close(mean(test::scaled(x, factor)) / factor, mean(x), 1e-12);
    test::expect_close(standard_deviation(test::scaled(x, factor)) / factor, standard_deviation(x), 1e-12);
  }
}

TEST(Summary, OfValuesFarFromZeroDoesNotDependOnTheirOrder) {
  // A sum of 1e15 and the like rounds to whole numbers: the mean is off by up to one.
  auto x = test::scaled(test::normal_sample(40, 1), 1, 1e15);
  const auto z = test::scaled(x, 1, -1e15);
  for (int k = 0; k < 20; ++k) {
    Random(static_cast<std::uint64_t>(k)).shuffle(x);
    test::expect_close(standard_deviation(x), standard_deviation(z), 1e-12);
  }
}

TEST(Summary, OfAConstantHasNoSpread) {
  const std::vector<double> tenths(10, 0.1);
  EXPECT_EQ(standard_deviation(tenths), 0);
  EXPECT_EQ(positive_spread(tenths), 0.1);
  const std::vector<double> zeros(10, 0.0);
  EXPECT_EQ(positive_spread(zeros), 1);
}

TEST(Summary, NamesTheValueThatIsNotFinite) {
  const std::vector<double> broken{1, 2, INFINITY};
  try {
    require_finite_sample(broken, "example");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "example: value 3 is not finite, got inf");
  }
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/coordinate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/data/summary.h"
#include "tests/oracles.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

std::vector<double> applied(const Coordinate& coordinate, const std::vector<double>& x) {
  std::vector<double> z(x.size());
  apply(coordinate, x, z);
  return z;
}

std::vector<double> robust(const std::vector<double>& x, const std::vector<double>& at) {
  return applied(fit_coordinate(x, Transform::robust), at);
}

/// Values of every decade from 1e-3 to 1e3.
std::vector<double> decades(std::size_t n) {
  auto x = test::normal_sample(n, 5);
  for (double& value : x) value = std::pow(10, value);
  return x;
}

/// 0, .., 0, 1, so few that quartiles are equal.
std::vector<double> rare_ones(std::size_t n) {
  std::vector<double> x(n, 0.0);
  for (std::size_t i = 0; i < n / 10; ++i) x[i] = 1 + 0.1 * static_cast<double>(i);
  return x;
}

std::vector<test::Feature> features() {
  auto result = test::features(200, 2);
  result.push_back({"decades", decades(200)});
  result.push_back({"rare ones", rare_ones(200)});
  result.push_back({"constant", std::vector<double>(20, -3.5)});
  return result;
}

TEST(Coordinate, IsTheOneOfTheRecipe) {
  for (const auto& [name, x] : features()) {
    std::vector<double> at = test::normal_sample(50, 9);
    at.insert(at.end(), {0, -1e9, 1e9, 1e-9, 3});
    at.insert(at.end(), x.begin(), x.end());
    const auto z = robust(x, at);
    const auto expected = oracle::robust_coordinate(x, at);
    for (std::size_t i = 0; i < at.size(); ++i) test::expect_close(z[i], expected[i], 1e-11, name, 1e-11);
  }
}

TEST(Coordinate, TakesLogarithmsOnlyOfPositiveValuesMoreThanTwoDecadesApart) {
  // Of 21 values the quantiles at 0.05 and 0.95 are the second and the last but one.
  std::vector<double> x(21, 10.0);
  x.front() = x[1] = 1;
  x.back() = 1e6;
  x[19] = 100;
  EXPECT_EQ(fit_coordinate(x, Transform::robust).curve, Curve::asinh);
  x[19] = 100.001;
  EXPECT_EQ(fit_coordinate(x, Transform::robust).curve, Curve::log);
  EXPECT_EQ(fit_coordinate(x, Transform::standard).curve, Curve::linear);
  for (const double least : {0.0, -1e-300}) {
    x.front() = least;
    EXPECT_EQ(fit_coordinate(x, Transform::robust).curve, Curve::asinh) << least;
  }
  x.front() = std::numeric_limits<double>::denorm_min();
  const Coordinate coordinate = fit_coordinate(x, Transform::robust);
  EXPECT_EQ(coordinate.curve, Curve::log);
  EXPECT_GT(coordinate.lowest, 0);
  for (const double z : applied(coordinate, {-1, 0, 1e-320, 1e300})) EXPECT_TRUE(std::isfinite(z));
}

TEST(Coordinate, TakesValuesBelowHalfOfTheSmallestForThat) {
  const auto x = decades(100);
  const double least = *std::ranges::min_element(x);
  const auto z = robust(x, {least / 2, least / 4, 0, -5, 0.6 * least});
  for (const std::size_t i : {1U, 2U, 3U}) EXPECT_EQ(z[i], z[0]);
  EXPECT_GT(z[4], z[0]);
}

TEST(Coordinate, OfTheSampleHasMeanZeroAndDeviationOne) {
  for (const auto& [name, x] : features())
    for (const Transform transform : {Transform::standard, Transform::robust}) {
      const auto z = applied(fit_coordinate(x, transform), x);
      EXPECT_NEAR(mean(z), 0, 1e-12) << name;
      EXPECT_NEAR(standard_deviation(z), name == "constant" ? 0 : 1, 1e-12) << name;
    }
}

TEST(Coordinate, Ascends) {
  std::vector<double> at;
  for (int k = -2000; k <= 2000; ++k) at.push_back(0.01 * k);
  for (const double huge : {1e5, 1e50, 1e99, 1e150, 1e300, std::numeric_limits<double>::max()}) {
    at.push_back(huge);
    at.insert(at.begin(), -huge);
  }
  for (const auto& [name, x] : features())
    for (const Transform transform : {Transform::standard, Transform::robust}) {
      const auto z = applied(fit_coordinate(x, transform), at);
      EXPECT_TRUE(std::ranges::is_sorted(z)) << name;
      EXPECT_LT(z[100], z[at.size() - 100]) << name;
      for (const double value : z) EXPECT_LE(std::abs(value), 1e100) << name;
    }
}

TEST(Coordinate, HasAnInverse) {
  auto x = test::normal_sample(100, 1);
  auto y = x;
  for (double& value : y) value = std::exp(3 * value);
  for (const auto& values : {x, y})
    for (const Transform transform : {Transform::standard, Transform::robust}) {
      const Coordinate coordinate = fit_coordinate(values, transform);
      std::vector<double> z(values.size());
      apply(coordinate, values, z);
      for (std::size_t i = 0; i < z.size(); ++i)
        test::expect_close(inverse(coordinate, z[i]), values[i], 1e-9, "", 1e-9);
    }
  EXPECT_TRUE(std::isfinite(inverse(fit_coordinate(y, Transform::robust), 1e6)));
  EXPECT_TRUE(std::isfinite(inverse(fit_coordinate(x, Transform::robust), -1e6)));
}

TEST(Coordinate, OfWeightsIsThatOfCopies) {
  for (const auto& [name, x] : features()) {
    const RowWeights weights = test::whole_weights(x.size(), 3);
    for (const Transform transform : {Transform::standard, Transform::robust}) {
      const Coordinate a = fit_coordinate(x, transform, weights);
      const Coordinate b = fit_coordinate(test::repeated(x, weights), transform);
      EXPECT_EQ(a.curve, b.curve) << name;
      test::expect_close(a.lowest, b.lowest, 1e-12, name);
      test::expect_close(a.centre, b.centre, 1e-12, name, 1e-12);
      test::expect_close(a.spread, b.spread, 1e-12, name);
      test::expect_close(a.mean, b.mean, 1e-12, name, 1e-12);
      test::expect_close(a.deviation, b.deviation, 1e-12, name);
    }
  }
}

TEST(Coordinate, DoesNotDependOnTheUnitOfTheFeature) {
  for (const auto& [name, x] : features()) {
    if (name == "decades" || fit_coordinate(x, Transform::robust).curve == Curve::log) continue;
    const auto z = robust(x, x);
    for (const double factor : {1e-12, 3.7, 1e9})
      for (const double shift : {0.0, -2 * factor, 100 * factor}) {
        const auto moved = test::scaled(x, factor, shift);
        if (fit_coordinate(moved, Transform::robust).curve == Curve::log) continue;
        const auto moved_z = robust(moved, moved);
        for (std::size_t i = 0; i < x.size(); ++i)
          test::expect_close(moved_z[i], z[i], 1e-10, name, name == "constant" ? 1e-3 : 1e-10);
      }
    EXPECT_EQ(robust(test::scaled(x, 0x1p40), test::scaled(x, 0x1p40)), z) << name;
  }
  const auto x = decades(100);
  const auto z = robust(x, x);
  const auto moved = test::scaled(x, 1e7);
  const auto moved_z = robust(moved, moved);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(moved_z[i], z[i], 1e-12);
}

TEST(Coordinate, OfHugeAndTinyValuesIsFinite) {
  for (const double size : {1e300, 1.7e308, 1e-300, 5e-324}) {
    auto x = test::normal_sample(50, 4);
    for (double& value : x) value = size * std::clamp(value, -1.0, 1.0);
    for (const Transform transform : {Transform::standard, Transform::robust}) {
      const Coordinate coordinate = fit_coordinate(x, transform);
      EXPECT_GT(coordinate.spread, 0) << size;
      EXPECT_GT(coordinate.deviation, 0) << size;
      for (const double z : applied(coordinate, x)) EXPECT_LE(std::abs(z), 10) << size;
      for (const double z : applied(coordinate, {1.7e308, -1.7e308, 0}))
        EXPECT_LE(std::abs(z), 1e100) << size;
    }
  }
  std::vector<double> mixed = test::normal_sample(50, 4);
  mixed[3] = 1e300;
  for (const double z : robust(mixed, mixed)) EXPECT_TRUE(std::isfinite(z));
}

TEST(Coordinate, OfEveryColumnIsItsOwn) {
  Matrix X(100, 2);
  std::ranges::copy(decades(100), X.column(0).begin());
  std::ranges::copy(test::normal_sample(100, 1), X.column(1).begin());
  EXPECT_TRUE(fit_coordinates(X, Transform::none, {}).empty());
  const auto coordinates = fit_coordinates(X, Transform::robust, {});
  ASSERT_EQ(coordinates.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_EQ(coordinates[j], fit_coordinate(X.column(j), Transform::robust));
  EXPECT_EQ(coordinates[0].curve, Curve::log);
  EXPECT_EQ(coordinates[1].curve, Curve::asinh);
}

TEST(Coordinate, IsThatOfTheValuesThatAreNotMissing) {
  using test::gap;
  const RowWeights weights = test::whole_weights(100, 3);
  Matrix X(100, 3);
  std::ranges::copy(decades(100), X.column(0).begin());
  std::ranges::copy(test::normal_sample(100, 1), X.column(1).begin());
  std::ranges::fill(X.column(2), gap);
  std::vector<double> present;
  RowWeights present_weights;
  for (std::size_t i = 0; i < 100; ++i) {
    if (i % 3 == 1) {
      X(i, 0) = gap;
      continue;
    }
    present.push_back(X(i, 0));
    present_weights.counts.push_back(weights.counts[i]);
  }
  for (const Transform transform : {Transform::standard, Transform::robust}) {
    const auto coordinates = fit_coordinates(X, transform, weights);
    ASSERT_EQ(coordinates.size(), 3U);
    EXPECT_EQ(coordinates[0], fit_coordinate(present, transform, present_weights));
    EXPECT_EQ(coordinates[1], fit_coordinate(X.column(1), transform, weights));
    EXPECT_EQ(coordinates[2], Coordinate{});
    const auto z = applied(coordinates[0], {present[0], gap});
    EXPECT_TRUE(std::isfinite(z[0]));
    EXPECT_TRUE(std::isnan(z[1]));
  }
}

TEST(Coordinate, OfAValueAtTheMeanIsZeroInAnyOrder) {
  // 1 is the mean of 0, 1 and 2, which rounding may move.
  std::vector<double> x;
  for (int i = 0; i < 33; ++i) x.push_back(0.1 * (i % 3));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random(seed).shuffle(x);
    for (const Transform transform : {Transform::standard, Transform::robust})
      EXPECT_EQ(applied(fit_coordinate(x, transform), {0.1}).front(), 0);
  }
}

TEST(Coordinate, OfCodesLeavesThemAsTheyAre) {
  Matrix X(50, 2);
  for (std::size_t i = 0; i < 50; ++i) X(i, 0) = X(i, 1) = static_cast<double>(i % 4);
  const std::vector<Levels> levels{{{"a", "b", "c", "d"}}, {}};
  const auto coordinates = fit_coordinates(X, Transform::robust, {}, {}, levels);
  ASSERT_EQ(coordinates.size(), 2U);
  EXPECT_EQ(applied(coordinates[0], {0, 1, 2, 3}), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(coordinates[1], fit_coordinate(X.column(1), Transform::robust));
  EXPECT_NE(applied(coordinates[1], {0, 1, 2, 3}), (std::vector<double>{0, 1, 2, 3}));
}

TEST(Coordinate, OfAMatrixAreThoseOfItsColumns) {
  Matrix X(50, 2);
  X.data = test::normal_sample(100, 3);
  const auto coordinates = fit_coordinates(X, Transform::robust, {});
  const Matrix Z = in_coordinates(coordinates, X);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_TRUE(
        std::ranges::equal(Z.column(j), applied(coordinates[j], {X.column(j).begin(), X.column(j).end()})));
  EXPECT_EQ(in_coordinates({}, X).data, X.data);
  apply_coordinates(coordinates, X);
  EXPECT_EQ(X.data, Z.data);
}

}  // namespace
}  // namespace dyad

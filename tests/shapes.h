// Pairs of features of many shapes, on which the counts engine is held against the exact one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/samples.h"

namespace dyad::test {

struct Shape {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

inline constexpr std::size_t shape_sizes[] = {50, 500, 2000};

/// No ties, no long tails, no narrow ridge.
inline bool is_smooth(const std::string& name) {
  return name == "normal" || name == "correlated" || name == "bimodal" || name == "banana";
}

/// n rows of each shape, the features dependent in all but the first. No two seeds share a value.
inline std::vector<Shape> shapes(std::size_t n, std::uint64_t seed = 1) {
  const auto z = normal_sample(n, 1000 * seed + 1);
  const auto w = normal_sample(n, 1000 * seed + 2);
  const auto half = correlated_with(z, 0.5, 1000 * seed + 3);
  const auto of = [&](std::string name, auto&& row) {
    Shape shape{std::move(name), std::vector<double>(n), std::vector<double>(n)};
    Random random(1000 * seed + 4);
    for (std::size_t i = 0; i < n; ++i) {
      const auto [x, y] = row(z[i], w[i], half[i], random);
      shape.x[i] = x;
      shape.y[i] = y;
    }
    return shape;
  };
  using Pair = std::pair<double, double>;
  return {
      of("normal",
         [](double a, double b, double, Random&) {
           return Pair{a, b};
         }),
      of("correlated",
         [](double a, double, double c, Random&) {
           return Pair{a, c};
         }),
      of("narrow",
         [](double a, double b, double, Random&) {
           return Pair{a, 0.99 * a + std::sqrt(1 - 0.99 * 0.99) * b};
         }),
      of("lognormal",
         [](double a, double, double c, Random&) {
           return Pair{std::exp(a), std::exp(c)};
         }),
      of("t3",
         [](double a, double, double c, Random& random) {
           const auto chi = [&] {
             return std::hypot(random.normal(), random.normal(), random.normal()) / std::sqrt(3.0);
           };
           const double first = chi();
           return Pair{a / first, c / chi()};
         }),
      of("cauchy",
         [](double a, double, double c, Random& random) {
           const double common = std::abs(random.normal());
           return Pair{a / common, c / common};
         }),
      of("bimodal",
         [](double a, double b, double, Random& random) {
           const double side = random.uniform() < 0.4 ? -2.5 : 2.5;
           return Pair{a + side, b + 0.6 * side};
         }),
      of("tied",
         [](double a, double, double c, Random&) {
           return Pair{std::round(4 * a) / 4, std::round(2 * c) / 2};
         }),
      of("banana",
         [](double a, double b, double, Random&) {
           return Pair{a, a * a + 0.5 * b};
         }),
      of("zeros",
         [](double a, double, double c, Random&) {
           return Pair{std::max(0.0, a + 0.3), std::max(0.0, c + 0.3)};
         }),
  };
}

struct Feature {
  std::string name;
  std::vector<double> values;
};

/// One feature of each shape, without repeats.
inline std::vector<Feature> features(std::size_t n, std::uint64_t seed = 1) {
  std::vector<Feature> result;
  for (Shape& shape : shapes(n, seed))
    if (shape.name != "correlated" && shape.name != "narrow")
      result.push_back({shape.name, shape.name == "banana" ? shape.y : shape.x});
  return result;
}

/// Absolute differences of two series, each value raised to at least `floor` first, ascending.
inline std::vector<double> sorted_errors(std::span<const double> actual, std::span<const double> expected,
                                         double floor = -INFINITY) {
  std::vector<double> errors(actual.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = std::abs(std::max(actual[i], floor) - std::max(expected[i], floor));
  std::ranges::sort(errors);
  return errors;
}

/// Expects half of the errors of log densities to be at most `median`, 99 % at most `most`.
inline void expect_small_errors(const std::vector<double>& errors, double median, double most,
                                const std::string& what) {
  ASSERT_FALSE(errors.empty()) << what;
  EXPECT_LE(errors[(errors.size() - 1) / 2], median) << what << ": median error";
  EXPECT_LE(errors[(errors.size() - 1) * 99 / 100], most) << what << ": error at 99 %";
}

}  // namespace dyad::test

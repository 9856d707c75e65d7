// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/level_density.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::gap;

// --- shares ---

struct Counts {
  std::string name;
  oracle::Grid counts;
  std::vector<double> prior_x;
  std::vector<double> prior_y;
};

std::vector<Counts> all_counts() {
  return {{"one feature", {{6}, {3}, {0}, {1}}, {0.4, 0.3, 0.2, 0.1}, {1}},
          {"one feature as y", {{6, 3, 0}}, {1}, {0.5, 0.3, 0.2}},
          {"a pair", {{5, 0, 2}, {1, 8, 3}}, {0.3, 0.7}, {0.25, 0.5, 0.25}},
          {"an empty level", {{5, 0}, {0, 0}, {2.5, 1}}, {0.5, 0.2, 0.3}, {0.6, 0.4}},
          {"weights below one", {{0.01, 0.003}, {0, 0.002}}, {0.5, 0.5}, {0.1, 0.9}}};
}

std::vector<double> flat(const oracle::Grid& counts) {
  std::vector<double> result;
  for (const auto& line : counts) result.insert(result.end(), line.begin(), line.end());
  return result;
}

TEST(LevelShares, AreThoseOfTheDefinitionAndAddUpToOne) {
  for (const auto& [name, counts, prior_x, prior_y] : all_counts())
    for (const double level_rows : {0.0, 0.5, 10.0, 1e6}) {
      const auto shares = level_shares(flat(counts), prior_x, prior_y, level_rows);
      ASSERT_EQ(shares.size(), prior_x.size() * prior_y.size());
      for (std::size_t a = 0; a < prior_x.size(); ++a)
        for (std::size_t b = 0; b < prior_y.size(); ++b)
          EXPECT_NEAR(shares[a * prior_y.size() + b],
                      oracle::level_share(counts, prior_x, prior_y, level_rows, a, b), 1e-14)
              << name << ", " << level_rows;
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12) << name << ", " << level_rows;
    }
}

TEST(LevelShares, AreCountsWithoutLevelRowsAndPriorsWithAllOfThem) {
  for (const auto& [name, counts, prior_x, prior_y] : all_counts()) {
    const auto of_counts = flat(counts);
    const double n = std::accumulate(of_counts.begin(), of_counts.end(), 0.0);
    const auto without = level_shares(of_counts, prior_x, prior_y, 0);
    const auto with = level_shares(of_counts, prior_x, prior_y, 1e12);
    for (std::size_t a = 0; a < prior_x.size(); ++a)
      for (std::size_t b = 0; b < prior_y.size(); ++b) {
        const std::size_t cell = a * prior_y.size() + b;
        EXPECT_NEAR(without[cell], of_counts[cell] / n, 1e-14) << name;
        EXPECT_NEAR(with[cell], prior_x[a] * prior_y[b], 1e-9) << name;
      }
  }
  // 10 rows draw 6 : 4 half of the way to 1 : 3.
  const auto drawn =
      level_shares(std::vector<double>{6, 4}, std::vector<double>{0.25, 0.75}, std::vector<double>{1}, 10);
  EXPECT_NEAR(drawn[0], 0.425, 1e-15);
  EXPECT_NEAR(drawn[1], 0.575, 1e-15);
  // No row at all.
  EXPECT_EQ(
      level_shares(std::vector<double>{0, 0}, std::vector<double>{0.25, 0.75}, std::vector<double>{1}, 0),
      (std::vector<double>{0.25, 0.75}));
}

TEST(LevelShares, OfIndependentFeaturesAreProducts) {
  // Counts that are products stay so whatever draws them to the product.
  const std::vector<double> prior_x{0.4, 0.6};
  const std::vector<double> prior_y{0.2, 0.3, 0.5};
  std::vector<double> counts;
  for (const double a : prior_x)
    for (const double b : prior_y) counts.push_back(100 * a * b);
  for (const double level_rows : {0.0, 3.0, 50.0}) {
    const auto shares = level_shares(counts, prior_x, prior_y, level_rows);
    for (std::size_t cell = 0; cell < 6; ++cell) EXPECT_NEAR(shares[cell], counts[cell] / 100, 1e-14);
  }
}

// --- axes ---

TEST(LevelAxis, HasTheLevelOfNumbersCodesAndGaps) {
  const LevelAxis codes{.n_levels = 3};
  const LevelAxis codes_or_gaps{.has_missing = true, .n_levels = 4};
  const LevelAxis numbers{.is_number = true};
  const LevelAxis numbers_or_gaps{.is_number = true, .has_missing = true, .n_levels = 2};
  for (const LevelAxis& axis : {codes, codes_or_gaps}) {
    EXPECT_EQ(axis.level(0), 0U);
    EXPECT_EQ(axis.level(2), 2U);
    EXPECT_EQ(axis.level(3), axis.n_levels);
    EXPECT_EQ(axis.level(-1), axis.n_levels);
    EXPECT_FALSE(axis.is_plain());
  }
  EXPECT_EQ(codes.level(gap), 3U);
  EXPECT_EQ(codes_or_gaps.level(gap), 3U);
  EXPECT_EQ(codes_or_gaps.n_levels, 4U);
  for (const double x : {-1e300, 0.0, 7.5}) {
    EXPECT_EQ(numbers.level(x), 0U);
    EXPECT_EQ(numbers_or_gaps.level(x), 0U);
  }
  EXPECT_EQ(numbers.level(gap), 1U);
  EXPECT_EQ(numbers_or_gaps.level(gap), 1U);
  EXPECT_TRUE(numbers.is_plain());
  EXPECT_FALSE(numbers_or_gaps.is_plain());
}

// --- densities ---

constexpr std::size_t n_rows = 60;

double fixed_h(oracle::Sample) { return 0.4; }
Symmetric2 fixed_H(oracle::Sample, oracle::Sample) { return {0.2, 0.05, 0.3}; }

/// A density of a class's rows with kernels of fixed bandwidths, put together by hand, and what it is to be.
struct Example {
  std::string name;
  oracle::LevelRows rows;
  std::vector<double> shares;
  LevelDensity density;
};

std::vector<double> codes(std::size_t n_levels, bool gaps, std::uint64_t seed) {
  std::vector<double> result;
  Random random(seed);
  for (std::size_t i = 0; i < n_rows; ++i) {
    // The last level has two rows.
    const double code =
        i < 2 ? static_cast<double>(n_levels - 1) : static_cast<double>(random.below(n_levels - 1));
    result.push_back(gaps && i % 4 == 3 ? gap : code);
  }
  return result;
}

std::vector<double> numbers(bool gaps, std::uint64_t seed) {
  auto result = test::normal_sample(n_rows, seed);
  for (std::size_t i = 0; gaps && i < n_rows; ++i)
    if (i % (2 + seed) == 1) result[i] = gap;
  return result;
}

LevelAxis axis_of(const std::vector<double>& x, bool number, std::size_t n_codes) {
  LevelAxis axis{.is_number = number};
  axis.has_missing = std::ranges::any_of(x, [](double value) { return std::isnan(value); });
  axis.n_levels = (number ? 1 : n_codes) + (axis.has_missing ? 1 : 0);
  return axis;
}

/// The numbers of rows of given levels; all of them where a level is none.
struct NumbersOf {
  std::vector<double> x, y;
};

std::size_t add_part(LevelDensity& density, const NumbersOf& rows, bool has_x, bool has_y) {
  const auto n = static_cast<double>(rows.x.size());
  if (rows.x.empty()) return LevelDensity::none;
  if (has_x && has_y)
    density.parts.push_back({make_kde2d(rows.x, rows.y, fixed_H({}, {})), n});
  else
    density.parts.push_back({make_kde1d(has_x ? rows.x : rows.y, fixed_h({})), n});
  return density.parts.size() - 1;
}

Example make_example(const std::string& name, oracle::LevelRows rows, std::size_t codes_x,
                     std::size_t codes_y) {
  Example example{.name = name, .rows = std::move(rows)};
  oracle::LevelRows& of = example.rows;
  of.h_1d = fixed_h;
  of.H_2d = fixed_H;
  const bool single = of.y.empty();
  if (single) {
    of.y.assign(n_rows, 0.0);
    of.fewest = INFINITY;  // one density of all its numbers
  }
  LevelDensity& density = example.density;
  density.x = axis_of(of.x, of.number_x, codes_x);
  density.y = single ? LevelAxis{} : axis_of(of.y, of.number_y, codes_y);
  density.level_rows = of.level_rows;
  density.prior_rows = of.prior_rows;
  const auto rows_where = [&](auto&& holds) {
    NumbersOf result;
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (!holds(i)) continue;
      result.x.push_back(of.x[i]);
      result.y.push_back(of.y[i]);
    }
    return result;
  };
  if (of.number_x)
    density.margin_x =
        add_part(density, rows_where([&](std::size_t i) { return !std::isnan(of.x[i]); }), true, false);
  if (of.number_y)
    density.margin_y =
        add_part(density, rows_where([&](std::size_t i) { return !std::isnan(of.y[i]); }), false, true);
  density.cells.assign(density.n_cells(), LevelDensity::none);
  std::vector<double> counts(density.n_cells());
  for (std::size_t cell = 0; cell < density.n_cells(); ++cell) {
    const std::size_t a = cell / density.y.n_levels;
    const std::size_t b = cell % density.y.n_levels;
    const auto own = rows_where([&](std::size_t i) {
      return density.x.level(of.x[i]) == a && (single || density.y.level(of.y[i]) == b);
    });
    counts[cell] = static_cast<double>(own.x.size());
    const bool has_x = density.x.has_numbers(a);
    const bool has_y = density.y.has_numbers(b);
    if (!single && (has_x || has_y) && counts[cell] >= of.fewest)
      density.cells[cell] = add_part(density, own, has_x, has_y);
  }
  // Any shares will do; these are in no way those of the rows.
  for (std::size_t cell = 0; cell < density.n_cells(); ++cell)
    example.shares.push_back(1 + static_cast<double>(cell % 3));
  const double sum = std::accumulate(example.shares.begin(), example.shares.end(), 0.0);
  for (double& share : example.shares) {
    share /= sum;
    density.log_shares.push_back(std::log(share));
  }
  return example;
}

std::vector<Example> examples(double level_rows, double prior_rows) {
  const auto rows = [&](std::vector<double> x, std::vector<double> y, bool number_x, bool number_y) {
    return oracle::LevelRows{.x = std::move(x),
                             .y = std::move(y),
                             .number_x = number_x,
                             .number_y = number_y,
                             .level_rows = level_rows,
                             .prior_rows = prior_rows};
  };
  std::vector<Example> result;
  for (const bool gaps : {false, true}) {
    const std::string with = gaps ? " with gaps" : "";
    result.push_back(make_example("category" + with, rows(codes(3, gaps, 1), {}, false, false), 3, 0));
    result.push_back(make_example("two categories" + with,
                                  rows(codes(3, gaps, 1), codes(4, false, 2), false, false), 3, 4));
    result.push_back(make_example("category and number" + with,
                                  rows(codes(3, false, 1), numbers(gaps, 1), false, true), 3, 0));
    result.push_back(make_example("number and category" + with,
                                  rows(numbers(gaps, 1), codes(3, gaps, 1), true, false), 0, 3));
  }
  result.push_back(make_example("number with gaps", rows(numbers(true, 1), {}, true, false), 0, 0));
  result.push_back(
      make_example("two numbers with gaps", rows(numbers(true, 1), numbers(true, 2), true, true), 0, 0));
  result.push_back(make_example("number and number with gaps",
                                rows(numbers(false, 1), numbers(true, 2), true, true), 0, 0));
  return result;
}

/// Values to ask for: all codes, or numbers near and far, and a gap where there are any.
std::vector<double> values_of(const LevelAxis& axis) {
  std::vector<double> values;
  if (axis.is_number)
    values = {-6, -1.5, 0, 0.3, 2, 9};
  else
    for (std::size_t k = 0; k + (axis.has_missing ? 1 : 0) < axis.n_levels; ++k)
      values.push_back(static_cast<double>(k));
  if (axis.has_missing) values.push_back(gap);
  return values;
}

double log_density_at(const LevelDensity& density, double x, double y) {
  double out = 0;
  log_density(density, {&x, 1}, {&y, 1}, {&out, 1});
  return out;
}

class LevelDensities : public testing::TestWithParam<std::tuple<double, double>> {};
INSTANTIATE_TEST_SUITE_P(Rows, LevelDensities,
                         testing::Combine(testing::Values(0.0, 4.0), testing::Values(0.0, 2.0)));

TEST_P(LevelDensities, AreThoseOfTheDefinition) {
  const auto [level_rows, prior_rows] = GetParam();
  for (const Example& example : examples(level_rows, prior_rows)) {
    const LevelDensity& density = example.density;
    const bool single = density.y == LevelAxis{};
    for (const double x : values_of(density.x))
      for (const double y : single ? std::vector<double>{0} : values_of(density.y)) {
        const std::size_t cell = density.x.level(x) * density.y.n_levels + (single ? 0 : density.y.level(y));
        const double expected = example.shares[cell] * oracle::density_in_levels(example.rows, x, y);
        const double actual = log_density_at(density, x, single ? x : y);
        if (expected > 1e-290)
          EXPECT_NEAR(actual, std::log(expected), 1e-9) << example.name << " at " << x << ", " << y;
        else
          EXPECT_LT(actual, -600) << example.name << " at " << x << ", " << y;
      }
  }
}

TEST_P(LevelDensities, OfManyRowsAreThoseOfEach) {
  const auto [level_rows, prior_rows] = GetParam();
  for (const Example& example : examples(level_rows, prior_rows)) {
    const bool single = example.density.y == LevelAxis{};
    const auto& x = example.rows.x;
    const auto& y = single ? x : example.rows.y;
    std::vector<double> out(n_rows);
    log_density(example.density, x, y, out);
    for (std::size_t i = 0; i < n_rows; ++i)
      EXPECT_NEAR(out[i], log_density_at(example.density, x[i], y[i]), 1e-12) << example.name;
  }
}

/// Sum over levels and trapezoid over numbers.
struct Node {
  double at, weight;
};
std::vector<Node> nodes_of(const LevelAxis& axis, bool is_there) {
  if (!is_there) return {{0, 1}};
  std::vector<Node> nodes;
  constexpr double step = 0.1;
  for (int k = -120; axis.is_number && k <= 120; ++k) nodes.push_back({step * k, step});
  for (std::size_t k = 0; !axis.is_number && k + (axis.has_missing ? 1 : 0) < axis.n_levels; ++k)
    nodes.push_back({static_cast<double>(k), 1});
  if (axis.has_missing) nodes.push_back({gap, 1});
  return nodes;
}

TEST_P(LevelDensities, IntegrateToOne) {
  const auto [level_rows, prior_rows] = GetParam();
  for (const Example& example : examples(level_rows, prior_rows)) {
    const LevelDensity& density = example.density;
    const bool single = density.y == LevelAxis{};
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> weights;
    for (const Node& a : nodes_of(density.x, true))
      for (const Node& b : nodes_of(density.y, !single)) {
        x.push_back(a.at);
        y.push_back(single ? a.at : b.at);
        weights.push_back(a.weight * b.weight);
      }
    std::vector<double> out(x.size());
    log_density(density, x, y, out);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += weights[k] * std::exp(out[k]);
    EXPECT_NEAR(sum, 1, 1e-6) << example.name;
  }
}

TEST(LevelDensity, IsNotANumberWhereALevelWasNeverMet) {
  for (const Example& example : examples(4, 0)) {
    const LevelDensity& density = example.density;
    const bool single = density.y == LevelAxis{};
    const double met_x = values_of(density.x).front();
    const double met_y = single ? met_x : values_of(density.y).front();
    EXPECT_TRUE(std::isfinite(log_density_at(density, met_x, met_y))) << example.name;
    const auto never_met = [](const LevelAxis& axis) {
      std::vector<double> values;
      if (!axis.has_missing) values.push_back(gap);
      if (!axis.is_number) values.push_back(static_cast<double>(axis.n_levels));
      return values;
    };
    for (const double x : never_met(density.x))
      EXPECT_TRUE(std::isnan(log_density_at(density, x, single ? x : met_y))) << example.name;
    if (single) continue;
    for (const double y : never_met(density.y))
      EXPECT_TRUE(std::isnan(log_density_at(density, met_x, y))) << example.name;
  }
}

TEST(LevelDensity, OfALevelWithoutAShareIsBelowAnyFloor) {
  Example example = examples(4, 0).front();
  example.density.log_shares[1] = -1e30;
  EXPECT_LT(log_density_at(example.density, 1, 1), -1e29);
  EXPECT_NEAR(log_density_at(example.density, 0, 0), std::log(example.shares[0]), 1e-12);
}

}  // namespace
}  // namespace dyad

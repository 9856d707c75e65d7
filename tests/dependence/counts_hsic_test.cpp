// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/counts_hsic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "dyad/base/pairs.h"
#include "tests/oracles.h"
#include "tests/places.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::expect_close;

constexpr std::size_t grid = 128;

Matrix columns_of(const std::vector<std::vector<double>>& columns) {
  Matrix X(columns.front().size(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) std::ranges::copy(columns[j], X.column(j).begin());
  return X;
}

/// Both features of every shape.
Matrix all_shapes(std::size_t n) {
  std::vector<std::vector<double>> columns;
  for (const test::Shape& shape : test::shapes(n)) {
    columns.push_back(shape.x);
    columns.push_back(shape.y);
  }
  return columns_of(columns);
}

std::string names_of(std::size_t n, std::size_t i, std::size_t j) {
  const auto shapes = test::shapes(5);
  return "n = " + std::to_string(n) + ", " + shapes[i / 2].name + " and " + shapes[j / 2].name;
}

Matrix some_rows(const Matrix& X, const std::vector<std::size_t>& rows) {
  Matrix result(rows.size(), X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t k = 0; k < rows.size(); ++k) result(k, j) = X(rows[k], j);
  return result;
}

// --- against the exact sums ---

class CountsHsicOfRows : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Number, CountsHsicOfRows, testing::ValuesIn(test::shape_sizes));

TEST_P(CountsHsicOfRows, IsTheExactOneForEveryPairOfShapes) {
  const std::size_t n = GetParam();
  const Matrix X = all_shapes(n);
  const auto exact = hsic_all_pairs(X);
  const auto counted = counts_hsic_all_pairs(X, grid);
  ASSERT_EQ(counted.size(), exact.size());
  for (std::size_t i = 0; i < X.n_cols; ++i)
    for (std::size_t j = i + 1; j < X.n_cols; ++j) {
      const std::size_t k = pair_index(i, j, X.n_cols);
      // Half of what is asked for.
      EXPECT_LE(std::abs(counted[k].value - exact[k].value), std::max(0.005 * exact[k].value, 5e-6))
          << names_of(n, i, j) << ": " << counted[k].value << ", " << exact[k].value;
      if (exact[k].p_value > 1e-300)
        expect_close(std::log(counted[k].p_value), std::log(exact[k].p_value), 0.03, names_of(n, i, j), 0.01);
    }
}

TEST(CountsHsic, OfHalfTheNodesIsTheExactOneWithinAPercent) {
  const Matrix X = all_shapes(500);
  const auto exact = hsic_all_pairs(X);
  const auto counted = counts_hsic_all_pairs(X, 64);
  for (std::size_t i = 0; i < X.n_cols; ++i)
    for (std::size_t j = i + 1; j < X.n_cols; ++j) {
      const std::size_t k = pair_index(i, j, X.n_cols);
      EXPECT_LE(std::abs(counted[k].value - exact[k].value), std::max(0.01 * exact[k].value, 1e-5))
          << names_of(500, i, j) << ": " << counted[k].value << ", " << exact[k].value;
    }
}

TEST(CountsHsic, IsNearTheGoldenValues) {
  const std::size_t n_rows = test::for_each_golden(
      "hsic", [&](const std::string& sample, const test::Points& points, const auto& golden) {
        const auto& [x, y] = points;
        const Hsic result = counts_hsic(x, y, grid);
        expect_close(result.value, golden("dHSIC"), 0.01, sample, 1e-5);
        expect_close(std::log(result.p_value), std::log(golden("gamma_pvalue")), 0.05, sample, 0.01);
      });
  ASSERT_EQ(n_rows, 20U);
}

TEST(CountsHsic, OfFewLevelsIsTheDefinitionToRounding) {
  // The levels themselves are the nodes, and no row lies between two.
  Random random(1);
  std::vector<double> x(60);
  std::vector<double> y(60);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(random.below(5));
    y[i] = x[i] + 2 * static_cast<double>(random.below(3));
  }
  const double expected = oracle::hsic(x, median_bandwidth(x), y, median_bandwidth(y));
  // Kernels of low rank leave out 1e-4 of their trace.
  expect_close(counts_hsic(x, y, grid).value, expected, 1e-3);
}

/// Where more than half of the distances are 0, the kernel is 1 for equal values and 0 for others.
void expect_near_exact(const std::vector<std::vector<double>>& columns, double tolerance,
                       const std::string& what) {
  const Matrix X = columns_of(columns);
  const auto exact = hsic_all_pairs(X);
  const auto counted = counts_hsic_all_pairs(X, grid);
  for (std::size_t k = 0; k < exact.size(); ++k)
    EXPECT_LE(std::abs(counted[k].value - exact[k].value), std::max(tolerance * exact[k].value, 1e-5))
        << what << ", pair " << k << ": " << counted[k].value << ", " << exact[k].value;
}

TEST(CountsHsic, TellsEqualFromDifferentWhereMostValuesAreEqual) {
  for (const std::size_t n : {50U, 500U, 2000U}) {
    const auto z = test::normal_sample(n, 1);
    const auto c = test::correlated_with(z, 0.7, 2);
    std::vector<double> zeros(n);
    std::vector<double> levels(n);
    for (std::size_t i = 0; i < n; ++i) {
      zeros[i] = std::max(0.0, std::round(20 * z[i]) / 20 - 0.9);
      levels[i] = std::max(0.0, std::round(4 * c[i]) - 4);
    }
    expect_near_exact({zeros, levels, c, test::shapes(n)[5].x}, 0.01, "n = " + std::to_string(n));
  }
}

TEST(CountsHsic, IsWithinAFactorOfTwoWhereThereAreMoreDifferentValuesThanNodes) {
  // Zeros and a hundred or more distinct values, of which no two are alike to the exact kernel but many share
  // a node here.
  for (const std::size_t n : {500U, 1000U, 2000U}) {
    const auto z = test::normal_sample(n, 1);
    const auto c = test::correlated_with(z, 0.7, 2);
    std::vector<double> zeros(n);
    for (std::size_t i = 0; i < n; ++i) zeros[i] = std::max(0.0, z[i] - 0.84);
    expect_near_exact({zeros, c}, 1, "n = " + std::to_string(n));
  }
}

// --- categories and missing values ---

using test::gap;

std::vector<double> with_gaps(std::vector<double> x, std::size_t every, std::size_t first) {
  for (std::size_t i = first; i < x.size(); i += every) x[i] = gap;
  return x;
}

/// Codes that follow the numbers x in part.
std::vector<double> codes_by(const std::vector<double>& x, std::size_t n_levels, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> codes;
  for (const double value : x) {
    const double place = std::clamp(0.25 * (value + 2), 0.0, 0.999) * static_cast<double>(n_levels);
    const auto own = (7 * static_cast<std::uint64_t>(place)) % n_levels;  // neighbours in x are not in codes
    codes.push_back(static_cast<double>(random.below(3) == 0 ? random.below(n_levels) : own));
  }
  return codes;
}

/// Numbers and codes with and without gaps, some of which tell a number.
struct MixedColumns {
  std::vector<std::vector<double>> columns;
  std::vector<bool> categorical;
};
MixedColumns mixed_columns(std::size_t n) {
  const auto x = test::normal_sample(n, 1);
  const auto y = test::correlated_with(x, 0.6, 2);
  auto far = with_gaps(x, 6, 3);
  far[0] = 1e300;  // as far as anything can be, and yet not missing
  far[7] = -1e300;
  return {{x, y, with_gaps(y, 4, 1), with_gaps(x, 3, 2), far, codes_by(x, 3, 3), codes_by(y, 30, 4),
           with_gaps(codes_by(x, 5, 5), 5, 0), codes_by(test::normal_sample(n, 9), 50, 6)},
          {false, false, false, false, false, true, true, true, true}};
}

oracle::Square kernel_of(const std::vector<double>& x, bool categorical) {
  if (categorical) return oracle::equality_kernel(x);
  std::vector<double> present;
  std::ranges::copy_if(x, std::back_inserter(present), [](double value) { return !std::isnan(value); });
  return oracle::gaussian_kernel_with_gaps(x, median_bandwidth(present));
}

TEST(SlowCountsHsic, OfCategoriesAndGapsIsTheDefinition) {
  for (const std::size_t n : {60U, 250U}) {
    const auto [columns, categorical] = mixed_columns(n);
    const auto counted = counts_hsic_all_pairs(columns_of(columns), grid, {}, {}, categorical);
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = i + 1; j < columns.size(); ++j) {
        const double expected =
            oracle::hsic(kernel_of(columns[i], categorical[i]), kernel_of(columns[j], categorical[j]));
        const double value = counted[pair_index(i, j, columns.size())].value;
        EXPECT_LE(std::abs(value - expected), std::max(0.005 * expected, 5e-6))
            << "n = " << n << ", columns " << i << " and " << j << ": " << value << ", " << expected;
      }
  }
}

TEST(CountsHsic, OfCategoriesIsTheSumOverTheirLevels) {
  // With kernels of equality, HSIC is the sum over pairs of levels of (p_ab - p_a p_b)^2.
  const auto x = codes_by(test::normal_sample(200, 1), 4, 2);
  const auto y = with_gaps(x, 7, 2);
  std::map<std::pair<int, int>, double> joint;
  std::map<int, double> p;
  std::map<int, double> q;
  for (std::size_t i = 0; i < 200; ++i) {
    const int a = static_cast<int>(x[i]);
    const int b = std::isnan(y[i]) ? -1 : static_cast<int>(y[i]);
    joint[{a, b}] += 1.0 / 200;
    p[a] += 1.0 / 200;
    q[b] += 1.0 / 200;
  }
  double expected = 0;
  for (const auto& [a, p_a] : p)
    for (const auto& [b, q_b] : q) expected += std::pow(joint[{a, b}] - p_a * q_b, 2);
  const auto value = counts_hsic_all_pairs(columns_of({x, y}), grid, {}, {}, {true, true}).front().value;
  expect_close(value, expected, 1e-3);
}

TEST(CountsHsic, OfCodesDoesNotDependOnTheirOrder) {
  const auto [columns, categorical] = mixed_columns(150);
  const auto before = counts_hsic_all_pairs(columns_of(columns), grid, {}, {}, categorical);
  auto renamed = columns;
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (double& code : renamed[j])
      if (categorical[j] && !std::isnan(code)) code = std::fmod(11 * code + 3, 53);  // one to one below 53
  const auto after = counts_hsic_all_pairs(columns_of(renamed), grid, {}, {}, categorical);
  for (std::size_t k = 0; k < before.size(); ++k) {
    expect_close(after[k].value, before[k].value, 1e-3, std::to_string(k), 1e-6);
    expect_close(after[k].p_value, before[k].p_value, 0.02, std::to_string(k), 1e-6);
  }
}

TEST(CountsHsic, OfIndependentCategoriesHasUniformPValues) {
  // 780 pairs of columns that know nothing of each other.
  std::vector<std::vector<double>> columns;
  Random random(7);
  for (std::size_t j = 0; j < 40; ++j) {
    columns.push_back(codes_by(test::normal_sample(400, 100 + j), 2 + j % 5, 200 + j));
    for (double& code : columns.back())
      if (j % 3 == 0 && random.below(5) == 0) code = gap;
  }
  const auto pairs = counts_hsic_all_pairs(columns_of(columns), grid, {}, {}, std::vector<bool>(40, true));
  for (const double level : {0.05, 0.2, 0.5}) {
    const auto below = std::ranges::count_if(pairs, [&](const Hsic& pair) { return pair.p_value < level; });
    EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(pairs.size()), level, 0.05) << level;
  }
}

TEST(CountsHsic, OfCategoriesWithoutSomeRowsIsThatOfTheOthers) {
  const auto [columns, categorical] = mixed_columns(120);
  const Matrix X = columns_of(columns);
  std::vector<std::size_t> left_out;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < 120; ++i) (i % 4 == 0 ? left_out : rest).push_back(i);
  const std::vector<std::vector<std::size_t>> sets{left_out};
  const auto without = counts_hsic_without(X, sets, grid, {}, {}, categorical);
  const Matrix others = some_rows(X, rest);
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      if (!categorical[i] || !categorical[j]) continue;  // numbers keep the bandwidths of all rows
      const auto x = others.column(i);
      const auto y = others.column(j);
      expect_close(without[1][pair_index(i, j, columns.size())].value,
                   oracle::hsic(oracle::equality_kernel(x), oracle::equality_kernel(y)), 0.005,
                   std::to_string(i) + ", " + std::to_string(j), 5e-6);
    }
}

TEST(CountsHsic, OfWeightedCategoriesIsThatOfCopies) {
  const auto [columns, categorical] = mixed_columns(100);
  const RowWeights weights = test::whole_weights(100, 5);
  std::vector<std::vector<double>> copies;
  for (const auto& column : columns) copies.push_back(test::repeated(column, weights));
  const auto weighted = counts_hsic_all_pairs(columns_of(columns), grid, {}, weights, categorical);
  const auto repeated = counts_hsic_all_pairs(columns_of(copies), grid, {}, {}, categorical);
  for (std::size_t k = 0; k < weighted.size(); ++k) {
    expect_close(weighted[k].value, repeated[k].value, 1e-4, std::to_string(k), 1e-9);
    expect_close(weighted[k].p_value, repeated[k].p_value, 1e-2, std::to_string(k), 1e-12);
  }
}

TEST(CountsHsic, OfAColumnWithoutAValueIsZero) {
  const auto x = test::normal_sample(40, 1);
  for (const bool categorical : {false, true}) {
    const auto pair = counts_hsic_all_pairs(columns_of({x, std::vector<double>(40, gap)}), grid, {}, {},
                                            {false, categorical})
                          .front();
    EXPECT_NEAR(pair.value, 0, 1e-12);
    EXPECT_EQ(pair.p_value, 1);
  }
}

// --- parts ---

std::vector<std::vector<std::size_t>> rows_by_part(std::span<const std::size_t> part_of_row,
                                                   std::size_t n_parts) {
  std::vector<std::vector<std::size_t>> rows(n_parts);
  for (std::size_t i = 0; i < part_of_row.size(); ++i) rows[part_of_row[i]].push_back(i);
  return rows;
}

TEST(CountsHsic, WithoutSomeRowsIsThatOfTheOthers) {
  const std::size_t n = 500;
  const Matrix X = all_shapes(n);
  std::vector<std::size_t> parts(n);
  Random random(3);
  for (std::size_t& part : parts) part = random.below(3);
  const auto sets = counts_hsic_without(X, rows_by_part(parts, 3), grid);
  ASSERT_EQ(sets.size(), 4U);
  const auto all = counts_hsic_all_pairs(X, grid);
  for (std::size_t k = 0; k < all.size(); ++k) {
    expect_close(sets[0][k].value, all[k].value, 1e-6, "all rows", 1e-12);
    expect_close(sets[0][k].p_value, all[k].p_value, 1e-4, "all rows", 1e-300);
  }
  for (std::size_t part = 0; part < 3; ++part) {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < n; ++i)
      if (parts[i] != part) rest.push_back(i);
    const Matrix rows = some_rows(X, rest);
    const auto exact = hsic_all_pairs(rows);
    for (std::size_t i = 0; i < X.n_cols; ++i)
      for (std::size_t j = i + 1; j < X.n_cols; ++j) {
        // The kernels are those of all rows, whose medians differ from those of the rest; compared with its
        // own kernels.
        const double s_x = median_bandwidth(X.column(i));
        const double s_y = median_bandwidth(X.column(j));
        const double wider = std::abs(std::log(s_x / median_bandwidth(rows.column(i)))) +
                             std::abs(std::log(s_y / median_bandwidth(rows.column(j))));
        const std::size_t k = pair_index(i, j, X.n_cols);
        expect_close(sets[part + 1][k].value, exact[k].value, 0.03 + 3 * wider, names_of(n, i, j), 1e-5);
      }
  }
}

TEST(CountsHsic, WithoutSomeRowsUsesTheKernelsOfAll) {
  const auto x = test::normal_sample(90, 4);
  const auto y = test::correlated_with(x, 0.6, 5);
  const Matrix X = columns_of({x, y});
  std::vector<std::size_t> parts(90);
  for (std::size_t i = 0; i < 90; ++i) parts[i] = i % 3;
  const auto sets = counts_hsic_without(X, rows_by_part(parts, 3), grid);
  for (std::size_t part = 0; part < 3; ++part) {
    std::vector<double> rest_x;
    std::vector<double> rest_y;
    for (std::size_t i = 0; i < 90; ++i) {
      if (parts[i] == part) continue;
      rest_x.push_back(x[i]);
      rest_y.push_back(y[i]);
    }
    expect_close(sets[part + 1][0].value,
                 oracle::hsic(rest_x, median_bandwidth(x), rest_y, median_bandwidth(y)), 0.003);
  }
}

TEST(CountsHsic, WithoutRepeatedRowsIsThatOfTheRowsOnce) {
  // Every row twice, one copy in each part: axes and kernels of all rows are nearly those of a half, and both
  // halves are equal.
  const auto x = test::normal_sample(200, 6);
  const auto y = test::correlated_with(x, 0.4, 7);
  auto twice_x = x;
  auto twice_y = y;
  twice_x.insert(twice_x.end(), x.begin(), x.end());
  twice_y.insert(twice_y.end(), y.begin(), y.end());
  std::vector<std::size_t> parts(400, 0);
  std::fill(parts.begin() + 200, parts.end(), 1);
  const auto sets = counts_hsic_without(columns_of({twice_x, twice_y}), rows_by_part(parts, 2), grid);
  EXPECT_EQ(sets[1][0].value, sets[2][0].value);
  expect_close(sets[1][0].value, sets[0][0].value, 1e-6);
}

// --- invariants ---

TEST(CountsHsic, OfAllPairsIsTheHsicOfEachPair) {
  const Matrix X = all_shapes(100);
  const auto all = counts_hsic_all_pairs(X, grid);
  for (std::size_t i = 0; i < X.n_cols; i += 3)
    for (std::size_t j = i + 1; j < X.n_cols; ++j) {
      const Hsic pair = counts_hsic(X.column(i), X.column(j), grid);
      EXPECT_EQ(all[pair_index(i, j, X.n_cols)].value, pair.value);
      EXPECT_EQ(all[pair_index(i, j, X.n_cols)].p_value, pair.p_value);
    }
}

TEST(CountsHsic, IsTheSameBitForBitOnAnyNumberOfThreads) {
  const Matrix X = all_shapes(300);
  std::vector<std::size_t> parts(300);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i % 4;
  const auto one = counts_hsic_without(X, rows_by_part(parts, 4), grid, Execution{.threads = 1});
  const auto one_all = counts_hsic_all_pairs(X, grid, Execution{.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const auto many = counts_hsic_without(X, rows_by_part(parts, 4), grid, Execution{.threads = threads});
    const auto many_all = counts_hsic_all_pairs(X, grid, Execution{.threads = threads});
    for (std::size_t k = 0; k < one_all.size(); ++k) {
      EXPECT_EQ(many_all[k].value, one_all[k].value);
      EXPECT_EQ(many_all[k].p_value, one_all[k].p_value);
      for (std::size_t set = 0; set < one.size(); ++set) EXPECT_EQ(many[set][k].value, one[set][k].value);
    }
  }
}

TEST(CountsHsic, IgnoresOrderScaleAndShift) {
  for (const auto& [name, x, y] : test::shapes(300)) {
    const Hsic expected = counts_hsic(x, y, grid);
    expect_close(counts_hsic(y, x, grid).value, expected.value, 1e-5, name);
    expect_close(counts_hsic(y, x, grid).p_value, expected.p_value, 1e-3, name);
    auto reversed_x = x;
    auto reversed_y = y;
    std::ranges::reverse(reversed_x);
    std::ranges::reverse(reversed_y);
    expect_close(counts_hsic(reversed_x, reversed_y, grid).value, expected.value, 1e-9, name);
    for (const double factor : {0x1p-900, 0x1p30, 0x1p900})
      expect_close(counts_hsic(test::scaled(x, factor), y, grid).value, expected.value, 1e-9, name);
    // Mirrored, nodes stand elsewhere.
    expect_close(counts_hsic(test::scaled(x, -3), y, grid).value, expected.value, 0.005, name, 5e-6);
  }
}

TEST(CountsHsic, HardlyFeelsWhereAnOutlierStands) {
  auto x = test::normal_sample(100, 1);
  const auto y = test::correlated_with(x, 0.9, 2);
  for (const double outlier : {1e3, 1e10, 1e30, 1e300}) {
    x[0] = outlier;
    const Hsic exact = hsic(x, y);
    const Hsic counted = counts_hsic(x, y, grid);
    expect_close(counted.value, exact.value, 0.005, std::to_string(outlier));
    expect_close(std::log(counted.p_value), std::log(exact.p_value), 0.03, std::to_string(outlier));
  }
}

TEST(CountsHsic, OfAConstantIsZeroWithPValueOne) {
  const std::vector<double> constant(40, 3.25);
  const auto y = test::normal_sample(40, 1);
  EXPECT_NEAR(counts_hsic(constant, y, grid).value, 0, 1e-12);
  EXPECT_EQ(counts_hsic(constant, y, grid).p_value, 1);
  EXPECT_EQ(counts_hsic(constant, constant, grid).p_value, 1);
}

TEST(CountsHsic, TakesFewRowsAndTheEndsOfTheRange) {
  for (std::size_t n = 2; n < 8; ++n) {
    const auto x = test::normal_sample(n, 1);
    const Hsic counted = counts_hsic(x, x, grid);
    expect_close(counted.value, hsic(x, x).value, 1e-3, std::to_string(n), 1e-5);
    EXPECT_TRUE(counted.p_value >= 0 && counted.p_value <= 1);
  }
  std::vector<double> ends;
  for (int i = 0; i < 40; ++i) ends.push_back(i % 2 == 0 ? 1.7e308 : -1.7e308);
  expect_close(counts_hsic(ends, ends, grid).value, hsic(ends, ends).value, 1e-3);
}

TEST(CountsHsic, GrowsNoWorseWithTheMediansOfEvenlySpacedValues) {
  // Beyond 10 000 rows the kernel's bandwidth rests on that many order statistics.
  const std::size_t n = 20001;
  const auto x = test::normal_sample(n, 8);
  const auto y = test::correlated_with(x, 0.5, 9);
  // A subsample of every fifth row has the same HSIC but for its noise.
  std::vector<double> fifth_x;
  std::vector<double> fifth_y;
  for (std::size_t i = 0; i < n; i += 5) {
    fifth_x.push_back(x[i]);
    fifth_y.push_back(y[i]);
  }
  expect_close(counts_hsic(x, y, grid).value, counts_hsic(fifth_x, fifth_y, grid).value, 0.15);
}

TEST(CountsHsic, RejectsBadInput) {
  const std::vector<double> x{1, 2, 3};
  const std::vector<double> y{1, 2};
  const std::vector<double> broken{1, 2, INFINITY};
  EXPECT_THROW(counts_hsic(x, y, grid), std::invalid_argument);
  EXPECT_THROW(counts_hsic(x, broken, grid), std::invalid_argument);
}

// --- the data sets of the paper ---

TEST(SlowCountsHsic, KeepsThePairsOfTheExactEngineOnTheDataSets) {
  int n_tables = 0;
  for (const std::string name :
       {"blood", "climate", "hill_valley", "hill_valley_noise", "ionosphere", "liver", "ozone", "parkinson",
        "pima", "pulsar", "ringnorm", "sonar", "spectf", "vertebral", "wdbc", "wpbc"}) {
    const std::string file = test::table_file(name);
    if (file.empty()) {
      std::cout << "left out, as there is no such table: " << name << '\n';
      continue;
    }
    ++n_tables;
    const Table table = read_csv(file, {.label = "label"});
    for (std::size_t c = 0; c < table.labels.classes.size(); ++c) {
      auto rows = rows_of_class(table.labels, static_cast<std::int32_t>(c));
      if (rows.size() > 300) rows.resize(300);
      const Matrix X = numeric_rows(table, rows);
      const auto exact = hsic_all_pairs(X);
      const auto counted = counts_hsic_all_pairs(X, grid);
      std::vector<double> sorted;
      for (const Hsic& pair : exact) sorted.push_back(pair.value);
      std::ranges::sort(sorted);
      for (const std::size_t share : {25U, 50U, 75U, 95U}) {
        const double threshold = sorted[sorted.size() * share / 100];
        for (std::size_t k = 0; k < exact.size(); ++k)
          EXPECT_TRUE((exact[k].value >= threshold) == (counted[k].value >= threshold) ||
                      std::abs(exact[k].value - threshold) <= 0.02 * threshold)
              << name << ", class " << c << ", pair " << k << ": " << counted[k].value << ", exact "
              << exact[k].value << ", threshold " << threshold;
      }
    }
  }
  if (n_tables == 0) GTEST_SKIP() << "no tables in data or DYAD_DATA";
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/level_growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "dyad/base/random.h"

namespace dyad {
namespace {

using Code = std::function<std::size_t(std::size_t row)>;

/// Rows first .. end - 1 of a column whose levels are the numbers that `code` gives.
CategoricalColumn rows_of(const Code& code, std::size_t first, std::size_t end) {
  CategoricalColumn column;
  std::unordered_map<std::size_t, std::int32_t> codes;
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t level = code(i);
    const auto [at, is_new] = codes.emplace(level, static_cast<std::int32_t>(codes.size()));
    if (is_new) column.levels.push_back("level " + std::to_string(level));
    column.codes.push_back(at->second);
  }
  return column;
}

/// The levels of the first n rows, added in chunks.
LevelGrowth growth_of(const Code& code, std::size_t n, std::size_t most_levels = 4096) {
  LevelGrowth growth(most_levels);
  constexpr std::size_t chunk = 1000;
  for (std::size_t first = 0; first < n; first += chunk)
    growth.add(rows_of(code, first, std::min(n, first + chunk)));
  return growth;
}

double level_count(const Code& code, std::size_t n) {
  std::set<std::size_t> levels;
  for (std::size_t i = 0; i < n; ++i) levels.insert(code(i));
  return static_cast<double>(levels.size());
}

std::uint64_t random_below(std::size_t row, std::uint64_t bound) { return hashed(row) % bound; }

TEST(LevelGrowth, IsNoneOnceAllLevelsAreMet) {
  const LevelGrowth growth = growth_of([](std::size_t row) { return random_below(row, 20); }, 1000);
  EXPECT_EQ(growth.n_levels(), 20);
  EXPECT_EQ(growth.expected_levels(1e9), 20);
}

TEST(LevelGrowth, OfIdentifiersIsThatOfTheRows) {
  const Code identifier = [](std::size_t row) { return row; };
  for (const std::size_t n : {1000U, 50'000U}) {
    const double expected = growth_of(identifier, n).expected_levels(1e6);
    EXPECT_LE(expected, 1e6);
    EXPECT_GE(expected, 0.95e6) << n;
  }
}

TEST(LevelGrowth, IsThatOfZipfsLaw) {
  const auto zipf = [](double power) {
    return [power](std::size_t row) {
      const double u = static_cast<double>(hashed(row) >> 11U) * 0x1p-53;
      return static_cast<std::size_t>(std::min(1e15, std::pow(1 - u, -1 / power)));
    };
  };
  for (const double power : {0.3, 0.6, 1.0}) {
    const double truth = level_count(zipf(power), 500'000);
    EXPECT_NEAR(growth_of(zipf(power), 20'000).expected_levels(500'000) / truth, 1, 0.35) << power;
  }
}

TEST(LevelGrowth, OfEqualLevelsIsFewTimesTooHighAtMost) {
  for (const std::uint64_t n_levels : {100U, 1000U, 10'000U}) {
    const Code code = [&](std::size_t row) { return random_below(row, n_levels); };
    const double expected = growth_of(code, 20'000).expected_levels(200'000);
    EXPECT_GE(expected, 0.95 * static_cast<double>(n_levels));
    EXPECT_LE(expected, 1.3 * static_cast<double>(n_levels));
  }
}

TEST(LevelGrowth, GoesOnWhereLevelsComeInOrder) {
  const LevelGrowth growth = growth_of([](std::size_t row) { return row / 20; }, 2000);
  EXPECT_EQ(growth.n_levels(), 100);
  EXPECT_NEAR(growth.expected_levels(100'000), 5000, 500);
}

TEST(LevelGrowth, IsKnownBySomeOfManyLevels) {
  const Code code = [](std::size_t row) { return random_below(row, 30'000); };
  const LevelGrowth all = growth_of(code, 40'000, 100'000);
  const LevelGrowth some = growth_of(code, 40'000, 2000);
  EXPECT_EQ(all.n_levels(), level_count(code, 40'000));
  EXPECT_NEAR(some.n_levels() / all.n_levels(), 1, 0.1);
  EXPECT_NEAR(some.expected_levels(1e6) / all.expected_levels(1e6), 1, 0.2);
}

TEST(LevelGrowth, LeavesOutMissingValuesAndLevelsWithoutRows) {
  LevelGrowth growth;
  EXPECT_EQ(growth.expected_levels(100), 0);
  growth.add({{CategoricalColumn::missing, CategoricalColumn::missing}, {}});
  EXPECT_EQ(growth.expected_levels(100), 0);
  growth.add({{0, CategoricalColumn::missing, 0, 0}, {"met", "not met"}});
  EXPECT_EQ(growth.n_levels(), 1);
  EXPECT_EQ(growth.expected_levels(100), 1);
}

TEST(LevelGrowth, HasTheBytesOfLongTextAlone) {
  LevelGrowth growth;
  growth.add({{0, 1}, {"short", std::string(200, 'x')}});
  EXPECT_GE(growth.mean_bytes(), 100);
  EXPECT_LE(growth.mean_bytes(), 120);
  LevelGrowth of_short;
  of_short.add({{0}, {"short"}});
  EXPECT_EQ(of_short.mean_bytes(), 0);
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/free_table.h"

#include <gtest/gtest.h>

#include <limits>

#include "dyad/model/prediction.h"

namespace dyad {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

TEST(BinAxis, PutsACutIntoTheIntervalThatItBegins) {
  const BinAxis axis{.cuts = {-1, 2}};
  EXPECT_EQ(axis.size(), 4U);
  EXPECT_EQ(axis.bin(-1.5), 0U);
  EXPECT_EQ(axis.bin(-1), 1U);
  EXPECT_EQ(axis.bin(1.9), 1U);
  EXPECT_EQ(axis.bin(2), 2U);
  EXPECT_EQ(axis.bin(1e300), 2U);
  EXPECT_EQ(axis.bin(no_value), 3U);
}

TEST(BinAxis, TakesCodesBeyondTheLevelsForGaps) {
  const BinAxis axis{.n_levels = 2};
  EXPECT_EQ(axis.bin(0), 0U);
  EXPECT_EQ(axis.bin(1), 1U);
  EXPECT_EQ(axis.bin(2), 2U);
  EXPECT_EQ(axis.bin(-1), 2U);
  EXPECT_EQ(axis.bin(no_value), 2U);
}

TEST(FreeTable, HasTheValueOfTheCell) {
  const FreeTable table{.x = {.cuts = {0}}, .y = {.n_levels = 2}, .values = {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const std::vector<double> x{-1, 1, 1, no_value, no_value};
  const std::vector<double> y{0, 1, no_value, 0, no_value};
  std::vector<double> out(5);
  look_up(table, x, y, out);
  EXPECT_EQ(out, (std::vector<double>{1, 5, 6, 7, 9}));
}

TEST(FreeTable, AddsItsValueToTheScoreOfItsClassAlone) {
  Model model{.features = {"a"}, .classes = {"p", "q", "r"}, .n_features = 1, .class_rows = {1, 1, 1}};
  model.intercepts = {0.5, 0, 0};
  model.weights = Matrix(3, 0);
  append_tables(model, {table_term({2, 0, 0}, {.x = {.cuts = {0}}, .values = {-1, 4, 0.25}})});
  Matrix X(3, 1);
  X.data = {-2, 2, no_value};
  const Matrix found = scores(model, X);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found(i, 0), 0.5);
    EXPECT_EQ(found(i, 1), 0);
    EXPECT_EQ(found(i, 2), (std::vector<double>{-1, 4, 0.25})[i]);
  }
}

TEST(FreeTable, IsLinearBetweenNodesAndConstantBeyond) {
  const FreeTable table{.x = {.cuts = {0, 2}, .has_nodes = true},
                        .y = {.cuts = {0, 1}, .has_nodes = true},
                        .values = {0, 4, 9, 8, 0, 9, 9, 9, 7}};
  const std::vector<double> x{0, 2, 1, 1, -5, 1, std::nan("")};
  const std::vector<double> y{1, 0, 0, 0.5, 9, std::nan(""), std::nan("")};
  std::vector<double> found(x.size());
  look_up(table, x, y, found);
  EXPECT_EQ(found, (std::vector<double>{4, 8, 4, 3, 4, 9, 7}));
}

TEST(FreeTable, AddsUpToTheSumOfTablesAtEveryNumber) {
  const FreeTable steps{.x = {.cuts = {-1, 0.5, 2}}, .values = {1, 5, -2, 4, 3}};
  const FreeTable lines{.x = {.cuts = {-2, 0.5, 1}, .has_nodes = true}, .values = {0, 2, -1, 6}};
  for (const auto& [a, b] : {std::pair(steps, lines), {lines, steps}, {steps, steps}, {lines, lines}}) {
    const FreeTable sum = sum_of(a, b);
    std::vector<double> x{-9, -2, -1.5, -1, 0, 0.5, 0.75, 1, 1.5, 2, 3, std::nan("")};
    std::vector<double> of_a(x.size());
    std::vector<double> of_b(x.size());
    std::vector<double> of_sum(x.size());
    look_up(a, x, {}, of_a);
    look_up(b, x, {}, of_b);
    look_up(sum, x, {}, of_sum);
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(of_sum[k], of_a[k] + of_b[k], 1e-12) << x[k];
  }
}

}  // namespace
}  // namespace dyad

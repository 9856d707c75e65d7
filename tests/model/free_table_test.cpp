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

}  // namespace
}  // namespace dyad

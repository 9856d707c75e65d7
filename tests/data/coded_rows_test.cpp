// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace dyad {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Table two_columns() {
  Table table{.n_rows = 4};
  table.features = {
      {"size", NumericColumn{{1, missing, 3, 4}}},
      {"colour", CategoricalColumn{{1, 0, CategoricalColumn::missing, 2}, {"red", "blue", "pink"}}}};
  return table;
}

std::string error_of(const Table& table, std::span<const Levels> levels) {
  try {
    static_cast<void>(coded_rows(table, levels));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(CodedRows, HaveTheCodesOfTheLevelsGiven) {
  std::vector<Levels> levels{{}, {.names = {"blue", "green", "red"}}};
  const Matrix X = coded_rows(two_columns(), levels);
  EXPECT_EQ(X(0, 0), 1);
  EXPECT_TRUE(std::isnan(X(1, 0)));
  EXPECT_EQ(X(0, 1), 0);
  EXPECT_EQ(X(1, 1), 2);
  EXPECT_TRUE(std::isnan(X(2, 1)));
  EXPECT_TRUE(std::isnan(X(3, 1)));  // pink is not known
  levels[1].has_others = true;
  EXPECT_EQ(coded_rows(two_columns(), levels)(3, 1), 3);
  EXPECT_TRUE(std::isnan(coded_rows(two_columns(), levels)(2, 1)));
}

TEST(CodedRows, OfTheWrongKindAreAnErrorThatNamesTheColumn) {
  const std::vector<Levels> text{{.names = {"a"}}, {.names = {"a"}}};
  EXPECT_EQ(error_of(two_columns(), {}),
            "column 'colour' has the text 'blue' in row 1; it is a column of numbers");
  EXPECT_EQ(error_of(two_columns(), text),
            "column 'size' has the number 1 in row 1; it is a column of categories");
}

TEST(CodedRows, WithoutValuesAreOfBothKinds) {
  Table table{.n_rows = 2};
  table.features = {{"a", NumericColumn{{missing, missing}}},
                    {"b", CategoricalColumn{{CategoricalColumn::missing, CategoricalColumn::missing}, {}}}};
  const std::vector<Levels> text{{.names = {"a"}}, {.names = {"a"}}};
  for (const auto& levels : {std::vector<Levels>{}, text})
    for (const double value : coded_rows(table, levels).data) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace dyad

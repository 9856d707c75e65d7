// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/table.h"

#include <gtest/gtest.h>

namespace dyad {
namespace {

TEST(Table, DropsRowsOfWeightZeroAndClassesThatHaveNoOthers) {
  Table table{
      .n_rows = 4,
      .features = {{"a", NumericColumn{{1, 2, 3, 4}}}, {"b", CategoricalColumn{{0, 1, -1, 0}, {"u", "v"}}}},
      .labels = {{0, 1, 2, 2}, {"no", "or", "yes"}},
      .weights = {2, 0, 0.5, 0}};
  drop_weightless_rows(table);
  EXPECT_EQ(table.n_rows, 2U);
  EXPECT_EQ(std::get<NumericColumn>(table.features[0].data).values, (std::vector<double>{1, 3}));
  EXPECT_EQ(std::get<CategoricalColumn>(table.features[1].data).codes, (std::vector<std::int32_t>{0, -1}));
  EXPECT_EQ(table.weights, (std::vector<double>{2, 0.5}));
  EXPECT_EQ(table.labels.codes, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(table.labels.classes, (std::vector<std::string>{"no", "yes"}));
  table.weights = {0, 0};
  drop_weightless_rows(table);
  EXPECT_EQ(table.n_rows, 2U);
}

TEST(Table, OrdersClassesAsNumbersOnceThoseOfTextAreDropped) {
  Table table{.n_rows = 3, .labels = {{0, 1, 2}, {"10", "9", "no"}}, .weights = {1, 1, 0}};
  drop_weightless_rows(table);
  EXPECT_EQ(table.labels.classes, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(table.labels.codes, (std::vector<std::int32_t>{1, 0}));
}

TEST(Labels, AreOrderedAsNumbersIfAllAreNumbers) {
  const Labels labels = make_labels({{0, 1, 2, 0}, {"10", "-1", "9"}});
  EXPECT_EQ(labels.classes, (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(labels.codes, (std::vector<std::int32_t>{2, 0, 1, 2}));
}

TEST(Labels, AreOrderedAsTextOtherwise) {
  const Labels labels = make_labels({{0, 1, 2}, {"10", "9", "b"}});
  EXPECT_EQ(labels.classes, (std::vector<std::string>{"10", "9", "b"}));
  EXPECT_EQ(labels.codes, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(Labels, OfOneNormalFormAreOneClass) {
  const Labels labels = make_labels({{0, 1, 2, 3}, {"1.0", "0", "1", "1.00"}});
  EXPECT_EQ(labels.classes, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(labels.codes, (std::vector<std::int32_t>{1, 0, 1, 1}));
}

TEST(Labels, TooLargeToTellApartAsNumbersStayApart) {
  const Labels labels = make_labels({{0, 1}, {"12345678901234567891", "12345678901234567890"}});
  EXPECT_EQ(labels.classes.size(), 2U);
}

TEST(Table, GivesTheRowsOfAClass) {
  Table table;
  table.n_rows = 4;
  table.labels = {{0, 1, 0, 1}, {"a", "b"}};
  table.features = {{"x", NumericColumn{{1, 2, 3, 4}}}, {"y", NumericColumn{{5, 6, 7, 8}}}};
  const auto rows = rows_of_class(table.labels, 1);
  EXPECT_EQ(rows, (std::vector<std::size_t>{1, 3}));
  const Matrix X = numeric_rows(table, rows);
  EXPECT_EQ(X(0, 0), 2);
  EXPECT_EQ(X(1, 0), 4);
  EXPECT_EQ(X(0, 1), 6);
  EXPECT_EQ(X(1, 1), 8);
}

}  // namespace
}  // namespace dyad

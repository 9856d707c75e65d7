// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/samples.h"

namespace dyad {
namespace {

const Levels colours{{"blue", "green", "red"}};    // NOLINT(cert-err58-cpp)
const Levels pooled{{"green", "red"}, true};       // NOLINT(cert-err58-cpp)
const Levels other_pooled{{"blue", "red"}, true};  // NOLINT(cert-err58-cpp)
const Levels numbers;                              // NOLINT(cert-err58-cpp)
using test::gap;

TEST(Levels, AreNumbersWithoutNames) {
  EXPECT_TRUE(numbers.is_number());
  EXPECT_FALSE(colours.is_number());
  EXPECT_EQ(colours.size(), 3U);
  EXPECT_EQ(pooled.size(), 3U);
}

TEST(Levels, HaveTheirPlacesAsCodes) {
  EXPECT_EQ(code_of(colours, "blue"), 0);
  EXPECT_EQ(code_of(colours, "green"), 1);
  EXPECT_EQ(code_of(colours, "red"), 2);
  EXPECT_EQ(code_of(pooled, "red"), 1);
}

TEST(Levels, WithoutANameAreTheOthersOrMissing) {
  for (const char* const name : {"", "a", "bluer", "Red", "yellow"}) {
    EXPECT_TRUE(std::isnan(code_of(colours, name))) << name;
    EXPECT_EQ(code_of(pooled, name), 2) << name;
  }
  EXPECT_TRUE(std::isnan(code_of(numbers, "1")));
}

TEST(Levels, OfAColumnOfTextAreCodedByName) {
  const CategoricalColumn column{{1, CategoricalColumn::missing, 0, 2}, {"red", "blue", "yellow"}};
  const auto codes = codes_of(pooled, column);
  EXPECT_EQ(codes[0], 2);
  EXPECT_TRUE(std::isnan(codes[1]));
  EXPECT_EQ(codes[2], 1);
  EXPECT_EQ(codes[3], 2);
  EXPECT_TRUE(std::isnan(codes_of(colours, column)[3]));
}

TEST(Levels, OfAColumnAreTheNormalFormsOfItsValues) {
  const CategoricalColumn column{{0, 1, 2, 3}, {"2.0", "10", "2", "01"}};
  EXPECT_EQ(levels_of(column), (Levels{{"01", "10", "2"}}));
  EXPECT_EQ(codes_of(levels_of(column), column), (std::vector<double>{2, 1, 2, 0}));
}

TEST(Levels, AreFoundByTheirSpellingThenByTheirNormalForm) {
  const Levels older{{"1", "1.0", "3.0"}};  // spelled as in the file that the model was fitted to
  EXPECT_EQ(codes_of(older, {{0, 1, 2}, {"1.0", "1", "3"}}), (std::vector<double>{1, 0, 2}));
}

TEST(Levels, AreFoundWithoutBlanksUnlessSomeArePooled) {
  const CategoricalColumn texts{{0, 1, 2, 3}, {"red", " blue", " blue\t", "pink "}};
  EXPECT_EQ(codes_of({{" red", "blue", "pink"}}, texts), (std::vector<double>{0, 1, 1, 2}));
  EXPECT_EQ(codes_of({{" blue", "blue", "pink", "red"}}, texts), (std::vector<double>{3, 0, 1, 2}));
  EXPECT_EQ(codes_of({{" red", "blue", "pink"}, true}, texts), (std::vector<double>{3, 3, 3, 3}));
}

TEST(Levels, OfWhichNoneIsKnownAreWorthANote) {
  Table table{.n_rows = 3};
  table.features = {{"size", NumericColumn{{1, 2, 3}}},
                    {"colour", CategoricalColumn{{0, CategoricalColumn::missing, 1}, {"pink", "grey"}}}};
  const std::vector<Levels> levels{numbers, colours};
  std::vector<LevelUse> use;
  count_known(table, levels, use);
  EXPECT_EQ(
      note_on_unknown("colour", colours, use[1]),
      "column 'colour': none of its 2 values is a level of the model, for example 'pink' where the model has "
      "'blue'");
  std::get<CategoricalColumn>(table.features[1].data).levels[1] = "red";
  use.clear();
  count_known(table, levels, use);
  EXPECT_EQ(
      note_on_unknown("colour", colours, use[1]),
      "column 'colour': 1 of its 2 values are no level of the model, for example 'pink'; the column says "
      "nothing about their rows");
  EXPECT_EQ(note_on_unknown("colour", pooled, use[1]), "");
  EXPECT_EQ(note_on_unknown("colour", colours, {.n_values = 2, .n_known = 2}), "");
  EXPECT_EQ(note_on_unknown("colour", colours, {.n_values = 1, .unknown = "pink"}),
            "");  // new levels do occur
}

/// Two columns: numbers that recoding must leave alone, and codes.
Matrix with_codes(const std::vector<double>& codes) {
  Matrix X(codes.size(), 2);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    X(i, 0) = 2.5 - static_cast<double>(i);
    X(i, 1) = codes[i];
  }
  return X;
}

void expect_recoded(const Levels& from, const std::vector<double>& codes, const Levels& to,
                    const std::vector<double>& expected) {
  Matrix X = with_codes(codes);
  recode(X, std::vector<Levels>{numbers, from}, std::vector<Levels>{numbers, to});
  const Matrix wanted = with_codes(expected);
  for (std::size_t k = 0; k < X.data.size(); ++k)
    EXPECT_TRUE(X.data[k] == wanted.data[k] || (std::isnan(X.data[k]) && std::isnan(wanted.data[k])))
        << k << ": " << X.data[k] << ", " << wanted.data[k];
}

TEST(Levels, KeepTheirMeaningWithOtherCodes) {
  const Levels more{{"amber", "blue", "grey", "red"}};
  expect_recoded(colours, {0, 1, 2, gap, 2}, colours, {0, 1, 2, gap, 2});
  // Green is not known there.
  expect_recoded(colours, {0, 1, 2, gap, 2}, more, {1, gap, 3, gap, 3});
  expect_recoded(colours, {0, 1, 2, gap, 0}, pooled, {2, 0, 1, gap, 2});
  expect_recoded(colours, {0, 1, 2, gap}, numbers, {gap, gap, gap, gap});
}

TEST(Levels, OfOthersStayOthersOrBecomeMissing) {
  expect_recoded(pooled, {0, 1, 2, gap}, other_pooled, {2, 1, 2, gap});
  expect_recoded(pooled, {0, 1, 2, gap}, colours, {1, 2, gap, gap});
}

TEST(Levels, OfNumbersAloneAreNone) {
  Matrix X = with_codes({7, gap});
  const Matrix before = X;
  recode(X, {}, {});
  EXPECT_EQ(X(0, 1), before(0, 1));
  EXPECT_TRUE(std::isnan(X(1, 1)));
}

}  // namespace
}  // namespace dyad

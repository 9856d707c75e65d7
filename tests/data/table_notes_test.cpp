// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/table_notes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace dyad {
namespace {

TEST(LooksLikeId, IsTrueOfWholeNumbersThatTellRowsApart) {
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 1000.0);
  EXPECT_TRUE(looks_like_id(values));
  std::ranges::reverse(values);
  values[3] = std::nan("");
  EXPECT_TRUE(looks_like_id(values));
  values[4] = values[5];  // twice
  EXPECT_FALSE(looks_like_id(values));
  values[4] = 1050;
  EXPECT_TRUE(looks_like_id(values));
  values[4] = 1061;  // far apart, like an amount
  EXPECT_FALSE(looks_like_id(values));
  values[4] = 1003.5;
  EXPECT_FALSE(looks_like_id(values));
  EXPECT_FALSE(looks_like_id(std::vector<double>{1, 2, 3}));
}

TEST(LooksLikeId, IsTrueOfALevelARow) {
  EXPECT_TRUE(looks_like_id(40, 40));
  EXPECT_FALSE(looks_like_id(39, 40));
  EXPECT_FALSE(looks_like_id(4, 4));
}

TEST(NotesOnClasses, NameNumbersAndClassesWithFewRows) {
  std::vector<std::string> labels;
  for (int k = 0; k < 21; ++k) labels.push_back(std::to_string(k));
  std::vector<std::uint64_t> rows(21, 9);
  EXPECT_EQ(
      notes_on_classes(labels, rows),
      std::vector<std::string>{"the label has 21 numbers, each taken as a class of its own; dyad predicts "
                               "classes, not numbers"});
  labels.back() = "many";
  EXPECT_TRUE(notes_on_classes(labels, rows).empty());
  const std::vector<std::string> few{"a", "b", "c"};
  EXPECT_EQ(
      notes_on_classes(few, std::vector<std::uint64_t>{4, 5, 1}),
      std::vector<std::string>{"classes with fewer than five rows: 'a' (4), 'c' (1); what is said of them "
                               "is hardly more than a guess"});
}

}  // namespace
}  // namespace dyad

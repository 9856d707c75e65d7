// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace dyad {
namespace {

using NameList = std::vector<std::string>;

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "age"), 3U);
  EXPECT_EQ(edit_distance("age", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("lable", "label"), 1U);  // a swap
  EXPECT_EQ(edit_distance("abcd", "badc"), 2U);    // two swaps
  EXPECT_EQ(edit_distance("Age", "aGE"), 0U);
}

TEST(NearestName, IsTheOneWithTheFewestEdits) {
  const NameList columns{"age", "balance", "subscribe", "subscribed"};
  EXPECT_EQ(nearest_name(columns, "subscribd"), "subscribe");  // the first of two that are as near
  EXPECT_EQ(nearest_name(columns, "subscribedd"), "subscribed");
  EXPECT_EQ(nearest_name(columns, "BALANCE"), "balance");
  EXPECT_EQ(nearest_name(columns, "aeg"), "age");
}

TEST(NearestName, IsEmptyWhereNoneIsNear) {
  EXPECT_EQ(nearest_name(NameList{"a", "b"}, "y"), "");
  EXPECT_EQ(nearest_name(NameList{"age", "job"}, "target"), "");
  EXPECT_EQ(nearest_name(NameList{"ab"}, "ac"), "");
  EXPECT_EQ(nearest_name(NameList{"abc"}, "abd"), "abc");  // one edit of three bytes
  EXPECT_EQ(nearest_name(NameList{}, "age"), "");
  EXPECT_EQ(nearest_name(NameList{"age"}, ""), "");
}

TEST(NearestName, ListsOfManyNamesAreCutInTheMiddle) {
  EXPECT_EQ(list_of_names(NameList{}), "");
  EXPECT_EQ(list_of_names(NameList{"a", "b"}), "'a', 'b'");
  NameList names;
  for (char c = 'a'; c <= 'l'; ++c) names.emplace_back(1, c);
  EXPECT_EQ(list_of_names(names), "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'");
  names.emplace_back("m");
  EXPECT_EQ(list_of_names(names), "'a', 'b', 'c', 'd', 'e', 'f', ..., 'h', 'i', 'j', 'k', 'l', 'm'");
}

}  // namespace
}  // namespace dyad

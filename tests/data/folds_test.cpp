// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dyad {
namespace {

std::vector<std::int32_t> labels(std::size_t zeros, std::size_t ones) {
  std::vector<std::int32_t> y(zeros, 0);
  y.resize(zeros + ones, 1);
  return y;
}

TEST(Folds, SpreadRowsAndClassesEvenly) {
  const auto y = labels(53, 17);
  for (const std::size_t n_folds : {2U, 3U, 5U, 70U}) {
    const auto folds = stratified_folds(y, n_folds, 1);
    for (std::int32_t c = -1; c < 2; ++c) {
      std::vector<std::size_t> sizes(n_folds, 0);
      for (std::size_t i = 0; i < y.size(); ++i)
        if (c < 0 || y[i] == c) ++sizes[folds[i]];
      const auto [least, most] = std::ranges::minmax(sizes);
      EXPECT_LE(most - least, 1U) << n_folds << " folds, class " << c;
    }
  }
}

TEST(Folds, DependOnTheSeedAlone) {
  const auto y = labels(30, 30);
  EXPECT_EQ(stratified_folds(y, 5, 7), stratified_folds(y, 5, 7));
  EXPECT_NE(stratified_folds(y, 5, 7), stratified_folds(y, 5, 8));
}

TEST(Folds, SplitIntoInsideAndOutside) {
  const std::vector<std::size_t> folds{0, 1, 0, 2};
  const Split split = split_at(folds, 0);
  EXPECT_EQ(split.inside, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(split.outside, (std::vector<std::size_t>{1, 3}));
}

TEST(Folds, RejectOneFoldAndMoreFoldsThanRows) {
  const auto y = labels(2, 2);
  EXPECT_THROW(stratified_folds(y, 1, 1), std::invalid_argument);
  EXPECT_THROW(stratified_folds(y, 5, 1), std::invalid_argument);
}

TEST(GroupedFolds, KeepGroupsWholeAndSpreadClasses) {
  std::vector<std::int32_t> y;
  std::vector<std::size_t> groups;
  for (std::size_t group = 0; group < 40; ++group)
    for (std::size_t k = 0; k <= group % 5; ++k) {
      y.push_back(group % 3 == 0 ? 1 : 0);
      groups.push_back(group);
    }
  const auto folds = grouped_folds(y, groups, 4, 1);
  std::vector<std::size_t> fold_of(40, 4);
  std::array<std::array<double, 2>, 4> rows{};
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_LT(folds[i], 4U);
    if (fold_of[groups[i]] == 4) fold_of[groups[i]] = folds[i];
    EXPECT_EQ(fold_of[groups[i]], folds[i]);
    ++rows[folds[i]][static_cast<std::size_t>(y[i])];
  }
  for (const std::size_t c : {0U, 1U}) {
    const double n = static_cast<double>(std::ranges::count(y, static_cast<std::int32_t>(c)));
    for (const auto& of_fold : rows) EXPECT_NEAR(of_fold[c] / n, 0.25, 0.06);
  }
  EXPECT_EQ(folds, grouped_folds(y, groups, 4, 1));
  EXPECT_NE(folds, grouped_folds(y, groups, 4, 2));
}

TEST(GroupedFolds, NeedAsManyGroupsAsFolds) {
  const std::vector<std::int32_t> y{0, 1, 0, 1};
  EXPECT_THROW(static_cast<void>(grouped_folds(y, std::vector<std::size_t>{0, 0, 1, 1}, 3, 1)),
               std::invalid_argument);
}

}  // namespace
}  // namespace dyad

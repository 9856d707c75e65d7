// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/shown_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace dyad {
namespace {

/// Probabilities of class 1, as a matrix of two classes.
Matrix probabilities_of(const std::vector<double>& p) {
  Matrix result(p.size(), 2);
  for (std::size_t i = 0; i < p.size(); ++i) {
    result(i, 1) = p[i];
    result(i, 0) = 1 - p[i];
  }
  return result;
}

TEST(ShownRows, AreTheSurestErrorsTheClosestCallsAndOthers) {
  const Matrix p = probabilities_of({0.9, 0.8, 0.51, 0.3, 0.05, 0.6, 0.1, 0.2});
  const std::vector<std::int32_t> predicted{1, 1, 1, 0, 0, 1, 0, 0};
  const std::vector<std::int32_t> truth{0, 0, 1, 0, 1, 1, 0, 0};
  std::map<std::size_t, std::string> why;
  for (const ShownRow& shown : shown_rows(p, predicted, truth, std::vector<std::size_t>{7}, 5))
    why[shown.row] = shown.why;
  EXPECT_EQ(why, (std::map<std::size_t, std::string>{
                     {0, "wrong"}, {2, "close"}, {4, "wrong"}, {5, "close"}, {3, "other"}, {7, "chosen"}}));
}

TEST(ShownRows, AreAsManyAsAskedFor) {
  std::vector<double> p(100);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<double>(i) / 100;
  std::vector<std::int32_t> predicted;
  for (const double value : p) predicted.push_back(value > 0.5 ? 1 : 0);
  const std::vector<std::size_t> chosen{3, 50, 3};
  for (const std::size_t count : {0U, 1U, 2U, 7U, 60U, 98U})
    EXPECT_EQ(shown_rows(probabilities_of(p), predicted, predicted, chosen, count).size(), count + 2);
  EXPECT_EQ(shown_rows(probabilities_of(p), predicted, predicted, chosen, 1000).size(), 100);
}

TEST(ShownRows, WithoutLabelsAreNeverWrong) {
  const Matrix p = probabilities_of({0.9, 0.8, 0.51});
  for (const ShownRow& shown : shown_rows(p, std::vector<std::int32_t>{1, 1, 1}, {}, {}, 30))
    EXPECT_NE(shown.why, "wrong");
  EXPECT_EQ(shown_rows(p, std::vector<std::int32_t>{1, 1, 1}, {}, {}, 30).size(), 3);
  EXPECT_TRUE(shown_rows(p, std::vector<std::int32_t>{1, 1, 1}, {}, {}, 0).empty());
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/ranking_curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/area_under_curve.h"
#include "tests/samples.h"

namespace dyad {
namespace {

TEST(RocCurve, OfAHandfulOfRowsIsThatByHand) {
  const std::vector<double> scores{4, 3, 3, 2, 1};
  const std::vector<double> signs{1, 1, -1, -1, 1};
  const RankingCurve curve = roc_curve(scores, signs);
  EXPECT_EQ(curve.x, (std::vector<double>{0, 0, 0.5, 1, 1}));
  const std::vector<double> y{0, 1.0 / 3, 2.0 / 3, 2.0 / 3, 1};
  for (std::size_t k = 0; k < y.size(); ++k) EXPECT_DOUBLE_EQ(curve.y[k], y[k]);
}

TEST(RocCurve, HasTheAreaOfRankedPairs) {
  auto scores = test::normal_sample(300, 1);
  for (double& score : scores) score = std::round(4 * score);  // ties
  const auto signs = test::correlated_with(scores, 0.5, 2);
  EXPECT_NEAR(roc_curve(scores, signs).area, area_under_curve(scores, signs), 1e-12);
}

TEST(PrecisionRecallCurve, OfAHandfulOfRowsIsThatByHand) {
  const RankingCurve curve =
      precision_recall_curve(std::vector<double>{4, 3, 2, 1}, std::vector<double>{1, -1, 1, -1});
  EXPECT_EQ(curve.x, (std::vector<double>{0, 0.5, 0.5, 1, 1}));
  EXPECT_EQ(curve.y[0], 1);
  EXPECT_EQ(curve.y[2], 0.5);
  EXPECT_DOUBLE_EQ(curve.area, 0.5 * 1 + 0.5 * 2 / 3);
}

TEST(RankingCurves, AreEmptyWhereAKindOfRowsIsAbsent) {
  const std::vector<double> scores{1, 2};
  EXPECT_TRUE(roc_curve(scores, std::vector<double>{1, 1}).x.empty());
  EXPECT_TRUE(std::isnan(roc_curve(scores, std::vector<double>{-1, -1}).area));
  EXPECT_TRUE(precision_recall_curve(scores, std::vector<double>{-1, -1}).x.empty());
  EXPECT_TRUE(roc_curve({}, {}).x.empty());
}

TEST(RankingCurves, ThinnedKeepEndsAndLooseNoStep) {
  const auto scores = test::normal_sample(5000, 1);
  const RankingCurve curve = roc_curve(scores, test::correlated_with(scores, 0.7, 2));
  const RankingCurve few = thinned(curve, 0.01);
  EXPECT_LT(few.x.size(), 210);
  EXPECT_GT(few.x.size(), 100);
  EXPECT_EQ(few.x.front(), 0);
  EXPECT_EQ(few.y.back(), 1);
  EXPECT_EQ(few.area, curve.area);
  for (std::size_t k = 1; k < few.x.size(); ++k) {
    EXPECT_LE(few.x[k] - few.x[k - 1], 0.011);
    EXPECT_LE(few.y[k] - few.y[k - 1], 0.011);
  }
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/area_under_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

struct Rows {
  std::vector<double> scores, signs, weights;
};

Rows draw(std::size_t n, double n_values) {
  Random random(1);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.scores.push_back(std::floor(n_values * random.uniform()));  // with ties
    rows.signs.push_back(random.uniform() < 0.4 ? 1 : -1);
    rows.weights.push_back(i % 5 == 0 ? 0 : 3 * random.uniform());
  }
  return rows;
}

TEST(AreaUnderCurve, IsTheShareOfOrderedPairs) {
  for (const double n_values : {1.0, 6.0, 1e9}) {
    const Rows rows = draw(80, n_values);
    EXPECT_NEAR(area_under_curve(rows.scores, rows.signs),
                oracle::area_under_curve(rows.scores, rows.signs, std::vector<double>(80, 1.0)), 1e-14);
    EXPECT_NEAR(area_under_curve(rows.scores, rows.signs, rows.weights),
                oracle::area_under_curve(rows.scores, rows.signs, rows.weights), 1e-14);
  }
}

TEST(AreaUnderCurve, OfWeightsIsThatOfCopies) {
  const Rows rows = draw(60, 9);
  const RowWeights weights = test::whole_weights(60, 3, 0);
  const std::vector<double> numbers(weights.counts.begin(), weights.counts.end());
  EXPECT_NEAR(area_under_curve(rows.scores, rows.signs, numbers),
              area_under_curve(test::repeated(rows.scores, weights), test::repeated(rows.signs, weights)),
              1e-14);
}

TEST(AreaUnderCurve, OfOneKindIsNotANumber) {
  const std::vector<double> scores{1, 2};
  EXPECT_TRUE(std::isnan(area_under_curve(scores, std::vector<double>{1, 1})));
  EXPECT_TRUE(std::isnan(area_under_curve(scores, std::vector<double>{-1, -1})));
  EXPECT_TRUE(std::isnan(area_under_curve(scores, std::vector<double>{1, -1}, std::vector<double>{1, 0})));
}

}  // namespace
}  // namespace dyad

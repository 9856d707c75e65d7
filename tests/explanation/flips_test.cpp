// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/flips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

using test::ModelAndRows;

std::int32_t predicted(const Model& model, const Matrix& row) {
  return classify(model, scores(model, row))[0];
}

Matrix row_matrix(const Matrix& X, std::size_t row) {
  Matrix result(1, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) result(0, j) = X(row, j);
  return result;
}

TEST(Flips, ChangeWhatIsPredictedAndNothingNearerOnTheGridDoes) {
  int n_found = 0;
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const auto flips = nearest_flips(of.model, of.X);
    for (std::size_t row = 0; row < of.X.n_rows; row += 9) {
      const Matrix as_it_is = row_matrix(of.X, row);
      const std::int32_t own = predicted(of.model, as_it_is);
      EXPECT_TRUE(std::ranges::is_sorted(flips[row], {}, &Flip::distance));
      for (const auto& [feature, value, distance, class_code] : flips[row]) {
        ++n_found;
        Matrix changed = as_it_is;
        changed(0, feature) = value;
        EXPECT_EQ(predicted(of.model, changed), class_code);
        EXPECT_NE(class_code, own);
        // Points of the grid that are nearer do not change it.
        const auto points = points_of(of.model, feature, 65);
        const double at = position_among(of.model, feature, points, as_it_is(0, feature));
        if (std::isnan(as_it_is(0, feature)) ||
            (!of.model.levels.empty() && !of.model.levels[feature].is_number()))
          continue;
        for (std::size_t k = 0; k < 65; ++k) {
          if (std::abs(static_cast<double>(k) - at) / 64 >= distance - 1e-9) continue;
          changed(0, feature) = points[k];
          EXPECT_EQ(predicted(of.model, changed), own);
        }
      }
    }
  }
  EXPECT_GT(n_found, 100);
}

TEST(Flips, AreAtTheBoundary) {
  const ModelAndRows of = test::some_models()[0];
  const auto flips = nearest_flips(of.model, of.X);
  int n_found = 0;
  for (std::size_t row = 0; row < of.X.n_rows; ++row)
    for (const Flip& flip : flips[row]) {
      ++n_found;
      Matrix changed = row_matrix(of.X, row);
      changed(0, flip.feature) = flip.value;
      EXPECT_NEAR(scores(of.model, changed)(0, 0), 0, 1e-4);
    }
  EXPECT_GT(n_found, 50);
}

TEST(Flips, AreTheSameForAnyNumberOfThreads) {
  const ModelAndRows of = test::some_models()[1];
  const auto one = nearest_flips(of.model, of.X, Execution{.threads = 1});
  const auto three = nearest_flips(of.model, of.X, Execution{.threads = 3});
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t row = 0; row < one.size(); ++row) {
    ASSERT_EQ(one[row].size(), three[row].size());
    for (std::size_t k = 0; k < one[row].size(); ++k) EXPECT_EQ(one[row][k].value, three[row][k].value);
  }
}

TEST(Flips, AreNoneOfAFeatureWithoutTerms) {
  Table table = test::class_table(80, 3, 2, 1);
  table.features.push_back({"constant", NumericColumn{std::vector<double>(80, 1.0)}});
  const ModelAndRows of = test::fitted_to("constant", table, preset_options(Preset::automatic));
  for (const auto& of_row : nearest_flips(of.model, of.X))
    for (const Flip& flip : of_row) EXPECT_NE(flip.feature, 3);
}

}  // namespace
}  // namespace dyad

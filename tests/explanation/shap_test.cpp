// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/shap.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dyad/base/gather.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

/// Shapley values of one row by all coalitions: values[k][j].
std::vector<std::vector<double>> shapley_by_coalitions(const Model& model, const Matrix& X, std::size_t row,
                                                       const Matrix& background) {
  const std::size_t d = X.n_cols;
  std::vector<std::vector<double>> games;  // by coalition, then score
  for (std::size_t coalition = 0; coalition < (std::size_t{1} << d); ++coalition) {
    Matrix rows = background;
    for (std::size_t j = 0; j < d; ++j)
      if ((coalition >> j & 1U) != 0) std::ranges::fill(rows.column(j), X(row, j));
    const Matrix found = scores(model, rows);
    std::vector<double> means(found.n_cols);
    for (std::size_t k = 0; k < found.n_cols; ++k)
      for (std::size_t b = 0; b < rows.n_rows; ++b)
        means[k] += found(b, k) / static_cast<double>(rows.n_rows);
    games.push_back(means);
  }
  std::vector<std::vector<double>> values(model.n_scores(), std::vector<double>(d));
  for (std::size_t k = 0; k < model.n_scores(); ++k)
    for (std::size_t coalition = 0; coalition < games.size(); ++coalition)
      for (std::size_t j = 0; j < d; ++j) {
        if ((coalition >> j & 1U) != 0) continue;
        const auto size = static_cast<double>(std::popcount(coalition));
        const double share = std::tgamma(size + 1) * std::tgamma(static_cast<double>(d) - size) /
                             std::tgamma(static_cast<double>(d) + 1);
        values[k][j] += share * (games[coalition | (std::size_t{1} << j)][k] - games[coalition][k]);
      }
  return values;
}

TEST(ShapValues, AreThoseOfAllCoalitions) {
  for (const test::ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Matrix X = gather(of.X, all_rows(6));
    const Matrix background = gather(of.X, all_rows(20, std::size_t{10}));
    const ShapValues found = shap_values(of.model, X, background);
    const Matrix expected = scores(of.model, X);
    for (std::size_t row = 0; row < X.n_rows; ++row) {
      const auto values = shapley_by_coalitions(of.model, X, row, background);
      for (std::size_t k = 0; k < values.size(); ++k) {
        double sum = found.base[k];
        for (std::size_t j = 0; j < X.n_cols; ++j) {
          EXPECT_NEAR(found.values[k](row, j), values[k][j], 1e-9 * (1 + std::abs(values[k][j])));
          sum += found.values[k](row, j);
        }
        EXPECT_NEAR(sum, expected(row, k), 1e-9 * (1 + std::abs(sum)));
      }
    }
  }
}

TEST(ShapValues, NeedABackground) {
  const auto of = test::some_models()[0];
  EXPECT_THROW(static_cast<void>(shap_values(of.model, of.X, Matrix(0, of.X.n_cols))), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

// What every explanation must satisfy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dyad/model/prediction.h"

namespace dyad::test {

/// The intercept and the contributions of a row add up to its scores, to 1e-9 of the sum of their sizes: for
/// every tenth row.
inline void expect_contributions_that_add_up(const Model& model, const Matrix& X) {
  const Matrix result = scores(model, X);
  for (std::size_t i = 0; i < X.n_rows; i += 10) {
    std::vector<double> row;
    for (std::size_t j = 0; j < X.n_cols; ++j) row.push_back(X(i, j));
    const Explanation explanation = explain(model, row);
    for (std::size_t k = 0; k < model.n_scores(); ++k) {
      double sum = model.intercepts[k];
      double size = std::abs(sum);
      for (std::size_t t = 0; t < model.terms.size(); ++t) {
        sum += explanation.contributions(k, t);
        size += std::abs(explanation.contributions(k, t));
      }
      EXPECT_NEAR(sum, result(i, k), 1e-9 * size);
      EXPECT_NEAR(explanation.scores[k], result(i, k), 1e-9 * size);
    }
  }
}

}  // namespace dyad::test

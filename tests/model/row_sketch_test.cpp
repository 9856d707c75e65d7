// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/row_sketch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/random.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

Matrix random_rows(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Matrix X(n, 3);
  for (double& value : X.data) value = random.uniform();
  return X;
}

/// The rows from `first` on, then all rows of Y.
Matrix joined(const Matrix& X, std::size_t first, const Matrix& Y) {
  const std::size_t n = X.n_rows - first;
  Matrix result(n + Y.n_rows, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    for (std::size_t i = 0; i < n; ++i) result(i, j) = X(first + i, j);
    for (std::size_t i = 0; i < Y.n_rows; ++i) result(n + i, j) = Y(i, j);
  }
  return result;
}

TEST(RowSketch, TellsTheShareOfTrainingRows) {
  const Matrix trained = random_rows(3000, 1);
  const Matrix other = random_rows(2000, 2);
  const RowSketch sketch = row_sketch(trained, 3000);
  EXPECT_EQ(sketch.hashes.size(), most_row_hashes);
  EXPECT_EQ(*training_share(sketch, trained), 1);
  EXPECT_EQ(*training_share(sketch, other), 0);
  EXPECT_NEAR(*training_share(sketch, joined(trained, 0, other)), 0.6, 1e-12);
  EXPECT_NEAR(*training_share(sketch, joined(trained, 2000, other)), 1000.0 / 3000, 0.1);
  EXPECT_NEAR(*training_share(sketch, joined(trained, 1500, random_rows(0, 1))), 1, 0.1);
}

TEST(RowSketch, OfASampleStandsForTheTable) {
  const Matrix trained = random_rows(3000, 1);
  const RowSketch sketch = row_sketch(joined(trained, 2000, random_rows(0, 1)), 3000);
  EXPECT_NEAR(*training_share(sketch, joined(trained, 0, random_rows(3000, 2))), 0.5, 1e-12);
}

TEST(RowSketch, DoesNotDependOnOrderCopiesAndSigns) {
  Matrix X = random_rows(100, 3);
  X(0, 0) = 0.0;
  X(1, 1) = std::nan("");
  const RowSketch sketch = row_sketch(X, 100);
  Matrix Y = joined(X, 50, X);
  Y(50, 0) = -0.0;
  Y(51, 1) = -std::nan("1");
  EXPECT_EQ(row_sketch(Y, 150).hashes, sketch.hashes);
  EXPECT_FALSE(training_share({}, X));
}

TEST(RowSketch, OfAModelKnowsItsRows) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    SCOPED_TRACE(what);
    EXPECT_EQ(training_share(model.row_sketch, X), 1);
  }
}

}  // namespace
}  // namespace dyad

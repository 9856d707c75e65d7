// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/cholesky_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/samples.h"

namespace dyad {
namespace {

FloatRows draw(std::size_t n, std::size_t p, std::uint64_t seed) {
  Random random(seed);
  FloatRows X(n, p);
  for (std::size_t i = 0; i < n; ++i)
    for (float& value : X.row(i)) value = static_cast<float>(random.normal());
  return X;
}

double product(const FloatRows& X, std::size_t a, std::size_t b, std::size_t n_cols) {
  double sum = 0;
  for (std::size_t t = 0; t < n_cols; ++t)
    sum += static_cast<double>(X.row(a)[t]) * static_cast<double>(X.row(b)[t]);
  return sum;
}

double sum_of_squares(const FloatRows& X, std::size_t n_cols) {
  double sum = 0;
  for (std::size_t i = 0; i < X.n_rows(); ++i) sum += product(X, i, i, n_cols);
  return sum;
}

/// Products of the rotated rows are those of the leading columns, but for `tolerance` of the mean square of a
/// row.
void expect_same_products(const CholeskyRows& rotation, const FloatRows& X, std::size_t n_cols,
                          double tolerance) {
  const double size = sum_of_squares(X, n_cols) / static_cast<double>(X.n_rows());
  for (std::size_t a = 0; a < X.n_rows(); ++a)
    for (std::size_t b = 0; b <= a; ++b)
      ASSERT_NEAR(product(rotation.rows, a, b, rotation.rows.n_cols()), product(X, a, b, n_cols),
                  tolerance * size)
          << a << ", " << b;
}

/// Weights turned back give the rows of X the scores that they give the rotated ones.
void expect_same_scores(const CholeskyRows& rotation, const FloatRows& X, std::size_t n_cols,
                        double tolerance) {
  const auto w = test::normal_sample(rotation.rows.n_cols(), 5);
  const auto back = rotated_back(rotation, X, n_cols, w);
  ASSERT_EQ(back.size(), n_cols);
  const double size =
      std::sqrt(sum_of_squares(X, n_cols) / static_cast<double>(X.n_rows()) * static_cast<double>(w.size()));
  for (std::size_t i = 0; i < X.n_rows(); ++i) {
    double rotated = 0;
    for (std::size_t k = 0; k < w.size(); ++k) rotated += w[k] * static_cast<double>(rotation.rows.row(i)[k]);
    double original = 0;
    for (std::size_t t = 0; t < n_cols; ++t) original += back[t] * static_cast<double>(X.row(i)[t]);
    ASSERT_NEAR(original, rotated, tolerance * size) << i;
  }
}

TEST(CholeskyRows, KeepsTheProductsOfRows) {
  for (const std::size_t n : {1U, 2U, 17U, 60U})
    for (const std::size_t p : {70U, 300U}) {
      const FloatRows X = draw(n, p, n);
      const CholeskyRows rotation = cholesky_rows(X, p, 1e-6);
      EXPECT_LE(rotation.rows.n_cols(), n);
      EXPECT_EQ(rotation.pivots.size(), rotation.rows.n_cols());
      expect_same_products(rotation, X, p, 1e-4);
      expect_same_scores(rotation, X, p, 1e-4);
    }
}

TEST(CholeskyRows, TakesTheLeadingColumnsOnly) {
  const FloatRows X = draw(30, 100, 2);
  const CholeskyRows rotation = cholesky_rows(X, 40, 1e-6);
  expect_same_products(rotation, X, 40, 1e-4);
  expect_same_scores(rotation, X, 40, 1e-4);
}

TEST(CholeskyRows, OfFewerColumnsThanRowsHasNoMoreThanThose) {
  const FloatRows X = draw(50, 7, 3);
  const CholeskyRows rotation = cholesky_rows(X, 7, 1e-6);
  EXPECT_EQ(rotation.rows.n_cols(), 7U);
  expect_same_products(rotation, X, 7, 1e-3);
  expect_same_scores(rotation, X, 7, 1e-3);
}

TEST(CholeskyRows, OfDependentRowsHasOneColumnForEachThatIsNot) {
  FloatRows X = draw(40, 90, 4);
  for (std::size_t i = 10; i < 40; ++i)
    for (std::size_t t = 0; t < 90; ++t)
      X.row(i)[t] = i % 3 == 0   ? X.row(i % 10)[t]
                    : i % 3 == 1 ? 0.0F
                                 : 0.5F * X.row(i % 10)[t] - 2 * X.row((i + 3) % 10)[t];
  const CholeskyRows rotation = cholesky_rows(X, 90, 1e-5);
  EXPECT_LE(rotation.rows.n_cols(), 10U);
  expect_same_products(rotation, X, 90, 1e-2);
  expect_same_scores(rotation, X, 90, 1e-4);
  EXPECT_EQ(cholesky_rows(FloatRows(5, 8), 8, 1e-6).rows.n_cols(), 0U);  // all zero
}

TEST(CholeskyRows, LosesNoMoreThanItMay) {
  // Rows of few large directions and many small ones.
  FloatRows X = draw(60, 200, 6);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t t = 0; t < 200; ++t) X.row(i)[t] *= std::pow(0.9F, static_cast<float>(t));
  std::size_t last = 61;
  for (const double lost : {1e-6, 1e-3, 0.03, 0.3}) {
    const CholeskyRows rotation = cholesky_rows(X, 200, lost);
    const double all = sum_of_squares(X, 200);
    EXPECT_LE(rotation.rows.n_cols(), last);
    last = rotation.rows.n_cols();
    EXPECT_LE(all - sum_of_squares(rotation.rows, last), (lost + 1e-5) * all) << lost;
    // One column fewer would lose too much.
    EXPECT_GT(all - sum_of_squares(rotation.rows, last - 1), (lost - 1e-5) * all) << lost;
    expect_same_scores(rotation, X, 200, 1e-3);
  }
  EXPECT_LT(last, 10U);
}

TEST(CholeskyRows, TurnsWeightsBackToOnesOfTheSameLength) {
  const FloatRows X = draw(20, 150, 7);
  const CholeskyRows rotation = cholesky_rows(X, 150, 1e-6);
  const auto w = test::normal_sample(rotation.rows.n_cols(), 8);
  double before = 0;
  double after = 0;
  for (const double value : w) before += value * value;
  for (const double value : rotated_back(rotation, X, 150, w)) after += value * value;
  EXPECT_NEAR(after, before, 1e-3 * before);
}

}  // namespace
}  // namespace dyad

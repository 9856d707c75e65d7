// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/cholesky.h"

#include <gtest/gtest.h>

#include "dyad/base/random.h"

namespace dyad::internal {
namespace {

using Rows = std::vector<std::vector<double>>;

/// A'A + 1 of a random matrix A with more rows than columns.
Rows positive_matrix(std::size_t n) {
  Random random(n);
  Rows a(n + 3, std::vector<double>(n));
  for (auto& row : a)
    for (double& x : row) x = random.normal();
  Rows result(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      result[i][j] = i == j ? 1 : 0;
      for (const auto& row : a) result[i][j] += row[i] * row[j];
    }
  return result;
}

template <class T>
SquareRows<T> upper_rows(const Rows& matrix) {
  SquareRows<T> rows(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = i; j < matrix.size(); ++j) rows.row(i)[j] = static_cast<T>(matrix[i][j]);
  return rows;
}

template <class T>
void expect_solution(std::size_t n, double tolerance) {
  const Rows matrix = positive_matrix(n);
  const Cholesky<T> factor(upper_rows<T>(matrix), T{1e-12F});
  std::vector<T> b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<T>(i % 5) - 1;
  auto x = b;
  factor.solve(x);
  double form = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0;
    for (std::size_t j = 0; j < n; ++j) product += matrix[i][j] * static_cast<double>(x[j]);
    EXPECT_NEAR(product, static_cast<double>(b[i]), tolerance);
    form += static_cast<double>(x[i]) * static_cast<double>(b[i]);
  }
  auto twice = b;  // two columns
  twice.insert(twice.end(), b.begin(), b.end());
  factor.divide_columns(twice);
  double squares = 0;
  for (const T value : twice) squares += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(squares, 2 * form, tolerance * (1 + form));
}

class CholeskyOf : public testing::TestWithParam<std::size_t> {};

TEST_P(CholeskyOf, DoublesSolves) { expect_solution<double>(GetParam(), 1e-9); }

TEST_P(CholeskyOf, FloatsSolves) { expect_solution<float>(GetParam(), 2e-2); }

INSTANTIATE_TEST_SUITE_P(Sizes, CholeskyOf, testing::Values(1, 7, 16, 31, 32, 33, 70, 131));

TEST(Cholesky, RaisesPivotsThatAreTooSmall) {
  const Cholesky<double> factor(upper_rows<double>({{1, 1}, {1, 1}}), 0.25);
  std::vector<double> x{0, 1};
  factor.solve(x);  // U = (1, 1; 0, 0.5)
  EXPECT_NEAR(x[0], -4, 1e-12);
  EXPECT_NEAR(x[1], 4, 1e-12);
}

TEST(AddProducts, IsTheSumOverRows) {
  constexpr std::size_t n_cols = 37;
  constexpr std::size_t n_rows = 9;
  Random random(1);
  Panels<float> panels(n_cols, 16);
  std::vector<std::vector<float>> rows(n_rows, std::vector<float>(n_cols));
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (float& x : rows[r]) x = static_cast<float>(random.normal());
    panels.set_row(r, rows[r]);
  }
  SquareRows<float> sums(n_cols);
  add_products(panels, n_rows, 1, -2, sums.row(0), sums.stride());
  for (std::size_t i = 0; i < n_cols; ++i)
    for (std::size_t j = i; j < n_cols; ++j) {
      double expected = 0;
      if (j >= Panels<float>::width)
        for (const auto& row : rows)
          expected -= 2 * static_cast<double>(row[i]) * static_cast<double>(row[j]);
      EXPECT_NEAR(static_cast<double>(sums.row(i)[j]), expected, 1e-5);
    }
}

}  // namespace
}  // namespace dyad::internal

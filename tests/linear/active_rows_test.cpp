// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/active_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/linear/problems.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::draw;
using test::expect_close;
using test::Problem;
using test::problems;

/// One class in fifteen, far from most others.
Problem rare_class(std::size_t n, std::size_t p) {
  Problem problem = draw("rare class", n, p, 0.2);
  for (std::size_t i = 0; i < n; ++i) {
    problem.y[i] = i % 15 == 0 ? 1 : -1;
    for (std::size_t j = 0; j < std::min<std::size_t>(p, 20); ++j)
      problem.X.row(i)[j] += static_cast<float>(0.4 * problem.y[i]);
  }
  return problem;
}

LinearSolution solve(const Problem& problem, const SvmOptions& options, const LinearSolution& warm = {},
                     const RowProducts* products = nullptr) {
  return solve_active_rows(problem.X, problem.rows(), problem.X.n_cols(), problem.y, problem.weights, options,
                           warm, {}, products);
}

TEST(RowProducts, AreInnerProductsOfTheRowsOverTheirLeadingColumns) {
  const Problem problem = draw("", 150, 700, 0.5);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 1; i < 150; i += 2) rows.push_back(i);
  RowProducts products(rows);
  for (const std::size_t n_cols : {3U, 300U, 699U}) {
    products.extend_to(problem.X, n_cols);
    ASSERT_EQ(products.n_cols(), n_cols);
    const std::vector<std::uint32_t> some{149, 3, 77, 65, 63};
    const Matrix actual = products.of(some);
    for (std::size_t a = 0; a < some.size(); ++a)
      for (std::size_t b = 0; b < some.size(); ++b) {
        double expected = 0;
        for (std::size_t j = 0; j < n_cols; ++j)
          expected +=
              static_cast<double>(problem.X.row(some[a])[j]) * static_cast<double>(problem.X.row(some[b])[j]);
        EXPECT_NEAR(actual(a, b), expected, 1e-3) << a << ", " << b << ", " << n_cols;
      }
  }
}

TEST(ActiveRows, ReachTheObjectiveOfAllRows) {
  std::vector<Problem> all = problems();
  all.push_back(rare_class(4000, 30));
  all.push_back(rare_class(1500, 400));
  all.push_back(draw("columns abound", 300, 900, 0.5));
  for (const Problem& problem : all)
    for (const double C : {0.01, 1.0, 100.0}) {
      const std::string what = problem.name + ", C = " + std::to_string(C);
      const LinearSolution slow = problem.solve({.C = C, .tolerance = 1e-5});
      const LinearSolution fast = solve(problem, {.C = C, .tolerance = 1e-5});
      EXPECT_TRUE(fast.converged) << what << ", gap " << fast.gap;
      expect_close(fast.objective, slow.objective, 2e-5, what);
    }
}

TEST(ActiveRows, ReportAGapOverAllRows) {
  const Problem problem = rare_class(3000, 200);
  const LinearSolution s = solve(problem, {.C = 0.5, .tolerance = 0.05});
  const auto decisions = decision_values(problem.X, problem.rows(), s.w, s.intercept);
  double primal = 0;
  double dual = 0;
  double balance = 0;
  for (const double w : s.w) primal += 0.5 * w * w;
  std::vector<double> v(s.w.size());
  for (std::size_t i = 0; i < problem.y.size(); ++i) {
    primal += 0.5 * std::max(0.0, 1 - problem.y[i] * decisions[i]);
    EXPECT_GE(s.alpha[i], 0);
    EXPECT_LE(s.alpha[i], 0.5);
    dual += s.alpha[i];
    balance += s.alpha[i] * problem.y[i];
    for (std::size_t j = 0; j < v.size(); ++j)
      v[j] += s.alpha[i] * problem.y[i] * static_cast<double>(problem.X.row(i)[j]);
  }
  for (const double value : v) dual -= 0.5 * value * value;
  EXPECT_NEAR(balance, 0, 1e-9);
  expect_close(s.objective, primal, 1e-9);
  EXPECT_NEAR(s.gap, (primal - dual) / primal, 1e-6);
}

TEST(ActiveRows, StartedNearbyReachTheSameObjective) {
  const Problem problem = rare_class(2000, 300);
  const LinearSolution cold = solve(problem, {.tolerance = 1e-4});
  const auto rows = problem.rows();
  const LinearSolution fewer_columns =
      solve_active_rows(problem.X, rows, 250, problem.y, problem.weights, {.tolerance = 1e-4});
  for (const LinearSolution& start : {cold, solve(problem, {.C = 10}), fewer_columns}) {
    const LinearSolution warm = solve(problem, {.tolerance = 1e-4}, start);
    EXPECT_TRUE(warm.converged);
    expect_close(warm.objective, cold.objective, 2e-4);
  }
}

TEST(ActiveRows, WhereMostRowsAreActiveDoNotReturnTheStart) {
  const Problem problem = draw("overlapping", 1500, 8, 2);
  const LinearSolution start = solve(problem, {.C = 0.001});
  const LinearSolution warm = solve(problem, {.C = 1, .tolerance = 1e-5}, start);
  EXPECT_TRUE(warm.converged);
  EXPECT_EQ(warm.C, 1);
  expect_close(warm.objective, problem.solve({.C = 1, .tolerance = 1e-5}).objective, 2e-5);
}

TEST(ActiveRows, WithSharedProductsGiveTheSameBits) {
  const Problem problem = rare_class(600, 700);
  RowProducts products(problem.rows());
  products.extend_to(problem.X, 700);
  const LinearSolution alone = solve(problem, {});
  const LinearSolution shared = solve(problem, {}, {}, &products);
  EXPECT_EQ(alone.w, shared.w);
  EXPECT_EQ(alone.alpha, shared.alpha);
}

TEST(ActiveRows, StopOutOfSteps) {
  const Problem problem = rare_class(500, 600);
  const LinearSolution s = solve(problem, {.tolerance = 1e-9, .max_iterations = 1});
  EXPECT_FALSE(s.converged);
}

}  // namespace
}  // namespace dyad

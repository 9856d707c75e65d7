// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/hinge_newton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "dyad/linear/linear_svm.h"
#include "tests/linear/problems.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::draw;
using test::expect_close;
using test::Problem;
using test::problems;

Matrix gram_of(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols) {
  Matrix Z(rows.size(), n_cols);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t j = 0; j < n_cols; ++j) Z(k, j) = static_cast<double>(X.row(rows[k])[j]);
  Matrix gram(rows.size(), rows.size());
  add_gram(Z, gram);
  return gram;
}

/// sum_k alpha_k y_k k(x_k, x_i) + b
double exact_decision(const SvmSolution& exact, const Matrix& gram, std::span<const double> y,
                      std::size_t i) {
  double sum = exact.intercept;
  for (std::size_t k = 0; k < y.size(); ++k) sum += exact.alpha[k] * y[k] * gram(k, i);
  return sum;
}

TEST(HingeNewton, AgreesWithTheExactSolver) {
  for (const Problem& problem : problems()) {
    const auto rows = problem.rows();
    const Matrix gram = gram_of(problem.X, rows, problem.X.n_cols());
    for (const double C : {0.01, 1.0, 100.0}) {
      const std::string what = problem.name + ", C = " + std::to_string(C);
      const SvmSolution exact = solve_svm(gram, problem.y, problem.weights, {.C = C, .tolerance = 1e-7});
      const LinearSolution actual = solve_linear(problem.X, rows, problem.X.n_cols(), problem.y,
                                                 problem.weights, {.C = C, .tolerance = 1e-6});
      EXPECT_TRUE(actual.converged) << what << ", gap " << actual.gap;
      expect_close(actual.objective, exact.objective, 1e-5, what);
      const auto decisions = decision_values(problem.X, rows, actual.w, actual.intercept);
      for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_NEAR(decisions[i], exact_decision(exact, gram, problem.y, i), 0.02) << what << ", row " << i;
    }
  }
}

TEST(HingeNewton, ReportsItsObjectiveAndAFeasibleDual) {
  for (const Problem& problem : problems()) {
    const auto rows = problem.rows();
    // Far from converged, where a bound that is no bound would show.
    const LinearSolution s = solve_linear(problem.X, rows, problem.X.n_cols(), problem.y, problem.weights,
                                          {.C = 0.5, .tolerance = 0.2});
    const auto decisions = decision_values(problem.X, rows, s.w, s.intercept);
    double primal = 0;
    for (const double w : s.w) primal += 0.5 * w * w;
    double dual = 0;
    double balance = 0;
    std::vector<double> v(problem.X.n_cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double cost = 0.5 * (problem.weights.empty() ? 1 : problem.weights[i]);
      primal += cost * std::max(0.0, 1 - problem.y[i] * decisions[i]);
      EXPECT_GE(s.alpha[i], 0);
      EXPECT_LE(s.alpha[i], cost);
      dual += s.alpha[i];
      balance += s.alpha[i] * problem.y[i];
      for (std::size_t j = 0; j < v.size(); ++j)
        v[j] += s.alpha[i] * problem.y[i] * static_cast<double>(problem.X.row(i)[j]);
    }
    for (const double value : v) dual -= 0.5 * value * value;
    EXPECT_NEAR(balance, 0, 1e-9) << problem.name;
    expect_close(s.objective, primal, 1e-9, problem.name);
    EXPECT_NEAR(s.gap, (primal - dual) / primal, 1e-9) << problem.name;
  }
}

TEST(HingeNewton, OnSomeRowsAndColumnsEqualsASolutionOnACopyOfThem) {
  const Problem problem = draw("", 150, 20, 0.8);
  std::vector<std::uint32_t> rows;
  std::vector<double> y;
  for (std::uint32_t i = 3; i < 150; i += 2) {
    rows.push_back(i);
    y.push_back(problem.y[i]);
  }
  FloatRows copy(rows.size(), 13);
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::ranges::copy(problem.X.row(rows[k]).first(13), copy.row(k).begin());
  const LinearSolution part = solve_linear(problem.X, rows, 13, problem.y, {}, {});
  const LinearSolution whole = solve_linear(copy, all_rows<std::uint32_t>(rows.size()), 13, y, {}, {});
  EXPECT_EQ(part.w.size(), 13U);
  EXPECT_EQ(part.w, whole.w);
  EXPECT_EQ(part.intercept, whole.intercept);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(part.alpha[rows[k]], whole.alpha[k]);
  EXPECT_EQ(std::accumulate(part.alpha.begin(), part.alpha.end(), 0.0),
            std::accumulate(whole.alpha.begin(), whole.alpha.end(), 0.0));
}

TEST(HingeNewton, OfManyRowsStartsFromASampleAndEndsWhereItShould) {
  const Problem problem = draw("", 6000, 6, 0.7);
  const auto rows = problem.rows();
  const LinearSolution s = solve_linear(problem.X, rows, 6, problem.y, {}, {.tolerance = 1e-6});
  ASSERT_TRUE(s.converged);
  const LinearSolution again = solve_linear(problem.X, rows, 6, problem.y, {}, {.tolerance = 1e-6},
                                            {.w = std::vector<double>(6), .intercept = 0});
  ASSERT_TRUE(again.converged);
  expect_close(s.objective, again.objective, 2e-6);
}

TEST(HingeNewton, StartedNearbyReachesTheSameObjectiveWithLessWork) {
  const Problem problem = draw("", 2000, 40, 0.5);
  const auto rows = problem.rows();
  std::vector<std::uint32_t> most(rows.begin(), rows.end() - 100);
  const auto solve = [&](std::span<const std::uint32_t> on, std::size_t n_cols, double C,
                         const LinearSolution& warm = {}) {
    return solve_linear(problem.X, on, n_cols, problem.y, {}, {.C = C, .tolerance = 1e-4}, warm);
  };
  const LinearSolution cold = solve(rows, 40, 1);
  const std::vector<std::pair<std::string, LinearSolution>> starts{{"itself", cold},
                                                                   {"smaller C", solve(rows, 40, 0.3)},
                                                                   {"larger C", solve(rows, 40, 3)},
                                                                   {"fewer rows", solve(most, 40, 1)},
                                                                   {"fewer columns", solve(rows, 39, 1)}};
  for (const auto& [name, start] : starts) {
    const LinearSolution warm = solve(rows, 40, 1, start);
    EXPECT_TRUE(warm.converged) << name;
    expect_close(warm.objective, cold.objective, 2e-4, name);
    EXPECT_LT(warm.row_reads, cold.row_reads) << name;
  }
}

TEST(HingeNewton, OfOneClassPredictsThatClass) {
  Problem problem = draw("", 40, 3, 0.5);
  std::ranges::fill(problem.y, -1.0);
  const auto rows = problem.rows();
  const LinearSolution all = solve_linear(problem.X, rows, 3, problem.y, {}, {});
  EXPECT_TRUE(all.converged);
  EXPECT_EQ(all.w, std::vector<double>(3));
  EXPECT_EQ(all.intercept, -1);
  EXPECT_EQ(all.objective, 0);
  EXPECT_TRUE(solve_linear(problem.X, {}, 3, problem.y, {}, {}).converged);
}

TEST(HingeNewton, WithoutColumnsFindsTheLargerClass) {
  const Problem problem = draw("", 100, 2, 0.5, 1);
  const LinearSolution s = solve_linear(problem.X, problem.rows(), 0, problem.y, {}, {});
  EXPECT_TRUE(s.converged);
  EXPECT_TRUE(s.w.empty());
  EXPECT_NEAR(s.intercept, 1, 1e-6);
}

TEST(HingeNewton, GivesTheSameBitsWheneverRun) {
  const Problem problem = draw("", 5000, 7, 0.6);
  const auto rows = problem.rows();
  const LinearSolution a = solve_linear(problem.X, rows, 7, problem.y, {}, {}, {}, {.threads = 1});
  const LinearSolution b = solve_linear(problem.X, rows, 7, problem.y, {}, {}, {}, {.threads = 4});
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.intercept, b.intercept);
}

TEST(HingeNewton, StopsWhenAskedOrOutOfSteps) {
  const Problem problem = draw("", 200, 10, 0.5);
  const auto rows = problem.rows();
  const std::atomic<bool> stop{true};
  EXPECT_THROW(solve_linear(problem.X, rows, 10, problem.y, {}, {}, {}, {.stop = &stop}), Interrupted);
  const LinearSolution s = solve_linear(problem.X, rows, 10, problem.y, {}, {.max_iterations = 1});
  EXPECT_FALSE(s.converged);
  EXPECT_GT(s.gap, 1e-6);
}

TEST(HingeNewton, MatchesTheGoldenWeights) {
  Table table = test::golden_table("svm_input");
  const std::vector<double> y = test::numbers(table, "label");
  std::erase_if(table.features, [](const Column& column) { return column.name == "label"; });
  FloatRows X(table.n_rows, table.features.size());
  for (std::size_t j = 0; j < X.n_cols(); ++j)
    for (std::size_t i = 0; i < X.n_rows(); ++i)
      X.row(i)[j] = static_cast<float>(std::get<NumericColumn>(table.features[j].data).values[i]);
  apply(standardisation_of(X), X);
  const LinearSolution s =
      solve_linear(X, all_rows<std::uint32_t>(X.n_rows()), X.n_cols(), y, {}, {.tolerance = 1e-8});
  ASSERT_TRUE(s.converged);
  const Table expected = test::golden_table("svm_linear_coef");
  std::size_t j = 0;
  for (std::size_t k = 0; k < expected.n_rows; ++k) {
    if (test::text(expected, "model", k) != "linear_tol1e-10") continue;
    const double value = test::numbers(expected, "w_scaled")[k];
    if (test::text(expected, "term", k) == "intercept")
      EXPECT_NEAR(s.intercept, value, 1e-3);
    else
      EXPECT_NEAR(s.w[j++], value, 1e-3) << j;
  }
  EXPECT_EQ(j, X.n_cols());
}

TEST(HingeNewton, RejectsBadInput) {
  const Problem problem = draw("", 10, 2, 0.5);
  const auto rows = problem.rows();
  const std::vector<std::uint32_t> outside{10};
  const std::vector<double> wrong(10, 0.5);
  const std::vector<double> three(3, 1.0);
  EXPECT_THROW(solve_linear(problem.X, rows, 3, problem.y, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, outside, 2, problem.y, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, rows, 2, wrong, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, rows, 2, three, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, rows, 2, problem.y, three, {}), std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, rows, 2, problem.y, {}, {}, {.w = {1, 1}, .alpha = three}),
               std::invalid_argument);
  EXPECT_THROW(solve_linear(problem.X, rows, 2, problem.y, {}, {.C = 0}), std::invalid_argument);
  EXPECT_THROW(decision_values(problem.X, rows, three, 0), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

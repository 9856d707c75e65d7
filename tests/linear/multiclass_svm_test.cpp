// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/multiclass_svm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "dyad/linear/hinge_newton.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

struct Problem {
  std::string name;
  FloatRows X;
  std::vector<std::int32_t> y;
  std::size_t n_classes = 0;
  std::vector<double> weights;

  [[nodiscard]] std::vector<std::uint32_t> rows() const {
    std::vector<std::uint32_t> all(X.n_rows());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  [[nodiscard]] MulticlassSolution solve(const SvmOptions& options) const {
    return solve_multiclass(X, rows(), X.n_cols(), y, n_classes, weights, options);
  }
  /// With the constant 1.
  [[nodiscard]] oracle::Rows plain_rows() const {
    oracle::Rows result;
    for (std::size_t i = 0; i < X.n_rows(); ++i) {
      result.emplace_back(X.row(i).begin(), X.row(i).end());
      result.back().push_back(1);
    }
    return result;
  }
  [[nodiscard]] std::vector<double> costs(double C) const {
    std::vector<double> result(X.n_rows(), C);
    for (std::size_t i = 0; i < weights.size(); ++i) result[i] *= weights[i];
    return result;
  }
};

/// Normal clouds about a centre for each class.
Problem draw(const std::string& name, std::size_t n, std::size_t p, std::size_t n_classes, double distance) {
  Problem problem{name, FloatRows(n, p), {}, n_classes, {}};
  Random random(n + p + n_classes);
  Matrix centres(n_classes, p);
  for (double& value : centres.data) value = distance * random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = i < n_classes ? i : random.below(n_classes);
    problem.y.push_back(static_cast<std::int32_t>(c));
    for (std::size_t j = 0; j < p; ++j)
      problem.X.row(i)[j] = static_cast<float>(centres(c, j) + random.normal());
  }
  return problem;
}

std::vector<Problem> problems() {
  std::vector<Problem> result;
  result.push_back(draw("three classes", 90, 4, 3, 1));
  result.push_back(draw("separable", 60, 6, 4, 4));
  result.push_back(draw("seven classes", 120, 5, 7, 0.7));
  result.push_back(draw("more columns than rows", 40, 90, 3, 0.3));
  result.push_back(draw("weights", 100, 4, 3, 0.8));
  for (std::size_t i = 0; i < 100; ++i) result.back().weights.push_back(static_cast<double>(i % 4) * 0.7);
  return result;
}

oracle::Rows with_intercepts(const MulticlassSolution& solution) {
  oracle::Rows w = solution.w;
  for (std::size_t k = 0; k < w.size(); ++k) w[k].push_back(solution.intercepts[k]);
  return w;
}

TEST(MulticlassSvm, AgreesWithPlainSteps) {
  for (const Problem& problem : problems())
    for (const double C : {0.01, 1.0}) {
      const std::string what = problem.name + ", C = " + std::to_string(C);
      const auto rows = problem.plain_rows();
      const auto costs = problem.costs(C);
      const MulticlassSolution actual = problem.solve({.C = C, .tolerance = 1e-6});
      EXPECT_TRUE(actual.converged) << what << ", gap " << actual.gap;
      expect_close(actual.objective,
                   oracle::multiclass_objective(rows, problem.y, costs, with_intercepts(actual)), 1e-9, what);
      const auto expected = oracle::minimise_multiclass(rows, problem.y, costs, problem.n_classes, 1500);
      const double objective = oracle::multiclass_objective(rows, problem.y, costs, expected);
      EXPECT_LE(actual.objective, objective * (1 + 1e-5)) << what;
      EXPECT_GE(actual.objective, objective * (1 - 1e-4)) << what;
    }
}

TEST(MulticlassSvm, ReportsAFeasibleDualAndItsGap) {
  for (const Problem& problem : problems()) {
    // Far from converged, where a bound that is no bound would show.
    const MulticlassSolution s = problem.solve({.C = 0.5, .tolerance = 0.2});
    const auto rows = problem.plain_rows();
    const auto costs = problem.costs(0.5);
    oracle::Rows v(problem.n_classes, std::vector<double>(rows[0].size()));
    double dual = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < problem.n_classes; ++k) {
        const double beta = s.beta[i * problem.n_classes + k];
        const bool own = static_cast<std::size_t>(problem.y[i]) == k;
        EXPECT_GE(beta, 0);
        sum += beta;
        dual += own ? 0 : beta;
        for (std::size_t j = 0; j < v[k].size(); ++j) v[k][j] += ((own ? costs[i] : 0) - beta) * rows[i][j];
      }
      EXPECT_NEAR(sum, costs[i], 1e-12);
    }
    for (const auto& of_class : v)
      for (const double value : of_class) dual -= 0.5 * value * value;
    EXPECT_LE(s.gap, 0.2) << problem.name;
    EXPECT_NEAR(s.gap, (s.objective - dual) / s.objective, 1e-9) << problem.name;
  }
}

TEST(MulticlassSvm, OfTwoClassesIsTheSvmOfTwiceTheCost) {
  const Problem problem = draw("", 100, 5, 2, 0.7);
  std::vector<double> signs;
  for (const std::int32_t code : problem.y) signs.push_back(code == 1 ? 1 : -1);
  for (const double C : {0.05, 1.0}) {
    const MulticlassSolution both = problem.solve({.C = C, .tolerance = 1e-8});
    const LinearSolution svm =
        solve_linear(problem.X, problem.rows(), 5, signs, {},
                     {.C = 2 * C, .intercept = Intercept::penalised, .tolerance = 1e-8});
    expect_close(2 * both.objective, svm.objective, 1e-6);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(both.w[1][j] - both.w[0][j], svm.w[j], 1e-3);
    EXPECT_NEAR(both.intercepts[1] - both.intercepts[0], svm.intercept, 1e-3);
  }
}

TEST(MulticlassSvm, HasWeightsThatAddUpToNothing) {
  const Problem problem = draw("", 80, 4, 3, 1);
  const MulticlassSolution s = problem.solve({.C = 0.3, .tolerance = 1e-9});
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(s.w[0][j] + s.w[1][j] + s.w[2][j], 0, 1e-4);
}

TEST(MulticlassSvm, DoesNotDependOnTheOrderOfRowsOrClasses) {
  const Problem problem = draw("", 90, 4, 3, 0.8);
  auto order = problem.rows();
  Random(5).shuffle(order);
  std::vector<std::int32_t> turned;
  for (const std::int32_t code : problem.y) turned.push_back((code + 1) % 3);
  const SvmOptions options{.C = 0.3, .tolerance = 1e-9};
  const MulticlassSolution s = problem.solve(options);
  const MulticlassSolution shuffled = solve_multiclass(problem.X, order, 4, problem.y, 3, {}, options);
  const MulticlassSolution of_turned = solve_multiclass(problem.X, problem.rows(), 4, turned, 3, {}, options);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(s.w[k][j], shuffled.w[k][j], 1e-3);
      EXPECT_NEAR(s.w[k][j], of_turned.w[(k + 1) % 3][j], 1e-3);
    }
}

TEST(MulticlassSvm, TakesWeightsAsCopiesAndSomeColumns) {
  Problem problem = draw("", 70, 6, 3, 0.8);
  const RowWeights weights = test::whole_weights(70, 5, 0);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < 70; ++i) {
    problem.weights.push_back(weights.counts[i]);
    copies.insert(copies.end(), weights.counts[i], i);
  }
  const SvmOptions options{.C = 0.2, .tolerance = 1e-9};
  const auto weighted =
      solve_multiclass(problem.X, problem.rows(), 4, problem.y, 3, problem.weights, options);
  const auto copied = solve_multiclass(problem.X, copies, 4, problem.y, 3, {}, options);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(weighted.w[k].size(), 4U);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(weighted.w[k][j], copied.w[k][j], 1e-3);
  }
}

TEST(MulticlassSvm, OfManyRowsStartsFromASampleAndEndsWhereItShould) {
  const Problem problem = draw("", 4000, 6, 5, 0.6);
  const MulticlassSolution s = problem.solve({.tolerance = 1e-5});
  MulticlassSolution zero{
      .w = oracle::Rows(5, std::vector<double>(6)), .intercepts = std::vector<double>(5), .beta = {}};
  const MulticlassSolution cold = solve_multiclass(problem.X, problem.rows(), 6, problem.y, 5, {},
                                                   {.tolerance = 1e-5}, zero, {.threads = 2});
  EXPECT_TRUE(s.converged && cold.converged);
  expect_close(s.objective, cold.objective, 2e-5);
  EXPECT_EQ(problem.solve({.tolerance = 1e-5}).w, s.w);
}

TEST(MulticlassSvm, StopsWhenAskedAndRejectsBadInput) {
  const Problem problem = draw("", 50, 3, 3, 1);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(solve_multiclass(problem.X, problem.rows(), 3, problem.y, 3, {}, {}, {}, {.stop = &stop}),
               Interrupted);
  EXPECT_FALSE(problem.solve({.tolerance = 1e-9, .max_iterations = 1}).converged);
  EXPECT_THROW(solve_multiclass(problem.X, problem.rows(), 4, problem.y, 3, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_multiclass(problem.X, problem.rows(), 3, problem.y, 2, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_multiclass(problem.X, problem.rows(), 3, problem.y, 3, {}, {.loss = Loss::logistic}),
               std::invalid_argument);
  const std::vector<std::uint32_t> outside{50};
  EXPECT_THROW(solve_multiclass(problem.X, outside, 3, problem.y, 3, {}, {}), std::invalid_argument);
  const std::vector<double> three(3, 1.0);
  EXPECT_THROW(solve_multiclass(problem.X, problem.rows(), 3, problem.y, 3, three, {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace dyad

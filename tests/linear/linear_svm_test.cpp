// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/linear_svm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

Matrix columns_of(const Table& table) {
  std::vector<std::size_t> rows(table.n_rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  Table features = table;
  std::erase_if(features.features, [](const Column& column) { return column.name == "label"; });
  return numeric_rows(features, rows);
}

double decision(const LinearSvm& svm, const Matrix& X, std::size_t i) {
  double sum = svm.intercept;
  for (std::size_t j = 0; j < X.n_cols; ++j) sum += svm.weights[j] * (X(i, j) - svm.centre[j]);
  return sum;
}

struct Golden {
  Matrix X = columns_of(test::golden_table("svm_input"));
  Matrix fresh = columns_of(test::golden_table("svm_newdata"));
  std::vector<double> y = test::numbers(test::golden_table("svm_input"), "label");
};

TEST(LinearSvm, DecisionValuesMatchTheGoldenOnes) {
  const Golden golden;
  const LinearSvm svm = LinearSvmProblem(golden.X).solve(golden.y, {}, {.tolerance = 1e-10});
  ASSERT_TRUE(svm.solution.converged);
  const Table expected = test::golden_table("svm_decision");
  const auto& decisions = test::numbers(expected, "linear_tol1e-10");
  ASSERT_EQ(decisions.size(), 130U);
  for (std::size_t k = 0; k < 130; ++k) {
    const double actual = k < 100 ? decision(svm, golden.X, k) : decision(svm, golden.fresh, k - 100);
    EXPECT_NEAR(actual, decisions[k], 1e-4) << k;
  }
}

TEST(LinearSvm, ObjectiveAndWeightsMatchTheGoldenOnes) {
  const Golden golden;
  const Table expected = test::golden_table("svm_linear_coef");
  // The primal objective of the reference weights, in the standardised columns.
  std::vector<double> w;
  std::vector<double> original;
  double intercept = 0;
  for (std::size_t k = 0; k < expected.n_rows; ++k) {
    if (test::text(expected, "model", k) != "linear_tol1e-10") continue;
    const double value = test::numbers(expected, "w_scaled")[k];
    if (test::text(expected, "term", k) == "intercept") {
      intercept = value;
    } else {
      w.push_back(value);
      original.push_back(test::numbers(expected, "w_original")[k]);
    }
  }
  const Matrix Z = standardised(golden.X, standardisation_of(golden.X));
  double objective = 0;
  for (const double value : w) objective += 0.5 * value * value;
  for (std::size_t i = 0; i < 100; ++i) {
    double f = intercept;
    for (std::size_t j = 0; j < w.size(); ++j) f += w[j] * Z(i, j);
    objective += std::max(0.0, 1 - golden.y[i] * f);
  }
  const LinearSvm svm = LinearSvmProblem(golden.X).solve(golden.y, {}, {.tolerance = 1e-10});
  expect_close(svm.solution.objective, objective, 1e-6);
  for (std::size_t j = 0; j < w.size(); ++j)
    EXPECT_NEAR(svm.weights[j], original[j], 1e-4 * std::abs(original[j]) + 1e-5);
}

TEST(LinearSvm, ReportsGapAndConvergence) {
  const Golden golden;
  const LinearSvm done = LinearSvmProblem(golden.X).solve(golden.y, {}, {.tolerance = 1e-6});
  EXPECT_TRUE(done.solution.converged);
  EXPECT_LE(done.solution.gap, 1e-6);
  EXPECT_GE(done.solution.gap, -1e-12);
  const LinearSvm stopped = LinearSvmProblem(golden.X).solve(golden.y, {}, {.max_iterations = 5});
  EXPECT_FALSE(stopped.solution.converged);
  EXPECT_GT(stopped.solution.gap, 1e-6);
}

/// The primal objective at (w, b), w in standardised columns, with costs C weight_i.
double objective_at(const Matrix& Z, std::span<const double> y, std::span<const double> cost,
                    const std::vector<double>& w, double b) {
  double sum = 0;
  for (const double value : w) sum += 0.5 * value * value;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double f = b;
    for (std::size_t j = 0; j < w.size(); ++j) f += w[j] * Z(i, j);
    sum += cost[i] * std::max(0.0, 1 - y[i] * f);
  }
  return sum;
}

TEST(LinearSvm, CannotBeImprovedByMovingAnyWeight) {
  const Golden golden;
  std::vector<double> weights(100);
  for (std::size_t i = 0; i < 100; ++i) weights[i] = i % 3 == 0 ? 0 : 0.5 + static_cast<double>(i % 5);
  const LinearSvm svm = LinearSvmProblem(golden.X).solve(golden.y, weights, {.C = 0.3, .tolerance = 1e-9});
  ASSERT_TRUE(svm.solution.converged);
  const Standardisation s = standardisation_of(golden.X);
  const Matrix Z = standardised(golden.X, s);
  std::vector<double> cost = weights;
  for (double& c : cost) c *= 0.3;
  std::vector<double> w = svm.weights;
  for (std::size_t j = 0; j < w.size(); ++j) w[j] *= s.scale[j];
  const double best = objective_at(Z, golden.y, cost, w, svm.intercept);
  expect_close(svm.solution.objective, best, 1e-9);
  for (const double step : {-1e-2, 1e-2}) {
    EXPECT_GE(objective_at(Z, golden.y, cost, w, svm.intercept + step), best * (1 - 1e-9));
    for (double& value : w) {
      value += step;
      EXPECT_GT(objective_at(Z, golden.y, cost, w, svm.intercept), best);
      value -= step;
    }
  }
}

TEST(LinearSvm, AnIntegerWeightEqualsRepeatingTheRow) {
  const Golden golden;
  std::vector<double> weights(100, 1.0);
  Matrix repeated(110, golden.X.n_cols);
  std::vector<double> y = golden.y;
  for (std::size_t i = 0; i < 10; ++i) {
    weights[i] = 2;
    y.push_back(golden.y[i]);
  }
  // Standardised beforehand, so that repeating rows does not change the columns' scale.
  const Matrix Z = standardised(golden.X, standardisation_of(golden.X));
  for (std::size_t j = 0; j < Z.n_cols; ++j)
    for (std::size_t i = 0; i < 110; ++i) repeated(i, j) = Z(i < 100 ? i : i - 100, j);
  Matrix gram(100, 100);
  Matrix repeated_gram(110, 110);
  add_gram(Z, gram);
  add_gram(repeated, repeated_gram);
  const SvmSolution a = solve_svm(gram, golden.y, weights, {.tolerance = 1e-10});
  const SvmSolution b = solve_svm(repeated_gram, y, {}, {.tolerance = 1e-10});
  expect_close(a.objective, b.objective, 1e-8);
  expect_close(a.intercept, b.intercept, 1e-4);
}

TEST(LinearSvm, WarmStartsReachTheSameSolutionInFewerSteps) {
  const Golden golden;
  const Matrix Z = standardised(golden.X, standardisation_of(golden.X));
  Matrix gram(100, 100);
  add_gram(Z, gram);
  const SvmSolution cold = solve_svm(gram, golden.y, {}, {.C = 1.1, .tolerance = 1e-6});
  const SvmSolution near = solve_svm(gram, golden.y, {}, {.C = 1, .tolerance = 1e-6});
  const SvmSolution warm = solve_svm(gram, golden.y, {}, {.C = 1.1, .tolerance = 1e-6}, near.alpha);
  expect_close(warm.objective, cold.objective, 2e-6);
  EXPECT_LT(warm.iterations, cold.iterations);
}

TEST(LinearSvm, IvanovFormMeetsTheNormBound) {
  const Golden golden;
  const LinearSvmProblem problem(golden.X);
  const auto norm = [&](const LinearSvm& svm) {
    double sum = 0;
    for (std::size_t j = 0; j < svm.weights.size(); ++j)
      sum += std::pow(svm.weights[j] * problem.standardisation().scale[j], 2);
    return std::sqrt(sum);
  };
  for (const double bound : {1e-9, 1e-3, 0.1, 1.0, 2.0}) {
    const LinearSvm svm = problem.solve(golden.y, {}, {}, bound);
    EXPECT_LE(norm(svm), bound * (1 + 1e-9));
    EXPECT_GE(norm(svm), bound * (1 - 2e-4));
    expect_close(svm.solution.norm, norm(svm), 1e-9);
  }
  // Where the bound is that of some C, the solution is that of C.
  const LinearSvm tikhonov = problem.solve(golden.y, {}, {.C = 0.7});
  const LinearSvm ivanov = problem.solve(golden.y, {}, {}, norm(tikhonov));
  for (std::size_t j = 0; j < golden.X.n_cols; ++j) {
    const double scale = problem.standardisation().scale[j];
    EXPECT_NEAR(ivanov.weights[j] * scale, tikhonov.weights[j] * scale, 2e-3 * norm(tikhonov)) << j;
  }
  // A bound that no solution reaches does not bind.
  EXPECT_LT(norm(problem.solve(golden.y, {}, {}, 1e6)), 1e3);
}

TEST(LinearSvm, OfSeparableRowsIsTheSameForAnyLargeC) {
  Matrix X(6, 2);
  X.data = {0, 1, 0.5, 3, 4, 3.5, 0, 0.2, 1, 2.5, 3, 4};
  const std::vector<double> y{-1, -1, -1, 1, 1, 1};
  const LinearSvmProblem problem(X);
  const LinearSvm hard = problem.solve(y, {}, {.C = 1e3});
  for (const double C : {1e4, 1e6}) {
    const LinearSvm svm = problem.solve(y, {}, {.C = C});
    ASSERT_TRUE(svm.solution.converged);
    for (std::size_t j = 0; j < 2; ++j) expect_close(svm.weights[j], hard.weights[j], 1e-3);
  }
}

TEST(LinearSvm, GivesConstantColumnsNoWeight) {
  Golden golden;
  std::ranges::fill(golden.X.column(3), 0.1);
  const LinearSvm svm = LinearSvmProblem(golden.X).solve(golden.y, {}, {});
  EXPECT_EQ(svm.weights[3], 0);
  for (const double w : svm.weights) EXPECT_TRUE(std::isfinite(w));
}

TEST(LinearSvm, GramMatricesGrowByColumnsAndTakeNone) {
  const Golden golden;
  Matrix whole(100, 100);
  Matrix parts(100, 100);
  Matrix cross(30, 100);
  Matrix cross_parts(30, 100);
  const auto columns = [](const Matrix& X, std::size_t first, std::size_t last) {
    return MatrixView{X.data.data() + first * X.n_rows, X.n_rows, last - first};
  };
  add_gram(golden.X, whole);
  add_cross_gram(golden.fresh, golden.X, cross);
  for (const auto& [first, last] : {std::pair{0U, 3U}, {3U, 3U}, {3U, 10U}}) {
    add_gram(columns(golden.X, first, last), parts);
    add_cross_gram(columns(golden.fresh, first, last), columns(golden.X, first, last), cross_parts);
  }
  for (std::size_t k = 0; k < whole.data.size(); ++k)
    expect_close(parts.data[k], whole.data[k], 1e-12, "", 1e-9);
  for (std::size_t k = 0; k < cross.data.size(); ++k)
    expect_close(cross_parts.data[k], cross.data[k], 1e-12, "", 1e-9);
}

TEST(LinearSvm, OfOneClassPredictsThatClass) {
  const Matrix X = columns_of(test::golden_table("svm_input"));
  const std::vector<double> y(100, -1.0);
  const LinearSvm svm = LinearSvmProblem(X).solve(y, {}, {});
  EXPECT_TRUE(svm.solution.converged);
  EXPECT_LE(decision(svm, X, 0), -1 + 1e-9);
}

TEST(LinearSvm, RejectsBadInput) {
  Matrix gram(2, 2);
  const std::vector<double> y{1, -1};
  const std::vector<double> wrong{1, 0};
  const std::vector<double> three{1, -1, 1};
  EXPECT_THROW(solve_svm(gram, wrong, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_svm(gram, three, {}, {}), std::invalid_argument);
  EXPECT_THROW(solve_svm(gram, y, three, {}), std::invalid_argument);
  EXPECT_THROW(solve_svm(gram, y, {}, {.C = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

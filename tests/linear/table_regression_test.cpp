// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/table_regression.h"

#include <gtest/gtest.h>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/linear/softmax.h"
#include "tests/oracles.h"

namespace dyad {
namespace {

constexpr TableOptions tight_tables{.variance = 2, .tolerance = 1e-13, .max_steps = 500};

/// Rows in cells of three tables, with classes that depend on the first two.
TableRows random_rows(std::size_t n, std::size_t n_classes, std::uint64_t seed) {
  Random random(seed);
  TableRows rows{
      .cells = std::vector<std::vector<std::uint16_t>>(3), .n_cells = {3, 5, 4}, .n_classes = n_classes};
  for (std::size_t i = 0; i < n; ++i) {
    // The last cell of the last table stays empty.
    for (std::size_t t = 0; t < 3; ++t)
      rows.cells[t].push_back(static_cast<std::uint16_t>(random.below(rows.n_cells[t] - (t == 2 ? 1 : 0))));
    const std::size_t sum = rows.cells[0][i] + rows.cells[1][i] + random.below(2);
    rows.y.push_back(static_cast<std::int32_t>(sum % n_classes));
    rows.loss_weights.push_back(1 + static_cast<double>(random.below(3)));
  }
  return rows;
}

class TableRegressionOf : public testing::TestWithParam<std::size_t> {};

TEST_P(TableRegressionOf, ClassesHasNoSlopeByTheDefinition) {
  const TableRows rows = random_rows(300, GetParam(), 1);
  const TableSolution solution = solve_tables(rows, tight_tables);
  EXPECT_NEAR(solution.objective, oracle::table_objective(rows, tight_tables.variance, solution),
              1e-9 * solution.objective);
  constexpr double step = 1e-4;
  const auto slope = [&](const auto& number_of) {
    TableSolution above = solution;
    TableSolution below = solution;
    number_of(above) += step;
    number_of(below) -= step;
    return (oracle::table_objective(rows, tight_tables.variance, above) -
            oracle::table_objective(rows, tight_tables.variance, below)) /
           (2 * step);
  };
  for (std::size_t k = GetParam() == 2 ? 1 : 0; k < GetParam(); ++k) {
    EXPECT_NEAR(slope([&](TableSolution& s) -> double& { return s.intercepts[k]; }), 0, 1e-3);
    for (std::size_t t = 0; t < 3; ++t)
      for (std::size_t cell = 0; cell < rows.n_cells[t]; ++cell)
        EXPECT_NEAR(slope([&](TableSolution& s) -> double& { return s.values[k][t][cell]; }), 0, 1e-3);
  }
}

TEST_P(TableRegressionOf, ClassesLeavesCellsWithoutRowsAtZero) {
  const TableSolution solution = solve_tables(random_rows(100, GetParam(), 2), {});
  for (const auto& of_class : solution.values) {
    if (of_class.empty()) continue;
    EXPECT_EQ(of_class[2][3], 0);
    EXPECT_NE(of_class[2][0], 0);
  }
}

TEST_P(TableRegressionOf, ClassesFindsTheSameFromAnotherSolution) {
  const TableRows rows = random_rows(200, GetParam(), 3);
  TableOptions wide = tight_tables;
  wide.variance = 50;
  const Matrix cold = table_scores(rows, solve_tables(rows, tight_tables));
  const Matrix warm = table_scores(rows, solve_tables(rows, tight_tables, solve_tables(rows, wide)));
  for (std::size_t i = 0; i < cold.data.size(); ++i) EXPECT_NEAR(warm.data[i], cold.data[i], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Some, TableRegressionOf, testing::Values(2, 3, 5));

TEST(TableRegression, IsASoftmaxRegressionOnIndicators) {
  const TableRows rows = random_rows(200, 3, 4);
  FloatRows indicators(200, 12);
  for (std::size_t i = 0; i < 200; ++i) {
    indicators.row(i)[rows.cells[0][i]] = 1;
    indicators.row(i)[3U + rows.cells[1][i]] = 1;
    indicators.row(i)[8U + rows.cells[2][i]] = 1;
  }
  double total = 0;
  for (const double weight : rows.loss_weights) total += weight;
  SoftmaxRows dense{.own = {}, .y = rows.y, .loss_weights = rows.loss_weights};
  for (int k = 0; k < 3; ++k) dense.own.push_back(gather(indicators, all_rows(200)));
  const auto all = all_rows<std::uint32_t>(200);
  const SoftmaxSolution expected =
      solve_softmax(dense, all, std::vector<std::size_t>(3, 12),
                    {.C = tight_tables.variance * total, .tolerance = 1e-12, .max_steps = 1000});
  const Matrix a = table_scores(rows, solve_tables(rows, tight_tables));
  const Matrix b = softmax_scores(dense, all, expected);
  // Scores of all classes may have another constant in common.
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR(a(i, k) - a(i, 0), b(i, k) - b(i, 0), 2e-3);
}

TEST(TableRegression, SeparatesClassesThatACellTells) {
  TableRows rows{.cells = {{0, 0, 0, 1, 1, 1}},
                 .n_cells = {2},
                 .y = {0, 0, 0, 1, 1, 1},
                 .loss_weights = std::vector<double>(6, 1)};
  const Matrix scores = table_scores(rows, solve_tables(rows, {.variance = 1e4, .max_steps = 200}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_GT(rows.y[i] == 1 ? scores(i, 1) : -scores(i, 1), 4);
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"
#include "dyad/model/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

struct SoftmaxProblem {
  std::string name;
  SoftmaxRows rows;
  std::vector<std::size_t> n_cols;

  [[nodiscard]] std::size_t n_rows() const { return rows.y.size(); }
  [[nodiscard]] std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> result(n_rows());
    std::iota(result.begin(), result.end(), 0U);
    return result;
  }
  [[nodiscard]] SoftmaxSolution solve(const SoftmaxOptions& options, const SoftmaxSolution& warm = {},
                                      const Execution& execution = {}) const {
    return solve_softmax(rows, all(), n_cols, options, warm, execution);
  }
};

/// n rows, class k of K with `n_cols[k]` correlated normal features of its own, of which some are larger in
/// rows of the class; each shared feature tells the class a little.
SoftmaxProblem draw(const std::string& name, std::size_t n, const std::vector<std::size_t>& n_cols,
                    std::size_t n_shared, double signal) {
  const std::size_t n_classes = n_cols.size();
  SoftmaxProblem problem{name, {}, n_cols};
  Random random(n + n_classes + n_shared);
  for (std::size_t i = 0; i < n; ++i)
    problem.rows.y.push_back(static_cast<std::int32_t>(std::min(random.below(n_classes + 1), n_classes - 1)));
  problem.rows.loss_weights.assign(n, 1);
  for (std::size_t k = 0; k < n_classes; ++k) {
    FloatRows& own = problem.rows.own.emplace_back(n, n_cols[k]);
    for (std::size_t i = 0; i < n; ++i) {
      const double common = random.normal();
      const bool is_own = problem.rows.y[i] == static_cast<std::int32_t>(k);
      for (std::size_t j = 0; j < n_cols[k]; ++j)
        own.row(i)[j] = static_cast<float>(0.6 * common + random.normal() + (is_own && j < 3 ? signal : 0));
    }
  }
  for (std::size_t f = 0; f < n_shared; ++f) {
    Matrix& shared = problem.rows.shared.emplace_back(n, n_classes);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n_classes; ++k)
        shared(i, k) = 2 * random.normal() + (problem.rows.y[i] == static_cast<std::int32_t>(k) ? signal : 0);
  }
  return problem;
}

std::vector<SoftmaxProblem> softmax_problems() {
  std::vector<SoftmaxProblem> result;
  result.push_back(draw("three classes", 120, {4, 4, 4}, 0, 0.5));
  result.push_back(draw("shared features", 120, {3, 5, 4}, 2, 0.4));
  result.push_back(draw("two classes", 80, {3, 2}, 1, 0.6));
  result.push_back(draw("well apart", 60, {3, 3, 3, 3}, 1, 4));
  result.push_back(draw("no own feature of a class", 90, {0, 3, 2}, 1, 0.5));
  result.push_back(draw("shared features alone", 90, {0, 0, 0}, 2, 0.5));
  result.push_back(draw("columns beyond a line", 100, {20, 17, 18}, 1, 0.4));
  result.push_back(draw("costs", 120, {4, 4, 4}, 2, 0.5));
  for (std::size_t i = 0; i < 120; ++i)
    result.back().rows.loss_weights[i] = i % 7 == 0 ? 0 : 0.2 + 3.0 * static_cast<double>(i % 5);
  return result;
}

/// Parameters in the order of the oracle: factors, intercepts, weights class by class.
oracle::SoftmaxLoss plain(const SoftmaxProblem& problem, const SoftmaxOptions& options) {
  const SoftmaxRows& rows = problem.rows;
  const std::size_t n_shared = rows.shared.size();
  const std::size_t n_classes = rows.n_classes();
  oracle::SoftmaxLoss result{{}, rows.y, rows.loss_weights, {}};
  result.penalties.assign(n_shared, 1 / options.factor_C);
  result.penalties.resize(n_shared + n_classes, 0);
  for (const std::size_t count : problem.n_cols)
    result.penalties.resize(result.penalties.size() + count, 1 / options.C);
  for (std::size_t i = 0; i < problem.n_rows(); ++i) {
    oracle::Rows& of_row = result.features.emplace_back();
    std::size_t first = n_shared + n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) {
      std::vector<double>& x = of_row.emplace_back(result.penalties.size());
      for (std::size_t f = 0; f < n_shared; ++f) x[f] = rows.shared[f](i, k);
      x[n_shared + k] = 1;
      for (std::size_t j = 0; j < problem.n_cols[k]; ++j)
        x[first + j] = static_cast<double>(rows.own[k].row(i)[j]);
      first += problem.n_cols[k];
    }
  }
  return result;
}

std::vector<double> parameters_of(const SoftmaxSolution& solution) {
  std::vector<double> result = solution.factors;
  result.insert(result.end(), solution.intercepts.begin(), solution.intercepts.end());
  for (const auto& weights : solution.weights) result.insert(result.end(), weights.begin(), weights.end());
  return result;
}

constexpr SoftmaxOptions tight{.tolerance = 1e-12, .max_steps = 2000};

SoftmaxOptions with_costs(double C, double factor_C) {
  SoftmaxOptions options = tight;
  options.C = C;
  options.factor_C = factor_C;
  return options;
}

template <class Visit>
void for_all_problems(const Visit& visit) {
  for (const SoftmaxProblem& problem : softmax_problems())
    for (const double C : {0.05, 1.0, 30.0})
      for (const double factor_C : {0.1, 10.0})
        visit(problem, with_costs(C, factor_C),
              problem.name + ", C = " + std::to_string(C) + ", factor_C = " + std::to_string(factor_C));
}

/// Scores but for what is common to all classes.
void expect_same_probabilities(const SoftmaxProblem& problem, const SoftmaxSolution& one,
                               const SoftmaxSolution& other, double tolerance, const std::string& what) {
  const Matrix a = softmax_scores(problem.rows, problem.all(), one);
  const Matrix b = softmax_scores(problem.rows, problem.all(), other);
  for (std::size_t i = 0; i < a.n_rows; ++i)
    for (std::size_t k = 1; k < a.n_cols; ++k)
      EXPECT_NEAR(a(i, k) - a(i, 0), b(i, k) - b(i, 0), tolerance) << what;
}

TEST(SlowSoftmax, AgreesWithNewtonsMethod) {
  for_all_problems([](const SoftmaxProblem& problem, const SoftmaxOptions& options, const std::string& what) {
    const SoftmaxSolution actual = problem.solve(options);
    const auto objective = plain(problem, options);
    const auto expected = oracle::minimise_softmax_loss(objective, 40);
    expect_close(actual.objective, objective.value(parameters_of(actual)), 1e-6, what);
    expect_close(actual.objective, objective.value(expected), 1e-6, what);
    const auto parameters = parameters_of(actual);
    const std::size_t n_shared = actual.factors.size();
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const bool is_intercept = j >= n_shared && j < n_shared + actual.intercepts.size();
      const std::size_t from = is_intercept ? n_shared : expected.size();  // known but for a constant
      EXPECT_NEAR(parameters[j] - (is_intercept ? parameters[from] : 0),
                  expected[j] - (is_intercept ? expected[from] : 0), 5e-3)
          << what << ", parameter " << j;
    }
  });
}

TEST(Softmax, HasNoGradientAtTheSolution) {
  for_all_problems([](const SoftmaxProblem& problem, const SoftmaxOptions& options, const std::string& what) {
    const auto objective = plain(problem, options);
    const auto gradient = objective.gradient(parameters_of(problem.solve(options)));
    for (std::size_t j = 0; j < gradient.size(); ++j) EXPECT_NEAR(gradient[j], 0, 1e-4) << what << ", " << j;
  });
}

TEST(Softmax, ReportsTheObjectiveHoweverEarlyItEnds) {
  for_all_problems([](const SoftmaxProblem& problem, SoftmaxOptions options, const std::string& what) {
    double before = INFINITY;
    for (const std::int64_t steps : {0, 1, 3, 10}) {
      options.max_steps = steps;
      const SoftmaxSolution solution = problem.solve(options);
      EXPECT_LE(solution.steps, steps);
      expect_close(solution.objective, plain(problem, options).value(parameters_of(solution)), 1e-6, what);
      EXPECT_LE(solution.objective, before * (1 + 1e-9)) << what;
      before = solution.objective;
    }
  });
}

TEST(Softmax, OfTwoRowsIsKnown) {
  // The own feature of class 0 is 1 in its row and -1 in the other: the minimum of log(1 + exp(-w)) + w^2 /
  // (2 C).
  SoftmaxProblem problem{"", {}, {1, 0}};
  problem.rows.own.emplace_back(2, 1);
  problem.rows.own.emplace_back(2, 0);
  problem.rows.own[0].row(0)[0] = 1;
  problem.rows.own[0].row(1)[0] = -1;
  problem.rows.y = {0, 1};
  problem.rows.loss_weights = {3, 3};
  for (const double C : {0.1, 1.0, 20.0}) {
    const SoftmaxSolution solution = problem.solve(with_costs(C, 1));
    const double w = solution.weights[0][0];
    EXPECT_NEAR(w / C, 1 / (1 + std::exp(w)), 1e-5) << C;
    EXPECT_NEAR(solution.intercepts[0], solution.intercepts[1], 1e-5);
    EXPECT_TRUE(solution.weights[1].empty());
  }
}

TEST(Softmax, WithoutFeaturesHasTheSharesOfTheClasses) {
  SoftmaxProblem problem = draw("", 100, {0, 0, 0}, 0, 0);
  for (std::size_t i = 0; i < 100; ++i) problem.rows.loss_weights[i] = 1 + static_cast<double>(i % 3);
  std::vector<double> totals(3);
  for (std::size_t i = 0; i < 100; ++i)
    totals[static_cast<std::size_t>(problem.rows.y[i])] += problem.rows.loss_weights[i];
  const SoftmaxSolution solution = problem.solve(tight);
  for (std::size_t k = 1; k < 3; ++k)
    EXPECT_NEAR(solution.intercepts[k] - solution.intercepts[0], std::log(totals[k] / totals[0]), 1e-5);
}

TEST(Softmax, OfTinyCostsHasNoWeights) {
  for (const SoftmaxProblem& problem : softmax_problems()) {
    const SoftmaxSolution solution = problem.solve(with_costs(1e-9, 1e-9));
    for (const auto& weights : solution.weights)
      for (const double weight : weights) EXPECT_NEAR(weight, 0, 1e-7) << problem.name;
    for (const double factor : solution.factors) EXPECT_NEAR(factor, 0, 1e-7) << problem.name;
    std::vector<double> totals(problem.rows.n_classes());
    for (std::size_t i = 0; i < problem.n_rows(); ++i)
      totals[static_cast<std::size_t>(problem.rows.y[i])] += problem.rows.loss_weights[i];
    for (std::size_t k = 1; k < totals.size(); ++k)
      EXPECT_NEAR(solution.intercepts[k] - solution.intercepts[0], std::log(totals[k] / totals[0]), 1e-4)
          << problem.name;
  }
}

TEST(Softmax, OfFewerColumnsDoesNotSeeTheOthers) {
  for (const std::vector<std::size_t>& n_cols : {std::vector<std::size_t>{2, 0, 17}, {16, 3, 1}}) {
    SoftmaxProblem wide = draw("", 100, {20, 17, 18}, 1, 0.5);
    SoftmaxProblem narrow = draw("", 100, {20, 17, 18}, 1, 0.5);
    wide.n_cols = n_cols;
    narrow.n_cols = n_cols;
    for (std::size_t k = 0; k < 3; ++k) {
      narrow.rows.own[k] = FloatRows(100, n_cols[k]);
      for (std::size_t i = 0; i < 100; ++i)
        std::copy_n(wide.rows.own[k].row(i).begin(), n_cols[k], narrow.rows.own[k].row(i).begin());
    }
    const SoftmaxSolution actual = wide.solve(with_costs(2, 1));
    const SoftmaxSolution expected = narrow.solve(with_costs(2, 1));
    EXPECT_EQ(actual.weights, expected.weights);
    EXPECT_EQ(actual.intercepts, expected.intercepts);
    EXPECT_EQ(actual.factors, expected.factors);
    EXPECT_EQ(softmax_scores(wide.rows, wide.all(), actual).data,
              softmax_scores(narrow.rows, narrow.all(), actual).data);
  }
}

TEST(Softmax, StartedNearbyEndsAtTheSameMinimum) {
  for_all_problems([](const SoftmaxProblem& problem, const SoftmaxOptions& options, const std::string& what) {
    const SoftmaxSolution cold = problem.solve(options);
    SoftmaxOptions other = options;
    other.C *= 0.2;
    other.tolerance = 1e-3;
    const SoftmaxSolution of_other_cost = problem.solve(other);
    expect_close(problem.solve(options, of_other_cost).objective, cold.objective, 1e-6, what);
    auto fewer = problem.n_cols;
    for (std::size_t& count : fewer) count /= 2;
    const SoftmaxSolution of_fewer = solve_softmax(problem.rows, problem.all(), fewer, options);
    expect_close(problem.solve(options, of_fewer).objective, cold.objective, 1e-6, what);
    // From the end there is nothing to gain.
    const SoftmaxSolution again = problem.solve(options, cold);
    EXPECT_LE(again.steps, 5) << what;
    expect_close(again.objective, cold.objective, 1e-7, what);
  });
}

/// The leading columns of both classes' features in one class, as TermRows has those of two classes.
SoftmaxProblem one_score(std::size_t n, std::size_t n_cols) {
  return draw("one score", n, {0, n_cols}, 0, 0.6);
}

TEST(Softmax, WithTheCurvatureOfOtherFitsEndsAtTheSameMinimum) {
  // More rows than columns, then fewer: products of columns, then of rows.
  for (const std::size_t n : {150U, 40U})
    for (const std::size_t n_classes : {2U, 3U}) {
      const std::size_t most = 60;
      const SoftmaxProblem problem =
          n_classes == 2 ? one_score(n, most) : draw("three", n, {most, most, most}, 1, 0.6);
      SoftmaxCurvature curvature;
      for (const std::size_t count : {20U, 35U, 60U, 30U})
        for (const double C : {0.1, 3.0, 100.0}) {
          auto n_cols = problem.n_cols;
          for (std::size_t& of_class : n_cols) of_class = std::min<std::size_t>(of_class, count);
          const auto all = problem.all();
          const SoftmaxOptions options = with_costs(C, 1);
          const auto what =
              std::to_string(n) + " rows, " + std::to_string(count) + " columns, C = " + std::to_string(C);
          const SoftmaxSolution alone = solve_softmax(problem.rows, all, n_cols, options);
          const SoftmaxSolution sharing =
              solve_softmax(problem.rows, all, n_cols, options, {}, {}, &curvature);
          expect_close(sharing.objective, alone.objective, 1e-6, what);
          EXPECT_LE(sharing.steps, 2 * alone.steps + 10) << what;
          ASSERT_EQ(curvature.blocks.size(), n_classes == 2 ? 1U : 3U);
          for (const auto& block : curvature.blocks)
            EXPECT_EQ(block.of_rows.empty(), block.n_cols <= n) << what;
        }
    }
}

TEST(Softmax, HasAlmostNewtonStepsHoweverManyColumns) {
  // A step that is scaled by a diagonal takes hundreds of steps on such correlated columns.
  for (const auto& [n, n_cols] : {std::pair<std::size_t, std::size_t>{300, 100}, {100, 300}}) {
    const SoftmaxProblem problem = one_score(n, n_cols);
    SoftmaxOptions options = with_costs(1000, 1);
    options.tolerance = 1e-6;
    EXPECT_LE(problem.solve(options).steps, 30);
  }
}

TEST(Softmax, TakesCostsAsCopies) {
  SoftmaxProblem problem = draw("", 80, {4, 3, 5}, 2, 0.5);
  const RowWeights weights = test::whole_weights(80, 5, 0);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < 80; ++i) copies.insert(copies.end(), weights.counts[i], i);
  const SoftmaxSolution copied = solve_softmax(problem.rows, copies, problem.n_cols, with_costs(2, 1));
  for (const double unit : {1.0, 0.125}) {  // costs are relative
    for (std::size_t i = 0; i < 80; ++i) problem.rows.loss_weights[i] = unit * weights.counts[i];
    const SoftmaxSolution weighted = problem.solve(with_costs(2, 1));
    expect_close(weighted.objective, copied.objective, 1e-7);
    expect_same_probabilities(problem, weighted, copied, 1e-3, "copies");
  }
}

TEST(Softmax, DoesNotDependOnTheOrderOfRows) {
  for (const SoftmaxProblem& problem : softmax_problems()) {
    auto order = problem.all();
    Random(3).shuffle(order);
    const SoftmaxSolution one = problem.solve(with_costs(2, 1));
    const SoftmaxSolution other = solve_softmax(problem.rows, order, problem.n_cols, with_costs(2, 1));
    expect_close(one.objective, other.objective, 1e-7, problem.name);
    expect_same_probabilities(problem, one, other, 1e-2, problem.name);
  }
}

TEST(Softmax, SeesTheGivenRowsOnly) {
  SoftmaxProblem problem = draw("", 90, {4, 3, 5}, 1, 0.5);
  std::vector<std::uint32_t> some;
  for (std::uint32_t i = 0; i < 90; i += 2) some.push_back(i);
  const SoftmaxSolution expected = solve_softmax(problem.rows, some, problem.n_cols, tight);
  for (std::size_t i = 1; i < 90; i += 2) {
    problem.rows.y[i] = 0;
    problem.rows.loss_weights[i] = 1e6;
    for (FloatRows& own : problem.rows.own) std::ranges::fill(own.row(i), 1e6F);
  }
  const SoftmaxSolution actual = solve_softmax(problem.rows, some, problem.n_cols, tight);
  EXPECT_EQ(actual.weights, expected.weights);
  EXPECT_EQ(actual.objective, expected.objective);
}

TEST(Softmax, OfAClassWithoutRowsNeverPredictsIt) {
  SoftmaxProblem problem = draw("", 60, {3, 3, 3}, 1, 0.5);
  for (std::int32_t& code : problem.rows.y) code = std::min(code, 1);
  const SoftmaxSolution solution = problem.solve({.tolerance = 1e-3, .max_steps = 40});
  const Matrix scores = softmax_scores(problem.rows, problem.all(), solution);
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    EXPECT_TRUE(std::isfinite(scores(i, 2)));
    EXPECT_LT(scores(i, 2), std::min(scores(i, 0), scores(i, 1)));
  }
}

TEST(Softmax, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const SoftmaxProblem& problem : softmax_problems()) {
    const SoftmaxSolution one = problem.solve({}, {}, {.threads = 1});
    const SoftmaxSolution two = problem.solve({}, {}, {.threads = 2});
    EXPECT_EQ(parameters_of(one), parameters_of(two)) << problem.name;
    EXPECT_EQ(one.objective, two.objective) << problem.name;
    EXPECT_EQ(softmax_scores(problem.rows, problem.all(), one, {.threads = 1}).data,
              softmax_scores(problem.rows, problem.all(), one, {.threads = 2}).data);
  }
}

TEST(Softmax, StopsWhenAsked) {
  const SoftmaxProblem problem = draw("", 60, {3, 3, 3}, 1, 0.5);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(problem.solve({}, {}, {.stop = &stop}), Interrupted);
}

TEST(Softmax, ScoresAreThoseOfTheDefinition) {
  for (const SoftmaxProblem& problem : softmax_problems()) {
    const SoftmaxSolution solution = problem.solve({});
    const auto objective = plain(problem, {});
    const std::vector<std::uint32_t> rows{7, 3, 3, 50};
    const Matrix scores = softmax_scores(problem.rows, rows, solution);
    ASSERT_EQ(scores.n_rows, rows.size());
    ASSERT_EQ(scores.n_cols, problem.rows.n_classes());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto expected = objective.scores(parameters_of(solution), rows[i]);
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(scores(i, k), expected[k], 1e-5 * (1 + std::abs(expected[k]))) << problem.name;
    }
    EXPECT_EQ(softmax_scores(problem.rows, {}, solution).n_rows, 0U);
  }
}

TEST(Softmax, LossIsThatOfTheDefinition) {
  Random random(5);
  Matrix scores(30, 4);
  for (double& score : scores.data) score = 3 * random.normal();
  std::vector<std::int32_t> y;
  std::vector<double> costs;
  for (std::size_t i = 0; i < 30; ++i) {
    y.push_back(static_cast<std::int32_t>(random.below(4)));
    costs.push_back(static_cast<double>(random.below(3)));
  }
  for (const double slope : {0.0, 0.3, 1.0, 4.0}) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      double chances = 0;
      for (std::size_t k = 0; k < 4; ++k) chances += std::exp(slope * scores(i, k));
      sum -= costs[i] * std::log(std::exp(slope * scores(i, static_cast<std::size_t>(y[i]))) / chances);
      total += costs[i];
    }
    expect_close(softmax_loss(scores, y, costs, slope), sum / total, 1e-12);
  }
  EXPECT_EQ(softmax_loss(scores, y, costs), softmax_loss(scores, y, costs, 1));
  expect_close(softmax_loss(scores, y, costs, 0), std::log(4.0), 1e-14);
  // Neither sure nor common scores overflow.
  for (double& score : scores.data) score = 1e4 * score + 1e6;
  EXPECT_TRUE(std::isfinite(softmax_loss(scores, y, costs)));
}

/// Differences of the scores of classes 0 and 1 for all rows.
std::vector<double> score_differences(const Matrix& scores) {
  std::vector<double> result;
  for (std::size_t i = 0; i < scores.n_rows; ++i) result.push_back(scores(i, 0) - scores(i, 1));
  return result;
}

TEST(Softmax, LeftOutScoresAreNearThoseOfFitsWithoutTheRow) {
  for (const std::size_t n_classes : {1U, 2U, 3U}) {
    // One score of two classes has more features than rows.
    const SoftmaxProblem problem =
        n_classes == 1
            ? one_score(80, 90)
            : draw("left out", 80, std::vector<std::size_t>(n_classes, n_classes == 2 ? 6 : 4), 0, 0.5);
    const SoftmaxOptions options{.C = 1, .tolerance = 1e-9, .max_steps = 500};
    const auto all = problem.all();
    const SoftmaxSolution solution = problem.solve(options);
    const auto fitted = score_differences(softmax_scores(problem.rows, all, solution));
    const auto left_out = score_differences(left_out_scores(problem.rows, all, solution, options));
    double of_fitted = 0;
    double of_left_out = 0;
    for (const std::uint32_t row : all) {
      auto others = all;
      others.erase(others.begin() + row);
      const SoftmaxSolution without = solve_softmax(problem.rows, others, problem.n_cols, options, solution);
      const double truth = score_differences(softmax_scores(problem.rows, {{row}}, without))[0];
      of_fitted += std::abs(fitted[row] - truth);
      of_left_out += std::abs(left_out[row] - truth);
    }
    EXPECT_GT(of_fitted / static_cast<double>(all.size()), 0.05);
    EXPECT_LT(of_left_out, (n_classes < 3 ? 0.3 : 0.5) * of_fitted);
  }
}

}  // namespace
}  // namespace dyad

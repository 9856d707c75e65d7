// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "dyad/linear/hinge_newton.h"
#include "tests/linear/problems.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::draw;
using test::expect_close;
using test::Problem;
using test::problems;

constexpr std::array losses{Loss::squared_hinge, Loss::logistic};
constexpr std::array penalties{Penalty::l2, Penalty::l1, Penalty::elastic_net};

oracle::Rows plain_rows(const Problem& problem) {
  oracle::Rows result;
  for (std::size_t i = 0; i < problem.X.n_rows(); ++i)
    result.emplace_back(problem.X.row(i).begin(), problem.X.row(i).end());
  return result;
}

oracle::PenalisedLoss plain(const Problem& problem, const oracle::Rows& rows, const SvmOptions& options) {
  oracle::PenalisedLoss result{rows, problem.y, {}, options.loss};
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.costs.push_back(options.C * (problem.weights.empty() ? 1 : problem.weights[i]));
  result.l1 = options.penalty == Penalty::l1 ? 1 : options.penalty == Penalty::l2 ? 0 : options.l1_ratio;
  result.l2 = 1 - result.l1;
  return result;
}

std::vector<double> with_intercept(const LinearSolution& solution) {
  auto w = solution.w;
  w.push_back(solution.intercept);
  return w;
}

std::string name_of(const Problem& problem, const SvmOptions& options) {
  return problem.name + ", " + std::string(loss_names[static_cast<std::size_t>(options.loss)]) + ", " +
         std::string(penalty_names[static_cast<std::size_t>(options.penalty)]) +
         ", C = " + std::to_string(options.C);
}

template <class Visit>
void for_all_options(const Visit& visit) {
  for (const Loss loss : losses)
    for (const Penalty penalty : penalties)
      for (const double C : {0.03, 1.0})
        visit(SvmOptions{.C = C, .tolerance = 1e-7, .loss = loss, .penalty = penalty, .l1_ratio = 0.3});
}

TEST(SlowSmoothLoss, AgreesWithManyPlainProximalSteps) {
  for (const Problem& problem : problems()) {
    const auto rows = plain_rows(problem);
    for_all_options([&](const SvmOptions& options) {
      const std::string what = name_of(problem, options);
      const LinearSolution actual = problem.solve(options);
      EXPECT_TRUE(actual.converged) << what << ", gap " << actual.gap;
      const auto objective = plain(problem, rows, options);
      expect_close(actual.objective, objective.value(with_intercept(actual)), 1e-9, what);
      const auto expected = oracle::minimise_penalised_loss(objective, 4000);
      // The plain steps may end above, never below.
      EXPECT_LE(actual.objective, objective.value(expected) * (1 + 2e-7)) << what;
      EXPECT_GE(actual.objective, objective.value(expected) * (1 - 1e-5)) << what;
    });
  }
}

TEST(SmoothLoss, HasTheSubgradientOfAMinimum) {
  for (const Problem& problem : problems()) {
    const auto rows = plain_rows(problem);
    for_all_options([&](SvmOptions options) {
      options.tolerance = 1e-10;
      const std::string what = name_of(problem, options);
      const LinearSolution solution = problem.solve(options);
      const auto objective = plain(problem, rows, options);
      const auto w = with_intercept(solution);
      const auto gradient = objective.loss_gradient(w);
      for (std::size_t j = 0; j < w.size(); ++j) {
        const bool penalised = j + 1 < w.size();
        const double l1 = penalised ? objective.l1 : 0;
        const double smooth = gradient[j] + (penalised ? objective.l2 * w[j] : 0);
        if (w[j] == 0)
          EXPECT_LE(std::abs(smooth), l1 + 1e-3) << what << ", weight " << j;
        else
          EXPECT_NEAR(smooth, w[j] > 0 ? -l1 : l1, 1e-3) << what << ", weight " << j;
      }
    });
  }
}

TEST(SmoothLoss, ReportsAGapThatBoundsTheError) {
  for (const Problem& problem : problems())
    for_all_options([&](SvmOptions options) {
      const std::string what = name_of(problem, options);
      const double best = problem.solve(options).objective;
      options.tolerance = 0.3;
      const LinearSolution rough = problem.solve(options);
      EXPECT_LE(rough.gap, 0.3) << what;
      EXPECT_LE(rough.objective * (1 - rough.gap), best * (1 + 1e-9)) << what;
    });
}

TEST(SmoothLoss, OfTwoRowsIsKnown) {
  FloatRows X(2, 1);
  X.row(0)[0] = 1;
  X.row(1)[0] = -1;
  const std::vector<double> y{1, -1};
  const std::vector<std::uint32_t> rows{0, 1};
  const auto solve = [&](const SvmOptions& options) { return solve_linear(X, rows, 1, y, {}, options); };
  for (const double C : {0.1, 0.5, 2.0}) {
    // w^2 / 2 + 2 C (1 - w)^2
    const auto squared = solve({.C = C, .tolerance = 1e-10, .loss = Loss::squared_hinge});
    EXPECT_NEAR(squared.w[0], 4 * C / (1 + 4 * C), 1e-5);
    EXPECT_NEAR(squared.intercept, 0, 1e-5);
    // |w| + 2 C (1 - w)^2
    const auto absolute =
        solve({.C = C, .tolerance = 1e-10, .loss = Loss::squared_hinge, .penalty = Penalty::l1});
    EXPECT_NEAR(absolute.w[0], std::max(0.0, 1 - 1 / (4 * C)), 1e-5) << C;
    // |w| + 2 C log(1 + exp(-w)): 1 = 2 C / (1 + exp(w))
    const auto logistic = solve({.C = C, .tolerance = 1e-10, .loss = Loss::logistic, .penalty = Penalty::l1});
    EXPECT_NEAR(logistic.w[0], C > 1 ? std::log(2 * C - 1) : 0, 1e-4) << C;
  }
}

TEST(SmoothLoss, WithoutColumnsIsTheLogOddsOfTheClasses) {
  const Problem problem = draw("", 100, 2, 0.5, 1);
  const double positive = static_cast<double>(std::ranges::count(problem.y, 1.0));
  const auto solution =
      solve_linear(problem.X, problem.rows(), 0, problem.y, {}, {.tolerance = 1e-9, .loss = Loss::logistic});
  EXPECT_TRUE(solution.converged);
  EXPECT_NEAR(solution.intercept, std::log(positive / (100 - positive)), 1e-6);
}

TEST(SmoothLoss, HasFewerWeightsTheSmallerTheCost) {
  const Problem problem = draw("", 200, 60, 0.8);
  for (const Loss loss : losses)
    for (const Penalty penalty : {Penalty::l1, Penalty::elastic_net}) {
      std::vector<std::ptrdiff_t> n_used;
      for (const double C : {0.001, 0.02, 0.1, 10.0}) {
        const auto solution = problem.solve({.C = C, .tolerance = 1e-6, .loss = loss, .penalty = penalty});
        n_used.push_back(60 - std::ranges::count(solution.w, 0.0));
      }
      EXPECT_EQ(n_used.front(), 0);
      EXPECT_TRUE(std::ranges::is_sorted(n_used));
      EXPECT_LT(n_used[1], n_used[2]);
      EXPECT_LT(n_used[2], n_used[3]);
      EXPECT_GT(n_used.back(), 40);
    }
}

TEST(SmoothLoss, DoesNotDependOnTheOrderOfRows) {
  const Problem problem = draw("", 150, 12, 0.8);
  auto order = problem.rows();
  Random(3).shuffle(order);
  for (const Loss loss : losses)
    for (const Penalty penalty : penalties) {
      const SvmOptions options{.C = 0.2, .tolerance = 1e-9, .loss = loss, .penalty = penalty};
      const auto one = problem.solve(options);
      const auto other = solve_linear(problem.X, order, 12, problem.y, {}, options);
      for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(one.w[j], other.w[j], 1e-4);
    }
}

TEST(SmoothLoss, TakesWeightsAsCopies) {
  Problem problem = draw("", 80, 7, 0.8);
  const RowWeights weights = test::whole_weights(80, 5, 0);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < 80; ++i) {
    problem.weights.push_back(weights.counts[i]);
    copies.insert(copies.end(), weights.counts[i], i);
  }
  for (const Loss loss : losses)
    for (const Penalty penalty : penalties) {
      const SvmOptions options{.C = 0.2, .tolerance = 1e-9, .loss = loss, .penalty = penalty};
      const auto weighted = problem.solve(options);
      const auto copied = solve_linear(problem.X, copies, 7, problem.y, {}, options);
      for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(weighted.w[j], copied.w[j], 1e-4);
      EXPECT_NEAR(weighted.intercept, copied.intercept, 1e-4);
    }
}

TEST(SmoothLoss, StartedNearbyTakesFewerSteps) {
  const Problem problem = draw("", 1000, 40, 0.5);
  for (const Loss loss : losses)
    for (const Penalty penalty : penalties) {
      SvmOptions options{.C = 0.5, .loss = loss, .penalty = penalty};
      const auto cold = problem.solve(options);
      options.C = 1;
      const auto from_zero = problem.solve(options);
      const auto warm = solve_linear(problem.X, problem.rows(), 40, problem.y, {}, options, cold);
      EXPECT_TRUE(warm.converged);
      EXPECT_LT(warm.steps, from_zero.steps);
      expect_close(warm.objective, from_zero.objective, 2e-4);
    }
}

TEST(SmoothLoss, OfOneClassPredictsThatClass) {
  Problem problem = draw("", 40, 3, 0.5);
  std::ranges::fill(problem.y, -1.0);
  for (const Loss loss : losses) {
    const auto solution = problem.solve({.loss = loss});
    EXPECT_TRUE(solution.converged);
    EXPECT_EQ(solution.w, std::vector<double>(3));
    EXPECT_LT(solution.intercept, 0);
  }
}

TEST(SmoothLoss, GivesTheSameBitsWheneverRunAndStopsWhenAsked) {
  const Problem problem = draw("", 500, 30, 0.6);
  const std::atomic<bool> stop{true};
  for (const Loss loss : losses)
    for (const Penalty penalty : penalties) {
      const SvmOptions options{.loss = loss, .penalty = penalty};
      const auto solve = [&](const Execution& execution) {
        return solve_linear(problem.X, problem.rows(), 30, problem.y, {}, options, {}, execution);
      };
      EXPECT_EQ(solve({.threads = 1}).w, solve({.threads = 2}).w);
      EXPECT_THROW(solve({.stop = &stop}), Interrupted);
      SvmOptions few = options;
      few.max_iterations = 1;
      few.tolerance = 1e-9;
      EXPECT_FALSE(problem.solve(few).converged);
    }
}

TEST(SmoothLoss, IsNeededForPenaltiesThatMakeWeightsZero) {
  const Problem problem = draw("", 10, 2, 0.5);
  try {
    problem.solve({.penalty = Penalty::l1});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "penalty=l1 requires loss=squared_hinge or logistic, got hinge");
  }
  EXPECT_THROW(problem.solve({.penalty = Penalty::elastic_net}), std::invalid_argument);
  EXPECT_THROW(problem.solve({.loss = Loss::logistic, .l1_ratio = 1.5}), std::invalid_argument);
  Matrix gram(2, 2);
  EXPECT_THROW(solve_svm(gram, std::vector<double>{1, -1}, {}, {.loss = Loss::logistic}),
               std::invalid_argument);
}

}  // namespace
}  // namespace dyad

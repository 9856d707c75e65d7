// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/term_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/samples.h"

namespace dyad {
namespace {

/// Two features: linear terms, densities of each class, densities of the pair.
const std::vector<TermKey> keys{{no_class, 0, 0}, {no_class, 1, 1}, {0, 0, 0}, {0, 1, 1},
                                {1, 0, 0},        {1, 1, 1},        {0, 0, 1}, {1, 0, 1}};

struct TermSample {
  FloatRows values;
  RegressionLabels labels;
  std::vector<std::uint32_t> rows;

  [[nodiscard]] TermRows term_rows(bool shares_weights) const {
    std::vector<TermValues> columns;
    for (std::size_t t = 0; t < keys.size(); ++t) columns.push_back({&values, t, 1});
    TermRows result(keys, columns, labels, {});
    result.share_weights(shares_weights);
    return result;
  }
};

TermSample draw(std::size_t n) {
  TermSample sample{FloatRows(n, keys.size()), {}, std::vector<std::uint32_t>(n)};
  std::iota(sample.rows.begin(), sample.rows.end(), 0U);
  Random random(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto y = static_cast<std::int32_t>(random.below(3) / 2);
    sample.labels.y.push_back(y);
    sample.labels.loss_weights.push_back(1 + static_cast<double>(random.below(2)));
    for (std::size_t t = 0; t < keys.size(); ++t)
      sample.values.row(i)[t] =
          static_cast<float>(random.normal() + (t % 3 == 0 ? 1.5 * y : -0.5 * y) * (t < 6 ? 1 : 0.5));
  }
  return sample;
}

/// The regression as it is defined: each class has a score of the linear terms and its own densities.
SoftmaxSolution fit_a_score_per_class(const TermSample& sample, double cost, bool shares_weights,
                                      Matrix& scores) {
  const std::size_t n = sample.rows.size();
  SoftmaxRows rows{.y = sample.labels.y, .loss_weights = sample.labels.loss_weights};
  const std::vector<std::vector<std::size_t>> terms{{0, 1, 2, 3, 6}, {0, 1, 4, 5, 7}};
  for (const auto& own_terms : terms) {
    FloatRows& own = rows.own.emplace_back(n, own_terms.size());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t m = 0; m < own_terms.size(); ++m) own.row(i)[m] = sample.values.row(i)[own_terms[m]];
  }
  if (shares_weights) {
    rows.shared.assign(2, Matrix(n, 2));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        const auto own = rows.own[k].row(i);  // linear terms, two of one feature, one pair
        rows.shared[0](i, k) = static_cast<double>(own[2]) + static_cast<double>(own[3]);
        rows.shared[1](i, k) = static_cast<double>(own[4]) - rows.shared[0](i, k);
      }
  }
  // Terms of variance 1: two linear ones and, of each class, half of three.
  const double squared_norm = 2 + 6 * 0.5;
  const SoftmaxOptions options{.C = cost / squared_norm * static_cast<double>(n),
                               .factor_C = 0.1 * static_cast<double>(n),
                               .tolerance = 1e-9,
                               .max_steps = 1000};
  const std::vector<std::size_t> n_cols{5, 5};
  SoftmaxSolution solution = solve_softmax(rows, sample.rows, n_cols, options);
  scores = softmax_scores(rows, sample.rows, solution);
  return solution;
}

TEST(TermRows, OfTwoClassesAreOneScoreWithTheSolutionOfTwo) {
  const TermSample sample = draw(200);
  const WeightsView weights;
  for (const bool shares_weights : {false, true})
    for (const double cost : {0.01, 1.0, 100.0}) {
      SCOPED_TRACE(cost);
      Matrix expected;
      const SoftmaxSolution two = fit_a_score_per_class(sample, cost, shares_weights, expected);
      TermRows rows = sample.term_rows(shares_weights);
      const SoftmaxSolution one = rows.solve(sample.rows, cost, weights, {.tolerance = 1e-9}, {}, {});
      test::expect_close(one.objective, two.objective, 1e-6);
      const Matrix found = rows.scores(sample.rows, one, {});
      for (std::size_t i = 0; i < sample.rows.size(); ++i)
        test::expect_close(found(i, 1) - found(i, 0), expected(i, 1) - expected(i, 0), 0, "score", 2e-3);

      const Matrix of_terms = rows.weights(one);
      for (std::size_t i = 0; i < sample.rows.size(); ++i) {
        double difference = one.intercepts[1] - one.intercepts[0];
        for (std::size_t t = 0; t < keys.size(); ++t)
          difference += (of_terms(1, t) - of_terms(0, t)) * static_cast<double>(sample.values.row(i)[t]);
        test::expect_close(difference, found(i, 1) - found(i, 0), 0, "sum of terms", 1e-4);
      }
    }
}

TEST(TermRows, LeftOutScoresOfTwoClassesAreNearThoseOfRefits) {
  const TermSample sample = draw(60);
  const WeightsView weights;
  TermRows rows = sample.term_rows(false);
  const SoftmaxSolution whole = rows.solve(sample.rows, 1, weights, {.tolerance = 1e-9}, {}, {});
  const Matrix found = rows.left_out_scores(sample.rows, 1, weights, whole, {});
  double farthest_moved = 0;
  for (const std::uint32_t left_out : {0U, 7U, 31U, 59U}) {
    auto others = sample.rows;
    others.erase(others.begin() + left_out);
    const SoftmaxSolution refit = rows.solve(others, 1, weights, {.tolerance = 1e-9}, {}, {});
    const std::vector<std::uint32_t> row{left_out};
    const auto margin = [](const Matrix& scores, std::size_t i) { return scores(i, 1) - scores(i, 0); };
    const double expected = margin(rows.scores(row, refit, {}), 0);
    const double before = margin(rows.scores(row, whole, {}), 0);
    farthest_moved = std::max(farthest_moved, std::abs(expected - before));
    test::expect_close(margin(found, left_out) - before, expected - before, 0.15, "shift", 0.02);
  }
  EXPECT_GT(farthest_moved, 0.1);
}

}  // namespace
}  // namespace dyad

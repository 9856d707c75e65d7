// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/effects.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/model/prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/explanation/models.h"

namespace dyad {
namespace {

std::vector<double> row_of(const Matrix& X, std::size_t row) {
  std::vector<double> result;
  for (std::size_t j = 0; j < X.n_cols; ++j) result.push_back(X(row, j));
  return result;
}

TEST(Effects, HoldEveryTermOnceByItsFeatures) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    SCOPED_TRACE(what);
    std::set<std::size_t> seen;
    bool pairs_began = false;
    for (const Effect& effect : effects_of(model)) {
      EXPECT_FALSE(pairs_began && !effect.is_pair());
      pairs_began = effect.is_pair();
      for (const std::size_t t : effect.terms) {
        EXPECT_TRUE(seen.insert(t).second);
        EXPECT_EQ(model.terms[t].i, effect.i);
        EXPECT_EQ(model.terms[t].j, effect.j);
      }
    }
    EXPECT_EQ(seen.size(), model.terms.size());
  }
}

/// Means over all rows by `explain`, row by row.
struct SlowMeans {
  Matrix terms;  ///< n_scores x ..
  Matrix effects;
  Matrix features;
};

SlowMeans slow_means(const Model& model, const Matrix& X) {
  const PurifiedEffects purified = purified_effects(model);
  const auto& effects = purified.effects;
  const auto values = effect_values(model, purified, X);
  SlowMeans means{Matrix(model.n_scores(), model.terms.size()), Matrix(model.n_scores(), effects.size()),
                  Matrix(model.n_scores(), model.n_features)};
  const auto n_rows = static_cast<double>(X.n_rows);
  for (std::size_t row = 0; row < X.n_rows; ++row) {
    const Explanation explanation = explain(model, row_of(X, row));
    for (std::size_t k = 0; k < model.n_scores(); ++k) {
      std::vector<double> of_features(model.n_features);
      for (std::size_t t = 0; t < model.terms.size(); ++t)
        means.terms(k, t) += std::abs(explanation.contributions(k, t)) / n_rows;
      for (std::size_t e = 0; e < effects.size(); ++e) {
        const double value = values[k](row, e);
        means.effects(k, e) += std::abs(value) / n_rows;
        of_features[effects[e].i] += value;
        if (effects[e].is_pair()) of_features[effects[e].j] += value;
      }
      for (std::size_t j = 0; j < of_features.size(); ++j)
        means.features(k, j) += std::abs(of_features[j]) / n_rows;
    }
  }
  return means;
}

void expect_means(const Importances::ByScore& importances, const Matrix& means) {
  for (std::size_t k = 0; k < means.n_rows; ++k) {
    ASSERT_EQ(importances[k].size(), means.n_cols);
    for (std::size_t t = 0; t < means.n_cols; ++t) {
      const auto& [mean, low, high] = importances[k][t];
      EXPECT_NEAR(mean, means(k, t), 1e-9 * (1 + means(k, t)));
      EXPECT_LE(low, mean);
      EXPECT_GE(high, mean);
    }
  }
}

TEST(Importances, AreMeansOfAbsoluteContributions) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    SCOPED_TRACE(what);
    const SlowMeans means = slow_means(model, X);
    const Importances found = importances(model, X);
    EXPECT_EQ(found.n_rows, X.n_rows);
    expect_means(found.terms, means.terms);
    expect_means(found.effects, means.effects);
    expect_means(found.features, means.features);
  }
}

TEST(Importances, AreTheSameForAnyNumberOfThreads) {
  const auto [what, model, X, y] = test::some_models()[0];
  const auto one = importances(model, X, 80, 3, Execution{.threads = 1});
  const auto three = importances(model, X, 80, 3, Execution{.threads = 3});
  EXPECT_EQ(one.terms, three.terms);
  EXPECT_EQ(one.effects, three.effects);
  EXPECT_EQ(one.features, three.features);
  EXPECT_EQ(one.n_rows, 80);
}

TEST(Importances, HaveIntervalsThatHoldTheMeanOfAllRows) {
  // The mean of 20 000 rows is all but the truth for samples of 500; 95 of 100 intervals should hold it.
  const Model model = fit(test::class_table(200, 3, 2, 1), preset_options(Preset::automatic));
  const Matrix X = test::class_sample(20000, 3, 2, 7).X;
  const double truth = importances(model, X).effects[0][0].mean;
  int n_held = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Importance some = importances(model, X, 500, seed).effects[0][0];
    if (some.low <= truth && truth <= some.high) ++n_held;
  }
  EXPECT_GE(n_held, 87);
  EXPECT_LE(n_held, 99);
}

TEST(Importances, NeedARow) {
  const auto [what, model, X, y] = test::some_models()[0];
  EXPECT_THROW(importances(model, Matrix(0, X.n_cols)), std::invalid_argument);
  const Importances of_one = importances(model, X, 1);
  EXPECT_EQ(of_one.terms[0][0].low, of_one.terms[0][0].high);
}

TEST(Importances, AreOrderedByTheLargestOfAllScores) {
  const Importances::ByScore two{{{1, 1, 1}, {2, 2, 2}, {0, 0, 0}}, {{5, 5, 5}, {0, 0, 0}, {2, 2, 2}}};
  EXPECT_EQ(by_importance(two), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(FeatureParts, AreContributionsOfOwnTermsAndHalfOfThoseOfPairs) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    const Matrix values = term_values(model.terms, in_coordinates(model.coordinates, X));
    for (std::size_t k = 0; k < model.n_scores(); ++k) {
      const Matrix of_terms = contributions(model, values, k);
      const Matrix parts = feature_parts(model, values, k);
      for (std::size_t i = 0; i < X.n_rows; ++i)
        for (std::size_t j = 0; j < model.n_features; ++j) {
          double expected = 0;
          for (std::size_t t = 0; t < model.terms.size(); ++t)
            expected +=
                of_terms(i, t) * ((model.terms[t].i == j ? 0.5 : 0) + (model.terms[t].j == j ? 0.5 : 0));
          ASSERT_NEAR(parts(i, j), expected, 1e-12 * (1 + std::abs(expected))) << what;
        }
    }
  }
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/data/folds.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/dependence/hsic.h"
#include "dyad/linear/linear_svm.h"
#include "dyad/model/prediction.h"
#include "dyad/weights/single_weights.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

const FitOptions exact{.engine = Engine::exact};

TEST(Selection, RanksThePairsOfAllClassesByHsic) {
  const LabelledSample sample = test::class_sample(80, 4, 2, 1);
  const auto ranked = rank_pairs(sample, exact, {});
  ASSERT_EQ(ranked.size(), 12U);
  EXPECT_TRUE(std::ranges::is_sorted(ranked, std::greater<>(), &RankedPair::hsic));
  EXPECT_EQ(ranked[0].key.i, 0U);
  EXPECT_EQ(ranked[0].key.j, 1U);
  for (const RankedPair& pair : ranked) {
    const Matrix X = rows_of_class(sample, pair.key.class_code);
    test::expect_close(pair.hsic, hsic(X.column(pair.key.i), X.column(pair.key.j)).value, 1e-11);
  }
}

TEST(Selection, KeepsByNumberByValueAndByFalseDiscoveryRate) {
  const LabelledSample sample = test::class_sample(80, 4, 2, 1);
  const auto ranked = rank_pairs(sample, exact, {});
  FitReport report;
  const auto kept = [&](const FitOptions& options) { return select(sample, options, {}, report).pairs; };
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::count, .n_pairs = 0}).size(), 0U);
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::count, .n_pairs = 3}).size(), 3U);
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::count, .n_pairs = 100}).size(), 12U);
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::threshold, .min_hsic = ranked[4].hsic}).size(),
            5U);
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::threshold, .min_hsic = 1}).size(), 0U);
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::fdr, .fdr = 1}).size(), 12U);

  std::size_t expected = 0;
  for (std::int32_t c = 0; c < 2; ++c) {
    std::vector<double> p_values;
    for (const RankedPair& pair : ranked)
      if (pair.key.class_code == c) p_values.push_back(pair.p_value);
    const auto q = benjamini_hochberg(p_values);
    expected +=
        static_cast<std::size_t>(std::ranges::count_if(q, [](double value) { return value <= 0.05; }));
  }
  EXPECT_EQ(kept({.engine = Engine::exact, .pairs = PairRule::fdr}).size(), expected);
}

/// The number of pairs with the smallest balanced error over the inner folds: every fit from scratch.
std::size_t best_count(const LabelledSample& sample, const FitOptions& options) {
  const auto n_folds = static_cast<std::size_t>(options.inner_folds);
  const auto folds = stratified_folds(sample.y, n_folds, options.seed);
  const std::size_t n_pairs = rank_pairs(sample, exact, {}).size();
  double least = INFINITY;
  std::size_t best = 0;
  for (const double share : kept_shares) {
    std::vector<double> wrong(sample.n_classes, 0.0);
    const auto count = static_cast<std::size_t>(std::lround(share * static_cast<double>(n_pairs)));
    for (std::size_t fold = 0; fold < n_folds; ++fold) {
      const Split split = split_at(folds, fold);
      const LabelledSample train = rows_of(sample, split.outside);
      const LabelledSample test = rows_of(sample, split.inside);
      auto places = univariate_keys(sample.n_classes, sample.n_features());
      const auto ranked = rank_pairs(train, exact, {});
      for (std::size_t k = 0; k < count; ++k) places.push_back(ranked[k].key);
      FitReport report;
      const TrainingFeatures features = training_features(train, places, options, {}, report);
      const Matrix values = term_values(features.terms, test.X);
      Matrix decisions(test.n_rows(), score_count(sample.n_classes));
      for (std::size_t k = 0; k < decisions.n_cols; ++k) {
        const auto signs = signs_of_score(train.y, sample.n_classes, k);
        const LinearSvmProblem problem(features.values);
        const LinearSvm svm = problem.solve(signs, {}, options.svm, options.norm_bound);
        for (std::size_t i = 0; i < test.n_rows(); ++i) {
          decisions(i, k) = svm.intercept;
          for (std::size_t t = 0; t < places.size(); ++t)
            decisions(i, k) += svm.weights[t] * (values(i, t) - svm.centre[t]);
        }
      }
      for (std::size_t i = 0; i < test.n_rows(); ++i)
        if (winning_class(decisions, i) != test.y[i]) wrong[static_cast<std::size_t>(test.y[i])] += 1;
    }
    double error = 0;
    const auto counts = class_counts(sample);
    for (std::size_t c = 0; c < wrong.size(); ++c) error += wrong[c] / static_cast<double>(counts[c]);
    if (error < least - 1e-9) {
      least = error;
      best = count;
    }
  }
  return best;
}

TEST(Selection, ByCrossValidationAgreesWithFitsFromScratch) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const std::size_t n_classes : {2U, 3U}) {
      const LabelledSample sample = test::class_sample(66, 5, n_classes, 10 * seed);
      const FitOptions options{.engine = Engine::exact, .svm = {.tolerance = 1e-8}, .seed = seed};
      FitReport report;
      EXPECT_EQ(select(sample, options, {}, report).pairs.size(), best_count(sample, options))
          << "seed " << seed << ", " << n_classes << " classes";
    }
}

TEST(Selection, ByCrossValidationTellsWhatWasTried) {
  const LabelledSample sample = test::class_sample(60, 4, 2, 1);
  for (const Engine engine : {Engine::exact, Engine::counts}) {
    FitReport report;
    const Selection selection = select(sample, {.engine = engine, .cost = CostRule::cv}, {}, report);
    // 12 pairs: 0, 1, 3, 6, 9 and 12 of them are tried at C = 1, then the other costs.
    EXPECT_EQ(selection.tried.size(), 6 + cost_candidates.size() - 1);
    EXPECT_TRUE(std::ranges::is_sorted(selection.tried, {}, &Setting::loss));
    const auto taken = std::ranges::find(selection.tried, true, &Setting::averaged);
    ASSERT_NE(taken, selection.tried.end());
    EXPECT_EQ(pairs_of(*taken), selection.pairs.size());
    EXPECT_EQ(taken->C, selection.C);
    EXPECT_EQ(std::ranges::count(selection.tried, true, &Setting::averaged), 1);
    EXPECT_LE(taken->loss, std::ranges::find(selection.tried, "univariate", &Setting::terms)->loss + 1e-9);
  }
}

TEST(Selection, ByCrossValidationKeepsTheNormBound) {
  const LabelledSample sample = test::class_sample(66, 5, 2, 10);
  const FitOptions options{.engine = Engine::exact, .norm_bound = 0.05};
  FitReport report;
  EXPECT_EQ(select(sample, options, {}, report).pairs.size(), best_count(sample, options));
}

TEST(Selection, MayKeepNoPairAtAll) {
  // Independent features that differ in their mean: pairs only add noise, and at times none is kept.
  std::size_t without_pairs = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    LabelledSample sample{Matrix(90, 6), {}, 2};
    for (std::size_t i = 0; i < 90; ++i) sample.y.push_back(i % 2 == 0 ? 0 : 1);
    for (std::size_t j = 0; j < 6; ++j) {
      std::ranges::copy(test::normal_sample(90, 100 * seed + j), sample.X.column(j).begin());
      for (std::size_t i = 0; i < 90; ++i) sample.X(i, j) += 0.7 * sample.y[i];
    }
    FitReport report;
    if (select(sample, {}, {}, report).pairs.empty()) ++without_pairs;
  }
  EXPECT_GE(without_pairs, 1U);
}

}  // namespace
}  // namespace dyad

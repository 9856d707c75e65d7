// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/dependence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/pairs/ranking.h"
#include "tests/explanation/models.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

TEST(DependenceOf, IsThatWhichPairsAreRankedBy) {
  const auto [what, model, X, y] = test::some_models()[2];
  const LabelledSample sample{X, y, 2};
  const std::vector<std::size_t> all{0, 1, 2, 3};
  const auto found = dependence_of(model, X, y, all, 1000);
  ASSERT_EQ(found.size(), 2);
  for (const RankedPair& pair : rank_pairs(sample, options_from(model.fitted_with), {}))
    EXPECT_DOUBLE_EQ(
        found[static_cast<std::size_t>(pair.key.class_code)].hsic[pair_index(pair.key.i, pair.key.j, 4)],
        pair.hsic);
  EXPECT_EQ(found[0].n_rows, 45);
  EXPECT_LT(found[0].q[pair_index(0, 1, 4)], 0.01);  // they depend on each other
}

TEST(DependenceOf, SomeFeaturesIsAPartOfThatOfAll) {
  const auto [what, model, X, y] = test::some_models().back();
  const auto all = dependence_of(model, X, y, std::vector<std::size_t>{0, 1, 2, 3}, 1000);
  const auto some = dependence_of(model, X, y, std::vector<std::size_t>{1, 3}, 1000);
  EXPECT_DOUBLE_EQ(some[0].hsic[0], all[0].hsic[pair_index(1, 3, 4)]);
}

TEST(DependenceOf, AClassWithoutRowsIsNotKnown) {
  const auto [what, model, X, y] = test::some_models()[2];
  const std::vector<std::int32_t> first(y.size(), 0);
  const auto found = dependence_of(model, X, first, std::vector<std::size_t>{0, 1}, 1000);
  EXPECT_FALSE(std::isnan(found[0].hsic[0]));
  EXPECT_TRUE(std::isnan(found[1].hsic[0]));
  EXPECT_TRUE(trees_of(model, X, first, std::vector<std::size_t>{0, 1}, 1000)[1].empty());
}

TEST(HsicOfTerms, IsThatWhichPairsAreRankedBy) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    LabelledSample sample{X, y, model.n_classes(), {}, model.levels};
    const auto found = hsic_of_terms(model, sample, {.threads = 1});
    apply_coordinates(model.coordinates, sample.X);
    const auto ranked = rank_pairs(sample, options_from(model.fitted_with), {});
    std::size_t k = 0;
    for (const Term& term : model.terms) {
      if (!term.is_pair()) continue;
      const auto same = std::ranges::find_if(ranked, [&](const RankedPair& pair) {
        return pair.key.class_code == term.class_code && pair.key.i == term.i && pair.key.j == term.j;
      });
      EXPECT_NEAR(found[k++], same->hsic, 1e-12) << what;
    }
    EXPECT_EQ(k, found.size()) << what;
  }
}

TEST(TreesOf, AreThoseOfTan) {
  const auto [what, model, X, y] = test::some_models()[4];
  const auto trees = trees_of(model, X, y, std::vector<std::size_t>{0, 1, 2, 3}, 1000);
  std::vector<std::vector<FeaturePair>> expected(2);
  for (const Term& term : model.terms)
    if (term.is_pair()) expected[static_cast<std::size_t>(term.class_code)].push_back({term.i, term.j});
  for (std::size_t c = 0; c < 2; ++c) {
    ASSERT_EQ(trees[c].size(), 3);
    for (const FeaturePair& wanted : expected[c])
      EXPECT_TRUE(std::ranges::any_of(
          trees[c], [&](const FeaturePair& edge) { return edge.i == wanted.i && edge.j == wanted.j; }));
  }
}

}  // namespace
}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/nested_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/averages.h"
#include "tests/recipes.h"
#include "tests/samples.h"

namespace dyad {
namespace {

/// Two rows that differ in every feature.
LabelledSample sample_of(std::size_t d, std::size_t n_classes) {
  LabelledSample sample{Matrix(2, d), {0, 1}, n_classes};
  for (std::size_t j = 0; j < d; ++j) sample.X(1, j) = 1;
  return sample;
}

/// All pairs of all classes in some order.
std::vector<RankedPair> ranked_pairs(std::size_t d, std::size_t n_classes, std::uint64_t seed = 1) {
  std::vector<RankedPair> ranked;
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) ranked.push_back({{static_cast<std::int32_t>(c), i, j}, 0, 1});
  Random(seed).shuffle(ranked);
  return ranked;
}

FitOptions automatic(Method method = Method::slb) { return test::averaging_options(method); }

std::vector<std::pair<std::string, std::size_t>> sets_of(const NestedTerms& terms) {
  std::vector<std::pair<std::string, std::size_t>> result;
  for (const NestedTerms::Set& set : terms.sets) result.emplace_back(set.name, set.n_terms);
  return result;
}

using Sets = std::vector<std::pair<std::string, std::size_t>>;

/// The pairs of class c among the first n terms.
std::vector<TermKey> pairs_of_class(const NestedTerms& terms, std::size_t n, std::int32_t c) {
  std::vector<TermKey> pairs;
  for (std::size_t t = 0; t < n; ++t)
    if (terms.keys[t].is_pair() && terms.keys[t].class_code == c) pairs.push_back(terms.keys[t]);
  return pairs;
}

TEST(NestedTerms, AreFeaturesThenDensitiesThenPairs) {
  const NestedTerms terms = nested_terms(sample_of(3, 2), ranked_pairs(3, 2), automatic());
  ASSERT_EQ(terms.keys.size(), 3U + 6U + 6U);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(terms.keys[j], (TermKey{no_class, j, j}));
  EXPECT_EQ(terms.first_univariate(), 3U);
  const auto univariate = univariate_keys(2, 3);
  for (std::size_t t = 0; t < 6; ++t) EXPECT_EQ(terms.keys[3 + t], univariate[t]);
  for (std::size_t t = 9; t < 15; ++t) EXPECT_TRUE(terms.keys[t].is_pair());
  // A tenth and three tenths of 3 pairs are both one.
  EXPECT_EQ(sets_of(terms), (Sets{{"linear", 3}, {"univariate", 9}, {"2 pairs", 11}, {"6 pairs", 15}}));
}

TEST(NestedTerms, HoldTheSameShareOfPairsOfEachClassInTheirOrder) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const auto ranked = ranked_pairs(21, n_classes);  // 210 pairs of a class
    const NestedTerms terms = nested_terms(sample_of(21, n_classes), ranked, automatic());
    ASSERT_EQ(terms.sets.size(), 5U);
    const std::array<std::size_t, 3> expected{21, 63, 210};
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t c = 0; c < n_classes; ++c) {
        const auto code = static_cast<std::int32_t>(c);
        const auto pairs = pairs_of_class(terms, terms.sets[2 + s].n_terms, code);
        ASSERT_EQ(pairs.size(), expected[s]);
        std::size_t next = 0;
        for (const RankedPair& pair : ranked)
          if (pair.key.class_code == code && next < pairs.size()) {
            EXPECT_EQ(pairs[next++], pair.key);
          }
      }
    EXPECT_EQ(terms.sets.back().n_terms, terms.keys.size());
  }
}

TEST(NestedTerms, TakeAClassThatHasFewerPairs) {
  auto ranked = ranked_pairs(5, 2);  // 10 of a class
  std::size_t kept = 0;
  std::erase_if(ranked, [&](const RankedPair& pair) { return pair.key.class_code == 1 && ++kept > 2; });
  const NestedTerms terms = nested_terms(sample_of(5, 2), ranked, automatic());
  EXPECT_EQ(sets_of(terms),
            (Sets{{"linear", 5}, {"univariate", 15}, {"2 pairs", 17}, {"5 pairs", 20}, {"12 pairs", 27}}));
}

TEST(NestedTerms, TakeNoMorePairsThanTheLimit) {
  FitOptions options = automatic();
  options.max_pairs = 61;  // 30 of each class
  const NestedTerms terms = nested_terms(sample_of(21, 2), ranked_pairs(21, 2), options);
  EXPECT_EQ(terms.sets.back().n_terms, 21U + 42U + 60U);
  EXPECT_EQ(sets_of(terms)[2].first, "6 pairs");
  EXPECT_EQ(pairs_of_class(terms, terms.keys.size(), 1).size(), 30U);
  options.max_pairs = 0;
  EXPECT_EQ(sets_of(nested_terms(sample_of(21, 2), ranked_pairs(21, 2), options)),
            (Sets{{"linear", 21}, {"univariate", 63}}));
}

TEST(NestedTerms, CanDoWithoutTheFeaturesThemselves) {
  FitOptions options = automatic();
  options.linear_terms = false;
  const NestedTerms terms = nested_terms(sample_of(3, 2), ranked_pairs(3, 2), options);
  EXPECT_EQ(terms.first_univariate(), 0U);
  EXPECT_EQ(sets_of(terms), (Sets{{"univariate", 6}, {"2 pairs", 8}, {"6 pairs", 12}}));
}

TEST(NestedTerms, OfLuHaveNoPairs) {
  EXPECT_EQ(sets_of(nested_terms(sample_of(3, 2), {}, automatic(Method::lu))),
            (Sets{{"linear", 3}, {"univariate", 9}}));
}

TEST(NestedTerms, HaveNoPairsOfAConstantFeature) {
  LabelledSample sample = sample_of(3, 2);
  std::ranges::fill(sample.X.column(1), -2.0);
  for (const TermKey& place : nested_terms(sample, ranked_pairs(3, 2), automatic()).keys)
    EXPECT_TRUE(!place.is_pair() || (place.i != 1 && place.j != 1));
  EXPECT_EQ(sets_of(nested_terms(sample, ranked_pairs(3, 2), automatic())).back().second, 3U + 6U + 2U);
}

TEST(NestedTerms, AreOneSetWherePairsAreGiven) {
  EXPECT_EQ(sets_of(nested_terms(sample_of(3, 2), ranked_pairs(3, 2), automatic(Method::slb_minus))),
            (Sets{{"6 pairs", 15}}));
  for (const PairRule rule : {PairRule::fdr, PairRule::count, PairRule::threshold}) {
    FitOptions options = automatic();
    options.pairs = rule;
    auto ranked = ranked_pairs(3, 2);
    ranked.resize(2);
    EXPECT_EQ(sets_of(nested_terms(sample_of(3, 2), ranked, options)), (Sets{{"2 pairs", 11}}));
    EXPECT_EQ(sets_of(nested_terms(sample_of(3, 2), {}, options)), (Sets{{"univariate", 9}}));
  }
}

}  // namespace
}  // namespace dyad

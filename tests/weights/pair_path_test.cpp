// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/pair_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyad/fit/fit.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

constexpr std::size_t any_number = 1'000'000;

/// The path of an automatic fit.
PairPath path_of(const LabelledSample& sample, const FitOptions& options, std::size_t most = any_number,
                 const Execution& execution = {}) {
  const Recipe recipe = make_recipe(options);
  FitReport report;
  return find_pairs(sample, most, recipe.terms, recipe.weights, execution, report);
}

FitOptions path_options() {
  FitOptions options = preset_options(Preset::automatic, Method::slb);
  options.pairs = PairRule::path;
  return options;
}

LabelledSample noise_sample(std::size_t n, std::size_t d, std::uint64_t seed) {
  LabelledSample sample{Matrix(n, d), {}, 2};
  Random random(seed);
  for (double& value : sample.X.data) value = random.normal();
  for (std::size_t i = 0; i < n; ++i) sample.y.push_back(static_cast<std::int32_t>(random.below(2)));
  return sample;
}

/// Noise but for features 2 and 5, whose signs are equal in nine of ten rows of the second class and in one
/// of ten of the first.
LabelledSample xor_sample(std::size_t n, std::size_t d, std::uint64_t seed) {
  LabelledSample sample = noise_sample(n, d, seed);
  Random random(seed + 1000);
  for (std::size_t i = 0; i < n; ++i)
    sample.y[i] = (sample.X(i, 2) * sample.X(i, 5) > 0) == (random.uniform() < 0.9) ? 1 : 0;
  return sample;
}

std::vector<std::pair<std::size_t, std::size_t>> kept_by(const PairPath& path) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const TermKey& key : path.keys)
    if (key.is_pair() && key.class_code == 0) pairs.emplace_back(key.i, key.j);
  return pairs;
}

bool has_planted(const PairPath& path) {
  return std::ranges::count(kept_by(path), std::pair<std::size_t, std::size_t>(2, 5)) == 1;
}

void expect_same_paths(const PairPath& a, const PairPath& b) {
  EXPECT_EQ(kept_by(a), kept_by(b));
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < a.steps.size(); ++k) {
    EXPECT_EQ(a.steps[k].name, b.steps[k].name);
    EXPECT_EQ(a.steps[k].n_pairs, b.steps[k].n_pairs);
    EXPECT_EQ(a.steps[k].C, b.steps[k].C);
    EXPECT_EQ(a.steps[k].loss, b.steps[k].loss);
    EXPECT_EQ(a.steps[k].share, b.steps[k].share);
  }
}

/// Categories of three levels; of the second class are the rows in which exactly two have the first level.
LabelledSample two_of_five_sample(std::size_t n, std::uint64_t seed) {
  LabelledSample sample{Matrix(n, 5), {}, 2};
  sample.levels.assign(5, {.names = {"a", "b", "c"}});
  Random random(seed);
  for (double& value : sample.X.data) value = static_cast<double>(random.below(3));
  for (std::size_t i = 0; i < n; ++i) {
    int first = 0;
    for (std::size_t j = 0; j < 5; ++j) first += sample.X(i, j) == 0 ? 1 : 0;
    sample.y.push_back(first == 2 ? 1 : 0);
  }
  return sample;
}

double share_of_tables(const PairPath& path) {
  double share = 0;
  for (const TableMember& member : path.tables) share += member.share;
  return share;
}

TEST(PairPath, KeepsFreeTablesWhereCellsTellTheClass) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const LabelledSample sample = two_of_five_sample(400, seed);
    const PairPath path = path_of(sample, path_options());
    EXPECT_GT(share_of_tables(path), 0.5);
    FitOptions without = path_options();
    without.free_tables = false;
    const PairPath densities = path_of(sample, without);
    EXPECT_EQ(share_of_tables(densities), 0);
    const auto least = [](const PairPath& of) {
      return std::ranges::min_element(of.levels, {}, &PathLevel::loss)->loss;
    };
    EXPECT_LT(least(path), 0.5 * least(densities));
  }
}

TEST(PathWeights, ShrinkScoresOfNoiseTowardsTheClassesShares) {
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FitReport report;
    const Model model = fit(noise_sample(120, 6, seed), path_options(), {}, report);
    EXPECT_FALSE(model.terms.empty());
    const Matrix found = scores(model, noise_sample(200, 6, seed + 100).X);
    for (const double score : found.data) squares += score * score / 2000;
  }
  EXPECT_LT(std::sqrt(squares), 0.3);
}

TEST(PathWeights, LeaveScoresOfClearClassesAsTheyAre) {
  FitReport report;
  const Model model = fit(xor_sample(2000, 6, 1), path_options(), {}, report);
  const Matrix p = probabilities(model, scores(model, xor_sample(2000, 6, 2).X));
  double n_sure = 0;
  for (const double probability : p.column(1)) n_sure += probability > 0.85 || probability < 0.15 ? 1 : 0;
  EXPECT_GT(n_sure, 1000);  // of nine in ten rows the class is known
}

TEST(PairPath, KeepsHardlyAnyFreeTableOfNoise) {
  int n_kept = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LabelledSample sample = noise_sample(120, 3, seed);
    sample.levels.assign(3, {});
    Random random(seed + 500);
    sample.levels[0].names = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < 120; ++i) sample.X(i, 0) = static_cast<double>(random.below(4));
    if (share_of_tables(path_of(sample, path_options())) > 0) ++n_kept;
  }
  EXPECT_LE(n_kept, 4);
}

TEST(PairPath, KeepsAPlantedPairAndFewOthers) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const PairPath path = path_of(xor_sample(400, 10, seed), path_options());
    EXPECT_TRUE(has_planted(path));
    EXPECT_LE(kept_by(path).size(), 15U);
  }
}

TEST(PairPath, KeepsAPlantedPairThatHsicRanksBelowDependentOnes) {
  LabelledSample sample = noise_sample(500, 9, 3);
  // Features 3 and 4, 6 to 8 depend on feature 0 alike in both classes.
  Random random(4);
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    for (const std::size_t j : {3U, 4U, 6U, 7U, 8U})
      sample.X(i, j) = 0.8 * sample.X(i, 0) + 0.6 * sample.X(i, j);
    sample.y[i] = (sample.X(i, 2) * sample.X(i, 5) > 0) == (random.uniform() < 0.8) ? 1 : 0;
  }
  const PairPath path = path_of(sample, path_options());
  const auto loss_of = [&](const std::string& name) {
    return std::ranges::find(path.steps, name, &PathStep::name)->loss;
  };
  EXPECT_LT(loss_of("10 pairs by gain"), loss_of("10 pairs by HSIC") - 0.05);
  EXPECT_LE(kept_by(path).size(), 15U);
  EXPECT_TRUE(has_planted(path));
}

TEST(PairPath, IsTheSameOnAnyNumberOfThreads) {
  const LabelledSample sample = xor_sample(200, 7, 1);
  expect_same_paths(path_of(sample, path_options(), any_number, {.threads = 1}),
                    path_of(sample, path_options(), any_number, {.threads = 2}));
}

TEST(PairPath, KeepsTheFewestPairsWithinAStandardErrorOfTheBest) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const PairPath path = path_of(xor_sample(300, 8, seed), path_options());
    ASSERT_FALSE(path.levels.empty());
    const auto best = std::ranges::min_element(path.levels, {}, &PathLevel::loss);
    EXPECT_EQ(best->behind, 0);
    bool is_decided = false;
    std::size_t before = 0;
    for (const PathLevel& level : path.levels) {
      if (&level != path.levels.data()) {
        EXPECT_GT(level.n_pairs, before);
      }
      before = level.n_pairs;
      test::expect_close(level.behind, level.loss - best->loss, 0, "level", 1e-12);
      EXPECT_GE(level.error, 0);
      const double tolerated = level.n_pairs > 0
                                   ? level.error
                                   : std::min(2 * level.error, std::max(level.error, 0.05 * level.loss));
      EXPECT_EQ(level.is_kept, !is_decided && level.behind <= tolerated);
      is_decided |= level.is_kept;
    }
    EXPECT_TRUE(is_decided);
  }
}

TEST(PairPath, ReportsWhatWasTried) {
  const PairPath path = path_of(xor_sample(300, 8, 1), path_options());
  ASSERT_GE(path.steps.size(), 3U);
  EXPECT_EQ(path.steps[0].name, "linear");
  EXPECT_EQ(path.steps[0].n_pairs, 0U);
  EXPECT_EQ(path.steps[1].name, "univariate");
  EXPECT_EQ(path.steps[2].name, "univariate, shared");
  const auto n_of = [&](const std::string& name) {
    return std::ranges::count(path.steps, name, &PathStep::name);
  };
  EXPECT_EQ(n_of("10 pairs by gain"), 1);
  EXPECT_EQ(n_of("10 pairs by HSIC"), 1);
  EXPECT_EQ(n_of("28 pairs by gain"), 1);  // all, which are few, by one ranking
  EXPECT_EQ(n_of("28 pairs by HSIC"), 0);
}

TEST(PairPath, IsTheMeanOfItsMembers) {
  const PairPath path = path_of(xor_sample(300, 8, 1), path_options());
  double sum = 0;
  std::set<std::size_t> pairs;
  for (const PathMember& member : path.members) {
    EXPECT_GE(member.share, 0.1);
    sum += member.share;
    const auto terms = member.terms_among(path.keys);
    EXPECT_TRUE(std::ranges::is_sorted(terms));
    EXPECT_EQ(std::ranges::any_of(terms, [&](std::size_t t) { return !path.keys[t].is_linear(); }),
              !member.is_linear);
    for (const std::size_t t : member.pairs) {
      EXPECT_TRUE(path.keys[t].is_pair());
      pairs.insert(t);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  std::size_t n_members = 0;
  for (const PathStep& step : path.steps) n_members += step.share > 0 ? 1U : 0U;
  EXPECT_EQ(n_members, path.members.size());
  // Every pair is of some member.
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(std::ranges::count_if(path.keys, &TermKey::is_pair)));
}

TEST(PairPath, KeepsTheTreesOfClassesThatAreTrees) {
  // Chains of eight features, in another order in each class.
  LabelledSample sample{Matrix(300, 8), {}, 2};
  Random random(1);
  for (std::size_t i = 0; i < 300; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(i % 2));
    double x = random.normal();
    for (std::size_t k = 0; k < 8; ++k) {
      sample.X(i, i % 2 == 0 ? k : (3 * k) % 8) = x;
      x = 0.8 * x + 0.6 * random.normal();
    }
  }
  const PairPath path = path_of(sample, path_options());
  const auto largest = std::ranges::max_element(path.steps, {}, &PathStep::share);
  EXPECT_TRUE(largest->name.ends_with(" pairs of trees")) << largest->name;
  std::size_t n_planted = 0;
  for (const auto& [i, j] : kept_by(path)) n_planted += j == i + 1 ? 1U : 0U;
  EXPECT_EQ(n_planted, 7U);
}

TEST(PairPath, KeepsNoMorePairsThanTheLimit) {
  const LabelledSample sample = xor_sample(300, 8, 1);
  for (const std::size_t most : {0U, 1U, 3U, 7U}) {
    const PairPath path = path_of(sample, path_options(), most);
    EXPECT_LE(kept_by(path).size(), most);
    EXPECT_EQ(has_planted(path), most > 0);
    for (const PathStep& step : path.steps) EXPECT_LE(step.n_pairs, most);
  }
}

TEST(PairPath, OfOneFeatureHasNoPairs) {
  const PairPath path = path_of(noise_sample(60, 1, 1), path_options());
  EXPECT_TRUE(kept_by(path).empty());
  EXPECT_EQ(path.steps.size(), 3U);
}

TEST(PairPath, HasNoPairsOfAConstantFeature) {
  LabelledSample sample = xor_sample(200, 6, 1);
  std::ranges::fill(sample.X.column(0), 3.0);
  const PairPath path = path_of(sample, path_options());
  EXPECT_EQ(std::ranges::max(path.steps, {}, &PathStep::n_pairs).n_pairs, 10U);
  EXPECT_TRUE(has_planted(path));
  for (const auto& [i, j] : kept_by(path)) EXPECT_GT(i, 0U);
}

TEST(PairPath, UsesGivenSplits) {
  const LabelledSample sample = xor_sample(240, 6, 1);
  FitOptions options = path_options();
  const auto folds = stratified_folds(sample.y, 5, options.seed);
  const PairPath drawn = path_of(sample, options);
  options.inner_splits = splits_of(folds, 5);
  expect_same_paths(path_of(sample, options), drawn);
  options.inner_splits = splits_of(stratified_folds(sample.y, 4, 99), 4);
  const PairPath other = path_of(sample, options);
  EXPECT_NE(other.steps[0].loss, drawn.steps[0].loss);
  EXPECT_TRUE(has_planted(other));
}

TEST(PairPath, FindsAPlantedPairOfTwoFolds) {
  FitOptions options = path_options();
  options.inner_folds = 2;
  const PairPath path = path_of(xor_sample(400, 10, 1), options);
  EXPECT_TRUE(has_planted(path));
  EXPECT_LE(kept_by(path).size(), 20U);
  for (const PathStep& step : path.steps) EXPECT_TRUE(std::isfinite(step.loss)) << step.name;
}

TEST(PairPath, FindsAPlantedPairOfSplitsThatTrainOnDisjointRows) {
  const LabelledSample sample = xor_sample(400, 10, 1);
  FitOptions options = path_options();
  options.inner_splits.resize(2);
  for (std::size_t i = 0; i < 400; ++i) {
    if (i < 200) (i < 150 ? options.inner_splits[0].outside : options.inner_splits[0].inside).push_back(i);
    if (i >= 200) (i < 350 ? options.inner_splits[1].outside : options.inner_splits[1].inside).push_back(i);
  }
  const PairPath path = path_of(sample, options);
  EXPECT_TRUE(has_planted(path));
  for (const PathStep& step : path.steps) EXPECT_TRUE(std::isfinite(step.loss)) << step.name;
}

/// The paths of every row twice, in the same fold, and of rows of weight 2.
std::pair<PairPath, PairPath> paths_of_copies_and_weights(LabelledSample sample, FitOptions options) {
  const auto folds = stratified_folds(sample.y, 3, 1);
  std::vector<std::size_t> rows;
  std::vector<std::size_t> folds_twice;
  for (std::size_t i = 0; i < 2 * sample.n_rows(); ++i) {
    rows.push_back(i / 2);
    folds_twice.push_back(folds[i / 2]);
  }
  options.inner_splits = splits_of(folds_twice, 3);
  PairPath twice = path_of(rows_of(sample, rows), options);
  sample.weights = {std::vector<std::uint32_t>(sample.n_rows(), 2), 1};
  options.inner_splits = splits_of(folds, 3);
  return {std::move(twice), path_of(sample, options)};
}

TEST(PairPath, OfRowsOfWeightTwoIsThatOfRowsTwice) {
  const auto [twice, weighted] = paths_of_copies_and_weights(xor_sample(150, 6, 1), path_options());
  EXPECT_EQ(kept_by(weighted), kept_by(twice));
  ASSERT_EQ(weighted.steps.size(), twice.steps.size());
  for (std::size_t k = 0; k < twice.steps.size(); ++k) {
    EXPECT_EQ(weighted.steps[k].name, twice.steps[k].name);
    test::expect_close(weighted.steps[k].loss, twice.steps[k].loss, 1e-3, twice.steps[k].name);
  }
}

TEST(SlowPairPath, KeepsNoPairsOfRandomLabels) {
  std::size_t n_without = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    n_without += kept_by(path_of(noise_sample(200, 50, seed), path_options())).empty() ? 1U : 0U;
  EXPECT_GE(n_without, 18U);
}

TEST(SlowPairPath, HasNoHeldOutLossOfRandomLabelsBelowTheirEntropy) {
  constexpr std::size_t n_tables = 60;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= n_tables; ++seed)
    mean += path_of(noise_sample(200, 2, seed), path_options()).steps[0].loss / n_tables;
  EXPECT_GT(mean, std::numbers::ln2 - 0.01);
}

TEST(PairPath, HasTheStandardErrorOfRowsTwiceForRowsOfWeightTwo) {
  const auto [twice, weighted] = paths_of_copies_and_weights(xor_sample(150, 6, 1), path_options());
  ASSERT_EQ(weighted.levels.size(), twice.levels.size());
  for (std::size_t k = 0; k < twice.levels.size(); ++k)
    test::expect_close(weighted.levels[k].error, twice.levels[k].error, 2e-2, "level");
}

TEST(PairPath, NamesWhatALimitOfMemoryMadeSmaller) {
  const LabelledSample sample = noise_sample(600, 8, 1);
  FitOptions options = path_options();
  EXPECT_TRUE(path_of(sample, options).reduced.empty());
  options.weight_bytes = 1'000'000'000;
  EXPECT_TRUE(path_of(sample, options).reduced.empty());
  options.weight_bytes = 1'100'000;  // 24 terms of one feature, five folds, 28 pairs
  const Provenance reduced = path_of(sample, options).reduced;
  EXPECT_EQ(reduced, (Provenance{{"path_rows", "572"}, {"path_pairs", "10"}}));
  FitReport report;
  const Model model = fit(sample, options, {}, report);
  for (const auto& [name, value] : reduced) EXPECT_EQ(option_of(model, name), value);
}

}  // namespace
}  // namespace dyad

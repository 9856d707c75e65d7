// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/kept_effects.h"

#include <gtest/gtest.h>

#include "dyad/data/chunk.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/fit/fit.h"
#include "dyad/fit/state.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

/// The first two features together and the last one tell the class, others nothing.
Table table_of_few_effects() { return test::class_table(400, 7, 2, 8); }

std::vector<std::pair<std::string, FitOptions>> ways_of_fitting() {
  std::vector<std::pair<std::string, FitOptions>> ways{{"auto", preset_options(Preset::automatic)},
                                                       {"paper", preset_options(Preset::paper)}};
  FitOptions options = preset_options(Preset::automatic);
  options.pairs = PairRule::cv;
  ways.emplace_back("averages", options);
  options.method = Method::lu;
  options.pairs = PairRule::cv;
  ways.emplace_back("LU", preset_options(Preset::automatic, Method::lu));
  return ways;
}

TEST(MostEffects, BoundsFeaturesAndPairsTogether) {
  for (auto& [what, options] : ways_of_fitting())
    for (const std::int64_t most : {1, 3, 5}) {
      SCOPED_TRACE(what);
      options.max_effects = most;
      const Model model = fit(table_of_few_effects(), options, Execution{.threads = 1});
      const auto& effects = purified_effects(model).effects;
      EXPECT_LE(effects.size(), static_cast<std::size_t>(most));
      EXPECT_FALSE(effects.empty());
    }
}

TEST(MostEffects, ChangesNothingWhereThereAreFewer) {
  for (auto& [what, options] : ways_of_fitting()) {
    SCOPED_TRACE(what);
    const Table table = table_of_few_effects();
    const Model free = fit(table, options, Execution{.threads = 1});
    options.max_effects = 1000;
    const Model bounded = fit(table, options, Execution{.threads = 1});
    const Matrix X = coded_rows(table, free.levels);
    EXPECT_EQ(scores(bounded, X).data, scores(free, X).data);
  }
}

TEST(MostEffects, BoundsModelsOfTablesInParts) {
  const Chunk rows = chunk_of(table_of_few_effects());
  for (auto& [what, options] : ways_of_fitting()) {
    SCOPED_TRACE(what);
    options.max_effects = 4;
    State survey(200);
    survey.update(rows, 0, {});
    State counts = survey.plan(options);
    counts.update(rows, 0, {});
    const Model model = counts.finalize(Execution{.threads = 1});
    EXPECT_LE(purified_effects(model).effects.size(), 4);
    EXPECT_EQ(scores(model, rows.X).n_rows, rows.n_rows());
  }
}

TEST(LargestEffects, CountAPairWithItsFeatures) {
  const Model model = fit(table_of_few_effects(), preset_options(Preset::automatic), Execution{.threads = 1});
  for (std::size_t most = 1; most < 12; ++most) {
    const KeptEffects kept = largest_effects(model, most, {});
    EXPECT_LE(kept.features.size() + kept.pairs.size(), most);
    for (const auto& [i, j] : kept.pairs)
      for (const std::size_t feature : {i, j})
        EXPECT_TRUE(std::ranges::binary_search(kept.features, feature));
  }
}

}  // namespace
}  // namespace dyad

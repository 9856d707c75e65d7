// Limits of time: searches end with the best found so far.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>

#include "dyad/fit/fit.h"
#include "dyad/fit/recipe.h"
#include "dyad/fit/state.h"
#include "dyad/io/model_file.h"
#include "dyad/io/state_file.h"
#include "dyad/model/description.h"
#include "dyad/model/prediction.h"
#include "tests/chunks.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

struct Searching {
  std::string what;
  FitOptions options;
};

/// Options whose fits search for settings, one for each way of searching.
std::vector<Searching> searching_options() {
  FitOptions path = preset_options(Preset::automatic);
  FitOptions average = path;
  average.pairs = PairRule::cv;
  FitOptions single = preset_options(Preset::automatic, Method::slb, Objective::logloss, SettingsRule::best);
  FitOptions exact{.engine = Engine::exact, .cost = CostRule::cv};
  return {{"path", path}, {"average", average}, {"single", single}, {"exact", exact}};
}

LabelledSample sample_for(const std::string& what, std::size_t n_classes) {
  return test::class_sample(what == "exact" ? 120 : 400, 5, n_classes, 3);
}

Model limited_fit(const LabelledSample& sample, const FitOptions& options, const Execution& execution = {}) {
  FitReport report;
  return fit(sample, options, execution, report);
}

TEST(TimeLimit, ThatIsNotReachedLeavesTheModelAsItIs) {
  for (const std::size_t n_classes : {2U, 3U})
    for (auto [what, options] : searching_options()) {
      SCOPED_TRACE(what);
      const LabelledSample sample = sample_for(what, n_classes);
      const std::string expected = model_bytes(limited_fit(sample, options));
      options.max_seconds = 1e8;
      const std::atomic<bool> enough{false};
      EXPECT_EQ(model_bytes(limited_fit(sample, options, {.enough = &enough})), expected);
    }
}

TEST(TimeLimit, EndsSearchesWithTheBestSettingUntilThen) {
  for (const std::size_t n_classes : {2U, 3U})
    for (auto [what, options] : searching_options()) {
      SCOPED_TRACE(what);
      const LabelledSample sample = sample_for(what, n_classes);
      const Model whole = limited_fit(sample, options);
      const std::atomic<bool> enough{true};
      const Model ended = limited_fit(sample, options, {.enough = &enough});
      EXPECT_EQ(option_of(ended, search_end_name), "callback");
      EXPECT_NE(description(ended).find("was ended by callback"), std::string::npos);
      EXPECT_FALSE(ended.settings.empty());
      EXPECT_LT(ended.settings.size(), whole.settings.size());
      for (const double score : scores(ended, sample.X).data) EXPECT_TRUE(std::isfinite(score));
      EXPECT_GT(test::error_of(ended, sample), 0);
      EXPECT_LT(test::error_of(ended, sample), 0.5);

      options.max_seconds = 1e-9;
      Model late = limited_fit(sample, options);
      EXPECT_EQ(option_of(late, search_end_name), "max_seconds 1e-09");
      late.fitted_with = ended.fitted_with;
      EXPECT_EQ(model_bytes(late), model_bytes(ended));
    }
}

TEST(TimeLimit, EndsAPathAfterAnyOfItsSets) {
  const LabelledSample sample = test::class_sample(300, 6, 2, 5);
  const Model whole = limited_fit(sample, preset_options(Preset::automatic));
  std::size_t n_before = 0;
  for (std::size_t last = 1; last < whole.settings.size(); ++last) {
    std::atomic<bool> enough{false};
    Execution execution{.threads = 2, .enough = &enough};
    execution.progress = [&](std::string_view step, std::size_t done, std::size_t) {
      if (step == "sets of terms" && done == last) enough = true;
    };
    const Model ended = limited_fit(sample, preset_options(Preset::automatic), execution);
    EXPECT_GE(ended.settings.size(), std::max(last, n_before));
    EXPECT_LE(ended.settings.size(), whole.settings.size());
    n_before = ended.settings.size();
  }
}

TEST(TimeLimit, OfAPlanIsKeptInItsFileAndInTheModel) {
  const Chunk chunk = chunk_of(test::class_table(600, 4, 2, 3));
  State survey(200);
  survey.update(chunk);
  FitOptions options = preset_options(Preset::automatic);
  options.max_seconds = 1e-9;
  State counts = state_from_bytes(state_bytes(survey.plan(options)), "plan");
  counts.update(chunk);
  EXPECT_EQ(option_of(counts.finalize(), search_end_name), "max_seconds 1e-09");
  options.max_seconds = 1e8;
  State unlimited = survey.plan(options);
  unlimited.update(chunk);
  EXPECT_EQ(option_of(unlimited.finalize(), search_end_name), "");
}

TEST(TimeLimit, IsRefusedWhereNothingIsSearchedAndIfItIsNoNumberOfSeconds) {
  FitOptions bayes = preset_options(Preset::automatic, Method::nb);
  bayes.max_seconds = 1;
  EXPECT_THROW(require_valid(bayes), std::invalid_argument);
  FitOptions negative = preset_options(Preset::automatic);
  negative.max_seconds = -1;
  EXPECT_THROW(require_valid(negative), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

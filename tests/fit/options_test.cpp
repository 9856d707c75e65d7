// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/options.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/fit/recipe.h"

namespace dyad {
namespace {

std::string message_of(const FitOptions& options) {
  try {
    require_valid(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "valid";
}

TEST(FitOptions, OfEveryPresetAreValid) {
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const Method method :
         {Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan, Method::tan_forest})
      for (const Objective objective : {Objective::balanced, Objective::auc, Objective::logloss}) {
        const bool averages = has_svm(method) && preset == Preset::automatic;
        if (objective == Objective::auc && !averages) continue;
        const FitOptions options = preset_options(preset, method, objective);
        EXPECT_EQ(message_of(options), "valid");
        EXPECT_EQ(options.preset, preset);
        EXPECT_EQ(options.method, method);
        EXPECT_EQ(options.optimise, objective);
      }
}

TEST(FitOptions, StartAsInThePaper) {
  std::string members;
  std::string preset;
  const auto list = [](std::string& text) {
    return [&text](std::string_view name, const auto& value, const auto& allowed, auto) {
      text += std::string(name) + " " + option_text(value, allowed) + "\n";
    };
  };
  const FitOptions start;
  FitOptions::describe(start, list(members));
  const FitOptions paper = preset_options(Preset::paper);
  FitOptions::describe(paper, list(preset));
  EXPECT_EQ(members, preset);
}

TEST(FitOptions, TakePriorsFromTheObjective) {
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const Method method : {Method::nb, Method::tan, Method::tan_forest}) {
      EXPECT_EQ(preset_options(preset, method, Objective::balanced).priors, Priors::equal);
      EXPECT_EQ(preset_options(preset, method, Objective::logloss).priors, Priors::estimated);
    }
}

TEST(FitOptions, SayWhichClassFrequenciesProbabilitiesReferTo) {
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const Method method : {Method::slb, Method::lu, Method::nb, Method::tan}) {
      EXPECT_EQ(class_frequencies(preset_options(preset, method)), ClassFrequencies::table);
      FitOptions options = preset_options(preset, method, Objective::balanced);
      EXPECT_EQ(class_frequencies(options), ClassFrequencies::equal);
      options.class_weight_values = {1, 2};
      EXPECT_EQ(class_frequencies(options), ClassFrequencies::weighted);
      options.costs = Matrix(2, 2);
      EXPECT_EQ(class_frequencies(options), ClassFrequencies::table);
    }
  EXPECT_EQ(class_frequencies(preset_options(Preset::automatic, Method::slb, Objective::auc)),
            ClassFrequencies::table);
  EXPECT_EQ(class_frequencies({.method = Method::nb, .priors = Priors::equal}), ClassFrequencies::equal);
}

TEST(FitOptions, OfVersionsWithClassWeightsKeepTheirMeaning) {
  struct Case {
    Provenance options;
    bool alike;
    Objective objective;
  };
  const auto with = [](const char* method, const char* settings, const char* optimise,
                       const char* class_weights, const char* priors) -> Provenance {
    return {{"method", method},
            {"settings", settings},
            {"optimise", optimise},
            {"class_weights", class_weights},
            {"priors", priors}};
  };
  for (const auto& [options, alike, objective] : std::vector<Case>{
           {with("slb", "average", "balanced", "balanced", "equal"), true, Objective::balanced},
           {with("slb", "average", "auc", "balanced", "equal"), true, Objective::auc},
           {with("slb", "average", "logloss", "balanced", "estimated"), false, Objective::logloss},
           {with("slb", "best", "balanced", "none", "estimated"), false, Objective::logloss},
           {with("lu", "best", "logloss", "balanced", "equal"), true, Objective::balanced},
           {with("nb", "average", "balanced", "balanced", "equal"), true, Objective::balanced},
           {with("tan", "best", "balanced", "none", "estimated"), false, Objective::logloss}}) {
    EXPECT_EQ(counted_classes_alike(options), alike);
    EXPECT_EQ(options_from(options).optimise, objective);
  }
  EXPECT_FALSE(counted_classes_alike({{"method", "slb"}, {"settings", "average"}, {"optimise", "balanced"}}));
  EXPECT_FALSE(
      counted_classes_alike({{"class_weights", "balanced"}, {"method", "?"}, {"settings", "average"}}));
}

TEST(FitOptions, ThatDoNotGoTogetherAreErrors) {
  EXPECT_EQ(message_of({.prior_rows = 1}), "prior_rows requires transform=standard or robust, got none");
  for (const Transform transform : {Transform::standard, Transform::robust})
    EXPECT_EQ(message_of({.transform = transform, .prior_rows = 1}), "valid");
  for (const Transform transform : {Transform::none, Transform::standard, Transform::robust})
    for (const SettingsRule settings : {SettingsRule::best, SettingsRule::average})
      EXPECT_EQ(message_of({.transform = transform, .linear_terms = true, .settings = settings}), "valid");
  EXPECT_EQ(message_of({.settings = SettingsRule::average, .norm_bound = 0.5}),
            "norm_bound requires settings=best, got average");
  EXPECT_EQ(message_of({.norm_bound = 0.5}), "valid");
  for (const Method method : {Method::slb, Method::slb_minus, Method::lu})
    EXPECT_EQ(message_of({.method = method, .optimise = Objective::balanced}), "valid");
  EXPECT_EQ(message_of({.n_average = 0}), "n_average must be at least 1, got 0");
  EXPECT_NE(message_of({.prior_rows = -1}), "valid");
  EXPECT_NE(message_of({.max_pairs = -1}), "valid");
}

TEST(FitOptions, OfLossesAndPenaltiesSayWhatTheyNeed) {
  for (const Penalty penalty : {Penalty::l1, Penalty::elastic_net})
    for (const SettingsRule settings : {SettingsRule::best, SettingsRule::average}) {
      const std::string name(name_of(penalty_names, penalty));
      EXPECT_NE(message_of({.settings = settings, .svm = {.penalty = penalty}}), "valid");
      for (const Loss loss : {Loss::squared_hinge, Loss::logistic})
        EXPECT_EQ(message_of({.settings = settings, .svm = {.loss = loss, .penalty = penalty}}), "valid");
      EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic, .penalty = penalty}, .norm_bound = 1}),
                "norm_bound requires penalty=l2, got " + name);
    }
  EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic, .l1_ratio = 2}}),
            "l1_ratio must be between 0 and 1, got 2");
  EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic}, .norm_bound = 1}), "valid");
  EXPECT_EQ(message_of({.engine = Engine::exact, .svm = {.loss = Loss::logistic}}),
            "loss=logistic requires engine=counts or settings=average, got engine=exact");
  EXPECT_EQ(
      message_of(
          {.engine = Engine::exact, .settings = SettingsRule::average, .svm = {.loss = Loss::logistic}}),
      "valid");
}

TEST(FitOptions, OfAllClassesAtOnceSayWhatTheyNeed) {
  EXPECT_EQ(message_of({.settings = SettingsRule::average, .multiclass = Multiclass::direct}), "valid");
  EXPECT_EQ(message_of({.pairs = PairRule::path}), "pairs=path requires settings=average, got best");
  EXPECT_EQ(message_of({.multiclass = Multiclass::direct}),
            "multiclass=direct requires settings=average, got best");
  EXPECT_EQ(message_of({.settings = SettingsRule::average,
                        .svm = {.loss = Loss::logistic},
                        .multiclass = Multiclass::direct}),
            "multiclass=direct requires loss=hinge, got logistic");
}

TEST(FitOptions, WithoutEffectAreRefusedByName) {
  const std::vector<std::pair<FitOptions, std::string>> cases{
      {{.n_average = 3}, "n_average requires settings=average, got best"},
      {{.blend = Blend::always}, "blend requires settings=average, got best"},
      {{.max_pairs = 5}, "max_pairs requires settings=average, got best"},
      {{.optimise = Objective::auc}, "optimise=auc requires settings=average, got best"},
      {{.method = Method::nb, .optimise = Objective::auc},
       "optimise=auc requires method=slb, slb- or lu, got nb"},
      {{.method = Method::nb, .optimise = Objective::balanced},
       "priors=estimated requires optimise=logloss, got balanced"},
      {{.method = Method::lu, .max_pairs = 5, .settings = SettingsRule::average},
       "max_pairs requires method=slb or slb-, got lu"},
      {{.pairs = PairRule::fdr, .max_pairs = 5, .settings = SettingsRule::average},
       "max_pairs requires pairs=cv or path, got fdr"},
      {{.method = Method::lu, .n_pairs = 5}, "n_pairs requires method=slb, got lu"},
      {{.n_pairs = 5}, "n_pairs requires pairs=count, got cv"},
      {{.fdr = 0.1}, "fdr requires pairs=fdr, got cv"},
      {{.min_hsic = 0.1}, "min_hsic requires pairs=threshold, got cv"},
      {{.cross_fit_folds = 7}, "cross_fit_folds requires feature_mode=cross_fit or auto, got resubstitution"},
      {{.engine = Engine::exact, .grid = 64}, "grid requires engine=counts, got exact"},
      {{.method = Method::slb_minus, .inner_folds = 7}, "inner_folds requires cost=cv, got given"},
      {{.settings = SettingsRule::average, .cost = CostRule::cv, .svm = {.C = 2}},
       "C requires cost=given, got cv"},
      {{.svm = {.l1_ratio = 0.2}}, "l1_ratio requires penalty=elastic_net, got l2"},
      {{.priors = Priors::equal}, "priors requires method=nb, tan or tan-forest, got slb"},
      {{.method = Method::tan, .forest_beta = 0.1}, "forest_beta requires method=tan-forest, got tan"}};
  for (const auto& [options, message] : cases) EXPECT_EQ(message_of(options), message);
}

TEST(FitOptions, OfSvmsAreRefusedByNaiveBayesAndTan) {
  for (const Method method : {Method::nb, Method::tan, Method::tan_forest}) {
    const std::string ending =
        " requires method=slb, slb- or lu, got " + std::string(name_of(method_names, method));
    EXPECT_EQ(message_of({.method = method, .norm_bound = 1}), "norm_bound" + ending);
    EXPECT_EQ(message_of({.method = method, .svm = {.C = 2}}), "C" + ending);
    EXPECT_EQ(message_of({.method = method, .linear_terms = true}), "linear_terms" + ending);
    EXPECT_EQ(message_of({.method = method, .feature_mode = FeatureMode::split}), "feature_mode" + ending);
    EXPECT_EQ(message_of(preset_options(Preset::automatic, method)), "valid");
  }
}

TEST(FitOptions, AreRefusedIfGivenThoughTheyAreDefaults) {
  const FitOptions options;
  EXPECT_NO_THROW(require_valid(options, [](std::string_view) { return false; }));
  EXPECT_THROW(require_valid(options, [](std::string_view name) { return name == "n_average"; }),
               std::invalid_argument);
  EXPECT_NO_THROW(require_valid(options, [](std::string_view name) { return name == "C"; }));
}

TEST(FitOptions, AreReadBackFromTheirProvenance) {
  for (const Method method : {Method::slb, Method::nb, Method::tan_forest}) {
    const FitOptions options = preset_options(Preset::automatic, method, Objective::logloss);
    EXPECT_EQ(provenance(options_from(provenance(options))), provenance(options));
  }
  EXPECT_EQ(options_from({{"optimise", "error"}, {"intercept", "penalised"}, {"grid", "32"}}).grid, 32);
  EXPECT_THROW(static_cast<void>(options_from({{"engine", "fast"}})), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

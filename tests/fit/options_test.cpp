// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit_options.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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
      for (const Objective objective :
           {Objective::balanced, Objective::error, Objective::auc, Objective::logloss}) {
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
  for (const Objective objective : {Objective::balanced, Objective::auc}) {
    const FitOptions options = preset_options(Preset::automatic, Method::slb, objective);
    EXPECT_EQ(options.class_weights, ClassWeights::balanced);
    EXPECT_EQ(options.priors, Priors::equal);
  }
  for (const Objective objective : {Objective::error, Objective::logloss}) {
    const FitOptions options = preset_options(Preset::automatic, Method::slb, objective);
    EXPECT_EQ(options.class_weights, ClassWeights::balanced);
    EXPECT_EQ(options.priors, Priors::estimated);
  }
}

TEST(FitOptions, ThatDoNotGoTogetherAreErrors) {
  EXPECT_EQ(message_of({.prior_rows = 1}),
            "prior_rows needs features on one scale: transform must be standard or robust, not none");
  for (const Transform transform : {Transform::standard, Transform::robust}) {
    EXPECT_EQ(message_of({.transform = transform, .prior_rows = 1}), "valid");
  }
  for (const Transform transform : {Transform::none, Transform::standard, Transform::robust})
    for (const SettingsRule settings : {SettingsRule::best, SettingsRule::average})
      EXPECT_EQ(message_of({.transform = transform, .linear_terms = true, .settings = settings}), "valid");
  EXPECT_EQ(message_of({.settings = SettingsRule::average, .norm_bound = 0.5}),
            "norm_bound is of a single SVM: settings must be best, not average");
  EXPECT_EQ(message_of({.norm_bound = 0.5}), "valid");
  EXPECT_EQ(message_of({.n_average = 0}), "n_average must be at least 1, got 0");
  EXPECT_NE(message_of({.prior_rows = -1}), "valid");
  EXPECT_NE(message_of({.max_pairs = -1}), "valid");
}

TEST(FitOptions, OfLossesAndPenaltiesSayWhatTheyNeed) {
  for (const Penalty penalty : {Penalty::l1, Penalty::elastic_net})
    for (const SettingsRule settings : {SettingsRule::best, SettingsRule::average}) {
      const std::string name(penalty_names[static_cast<std::size_t>(penalty)]);
      EXPECT_EQ(message_of({.settings = settings, .svm = {.penalty = penalty}}),
                "penalty " + name + " needs loss squared_hinge or logistic, not hinge");
      for (const Loss loss : {Loss::squared_hinge, Loss::logistic})
        EXPECT_EQ(message_of({.settings = settings, .svm = {.loss = loss, .penalty = penalty}}), "valid");
      EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic, .penalty = penalty}, .norm_bound = 1}),
                "norm_bound bounds |w|: penalty must be l2, not " + name);
    }
  EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic, .l1_ratio = 2}}),
            "l1_ratio must be between 0 and 1, got 2");
  EXPECT_EQ(message_of({.svm = {.loss = Loss::logistic}, .norm_bound = 1}), "valid");
  EXPECT_EQ(message_of({.engine = Engine::exact, .svm = {.loss = Loss::logistic}}),
            "loss logistic needs engine counts, or settings average");
  EXPECT_EQ(
      message_of(
          {.engine = Engine::exact, .settings = SettingsRule::average, .svm = {.loss = Loss::logistic}}),
      "valid");
}

TEST(FitOptions, OfAllClassesAtOnceSayWhatTheyNeed) {
  EXPECT_FALSE(is_direct({}));
  EXPECT_TRUE(is_direct({.settings = SettingsRule::average}));
  EXPECT_TRUE(is_direct({.settings = SettingsRule::average, .multiclass = Multiclass::direct}));
  EXPECT_FALSE(is_direct({.settings = SettingsRule::average, .multiclass = Multiclass::one_vs_rest}));
  EXPECT_FALSE(is_direct({.settings = SettingsRule::average, .svm = {.loss = Loss::logistic}}));
  EXPECT_EQ(message_of({.settings = SettingsRule::average, .multiclass = Multiclass::direct}), "valid");
  for (const Engine engine : {Engine::counts, Engine::exact})
    EXPECT_EQ(message_of({.engine = engine, .multiclass = Multiclass::direct}),
              "multiclass=direct requires settings=average, got best");
  EXPECT_EQ(message_of({.settings = SettingsRule::average,
                        .svm = {.loss = Loss::logistic},
                        .multiclass = Multiclass::direct}),
            "multiclass direct needs loss hinge, not logistic");
}

TEST(FitOptions, OfSvmsAreNoMatterToNaiveBayesAndTan) {
  for (const Method method : {Method::nb, Method::tan, Method::tan_forest}) {
    FitOptions options = preset_options(Preset::automatic, method);
    options.transform = Transform::none;
    options.prior_rows = 0;
    options.norm_bound = 1;
    EXPECT_NO_THROW(require_valid(options));
  }
}

}  // namespace
}  // namespace dyad

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
  EXPECT_EQ(message_of({.linear_terms = true, .settings = SettingsRule::average}),
            "linear_terms needs features on one scale: transform must be standard or robust, not none");
  for (const Transform transform : {Transform::standard, Transform::robust}) {
    EXPECT_EQ(message_of({.transform = transform, .prior_rows = 1}), "valid");
    EXPECT_EQ(message_of({.transform = transform, .linear_terms = true}),
              "linear_terms are part of averages: settings must be average, not best");
    EXPECT_EQ(message_of({.transform = transform, .linear_terms = true, .settings = SettingsRule::average}),
              "valid");
  }
  EXPECT_EQ(message_of({.settings = SettingsRule::average, .norm_bound = 0.5}),
            "norm_bound is of a single SVM: settings must be best, not average");
  EXPECT_EQ(message_of({.norm_bound = 0.5}), "valid");
  EXPECT_EQ(message_of({.n_average = 0}), "n_average must be at least 1, got 0");
  EXPECT_NE(message_of({.prior_rows = -1}), "valid");
  EXPECT_NE(message_of({.max_pairs = -1}), "valid");
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

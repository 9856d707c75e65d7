// Fitted models that explanations are tested on: numbers, categories, gaps, two classes and three, both
// engines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dyad/data/levels.h"
#include "dyad/fit/fit.h"
#include "tests/model_samples.h"

namespace dyad::test {

struct ModelAndRows {
  std::string what;
  Model model;
  Matrix X;
  std::vector<std::int32_t> y;
};

inline ModelAndRows fitted_to(std::string what, const Table& table, const FitOptions& options) {
  Model model = fit(table, options, Execution{.threads = 1});
  Matrix X = coded_rows(table, model.levels);
  return {std::move(what), std::move(model), std::move(X), table.labels.codes};
}

inline std::vector<ModelAndRows> some_models() {
  std::vector<ModelAndRows> result;
  result.push_back(fitted_to("auto", class_table(120, 4, 2, 1), preset_options(Preset::automatic)));
  result.push_back(
      fitted_to("auto, three classes", class_table(150, 3, 3, 2), preset_options(Preset::automatic)));
  result.push_back(fitted_to("paper", class_table(90, 4, 2, 3), preset_options(Preset::paper)));
  result.push_back(fitted_to("exact", class_table(60, 3, 2, 4), {.engine = Engine::exact}));
  result.push_back(fitted_to("TAN", class_table(90, 4, 2, 5), {.method = Method::tan}));
  result.push_back(fitted_to("categories and gaps",
                             mixed_table({.n_rows = 160, .n_numbers = 2, .n_categories = 2, .missing = 0.1}),
                             preset_options(Preset::automatic)));
  return result;
}

}  // namespace dyad::test

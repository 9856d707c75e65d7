// dyad info: what a model file holds.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "dyad/data/values.h"
#include "dyad/explanation/summary.h"
#include "dyad/io/model_file.h"

namespace dyad::cli {
namespace {

Json settings_json(const Model& model) {
  Json settings = Json::array();
  for (const Setting& setting : model.settings)
    settings.push_back({{"terms", setting.terms},
                        {"C", setting.C},
                        {"blend", setting.blend},
                        {"loss", setting.loss},
                        {"averaged", setting.averaged}});
  return settings;
}

Json coordinates_json(const Model& model) {
  Json coordinates = Json::object();
  for (std::size_t j = 0; j < model.coordinates.size(); ++j)
    if (model.levels.empty() || model.levels[j].is_number())
      coordinates[model.features[j]] = name_of(curve_names, model.coordinates[j].curve);
  return coordinates;
}

/// Of the features that are categories.
Json levels_json(const Model& model) {
  Json levels = Json::object();
  for (std::size_t j = 0; j < model.levels.size(); ++j)
    if (const auto& [names, has_others] = model.levels[j]; !names.empty())
      levels[model.features[j]] = {{"names", names}, {"others", has_others}};
  return levels;
}

Json missing_json(const Model& model) {
  Json names = Json::array();
  for (const std::size_t j : features_with_missing(model)) names.push_back(model.features[j]);
  return names;
}

/// By true class, then by predicted class.
Json costs_json(const Model& model) {
  Json costs = Json::array();
  for (std::size_t a = 0; a < model.costs.n_rows; ++a) {
    Json row = Json::array();
    for (std::size_t b = 0; b < model.costs.n_cols; ++b) row.push_back(model.costs(a, b));
    costs.push_back(std::move(row));
  }
  return costs;
}

/// The number of effects, and of the largest that make up 95 % of their sizes.
Json effects_json(const Model& model) {
  const PurifiedEffects purified = purified_effects(model);
  return {{"count", count_that_carry(purified, 1)}, {"carry_95_percent", count_that_carry(purified, 0.95)}};
}

Json monotone_json(const Model& model) {
  Json directions = Json::object();
  for (const auto& [feature, direction] : model.monotone)
    directions[model.features[feature]] = name_of(direction_names, direction);
  return directions;
}

std::string as_json(const Model& model) {
  Json options;
  for (const auto& [name, text] : model.fitted_with) {
    double number = 0;
    if (text == "true" || text == "false")
      options[name] = text == "true";
    else if (parse_number(text, number))
      options[name] = Json::parse(text);
    else
      options[name] = text;
  }
  Json document{{"version", model_file_version},
                {"method", options["method"]},
                {"preset", options["preset"]},
                {"engine", options["engine"]},
                {"classes", model.classes},
                {"rows", model.class_rows},
                {"features", model.features},
                {"terms", model.terms.size()},
                {"pairs_kept", count_pairs(model)},
                {"coordinates", coordinates_json(model)},
                {"levels", levels_json(model)},
                {"missing", missing_json(model)},
                {"settings", settings_json(model)},
                {"options", std::move(options)},
                {"class_frequencies", name_of(class_frequencies_names, model.class_frequencies)},
                {"effects", effects_json(model)},
                {"monotone", monotone_json(model)},
                {"edits", edits_of(model)}};
  if (!model.costs.data.empty()) document["costs"] = costs_json(model);
  return dumped(document);
}

std::string as_text(const Model& model, const std::string& path, bool with_options) {
  return fmt::format("{}: model file, version {}\n", path, model_file_version) +
         summary(model, purified_effects(model), with_options);
}

}  // namespace

Command add_info(CLI::App& program) {
  auto path = std::make_shared<std::string>();
  auto with_options = std::make_shared<bool>(false);
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("info", "Show what a model file contains");
  command->footer("Example: dyad info species.dyad");
  add_model_argument(*command, *path);
  command->add_flag("--options", *with_options, "show the options of the fit, too");
  add_result_flags(*command, *run_flags, true);
  return {command, run_flags, [path, with_options, run_flags](Output& output) {
            const Model model = load_model(*path);
            output.write(run_flags->json ? as_json(model) : as_text(model, *path, *with_options));
          }};
}

}  // namespace dyad::cli

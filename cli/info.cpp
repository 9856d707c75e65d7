// dyad info: what a model file holds.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/json.h"
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
    coordinates[model.features[j]] = curve_names[static_cast<std::size_t>(model.coordinates[j].curve)];
  return coordinates;
}

/// The settings that are part of the model, and the best of the others.
std::string settings_text(const Model& model) {
  if (model.settings.empty()) return "";
  constexpr std::size_t most_others = 3;
  const auto n_averaged = std::ranges::count(model.settings, true, &Setting::averaged);
  std::string text = fmt::format(
      "  settings: the mean of {} out of {} that were tried; {} of rows held out\n"
      "      loss  terms              C  blend\n",
      n_averaged, model.settings.size(),
      model.options.optimise == Objective::auc ? "1 - AUC" : "logistic loss");
  std::size_t others = 0;
  for (const Setting& setting : model.settings) {
    if (!setting.averaged && ++others > most_others) continue;
    text += fmt::format("    {:6.4f}  {:<14} {:>5}  {:>5}{}\n", setting.loss, setting.terms, setting.C,
                        setting.blend, setting.averaged ? "" : "  not taken");
  }
  return text;
}

std::string coordinates_text(const Model& model) {
  if (model.coordinates.empty()) return "";
  std::array<std::size_t, curve_names.size()> counts{};
  for (const Coordinate& coordinate : model.coordinates) ++counts[static_cast<std::size_t>(coordinate.curve)];
  std::string list;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", counts[k], curve_names[k]);
  return fmt::format("  {:<16}  {}\n", "coordinates", list);
}

std::string as_json(const Model& model) {
  Json options;
  FitOptions::describe(model.options,
                       [&](std::string_view name, const auto& value, const auto& allowed, auto) {
                         if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
                           options[std::string(name)] = option_text(value, allowed);
                         else
                           options[std::string(name)] = value;
                       });
  return dumped({{"version", model_file_version},
                 {"method", options["method"]},
                 {"preset", options["preset"]},
                 {"engine", options["engine"]},
                 {"classes", model.classes},
                 {"rows", model.class_rows},
                 {"features", model.features},
                 {"terms", model.terms.size()},
                 {"pairs_kept", count_pairs(model)},
                 {"coordinates", coordinates_json(model)},
                 {"settings", settings_json(model)},
                 {"options", std::move(options)}});
}

std::string as_text(const Model& model, const std::string& path) {
  std::string text = fmt::format("{}: model file, version {}\n", path, model_file_version);
  text += fmt::format("  {:<16}  {}\n", "features", model.features.size());
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    text += fmt::format("  {:<16}  {} ({} rows)\n", c == 0 ? "classes" : "", model.classes[c],
                        model.class_rows[c]);
  text += fmt::format("  {:<16}  {}, {} of them pairs\n", "terms", model.terms.size(), count_pairs(model));
  text += coordinates_text(model);
  FitOptions::describe(model.options,
                       [&](std::string_view name, const auto& value, const auto& allowed, auto) {
                         text += fmt::format("  {:<16}  {}\n", name, option_text(value, allowed));
                       });
  return text + settings_text(model);
}

}  // namespace

Command add_info(CLI::App& program) {
  auto path = std::make_shared<std::string>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("info", "Tell what a model file holds");
  command->footer("Example: dyad info species.dyad");
  add_model_argument(*command, *path);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  add_output_flag(*command, *run_flags);
  return {command, run_flags, [path, run_flags](Output& output) {
            const Model model = load_model(*path);
            output.write(run_flags->json ? as_json(model) : as_text(model, *path));
          }};
}

}  // namespace dyad::cli

// dyad info: what a model file holds.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "dyad/io/model_file.h"
#include "dyad/model/description.h"

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
  return fmt::format("{}: model file, version {}\n", path, model_file_version) + description(model);
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

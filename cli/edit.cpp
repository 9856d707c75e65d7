// dyad edit: a model file in, one with changed effects out.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "cli/class_flags.h"
#include "cli/commands.h"
#include "cli/effect_flags.h"
#include "cli/json.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"
#include "dyad/explanation/edits.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"

namespace dyad::cli {
namespace {

struct EditFlags {
  std::string model_path;
  std::string edited_path;
  std::vector<std::string> removed;
  std::vector<std::string> scaled;  ///< EFFECT=FACTOR
  std::vector<std::string> monotone;
  std::optional<std::size_t> most;

  [[nodiscard]] bool empty() const {
    return removed.empty() && scaled.empty() && monotone.empty() && !most.has_value();
  }
};

Model scaled(const Model& model, const std::string& flag, const Execution& execution) {
  const auto [name, text] = halves_of(flag, "--scale EFFECT=FACTOR");
  double factor = 0;
  if (!parse_number(text, factor) || !std::isfinite(factor))
    throw std::runtime_error("--scale: expected a number as the factor, got " +
                             dyad::quoted(std::string(text)));
  return with_scaled_effects(model, std::vector{effect_named(std::string(name), model.features)}, factor,
                             execution);
}

/// Removes, scales, makes monotone, and keeps the largest, in this order.
Model edited(Model model, const EditFlags& flags, const Execution& execution) {
  std::vector<FeaturePair> removed;
  for (const std::string& name : flags.removed) removed.push_back(effect_named(name, model.features));
  if (!removed.empty()) model = with_scaled_effects(model, removed, 0, execution);
  for (const std::string& flag : flags.scaled) model = scaled(model, flag, execution);
  if (flags.most) model = with_largest_effects(model, *flags.most, execution);
  if (const auto monotone = monotone_features(flags.monotone, model.features); !monotone.empty())
    model = with_monotone_features(model, monotone, execution);
  return model;
}

std::string told(const Model& model, const EditFlags& flags, bool json) {
  const auto edits = edits_of(model);
  if (json) return dumped({{"edits", edits}, {"terms", model.terms.size()}, {"model", flags.edited_path}});
  std::string text;
  for (const std::string& edit : edits) text += fmt::format("edited: {}\n", edit);
  return text + fmt::format("wrote {}\n", flags.edited_path);
}

}  // namespace

Command add_edit(CLI::App& program) {
  auto flags = std::make_shared<EditFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("edit", "Remove, scale or straighten effects of a model");
  command->footer(
      "An effect is that of a feature, `age`, or of a pair, `age,balance`, as dyad explain shows it.\n"
      "Effects are removed, then scaled; then the largest are kept, then features made monotone. The\n"
      "new model says what was done to it (dyad info).\n\n"
      "Example: dyad edit species.dyad -o edited.dyad --remove age,balance --monotone age=increasing");
  add_model_argument(*command, flags->model_path);
  add_output_flag(*command, flags->edited_path, *run_flags, "model file to write; - for standard output")
      ->required()
      ->type_name("MODEL");
  command->add_option("--remove", flags->removed, "effect to remove; may be repeated")
      ->type_name("EFFECT")
      ->allow_extra_args(false);
  command->add_option("--scale", flags->scaled, "effect to multiply by a factor; may be repeated")
      ->type_name("EFFECT=FACTOR")
      ->allow_extra_args(false);
  add_monotone_flag(*command, flags->monotone);
  command
      ->add_option("--max-effects", flags->most,
                   "number of effects to keep, the largest; others are removed without a new fit")
      ->type_name("N")
      ->check(in_range({0, 0x1p53}, true));
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  command->final_callback([flags] {
    if (flags->empty())
      throw CLI::ValidationError("an edit is required: --remove, --scale, --monotone or --max-effects");
  });

  return {command, run_flags, [flags, run_flags](Output& output) {
            const Model model = edited(load_model(flags->model_path), *flags, run_flags->execution);
            const std::string text = told(model, *flags, run_flags->json);
            if (!is_standard_output(flags->edited_path)) {
              save_model(model, flags->edited_path);
              return output.write(text);
            }
            if (!run_flags->quiet) tell(text);
            output.write(readable_model_bytes(model, "standard output"));
          }};
}

}  // namespace dyad::cli

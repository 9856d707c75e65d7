// dyad export: a model in another language.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/export.h"

#include <CLI/Validators.hpp>

#include "cli/commands.h"
#include "dyad/io/model_file.h"

namespace dyad::cli {
namespace {

struct ExportFlags {
  std::string model_path;
  std::string format;
  ExportOptions options;
};

}  // namespace

Command add_export(CLI::App& program) {
  auto flags = std::make_shared<ExportFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("export", "Write a model as JSON, C, JavaScript, SQL or ONNX");
  command->footer(
      "The file predicts without dyad: the scores, probabilities and labels of dyad predict.\n\n"
      "Example: dyad export species.dyad --to onnx -o species.onnx");
  add_model_argument(*command, flags->model_path);
  const std::vector<std::string> formats(export_format_names.begin(), export_format_names.end());
  command->add_option("--to", flags->format, "format of the file")
      ->required()
      ->type_name(CLI::detail::join(formats, "|"))
      ->check(CLI::IsMember(formats).description(""));
  command->add_flag("--contributions", flags->options.contributions,
                    "add an output with what each term adds to the scores; requires --to onnx");
  add_result_flags(*command, *run_flags, false);
  command->get_option("--output")->required()->description("file to write");

  command->final_callback([flags] {
    if (flags->options.contributions && flags->format != name_of(export_format_names, ExportFormat::onnx))
      throw CLI::ValidationError("--contributions requires --to onnx, got " + flags->format);
  });
  return {command, run_flags, [flags, run_flags](Output& output) {
            const auto format =
                static_cast<ExportFormat>(index_of_name(export_format_names, flags->format, "--to"));
            const Model model = load_model(flags->model_path);
            if (!run_flags->quiet) output.announce("");
            output.write(export_model(model, format, flags->options));
          }};
}

}  // namespace dyad::cli

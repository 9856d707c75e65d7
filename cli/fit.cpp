// dyad fit: a table in, a model file out.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdio>

#include "cli/class_flags.h"
#include "cli/column_notices.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/base/stopwatch.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/model/fit.h"

namespace dyad::cli {
namespace {

struct FitFlags {
  TableFlags table;
  ClassFlags classes;
  FitOptions options = preset_options(Preset::automatic);
  std::string model_path;
};

std::string summary(const Model& model, const Table& table, const FitReport& report, double seconds,
                    const FitFlags& flags, bool json) {
  const auto method = method_names[static_cast<std::size_t>(model.options.method)];
  if (json)
    return dumped({{"method", method},
                   {"preset", preset_names[static_cast<std::size_t>(model.options.preset)]},
                   {"n", table.n_rows},
                   {"d", model.features.size()},
                   {"classes", model.classes},
                   {"terms", model.terms.size()},
                   {"pairs_kept", count_pairs(model)},
                   {"model", flags.model_path},
                   {"seconds", seconds_json(report, seconds)}});
  return fmt::format("{}: {} rows, {} features, {} classes; {} terms, {} of them pairs\nwrote {}\n", method,
                     table.n_rows, model.features.size(), model.classes.size(), model.terms.size(),
                     count_pairs(model), flags.model_path);
}

}  // namespace

Command add_fit(CLI::App& program) {
  auto flags = std::make_shared<FitFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("fit", "Fit a classifier to a table and write it to a model file");
  command->footer("Example: dyad fit data.csv --label species -o species.dyad");
  add_table_flags(*command, flags->table, true);
  command
      ->add_option("--weight", flags->table.csv.weight,
                   "column of row weights: 2 is the same as the row twice")
      ->type_name("COL");
  command->add_option("-o,--output", flags->model_path, "the model file to write; - for standard output")
      ->required()
      ->type_name("MODEL");
  add_flags(*command, flags->options);
  add_class_flags(*command, flags->classes);
  complete_options(*command, flags->options);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const bool to_stdout = is_standard_output(flags->model_path);
            if (!to_stdout) require_writable(flags->model_path);
            Table table = read_table(flags->table, *run_flags);
            apply_class_flags(flags->classes, table.labels.classes, flags->options);
            FitReport report;
            double seconds = 0;
            const Model model = on_table(flags->table.path, [&] {
              require_engine(table, flags->options.engine);
              if (!run_flags->quiet)
                tell_about_columns(table, static_cast<std::size_t>(flags->options.max_levels),
                                   " and left out");
              const Stopwatch watch(seconds);
              return fit_and_release(table, flags->options, run_flags->execution, report);
            });
            warn_unless_converged(report, *run_flags);
            const std::string told = summary(model, table, report, seconds, *flags, run_flags->json);
            if (!to_stdout) {
              save_model(model, flags->model_path);
              return output.write(told);
            }
            if (!run_flags->quiet) fmt::print(stderr, "{}", told);
            output.write(model_bytes(model));
          }};
}

}  // namespace dyad::cli

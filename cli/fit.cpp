// dyad fit: a table in, a model file out.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/class_flags.h"
#include "cli/column_notices.h"
#include "cli/commands.h"
#include "cli/effect_flags.h"
#include "cli/fit_memory.h"
#include "cli/json.h"
#include "cli/memory_limit.h"
#include "cli/structure_flags.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/values.h"
#include "dyad/evaluation/cross_validation.h"
#include "dyad/fit/fit.h"
#include "dyad/fit/recipe.h"
#include "dyad/fit/state.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/io/state_file.h"
#include "dyad/model/description.h"

namespace dyad::cli {
namespace {

struct FitFlags {
  TableFlags table;
  ClassFlags classes;
  std::vector<std::string> monotone;
  StructureFlags structure;
  FitOptions options = preset_options(Preset::automatic);
  std::string model_path;
  std::string chunked = "auto";
  std::string state_path;
  std::string scratch_folder;
  int cv_folds = 0;          ///< 0 measures nothing
  bool has_options = false;  ///< whether one of the fit was given
};

/// A fitted model, and how that went.
struct Fitted {
  Model model;
  std::size_t n_rows = 0;
  FitReport report;
  double seconds = 0;
  Provenance quality;  ///< measured by cross-validation; empty if it was not asked for
};

/// Says what a user should know about columns and classes, unless the run is quiet.
void warn(const auto& rows, const FitFlags& flags, const RunFlags& run) {
  if (run.quiet) return;
  warn_about_columns(rows, static_cast<std::size_t>(flags.options.max_levels), " and left out");
  warn_about_classes(rows);
}

Fitted fit_table(FitFlags& flags, const RunFlags& run) {
  Table table = read_table(flags.table, run);
  drop_weightless_rows(table);
  apply_class_flags(flags.classes, table.labels.classes, flags.options);
  flags.options.monotone = monotone_features(flags.monotone, column_names(table.features));
  Fitted fitted{.n_rows = table.n_rows};
  on_table(flags.table.path, [&] {
    apply_structure_flags(flags.structure, table.features, flags.options);
    require_engine(table, flags.options.engine);
    warn(table, flags, run);
    if (flags.cv_folds > 0) {
      const CrossValidation cv = cross_validate(
          labelled_sample(table), {.folds = flags.cv_folds, .fit = flags.options}, run.execution);
      fitted.quality = held_out_quality(cv, flags.cv_folds, table.labels.classes);
    }
    const Stopwatch watch(fitted.seconds);
    fitted.model = fit_and_release(table, flags.options, run.execution, fitted.report);
  });
  return fitted;
}

/// Fits by two passes over the table.
Fitted fit_in_chunks(FitFlags& flags, const FitMemory& memory, const RunFlags& run) {
  if (!std::filesystem::is_regular_file(flags.table.path))
    throw std::runtime_error(source_name(flags.table.path) +
                             ": --chunked needs a file that can be read twice");
  Fitted fitted;
  on_table(flags.table.path, [&] {
    const Stopwatch watch(fitted.seconds);
    const ChunkSource source = chunks_of_table(flags.table, run);
    State state(memory.sample_rows);
    add_chunks(state, source, run.execution);
    fitted.n_rows = static_cast<std::size_t>(state.n_rows());
    apply_class_flags(flags.classes, classes_in_order(state.survey()), flags.options);
    flags.options.monotone = monotone_features(flags.monotone, column_names(state.survey().features));
    apply_structure_flags(flags.structure, state.survey().features, flags.options);
    warn(state.survey(), flags, run);
    fitted.model = fit_surveyed(std::move(state), source, flags.options, run.execution, fitted.report,
                                memory.table_bytes, flags.scratch_folder);
  });
  return fitted;
}

/// A fit to what dyad count and dyad merge have made of a table: by its plan, or to the sample of a survey.
Fitted fit_state(FitFlags& flags, const RunFlags& run) {
  const State state = load_state(flags.state_path);
  Fitted fitted{.n_rows = static_cast<std::size_t>(state.n_rows())};
  on_table(flags.state_path, [&] {
    const Stopwatch watch(fitted.seconds);
    if (state.is_planned()) {
      if (flags.has_options)
        throw std::runtime_error("options of the fit are those of dyad plan, and cannot be given any more");
      fitted.model = state.finalize(run.execution, fitted.report);
      return;
    }
    apply_class_flags(flags.classes, state.survey().classes, flags.options);
    flags.options.monotone = monotone_features(flags.monotone, column_names(state.survey().features));
    apply_structure_flags(flags.structure, state.survey().features, flags.options);
    warn(state.survey(), flags, run);
    if (!run.quiet && !state.survey().is_whole())
      tell(fmt::format(
          "dyad: the survey keeps {} of {} rows, and the model is fitted to those; to count all rows, "
          "use dyad plan\n",
          state.survey().sample.size(), state.n_rows()));
    fitted.model = state.fit_sample(flags.options, run.execution, fitted.report);
  });
  return fitted;
}

bool ended_early(const Model& model) { return !option_of(model, search_end_name).empty(); }

/// Fits within the limit of memory that was given; the model says so if that made it another one.
Fitted fit_input(FitFlags& flags, const RunFlags& given) {
  const TableEstimate estimate =
      flags.state_path.empty() ? estimate_table(flags.table, given.max_memory) : TableEstimate{};
  const Reading reading = flags.chunked == "yes"  ? Reading::chunked
                          : flags.chunked == "no" ? Reading::whole
                                                  : Reading::automatic;
  const FitMemory memory = fit_memory(estimate, flags.options, reading, given);
  flags.options.weight_bytes = memory.weight_bytes;
  RunFlags run = given;
  run.execution.threads = memory.threads;
  run.max_memory = memory.limit;
  if (flags.cv_folds > 0 && (memory.is_chunked || !flags.state_path.empty()))
    throw std::runtime_error(
        "--cv needs all rows of a table in memory; measure by dyad evaluate and other rows instead");
  Fitted fitted = !flags.state_path.empty() ? fit_state(flags, run)
                  : memory.is_chunked       ? fit_in_chunks(flags, memory, run)
                                            : fit_table(flags, run);
  const std::size_t n_usual = provenance(flags.options).size() + (ended_early(fitted.model) ? 1 : 0);
  const bool is_reduced = fitted.model.fitted_with.size() > n_usual;
  const bool is_sampled = memory.is_chunked && reading == Reading::automatic &&
                          fitted.n_rows > default_sample_rows(estimate.n_features);
  if (given.max_memory > 0 && (is_reduced || is_sampled))
    fitted.model.fitted_with.emplace_back("max_memory", size_text(given.max_memory));
  std::ranges::copy(fitted.quality, std::back_inserter(fitted.model.fitted_with));
  return fitted;
}

/// --state: states in place of a table, which neither DATA nor an option of tables goes with.
void add_state_flag(CLI::App& command, std::string& path) {
  const auto set = [&command, &path](const std::string& given) {
    path = given;
    for (const char* const name : {"DATA", "--label"}) command.get_option(name)->required(false);
    for (const std::string name :
         {"DATA", "--label", "--weight", "--categorical", "--exclude", "--chunked", "--scratch", "--cv"})
      if (command.count(name) > 0) throw CLI::ExcludesError("--state", name);
  };
  command
      .add_option_function<std::string>(
          "--state", set,
          "fit to this file of dyad count or dyad merge instead of a table; replaces DATA and --label")
      ->type_name("STATE");
}

std::string summary(const Fitted& fitted, const FitFlags& flags, bool json) {
  const Model& model = fitted.model;
  const std::string_view method = option_of(model, "method");
  if (json) {
    Json document{{"method", method},
                  {"preset", option_of(model, "preset")},
                  {"n", fitted.n_rows},
                  {"d", model.features.size()},
                  {"classes", model.classes},
                  {"terms", model.terms.size()},
                  {"pairs_kept", count_pairs(model)},
                  {"class_frequencies", name_of(class_frequencies_names, model.class_frequencies)},
                  {"model", flags.model_path},
                  {"seconds", seconds_json(fitted.report, fitted.seconds)}};
    for (const auto& [name, text] : fitted.quality) {
      double number = 0;
      document["quality"][name] = parse_number(text, number) ? Json(number) : Json(text);
    }
    return dumped(document);
  }
  const std::string_view note = note_on_probabilities(model.class_frequencies);
  const std::string quality = held_out_text(model);
  return fmt::format("{}: {} rows, {} features, {} classes; {} terms, {} of them pairs\n{}{}{}{}wrote {}\n",
                     method, fitted.n_rows, model.features.size(), model.classes.size(), model.terms.size(),
                     count_pairs(model), note, note.empty() ? "" : "\n", quality, quality.empty() ? "" : "\n",
                     flags.model_path);
}

}  // namespace

Command add_fit(CLI::App& program) {
  auto flags = std::make_shared<FitFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("fit", "Fit a classifier to a table and write it to a model file");
  command->footer(
      "Examples:\n"
      "  dyad fit data.csv --label species -o species.dyad\n"
      "  dyad fit data.csv --label species --exclude id --categorical zip -o species.dyad\n"
      "  dyad fit data.csv --label species --optimise balanced -o species.dyad");
  add_table_flags(*command, flags->table, true);
  add_weight_flag(*command, flags->table);
  add_output_flag(*command, flags->model_path, *run_flags, "model file to write; - for standard output")
      ->required()
      ->type_name("MODEL");
  command
      ->add_option("--chunked", flags->chunked,
                   "read the table twice in chunks instead of once as a whole; auto: if it would take more "
                   "than 4G, or a third of --max-memory")
      ->type_name("auto|yes|no")
      ->check(CLI::IsMember({"auto", "yes", "no"}).description(""))
      ->capture_default_str();
  command
      ->add_option("--scratch", flags->scratch_folder,
                   "folder for a temporary file with the terms of all rows; for a single SVM, as in --preset "
                   "paper, of a table in chunks, which is fitted to a sample of the rows otherwise")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory.description(""));
  command
      ->add_option("--cv", flags->cv_folds,
                   "measure the quality by cross-validation of so many folds, too, and keep it in the model")
      ->type_name("K")
      ->check(in_range({2, 100000}, true));
  add_flags(*command, flags->options);
  add_class_flags(*command, flags->classes);
  add_monotone_flag(*command, flags->monotone);
  add_structure_flags(*command, flags->structure, &flags->table);
  add_time_flag(*command, flags->options);
  complete_options(*command, flags->options);
  add_state_flag(*command, flags->state_path);
  command->final_callback([command, flags] {
    FitOptions::describe(flags->options, [&](std::string_view name, const auto&, const auto&, auto) {
      flags->has_options = flags->has_options || command->count(flag_of(name)) > 0;
    });
    for (const char* const name : {"--class-weights", "--class-weight", "--cost-of", "--costs",
                                   "--max-seconds", "--monotone", "--pair"})
      flags->has_options = flags->has_options || command->count(name) > 0;
  });
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const bool to_stdout = is_standard_output(flags->model_path);
            if (!to_stdout) require_writable(flags->model_path);
            const Fitted fitted = fit_input(*flags, *run_flags);
            warn_unless_converged(fitted.report, *run_flags);
            if (ended_early(fitted.model)) note_early_end(*run_flags);
            const std::string told = summary(fitted, *flags, run_flags->json);
            if (!to_stdout) {
              save_model(fitted.model, flags->model_path);
              return output.write(told);
            }
            if (!run_flags->quiet) tell(told);
            output.write(readable_model_bytes(fitted.model, "standard output"));
          }};
}

}  // namespace dyad::cli

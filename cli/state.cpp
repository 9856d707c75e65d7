// dyad count, dyad merge, dyad plan: fitting to tables in parts.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <span>

#include "cli/class_flags.h"
#include "cli/column_notices.h"
#include "cli/commands.h"
#include "cli/fit_memory.h"
#include "cli/structure_flags.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/io/state_file.h"

namespace dyad::cli {
namespace {

/// Writes the bytes of a state once they were read back.
void write_bytes(const std::string& bytes, const RunFlags& run, Output& output) {
  require_readable_state(bytes, is_standard_output(run.output) ? "standard output" : run.output);
  output.write(bytes);
}

/// Writes a state, and says what it has on standard error: its bytes may go to standard output.
void write_state(State state, const RunFlags& run, Output& output) {
  const Survey& survey = state.survey();
  if (!run.quiet)
    tell(fmt::format("{} {} rows of {} features and {} classes\n",
                     state.is_planned() ? "counted" : "surveyed", state.n_rows(), survey.features.size(),
                     survey.classes.size()));
  const std::string bytes = state_bytes(state);
  state = State();  // makes room for the one that is read back
  write_bytes(bytes, run, output);
}

struct CountFlags {
  TableFlags table;
  std::string plan_path;
  std::uint64_t first_row = 0;
  std::size_t sample_rows = 0;
};

struct PlanFlags {
  std::string path;
  ClassFlags classes;
  StructureFlags structure;
  FitOptions options = preset_options(Preset::automatic);
};

/// A state without rows that rows are to be added to.
State empty_state(const CountFlags& flags) {
  if (flags.plan_path.empty()) return State(flags.sample_rows);
  State state = load_state(flags.plan_path);
  if (!state.is_planned())
    throw std::runtime_error(flags.plan_path + ": this is a survey; dyad plan makes a plan of it");
  if (state.n_rows() > 0) throw std::runtime_error(flags.plan_path + ": the plan has rows counted already");
  return state;
}

}  // namespace

Command add_count(CLI::App& program) {
  auto flags = std::make_shared<CountFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("count", "Survey, or count, the rows of one part of a table");
  command->footer(
      "A model of a table in parts takes two passes: survey each part, merge, plan;\n"
      "then count each part by the plan, merge, fit.\n\n"
      "Example:\n"
      "  dyad count part1.csv --label y -o survey1.state\n"
      "  dyad merge survey*.state -o survey.state\n"
      "  dyad plan survey.state -o plan.state\n"
      "  dyad count part1.csv --label y --plan plan.state -o counts1.state\n"
      "  dyad merge counts*.state -o counts.state\n"
      "  dyad fit --state counts.state -o model.dyad");
  add_table_flags(*command, flags->table, true);
  add_weight_flag(*command, flags->table);
  command
      ->add_option("--plan", flags->plan_path,
                   "file written by dyad plan: count rows by it instead of surveying them")
      ->type_name("STATE");
  command
      ->add_option(
          "--first-row", flags->first_row,
          "number of the part's first row in the whole table, the same in both passes; 0 for every part "
          "works, too")
      ->type_name("N")
      ->capture_default_str()
      ->check(in_range({0, 0x1p53}, true));
  command
      ->add_option("--sample-rows", flags->sample_rows,
                   "rows that a survey samples; 0 for 2 million values in 20 000 to 200 000 rows")
      ->type_name("N")
      ->capture_default_str()
      ->check(in_range({0, 1e9}, true));
  add_result_flags(*command, *run_flags, false);

  return {command, run_flags, [flags, run_flags](Output& output) {
            State state = empty_state(*flags);
            on_table(flags->table.path, [&] {
              add_chunks(state, chunks_of_table(flags->table, *run_flags), run_flags->execution,
                         flags->first_row);
            });
            write_state(std::move(state), *run_flags, output);
          }};
}

Command add_merge(CLI::App& program) {
  auto paths = std::make_shared<std::vector<std::string>>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("merge", "Add up the surveys, or counts, of parts");
  command->footer("Example: dyad merge survey*.state -o survey.state");
  command->add_option("STATE", *paths, "files written by dyad count: surveys, or counts of one plan")
      ->required()
      ->type_name("");
  add_result_flags(*command, *run_flags, false);

  return {command, run_flags, [paths, run_flags](Output& output) {
            State state = load_state(paths->front());
            for (const std::string& path : std::span(*paths).subspan(1)) {
              throw_if_stopped(run_flags->execution);
              on_table(path, [&] { state.merge(load_state(path)); });
            }
            write_state(std::move(state), *run_flags, output);
          }};
}

Command add_plan(CLI::App& program) {
  auto flags = std::make_shared<PlanFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("plan", "Choose the terms of a model from a survey");
  command->footer("Example: dyad plan survey.state -o plan.state");
  command->add_option("STATE", flags->path, "survey of all rows, written by dyad count or dyad merge")
      ->required()
      ->type_name("");
  add_flags(*command, flags->options);
  add_class_flags(*command, flags->classes);
  add_structure_flags(*command, flags->structure, nullptr);
  add_time_flag(*command, flags->options);
  complete_options(*command, flags->options);
  add_result_flags(*command, *run_flags, false);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const State survey = load_state(flags->path);
            apply_class_flags(flags->classes, survey.survey().classes, flags->options);
            if (!run_flags->quiet) {
              warn_about_columns(survey.survey(), static_cast<std::size_t>(flags->options.max_levels),
                                 " and left out");
              warn_about_classes(survey.survey());
            }
            const std::string bytes = on_table(flags->path, [&] {
              apply_structure_flags(flags->structure, survey.survey().features, flags->options);
              return state_bytes(
                  survey.plan(flags->options, run_flags->execution, table_bytes(run_flags->max_memory)));
            });
            write_bytes(bytes, *run_flags, output);
          }};
}

}  // namespace dyad::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/flags.h"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cli/memory_limit.h"
#include "dyad/data/values.h"

namespace dyad::cli {
CLI::Validator in_range(const Interval& allowed, bool whole) {
  const auto check = [allowed, whole](const std::string& text) -> std::string {
    double number = 0;
    const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
    const bool inside = parse_number(text, number) && number >= allowed.low && number <= allowed.high;
    if (inside && (is_whole || !whole)) return "";
    return std::string("must be ") + (whole ? "a whole number, " : "") + range_text(allowed) + ", got " +
           text;
  };
  return {check, ""};
}

void add_choice(CLI::App& command, std::string_view field, std::span<const std::string_view> names,
                std::size_t current, const std::function<void(std::size_t)>& set, const std::string& help) {
  const std::vector<std::string> choices(names.begin(), names.end());
  command
      .add_option_function<std::string>(
          field == "optimise" ? "--optimise,--optimize" : flag_of(field),
          [names, set](const std::string& text) { set(index_of_name(names, text, "value")); }, help)
      ->type_name(CLI::detail::join(choices, "|"))
      ->transform(CLI::Validator(
          [field = std::string(field)](std::string& text) {
            text = current_value(field, text);
            return std::string();
          },
          ""))
      ->check(CLI::IsMember(choices).description(""))
      ->default_str(choices[current]);
}

void add_truth(CLI::App& command, std::string_view field, bool& value, const std::string& help) {
  command.add_option(flag_of(field), value, help)
      ->default_str(option_text(value, truth))
      ->type_name("true|false")
      ->check(CLI::IsMember({"true", "false"}).description(""));
}

void add_table_flags(CLI::App& command, TableFlags& flags, bool labelled) {
  command
      .add_option("DATA", flags.path, "CSV file with a header line, plain or gzip; - reads standard input")
      ->required()
      ->type_name("");
  const auto set_delimiter = [&flags](const std::string& text) {
    const bool tab = text == "tab" || text == "\t" || text == "\\t";
    flags.csv.delimiter = tab ? '\t' : text == "semicolon" || text == ";" ? ';' : ',';
  };
  command
      .add_option_function<std::string>("--delimiter", set_delimiter,
                                        "separator of the fields (default: detected)")
      ->type_name("comma|semicolon|tab")
      ->check(CLI::IsMember({"comma", "semicolon", "tab", ",", ";", "\t", "\\t"}).description(""));
  if (!labelled) return;
  command.add_option("--label", flags.csv.label, "column that contains the class")
      ->required()
      ->type_name("COL")
      ->check([](const std::string& name) { return name.empty() ? std::string("must name a column") : ""; });
  command
      .add_option("--categorical", flags.csv.categorical,
                  "column of numbers to read as categories; may be repeated")
      ->type_name("COL")
      ->allow_extra_args(false);
  command.add_option("--exclude", flags.csv.exclude, "column to leave out; may be repeated")
      ->type_name("COL")
      ->allow_extra_args(false);
}

void add_weight_flag(CLI::App& command, TableFlags& flags) {
  command.add_option("--weight", flags.csv.weight, "column of row weights; weight 2 counts the row twice")
      ->type_name("COL");
}

void add_time_flag(CLI::App& command, FitOptions& options) {
  command
      .add_option(
          "--max-seconds", options.max_seconds,
          "limit of the time of a fit without reading its table: searches for better settings end with "
          "the best found so far; for slb, slb- and lu")
      ->type_name("SECONDS")
      ->check(in_range(positive, false));
}

void add_run_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("--threads", flags.execution.threads, "number of threads; 0 for one per core")
      ->capture_default_str()
      ->type_name("N")
      ->check(in_range({0, 4096}, true));
  const auto set_max_memory = [&flags](const std::string& text) { flags.max_memory = parse_size(text); };
  command
      .add_option_function<std::string>(
          "--max-memory", set_max_memory,
          "limit of all memory, the program included, such as 300M or 2G; fit shrinks to it, other commands "
          "fail beyond it (default: memory of the machine)")
      ->type_name("SIZE")
      ->check([](const std::string& text) {
        return parse_size(text) > 0 ? std::string() : "must be a size such as 300M or 2G, got " + text;
      });
  command.add_flag("--quiet", flags.quiet, "no progress, warnings or notes on standard error");
}

void add_json_flag(CLI::App& command, RunFlags& flags) {
  command.add_flag("--json", flags.json, "print the result as one JSON document");
}

void add_model_argument(CLI::App& command, std::string& path) {
  command.add_option("MODEL", path, "model file written by dyad fit")->required()->type_name("");
}

void add_top_flag(CLI::App& command, std::optional<std::size_t>& top, const std::string& what,
                  std::size_t shown) {
  command
      .add_option(
          "--top", top,
          "print the K " + what + "; 0 for all (default: " + std::to_string(shown) + ", with --json all)")
      ->type_name("K")
      ->check(in_range({0, 0x1p53}, true));
}

CLI::Option* add_output_flag(CLI::App& command, std::string& path, RunFlags& flags, const std::string& help) {
  command.add_flag("--overwrite-input", flags.overwrite_input,
                   "let -o replace a file that the command reads; an error otherwise");
  return command.add_option("-o,--output", path, help)
      ->type_name("FILE")
      ->check([](const std::string& given) { return given.empty() ? std::string("must name a file") : ""; });
}

void add_output_flag(CLI::App& command, RunFlags& flags) {
  add_output_flag(command, flags.output, flags, "file to write the result to (default: standard output)");
}

void add_result_flags(CLI::App& command, RunFlags& flags, bool has_json) {
  add_run_flags(command, flags);
  if (has_json) add_json_flag(command, flags);
  add_output_flag(command, flags);
}

std::string flag_of(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

namespace {

/// --class-weights balanced is another name of --optimise balanced.
void apply_class_weights(const CLI::App& command, FitOptions& options) {
  const CLI::Option* const flag = command.get_option_no_throw("--class-weights");
  if (flag == nullptr || flag->count() == 0) return;
  const auto wanted = flag->as<std::string>();
  const bool balanced = wanted == "balanced";
  if (command.get_option("--optimise")->count() == 0)
    options.optimise = balanced ? Objective::balanced : Objective::logloss;
  else if (balanced != (options.optimise == Objective::balanced))
    throw CLI::ValidationError("--class-weights " + wanted + " contradicts --optimise " +
                               option_text(options.optimise, objective_names) + "; give one of them");
}

/// Gives the fields whose flags were not given what the preset says.
void complete_by_preset(const CLI::App& command, FitOptions& options) {
  const auto given = [&](std::string_view field) { return command.get_option(flag_of(field))->count() > 0; };
  std::optional<SettingsRule> settings;
  if (given("settings")) settings = options.settings;
  take_unless_given(command, options,
                    preset_options(options.preset, options.method, options.optimise, settings));
  // A cost is given to be used.
  if (given("C") && !given("cost")) options.cost = CostRule::given;
}

/// Flags of former versions, and what to use instead.
constexpr std::array<std::pair<const char*, const char*>, 2> retired_flags{
    {{"--add-original", "was removed; use --linear-terms true"},
     {"--intercept", "was removed: intercepts are never penalised"}}};

void add_retired_flags(CLI::App& command) {
  for (const auto& [flag, advice] : retired_flags)
    command
        .add_option_function<std::string>(
            flag,
            [flag = flag, advice = advice](const std::string&) { throw CLI::ValidationError(flag, advice); })
        ->expected(0, 1)
        ->group("");
}

}  // namespace

void complete_options(CLI::App& command, FitOptions& options) {
  add_retired_flags(command);
  command.parse_complete_callback([&command, &options] {
    apply_class_weights(command, options);
    complete_by_preset(command, options);
    const auto is_given = [&command](std::string_view field) {
      return command.get_option(flag_of(field))->count() > 0;
    };
    if (!is_given("pairs")) infer_pair_rule(options, is_given);
    try {
      require_valid(options, is_given);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
  });
}

}  // namespace dyad::cli

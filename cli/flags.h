// Command-line flags from the options structs of the library, and the flags that commands share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "dyad/base/execution.h"
#include "dyad/base/options.h"
#include "dyad/fit/options.h"
#include "dyad/io/csv.h"

namespace dyad::cli {

/// Accepts numbers, or whole numbers, in an interval.
[[nodiscard]] CLI::Validator in_range(const Interval& allowed, bool whole);

/// The flag of a field of an options struct: its name with dashes.
[[nodiscard]] std::string flag_of(std::string_view field);

/// Adds the flag of a field whose values have names; `set` is given the number of the name.
void add_choice(CLI::App& command, std::string_view field, std::span<const std::string_view> names,
                std::size_t current, const std::function<void(std::size_t)>& set, const std::string& help);

/// Adds the flag of a field that is true or false.
void add_truth(CLI::App& command, std::string_view field, bool& value, const std::string& help);

/// Adds the flag of a field that is a number within `allowed`.
template <class Number>
void add_number(CLI::App& command, std::string_view field, Number& value, const Interval& allowed,
                const std::string& help) {
  constexpr bool is_whole = std::is_integral_v<Number>;
  command.add_option(flag_of(field), value, help)
      ->capture_default_str()
      ->type_name(is_whole ? "N" : "NUMBER")
      ->check(in_range(allowed, is_whole));
}

/// Adds one flag for each field that Options describes: its name, its default, its check.
template <class Options>
void add_flags(CLI::App& command, Options& options) {
  Options::describe(options, [&](std::string_view name, auto& value, const auto& allowed, const char* help) {
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_enum_v<Value>)
      add_choice(
          command, name, allowed, static_cast<std::size_t>(value),
          [&value](std::size_t number) { value = static_cast<Value>(number); }, help);
    else if constexpr (std::is_same_v<Value, bool>)
      add_truth(command, name, value, help);
    else
      add_number(command, name, value, allowed, help);
  });
}

/// Gives the fields whose flags were not given the values of `defaults`.
template <class Options>
void take_unless_given(const CLI::App& command, Options& options, const Options& defaults) {
  std::map<std::string, std::string, std::less<>> values;
  Options::describe(defaults, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
    values[std::string(name)] = option_text(value, allowed);
  });
  Options::describe(options, [&](std::string_view name, auto& value, const auto& allowed, auto) {
    if (command.get_option(flag_of(name))->count() == 0)
      set_option(value, allowed, name, values.find(name)->second);
  });
}

/// How a table is read.
struct TableFlags {
  std::string path;
  CsvOptions csv;
};
/// `labelled`: a class column is needed, and columns can be left out or taken as categories.
void add_table_flags(CLI::App& command, TableFlags& flags, bool labelled);

void add_weight_flag(CLI::App& command, TableFlags& flags);

/// --max-seconds of fits.
void add_time_flag(CLI::App& command, FitOptions& options);

/// How a command runs and where its result goes.
struct RunFlags {
  Execution execution;
  bool quiet = false;
  bool json = false;
  std::string output;            ///< empty: standard output
  bool overwrite_input = false;  ///< lets the output be one of the input files
  std::size_t max_memory = 0;    ///< bytes; 0: what the machine has
};
void add_run_flags(CLI::App& command, RunFlags& flags);
void add_json_flag(CLI::App& command, RunFlags& flags);
void add_model_argument(CLI::App& command, std::string& path);
/// --top K: how many of `what` are printed, all for 0; `shown` is the default of the text output.
void add_top_flag(CLI::App& command, std::optional<std::size_t>& top, const std::string& what,
                  std::size_t shown);
/// -o, which sets `path`, and --overwrite-input.
CLI::Option* add_output_flag(CLI::App& command, std::string& path, RunFlags& flags, const std::string& help);
/// -o for the result of a command.
void add_output_flag(CLI::App& command, RunFlags& flags);
/// All flags of a command whose result goes to -o, with --json where `has_json`.
void add_result_flags(CLI::App& command, RunFlags& flags, bool has_json);

/// Completes the options once all flags are read.
///
/// Options whose flags are not given have the values of the preset. Where --pairs is not given, a flag that
/// belongs to one of its rules (--fdr, --n-pairs, --min-hsic) chooses that rule; where --cost is not, --C
/// does. --class-weights sets the objective. Flags that do not go together, or have no effect, are a usage
/// error; flags of former versions are refused with what to use instead.
void complete_options(CLI::App& command, FitOptions& options);

}  // namespace dyad::cli

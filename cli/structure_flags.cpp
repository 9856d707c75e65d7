// SPDX-License-Identifier: BSD-3-Clause
#include "cli/structure_flags.h"

#include <algorithm>
#include <stdexcept>

#include "dyad/base/text.h"

namespace dyad::cli {
namespace {

constexpr const char* pair_help =
    "pair of features to use, in every class, in place of pairs that a rule chooses; may be repeated; a name "
    "with a comma in double quotes";
constexpr const char* exclude_help =
    "column to leave out, or a pair of features that no term has; may be repeated; a name with a comma in "
    "double "
    "quotes";

/// True if a value of --exclude has more than the name of a column as it is.
bool is_list(const std::string& text) { return text.starts_with('"') || text.find(',') != std::string::npos; }

/// The names in a value of a flag, which is named if they cannot be read.
std::vector<std::string> names_of(const char* flag, const std::string& text) {
  try {
    return names_in(text);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(std::string(flag) + " " + dyad::quoted(text) + ": " + error.what());
  }
}

}  // namespace

void add_structure_flags(CLI::App& command, StructureFlags& flags, TableFlags* table) {
  CLI::Option* const pair = command.add_option("--pair", flags.pairs, pair_help);
  pair->type_name("A,B")->allow_extra_args(false);
  for (const char* const name : {"--pairs", "--fdr", "--n-pairs", "--min-hsic", "--max-pairs"})
    pair->excludes(command.get_option(name));
  if (CLI::Option* const former = command.get_option_no_throw("--exclude")) command.remove_option(former);
  command
      .add_option_function<std::vector<std::string>>(
          "--exclude",
          [&flags, table](const std::vector<std::string>& given) {
            for (const std::string& text : given) {
              if (table == nullptr) {
                flags.exclude.push_back(text);
                continue;
              }
              const auto names = is_list(text) ? names_of("--exclude", text) : std::vector{text};
              if (names.size() == 1)
                table->csv.exclude.push_back(names[0]);
              else
                flags.exclude.push_back(text);
            }
          },
          exclude_help)
      ->type_name("COL|A,B")
      ->allow_extra_args(false);
}

void apply_structure_flags(const StructureFlags& flags, const std::vector<std::string>& features,
                           FitOptions& options) {
  if (flags.pairs.empty() && flags.exclude.empty()) return;
  NamedStructure named;
  for (const std::string& text : flags.exclude)
    named.exclude.push_back(is_list(text) ? names_of("--exclude", text) : std::vector{text});
  if (!flags.pairs.empty()) named.pairs.emplace();
  for (const std::string& text : flags.pairs) named.pairs->push_back(names_of("--pair", text));
  try {
    set_structure(options, named, features);
  } catch (const std::invalid_argument& error) {
    // The library names parameters.
    const std::string_view what = error.what();
    if (what.starts_with("pairs: ")) throw std::runtime_error("--pair" + std::string(what.substr(5)));
    if (what.starts_with("exclude: ")) throw std::runtime_error("--" + std::string(what));
    throw std::runtime_error("--pair: " + std::string(what));
  }
}

}  // namespace dyad::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program.h"

#include <array>

#include "dyad/version.h"

namespace dyad::cli {
namespace {

struct Adder {
  std::string_view name;
  Command (*add)(CLI::App&);
};

constexpr std::array<Adder, 11> adders{{{"fit", add_fit},
                                        {"predict", add_predict},
                                        {"cv", add_cv},
                                        {"screen", add_screen},
                                        {"explain", add_explain},
                                        {"report", add_report},
                                        {"info", add_info},
                                        {"simulate", add_simulate},
                                        {"count", add_count},
                                        {"merge", add_merge},
                                        {"plan", add_plan}}};

/// The deepest command the user named.
const CLI::App& named_command(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return parsed.empty() ? program : *parsed.front();
}

/// A misspelt flag or command often makes something else missing, so it is named first.
std::string describe_usage(const CLI::App& program, const CLI::App& command, const CLI::ParseError& error) {
  const bool no_command = &command == &program;
  for (const std::string& argument : command.remaining()) {
    const bool flag = argument.starts_with('-');
    if (!flag && !no_command) continue;
    const std::string meant = nearest_word(command, argument);
    return (flag ? "unknown flag " : "unknown command ") + argument +
           (meant.empty() ? "" : "; did you mean " + meant + "?");
  }
  return no_command ? "a command is needed" : error.what();
}

}  // namespace

Program::Program(std::string_view only) : parser("Classification with sparse pairwise dependencies", "dyad") {
  parser.set_version_flag("--version", std::string("dyad ") + version);
  parser.require_subcommand(1);
  parser.footer("dyad COMMAND --help tells more about a command");
  for (const auto& [name, add] : adders)
    if (only.empty() || name == only) commands.push_back(add(parser));
}

std::string usage_message(const CLI::App& parser, const CLI::ParseError& error) {
  const CLI::App& command = named_command(parser);
  const std::string name = &command == &parser ? "dyad" : "dyad " + command.get_name();
  return "dyad: " + describe_usage(parser, command, error) + "\n" + name + " --help tells more\n";
}

}  // namespace dyad::cli

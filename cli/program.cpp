// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program.h"

#include <array>

#include "cli/help.h"
#include "cli/suggestion.h"
#include "dyad/base/text.h"
#include "dyad/version.h"

namespace dyad::cli {
namespace {

constexpr const char* help_command = "help";
constexpr const char* commands_are_listed = "\ndyad --help lists the commands";

std::string unknown_command(const CLI::App& program, const std::string& name) {
  const std::string meant = suggested_command(program, name);
  return "unknown command " + dyad::quoted(name) +
         (meant.empty() ? "" : "; did you mean " + dyad::quoted(meant) + "?");
}

/// dyad help: the help of the program or of one command.
Command add_help(CLI::App& program) {
  auto name = std::make_shared<std::string>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand(help_command, "Show this list, or the help of one command");
  command->footer("Example: dyad help fit");
  command->add_option("COMMAND", *name, "the command to show the help of")->type_name("");
  const auto find = [&program, name] {
    const auto named =
        program.get_subcommands([&](const CLI::App* other) { return other->get_name() == *name; });
    return named.empty() ? nullptr : named.front();
  };
  command->final_callback([&program, name, find] {
    if (!name->empty() && find() == nullptr) throw CLI::ValidationError(unknown_command(program, *name));
  });
  return {command, run_flags, [&program, name, find](Output& output) {
            output.write(name->empty() ? help_text(program, "dyad", Shown::main)
                                       : help_text(*find(), "dyad " + *name, Shown::main));
          }};
}

struct Adder {
  std::string_view name;
  Command (*add)(CLI::App&);
  const char* heading = "Commands";  ///< in the list of commands
};

constexpr const char* in_parts = "Tables in parts";
constexpr std::array adders{Adder{"fit", add_fit},
                            Adder{"predict", add_predict},
                            Adder{"cv", add_cv},
                            Adder{"evaluate", add_evaluate},
                            Adder{"screen", add_screen},
                            Adder{"explain", add_explain},
                            Adder{"report", add_report},
                            Adder{"edit", add_edit},
                            Adder{"export", add_export},
                            Adder{"info", add_info},
                            Adder{"simulate", add_simulate},
                            Adder{help_command, add_help},
                            Adder{"count", add_count, in_parts},
                            Adder{"merge", add_merge, in_parts},
                            Adder{"plan", add_plan, in_parts}};

/// The deepest command the user named.
const CLI::App& named_command(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return parsed.empty() ? program : *parsed.front();
}

std::string unknown_flag(const CLI::App& command, const std::string& flag) {
  const std::string meant = suggested_flag(command, flag);
  return "unknown flag " + flag.substr(0, flag.find('=')) +
         (meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// The message and where to read on. A misspelt flag or command often makes another one missing, so it is
/// named first.
std::string describe_usage(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = named_command(program);
  const bool no_command = &command == &program;
  const std::string name = no_command ? "dyad" : "dyad " + command.get_name();
  for (const std::string& argument : command.remaining()) {
    if (argument.starts_with('-'))
      return unknown_flag(command, argument) + "\n" + name + " --help-all lists the options";
    if (no_command) return unknown_command(program, argument) + commands_are_listed;
  }
  if (no_command) return "a command is required\n\n" + help_text(program, name, Shown::main);
  if (command.get_name() == help_command) return error.what() + std::string(commands_are_listed);
  return error.what() + ("\n" + name) + " --help shows examples and options";
}

}  // namespace

Program::Program(std::string_view only)
    : parser("Classify the rows of a table by densities of its features and of pairs of them", "dyad") {
  parser.set_version_flag("--version", std::string("dyad ") + version, "show the version");
  parser.set_help_flag("-h,--help", "show this help");
  parser.set_help_all_flag("--help-all", "show all options");
  parser.formatter_fn([](const CLI::App* command, const std::string& name, CLI::AppFormatMode mode) {
    return help_text(*command, name, mode == CLI::AppFormatMode::All ? Shown::all : Shown::main);
  });
  parser.require_subcommand(1);
  parser.footer(
      "First steps:\n"
      "  dyad cv data.csv --label species                     measure how well it predicts\n"
      "  dyad fit data.csv --label species -o species.dyad    fit a model\n"
      "  dyad report species.dyad data.csv -o species.html    look at it in a browser\n\n"
      "dyad COMMAND --help shows the options of a command");
  for (const auto& [name, add, heading] : adders) {
    if (!only.empty() && name != only) continue;
    commands.push_back(add(parser));
    commands.back().parser->group(heading);
  }
}

std::string usage_message(const CLI::App& parser, const CLI::ParseError& error) {
  return "dyad: " + describe_usage(parser, error) + "\n";
}

}  // namespace dyad::cli

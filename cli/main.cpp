// The program `dyad`. Exit code 0: done, 1: failed, 2: usage, 130: interrupted.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "dyad/io/output_file.h"
#include "dyad/version.h"

namespace {

using dyad::cli::Command;

constexpr int failed = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

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
    const std::string meant = dyad::cli::nearest_word(command, argument);
    return (flag ? "unknown flag " : "unknown command ") + argument +
           (meant.empty() ? "" : "; did you mean " + meant + "?");
  }
  return no_command ? "a command is needed" : error.what();
}

int report_usage(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = named_command(program);
  const std::string name = &command == &program ? "dyad" : "dyad " + command.get_name();
  fmt::print(stderr, "dyad: {}\n{} --help tells more\n", describe_usage(program, command, error), name);
  return usage;
}

int run(const Command& command) {
  try {
    auto& execution = command.run_flags->execution;
    execution.progress = dyad::cli::progress_bar(command.run_flags->quiet);
    execution.stop = &dyad::cli::stop_on_interrupt();
    const std::string& path = command.run_flags->output;
    if (!dyad::cli::is_standard_output(path)) dyad::require_writable(path);
    dyad::cli::Output output(path);
    command.run(output);
    output.finish();
    return 0;
  } catch (const dyad::Interrupted&) {
    fmt::print(stderr, "dyad: interrupted\n");
    return interrupted;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dyad: not enough memory\n");
    return failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dyad: {}\n", error.what());
    return failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"Classification with sparse pairwise dependencies", "dyad"};
  program.set_version_flag("--version", std::string("dyad ") + dyad::version);
  program.require_subcommand(1);
  program.footer("dyad COMMAND --help tells more about a command");
  const std::vector<Command> commands{dyad::cli::add_fit(program),     dyad::cli::add_predict(program),
                                      dyad::cli::add_cv(program),      dyad::cli::add_screen(program),
                                      dyad::cli::add_explain(program), dyad::cli::add_report(program),
                                      dyad::cli::add_info(program),    dyad::cli::add_simulate(program)};
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return report_usage(program, error);
  }
  for (const Command& command : commands)
    if (command.parser->parsed()) return run(command);
  return usage;
}

// The program `dyad`. Exit code 0: done, 1: failed, 2: usage, 130: interrupted.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <exception>
#include <new>
#include <string>

#include "cli/program.h"
#include "cli/terminal.h"
#include "dyad/io/output_file.h"

namespace {

using dyad::cli::Command;

constexpr int failed = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

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
  dyad::cli::Program program;
  try {
    program.parser.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.parser.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}", dyad::cli::usage_message(program.parser, error));
    return usage;
  }
  for (const Command& command : program.commands)
    if (command.parser->parsed()) return run(command);
  return usage;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

#include <fmt/core.h>

#include <csignal>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "cli/memory_limit.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "dyad/io/output_file.h"

namespace dyad::cli {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_interrupted = 130;

/// Past the limit allocations fail; without one the system may end the program, or another one.
void keep_to_memory(std::size_t asked) {
  if (!limit_memory(asked > 0 ? asked : machine_memory()) && asked > 0)
    throw std::runtime_error("--max-memory " + size_text(asked) + ": the program itself takes more");
}

std::string describe_memory(std::size_t asked) {
  const std::size_t limit = memory_limit();
  const std::string size = size_text(limit);
  return "not enough memory: this takes more than " + (limit == asked ? "--max-memory " + size
                                                       : limit < machine_memory()
                                                           ? "the limit of " + size + " (ulimit)"
                                                           : "the " + size + " of the machine");
}

int run_command(const Command& command) {
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a file grown too large is an error of the write
    keep_to_memory(command.run_flags->max_memory);
    auto& execution = command.run_flags->execution;
    execution.progress = progress_bar(command.run_flags->quiet);
    execution.stop = &stop_on_interrupt();
    const std::string& path = command.run_flags->output;
    if (!is_standard_output(path)) require_writable(path);
    Output output(path);
    command.run(output);
    output.finish();
    return 0;
  } catch (const Interrupted&) {
    tell("dyad: interrupted\n");
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    tell(fmt::format("dyad: {}\n", describe_memory(command.run_flags->max_memory)));
    return exit_failed;
  } catch (const std::exception& error) {
    tell(fmt::format("dyad: {}\n", error.what()));
    return exit_failed;
  }
}

}  // namespace

int run(int argc, char** argv) {
  open_standard_streams();
  Program program;
  try {
    program.parser.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.parser.exit(help);
  } catch (const CLI::ParseError& error) {
    tell(usage_message(program.parser, error));
    return exit_usage;
  }
  for (const Command& command : program.commands)
    if (command.parser->parsed()) return run_command(command);
  return exit_usage;
}

}  // namespace dyad::cli

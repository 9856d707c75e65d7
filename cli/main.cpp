// The program `dyad`. Exit code 0: done, 1: failed, 2: usage, 130: interrupted.
// SPDX-License-Identifier: BSD-3-Clause
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

namespace {

using dyad::cli::Command;

constexpr int failed = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

/// Past the limit allocations fail; without one the system may end the program, or another one.
void limit_memory(std::size_t asked) {
  if (!dyad::cli::limit_memory(asked > 0 ? asked : dyad::cli::machine_memory()) && asked > 0)
    throw std::runtime_error("--max-memory " + dyad::cli::size_text(asked) +
                             ": the program itself takes more");
}

std::string describe_memory(std::size_t asked) {
  const std::size_t limit = dyad::cli::memory_limit();
  const std::string size = dyad::cli::size_text(limit);
  return "not enough memory: this takes more than " + (limit == asked ? "--max-memory " + size
                                                       : limit < dyad::cli::machine_memory()
                                                           ? "the limit of " + size + " (ulimit)"
                                                           : "the " + size + " of the machine");
}

int run(const Command& command) {
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a file grown too large is an error of the write
    limit_memory(command.run_flags->max_memory);
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
    fmt::print(stderr, "dyad: {}\n", describe_memory(command.run_flags->max_memory));
    return failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dyad: {}\n", dyad::cli::printable(error.what()));
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

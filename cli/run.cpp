// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "cli/memory_limit.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "dyad/base/text.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/output_file.h"

namespace dyad::cli {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_interrupted = 130;

/// Past the limit allocations fail; without one the system may end the program, or another one.
Limited keep_to_memory(std::size_t asked) {
  if (asked > 0) take_little_memory();
  const Limited limited = limit_memory(asked > 0 ? asked : machine_memory());
  if (limited == Limited::not_at_all && asked > 0)
    throw std::runtime_error("--max-memory " + size_text(asked) + ": the program itself takes more");
  return limited;
}

std::string describe_memory(Limited limited, std::size_t asked) {
  const std::string start = "not enough memory: this takes more than ";
  if (limited != Limited::by_this) return start + "the limit of " + size_text(memory_limit()) + " (ulimit)";
  return start + (asked > 0 ? "--max-memory " + size_text(asked)
                            : "the " + size_text(machine_memory()) + " of the machine");
}

/// True if two paths, "-" for standard input, lead to one regular file.
bool is_same_file(const std::string& input, const struct stat& output) {
  struct stat info {};
  const bool exists = input == "-" ? fstat(STDIN_FILENO, &info) == 0 : stat(input.c_str(), &info) == 0;
  return exists && S_ISREG(info.st_mode) && info.st_dev == output.st_dev && info.st_ino == output.st_ino;
}

/// Throws std::runtime_error if the output is one of the inputs.
void keep_inputs(const CLI::App& parser) {
  constexpr std::array inputs{"DATA", "MODEL", "STATE", "--state", "--plan", "--costs", "--fit"};
  const CLI::Option* const output = parser.get_option_no_throw("--output");
  if (output == nullptr || output->count() == 0) return;
  const auto path = output->as<std::string>();
  struct stat info {};
  if (is_standard_output(path) || stat(path.c_str(), &info) != 0) return;
  for (const char* const name : inputs)
    if (const CLI::Option* const option = parser.get_option_no_throw(name); option != nullptr)
      for (const std::string& input : option->results())
        if (is_same_file(input, info))
          throw std::runtime_error(path + ": the output would replace the input " +
                                   dyad::quoted(source_name(input)) +
                                   "; name another file, or give --overwrite-input");
}

int run_command(const Command& command) {
  Limited limited = Limited::not_at_all;
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a file grown too large is an error of the write
    limited = keep_to_memory(command.run_flags->max_memory);
    auto& execution = command.run_flags->execution;
    execution.progress = progress_bar(command.run_flags->quiet);
    execution.stop = &stop_on_interrupt();
    if (!command.run_flags->overwrite_input) keep_inputs(*command.parser);
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
    tell(fmt::format("dyad: {}\n", describe_memory(limited, command.run_flags->max_memory)));
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
    const int code = program.parser.exit(help);
    if (std::cout.flush()) return code;
    tell("dyad: standard output: cannot write\n");
    return exit_failed;
  } catch (const CLI::ParseError& error) {
    tell(usage_message(program.parser, error));
    return exit_usage;
  }
  for (const Command& command : program.commands)
    if (command.parser->parsed()) return run_command(command);
  return exit_usage;
}

}  // namespace dyad::cli

// The command line of the program: its parser with all commands, and what is said about one that is wrong.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace dyad::cli {

/// `parser.parse` sets the flags of the command it finds and touches no file; the command's `run` does the
/// work.
struct Program {
  /// With all commands, or `only` the one of this name.
  explicit Program(std::string_view only = "");

  CLI::App parser;
  std::vector<Command> commands;
};

/// What is wrong with a command line that `parse` has refused, and where to read on.
[[nodiscard]] std::string usage_message(const CLI::App& parser, const CLI::ParseError& error);

}  // namespace dyad::cli

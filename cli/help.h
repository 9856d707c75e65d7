// Help texts of the program and its commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace dyad::cli {

/// Options that `--help` of a command lists.
enum class Shown {
  main,  ///< the main options of a command with more than 24, else all
  all
};

/// The help of a command: description, usage, options in groups, examples.
///
/// `name` is the command as typed, "dyad fit". Lines of options have at most 80 bytes unless a word is
/// longer.
[[nodiscard]] std::string help_text(const CLI::App& command, const std::string& name, Shown shown);

}  // namespace dyad::cli

// Parses a command line, one argument a line, without running it; then sets options of a fit from the
// arguments name=value.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program.h"
#include "dyad/fit/options.h"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The command that is named, if it is one alone: to set up all of them takes most of the time, but help
/// needs them.
std::string_view only_command(const std::vector<std::string>& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "help") != arguments.end()) return "";
  std::string_view only;
  for (const std::string& argument : arguments)
    for (const std::string_view name :
         {"fit", "predict", "cv", "screen", "explain", "report", "info", "simulate"}) {
      if (argument != name) continue;
      if (!only.empty()) return "";
      only = name;
    }
  return only;
}

void parse_command_line(const std::vector<std::string>& arguments) {
  dyad::cli::Program program(only_command(arguments));
  std::vector<const char*> argv{"dyad"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  try {
    program.parser.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::CallForHelp&) {
    require(!program.parser.help().empty(), "there is no help");
    return;
  } catch (const CLI::CallForAllHelp&) {
    const std::size_t size = program.parser.help("", CLI::AppFormatMode::All).size();
    require(size + 100 >= program.parser.help().size(), "the help of all options lacks some");
    return;
  } catch (const CLI::Success&) {
    return;
  } catch (const CLI::ParseError& error) {
    require(dyad::cli::usage_message(program.parser, error).starts_with("dyad: "), "an error is not told");
    return;
  }
  require(!program.parser.get_subcommands().empty(), "no command is asked for");
}

void set_options(const std::vector<std::string>& arguments) {
  dyad::FitOptions options;
  try {
    for (const std::string& argument : arguments) {
      const std::size_t split = argument.find('=');
      if (split == std::string::npos) continue;
      dyad::FitOptions::describe(options, [&](std::string_view name, auto& value, const auto& allowed, auto) {
        if (argument.compare(0, split, name) == 0)
          dyad::set_option(value, allowed, name, std::string_view(argument).substr(split + 1));
      });
    }
    dyad::require_valid(options);
  } catch (const std::invalid_argument&) {
    return;
  }
  dyad::FitOptions::describe(options, [](std::string_view name, auto& value, const auto& allowed, auto) {
    const std::string text = dyad::option_text(value, allowed);
    auto again = value;
    dyad::set_option(again, allowed, name, text);
    require(again == value, "an option is not read back");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto arguments = lines_of({reinterpret_cast<const char*>(data), size});
  parse_command_line(arguments);
  set_options(arguments);
  return 0;
}

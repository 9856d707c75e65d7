// The examples of README and guide print what they say.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/cli/program.h"

namespace dyad {
namespace {

/// A command of a code block and the lines below it; a last line "..." stands for any more.
struct Example {
  std::string command;
  std::vector<std::string> output;
};

std::vector<Example> examples_of(const std::string& file) {
  std::ifstream stream(std::string(DYAD_SOURCE) + "/" + file);
  std::vector<Example> examples;
  bool in_block = false;
  bool plain = false;  // blocks with a language are not run
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      plain = !in_block && line == "```";
      in_block = !in_block;
    } else if (plain && line.starts_with("$ dyad ")) {
      examples.push_back({line.substr(7), {}});
    } else if (plain && !examples.empty()) {
      examples.back().output.push_back(line);
    }
  }
  return examples;
}

/// Numbers of many digits cut to five: the last ones differ from machine to machine.
std::string rounded(const std::string& text) {
  std::string result;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double number = *at >= '0' && *at <= '9' ? std::strtod(at, &end) : 0;
    if (end == nullptr) {
      result += *at++;
    } else if (end - at < 9) {
      result.append(at, static_cast<std::size_t>(end - at));
      at = end;
    } else {
      std::ostringstream cut;
      cut.precision(5);
      cut << number;
      result += cut.str();
      at = end;
    }
  }
  return result;
}

TEST(Docs, ExamplesPrintWhatTheySay) {
  const test::Folder folder;
  std::size_t compared = 0;
  for (const std::string file : {"README.md", "docs/guide.md"})
    for (const Example& example : examples_of(file)) {
      const test::Outcome outcome =
          test::run_program(folder, "--version >/dev/null; cd " + std::string(DYAD_SOURCE) + "; " +
                                        DYAD_PROGRAM + " " + example.command);
      std::string expected;
      const bool cut = !example.output.empty() && example.output.back() == "...";
      for (std::size_t k = 0; k < example.output.size() - (cut ? 1 : 0); ++k)
        expected += example.output[k] + "\n";
      const std::string printed = outcome.out + outcome.err;
      const std::string rounded_expected = rounded(expected);
      const std::string rounded_printed = rounded(printed);
      EXPECT_EQ(cut ? rounded_printed.substr(0, rounded_expected.size()) : rounded_printed, rounded_expected)
          << file << ": " << example.command;
      ++compared;
    }
  EXPECT_GE(compared, 2U);
}

}  // namespace
}  // namespace dyad

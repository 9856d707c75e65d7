// The examples of README and guide print what they say.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
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
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) inside = !inside && line == "```";
    else if (inside && line.starts_with("$ dyad ")) examples.push_back({line.substr(7), {}});
    else if (inside && !examples.empty()) examples.back().output.push_back(line);
  }
  return examples;
}

TEST(Docs, ExamplesPrintWhatTheySay) {
  const test::Folder folder;
  std::size_t compared = 0;
  for (const std::string file : {"README.md", "docs/guide.md"})
    for (const Example& example : examples_of(file)) {
      const test::Outcome outcome =
          test::run_program(folder, "--version >/dev/null; cd " + std::string(DYAD_SOURCE) + "; " + DYAD_PROGRAM + " " +
                                        example.command);
      std::string expected;
      const bool cut = !example.output.empty() && example.output.back() == "...";
      for (std::size_t k = 0; k < example.output.size() - (cut ? 1 : 0); ++k) expected += example.output[k] + "\n";
      const std::string printed = outcome.out + outcome.err;
      EXPECT_EQ(cut ? printed.substr(0, expected.size()) : printed, expected) << file << ": " << example.command;
      ++compared;
    }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace dyad

// The examples of README and guide print what they say.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
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
  std::ifstream stream(test::source_folder() + "/" + file);
  std::vector<Example> examples;
  bool in_block = false;
  bool plain = false;  // blocks with a language, such as text, are not run
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

/// True if `printed` begins with (if `cut`) or is `expected`; numbers may differ by a thousandth, as
/// iterations stop a little earlier or later from machine to machine.
bool agree(const std::string& printed, const std::string& expected, bool cut) {
  const char* a = printed.c_str();
  const char* b = expected.c_str();
  while (*b != '\0') {
    if (std::isdigit(static_cast<unsigned char>(*a)) != 0 &&
        std::isdigit(static_cast<unsigned char>(*b)) != 0) {
      char* a_end = nullptr;
      char* b_end = nullptr;
      const double x = std::strtod(a, &a_end);
      const double y = std::strtod(b, &b_end);
      if (std::abs(x - y) > 1e-3 * std::max(1.0, std::abs(y))) return false;
      a = a_end;
      b = b_end;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return cut || *a == '\0';
}

/// True if this build rounds as the one that printed the examples, with fused vector instructions
/// (dyad/base/simd.h): otherwise the rough SVMs of averages stop elsewhere, and scores differ by a few
/// percent.
bool rounds_alike() {
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

TEST(Docs, ExamplesPrintWhatTheySay) {
  const test::Folder folder;
  std::filesystem::create_symlink(test::source_folder() + "/examples", folder.path("examples"));
  std::size_t compared = 0;
  for (const std::string file : {"README.md", "docs/guide.md"})
    for (const Example& example : examples_of(file)) {
      const test::Outcome outcome =
          test::run_program(folder, "--version >/dev/null; cd " + folder.path("") + "; " + test::program() +
                                        " " + example.command);
      std::string expected;
      const bool cut = !example.output.empty() && example.output.back() == "...";
      for (std::size_t k = 0; k < example.output.size() - (cut ? 1 : 0); ++k)
        expected += example.output[k] + "\n";
      const std::string printed = outcome.out + outcome.err;
      EXPECT_TRUE(!rounds_alike() || agree(printed, expected, cut)) << file << ": " << example.command << "\n"
                                                                    << printed;
      ++compared;
    }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace dyad

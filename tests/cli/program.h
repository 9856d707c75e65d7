// Runs the program as a user's shell would.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/folder.h"
#include "tests/places.h"

namespace dyad::test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs `dyad <arguments>`, written as in a shell; what it prints passes through files in `folder`.
[[nodiscard]] inline Outcome run_program(const Folder& folder, const std::string& arguments) {
  const std::string command = "( " + program() + " " + arguments + " ) >" + folder.path(".out") + " 2>" +
                              folder.path(".err") + " </dev/null";
  const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read(".out"), folder.read(".err")};
}

[[nodiscard]] inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace dyad::test

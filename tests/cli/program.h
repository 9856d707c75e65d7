// Runs the program as a user's shell would.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dyad::test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// An empty folder that is gone with this object.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(std::filesystem::path(testing::TempDir()) / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ / name; }

  /// Writes a file and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Runs `dyad <arguments>`, written as in a shell.
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    const std::string command = std::string(DYAD_PROGRAM) + " " + arguments;
    const int status = std::system(  // NOLINT(concurrency-mt-unsafe)
        ("( " + command + " ) >" + path(".out") + " 2>" + path(".err") + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".err")};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace dyad::test

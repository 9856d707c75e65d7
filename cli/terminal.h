// The program's output: results, progress on standard error, and the way out on Ctrl-C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dyad/io/output_file.h"

namespace dyad::cli {

/// A progress function that draws a bar on standard error once work has taken a second; empty where `quiet`
/// is set or standard error is no terminal.
[[nodiscard]] std::function<void(std::string_view, std::size_t, std::size_t)> progress_bar(bool quiet);

/// Becomes true on the first Ctrl-C or SIGTERM; the second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

/// "-", /dev/stdout, or no name at all.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// Opens those of standard input, output and error that are closed, so that no file of ours takes their
/// place.
void open_standard_streams();

/// Writes a message to standard error, with `printable`. One that cannot be written is lost: it never costs a
/// result.
void tell(std::string_view message);

/// Takes the result of a command in one part or more: into `path`, which then is written whole at `finish` or
/// not at all, or to standard output if it names that. The functions throw std::runtime_error where that
/// fails.
class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)) {}

  void write(std::string_view part);
  /// Prints "wrote FILE (5.3 MB)" and `advice` on standard error once `finish` has written a file.
  void announce(std::string advice) { advice_ = std::move(advice); }
  void finish();

 private:
  OutputFile& file();

  std::string path_;
  std::optional<OutputFile> file_;     ///< from the first part on
  std::size_t size_ = 0;               ///< bytes of the parts
  std::optional<std::string> advice_;  ///< of what `finish` prints
};

}  // namespace dyad::cli

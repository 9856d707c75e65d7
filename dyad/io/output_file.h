// Files that are written whole or not at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dyad {

/// Collects what is written in a temporary file beside `path`; `finish` flushes it to the disk and renames
/// it, so that at any moment `path` is the old file or the new one. What is not a regular file (a pipe,
/// /dev/null) is written to directly. The functions throw std::runtime_error with path and reason. Without
/// `finish`, the old file stays and the temporary one is removed.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends; not buffered.
  void write(std::string_view part);
  void finish();

 private:
  std::string path_;
  std::string target_;     ///< the file that `path` leads to
  std::string temporary_;  ///< empty: none to rename or remove
  std::optional<unsigned> permissions_;
  int descriptor_ = -1;
};

/// Writes `content` to `path` as one OutputFile.
void write_file(const std::string& path, std::string_view content);

/// Throws what `write_file` would throw now: for finding out before long work.
void require_writable(const std::string& path);

}  // namespace dyad

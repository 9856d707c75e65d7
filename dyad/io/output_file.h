// Files that are written whole or not at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dyad {

/// Writes `content` to a temporary file beside `path`, flushes it to the disk and renames it, so that at any
/// moment `path` is the old file or the new one. What is not a regular file (a pipe, /dev/null) is written to
/// directly. Throws std::runtime_error with path and reason; the old file is then untouched and the temporary
/// one removed.
void write_file(const std::string& path, std::string_view content);

/// Throws what `write_file` would throw now: for finding out before long work.
void require_writable(const std::string& path);

}  // namespace dyad

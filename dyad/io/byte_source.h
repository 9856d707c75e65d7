// Where bytes come from: a file, a gzip file (told by its content), or standard input.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace dyad {

/// read(buffer) puts the next bytes into the buffer and returns how many; 0 at the end.
struct ByteSource {
  std::string name;  ///< for error messages
  std::function<std::size_t(std::span<char>)> read;
};

/// Opens `path`, or standard input for "-"; gzip is unpacked on the way.
/// Throws std::runtime_error with path and reason if it cannot be opened, and so does read if bytes cannot be
/// had, or if a gzip file unpacks to 500 times its size and more (a gzip bomb). Both throw Interrupted if a
/// signal, caught by a handler without SA_RESTART, ends the wait for a pipe or terminal.
[[nodiscard]] ByteSource open_source(const std::string& path);

/// What a path is called in messages: itself, or "standard input" for "-".
[[nodiscard]] std::string source_name(const std::string& path);

/// All bytes of a file as they are (gzip stays packed); only the first ones if they are not `start`. Throws
/// as `open_source` and its read do.
[[nodiscard]] std::string read_all(const std::string& path, std::string_view start = {});

}  // namespace dyad

// The most memory the program may take, so that a table too large for the machine ends in a message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace dyad::cli {

/// "300M", "2G", "1.5G": a number and K, M, G or T, of 1024 each; a plain number is in bytes. 0 if the text
/// is no such size.
[[nodiscard]] std::size_t parse_size(const std::string& text);

/// As `parse_size` reads it: "300M".
[[nodiscard]] std::string size_text(std::size_t bytes);

/// Memory of the machine, or of the container if that is less.
[[nodiscard]] std::size_t machine_memory();

/// Bytes of a limit that are left to rows: the rest is the program and what its threads work with.
[[nodiscard]] double memory_for_rows(std::size_t limit);

/// The limit that leaves so many bytes to rows, in whole megabytes; its `size_text` does so, too.
[[nodiscard]] std::size_t limit_for_rows(double bytes);

/// Threads that a limit allows: each has tables of its own.
[[nodiscard]] int most_threads(std::size_t limit);

/// The limit that is in force.
[[nodiscard]] std::size_t memory_limit();

/// The limit that came of `limit_memory`.
enum class Limited {
  not_at_all,      ///< more is in use already
  by_this,         ///< the one asked for
  by_a_lower_one,  ///< the one that was in force (ulimit)
};

/// Makes allocations fail (std::bad_alloc) where the program would take more than so many bytes in all, its
/// code, its libraries and the stacks of its threads included.
[[nodiscard]] Limited limit_memory(std::size_t bytes);

/// Lets freed memory go back to the system and threads have small stacks, for a limit that was given.
void take_little_memory();

}  // namespace dyad::cli

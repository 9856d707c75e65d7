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

/// The limit that is in force.
[[nodiscard]] std::size_t memory_limit();

/// Makes allocations fail (std::bad_alloc) past so many bytes in all, or fewer where a limit (ulimit) is in
/// force. False if more is in use already: nothing is limited then.
[[nodiscard]] bool limit_memory(std::size_t bytes);

}  // namespace dyad::cli

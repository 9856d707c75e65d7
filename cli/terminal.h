// What the program says besides its result: progress on standard error, and the way out on Ctrl-C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace dyad::cli {

/// A progress function that draws a bar on standard error once work has taken a second; empty where `quiet`
/// is set or standard error is no terminal.
[[nodiscard]] std::function<void(std::string_view, std::size_t, std::size_t)> progress_bar(bool quiet);

/// Becomes true on the first Ctrl-C or SIGTERM; the second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

/// "-", /dev/stdout, or no name at all.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// Puts `result` into `path` (whole or not at all), or on standard output if it names that.
/// Throws std::runtime_error if that fails.
void emit(const std::string& result, const std::string& path);

}  // namespace dyad::cli

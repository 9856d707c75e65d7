// The command or flag that a user may have meant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace dyad::cli {

/// The flag of `command` that an unknown flag may stand for, "--label" for "--target"; empty if none.
///
/// It is a synonym, the nearest name, or the only name that begins so. A value, as in --target=y, is ignored.
[[nodiscard]] std::string suggested_flag(const CLI::App& command, const std::string& unknown);

/// The command that an unknown one may stand for, "fit" for "train"; empty if none.
[[nodiscard]] std::string suggested_command(const CLI::App& program, const std::string& unknown);

}  // namespace dyad::cli

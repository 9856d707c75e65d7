// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dyad::cli {

/// Does what a command line says. Returns 0: done, 1: failed, 2: usage, 130: interrupted.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace dyad::cli

// Where tests find files. Only one source file knows these paths, so that compiler caches serve any clone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dyad::test {

[[nodiscard]] std::string source_folder();
/// The program `dyad` that was built with the tests.
[[nodiscard]] std::string program();

}  // namespace dyad::test

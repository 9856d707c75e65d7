// Where tests find files. Only one source file knows these paths, so that compiler caches serve any clone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dyad::test {

[[nodiscard]] std::string source_folder();
/// The file of a table of the paper in the folder DYAD_DATA, by default data/; empty if it is not there.
[[nodiscard]] std::string table_file(const std::string& name);
/// The program `dyad` that was built with the tests.
[[nodiscard]] std::string program();

}  // namespace dyad::test

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/places.h"

#include <cstdlib>
#include <filesystem>

namespace dyad::test {

std::string source_folder() { return DYAD_SOURCE; }

std::string table_file(const std::string& name) {
  const char* const given = std::getenv("DYAD_DATA");
  const std::string folder = given != nullptr && *given != '\0' ? given : source_folder() + "/data";
  for (const std::string ending : {".csv", ".csv.gz"})
    if (const auto path = folder + "/" + name + ending; std::filesystem::exists(path)) return path;
  return {};
}

std::string program() { return DYAD_PROGRAM; }

}  // namespace dyad::test

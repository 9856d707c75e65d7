// SPDX-License-Identifier: BSD-3-Clause
#include "tests/places.h"

namespace dyad::test {

std::string source_folder() { return DYAD_SOURCE; }

std::string program() { return DYAD_PROGRAM; }

}  // namespace dyad::test

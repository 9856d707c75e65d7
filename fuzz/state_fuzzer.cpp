// Reads bytes as a state file, adds rows to it, merges it, fits a model and writes it again.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include "fuzz/state_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dyad::fuzz::is_sound_state({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Reads bytes as a model file, predicts, explains and writes it again.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include "fuzz/model_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dyad::fuzz::is_sound_model({reinterpret_cast<const char*>(data), size});
  return 0;
}

// What must hold for any bytes that are read as a state file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::fuzz {

/// True if the bytes are a state, false if they are refused by std::runtime_error.
///
/// A state can be written and reads
/// back as the same bytes. Rows can be added, it can be merged, planned and finalized, or
/// std::invalid_argument says why not; what comes of it can be written and read, too, and a model is sound.
/// Fits that take more than a second are stopped. Throws std::logic_error if one of these does not hold.
bool is_sound_state(std::string_view bytes);

}  // namespace dyad::fuzz

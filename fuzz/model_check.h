// What must hold for any bytes that are read as a model file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::fuzz {

/// True if the bytes are a model, false if they are refused by std::runtime_error.
///
/// A model predicts rows of all kinds,
/// missing and huge values among them: scores and probabilities are finite, the latter add up to 1. Written
/// again, it reads back as the same bytes. Throws std::logic_error if one of these does not hold.
bool is_sound_model(std::string_view bytes);

}  // namespace dyad::fuzz

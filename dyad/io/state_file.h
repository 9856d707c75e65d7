// States as bytes and files (docs/scale.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/fit/state.h"

namespace dyad {

inline constexpr std::uint32_t state_file_version = 1;

/// The same rows give the same bytes, however they were cut and in which order their states were merged.
[[nodiscard]] std::string state_bytes(const State& state);

/// `name` says where the bytes are from. Throws std::runtime_error naming it if they are no state, are
/// damaged or from a newer version: whatever the bytes, there is a state that can be used, or this error.
[[nodiscard]] State state_from_bytes(std::string_view bytes, const std::string& name);

/// Reads the bytes of `state_bytes` back. Throws std::runtime_error with `name` and reason unless they are a
/// state that has these bytes. Takes as much memory as the state and its bytes.
void require_readable_state(std::string_view bytes, const std::string& name);

/// Writes a state file, whole or not at all, once its bytes were read back. An older file stays on failure.
///
/// Throws std::runtime_error with path and reason.
void save_state(const State& state, const std::string& path);
[[nodiscard]] State load_state(const std::string& path);

}  // namespace dyad

// Model files (docs/model_file.md says what each byte means).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad {

/// The version of the format that is written. Files of it and of all versions before it can be read, for
/// ever.
inline constexpr std::uint32_t model_file_version = 1;

/// The bytes of a model file. The same model gives the same bytes.
[[nodiscard]] std::string model_bytes(const Model& model);

/// The model in `bytes`; `name` is for messages. Everything is checked before it is used.
/// Throws std::runtime_error if the bytes are not a model file, cut short, altered, inconsistent or of
/// another version.
[[nodiscard]] Model model_from_bytes(std::string_view bytes, const std::string& name);

/// The bytes of a model file that `model_from_bytes` takes and turns into the same model.
///
/// Reads them back, which takes as long and as much memory again as writing and reading. Throws
/// std::runtime_error with `name` and reason.
[[nodiscard]] std::string readable_model_bytes(const Model& model, const std::string& name);

/// Writes a model file, whole or not at all, once its bytes were read back. An older file stays on failure.
///
/// Throws std::runtime_error with path and reason.
void save_model(const Model& model, const std::string& path);

/// The bytes for `model_from_bytes`; of what is no model file only the first, however large it is. Throws
/// std::runtime_error with path and reason.
[[nodiscard]] std::string read_model_file(const std::string& path);

/// Reads a model file. Throws std::runtime_error with path and reason.
[[nodiscard]] Model load_model(const std::string& path);

}  // namespace dyad

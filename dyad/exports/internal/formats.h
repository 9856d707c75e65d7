// The writers of each format, from the one description of a model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "dyad/exports/lookups.h"

namespace dyad::internal {

[[nodiscard]] std::string json_export(const Lookups& lookups);
[[nodiscard]] std::string c_export(const Lookups& lookups);
[[nodiscard]] std::string js_export(const Lookups& lookups);
[[nodiscard]] std::string sql_export(const Lookups& lookups);
/// With the contributions of the terms as a further output if `with_contributions`.
[[nodiscard]] std::string onnx_export(const Lookups& lookups, bool with_contributions);

/// The template with `inserted` in place of `mark`.
[[nodiscard]] std::string filled_template(std::string_view text, std::string_view mark,
                                          std::string_view inserted);

/// True if a density is a sum over one point, at 0.
[[nodiscard]] bool is_at_origin(const Lookups& lookups, const DensityLookup& density);

/// Calibrations, one for each score: those of the model, or log odds as they are.
[[nodiscard]] std::vector<Calibration> calibrations_of(const Model& model);

/// True if some calibration of a model of several classes has steps: each score has its own probability.
[[nodiscard]] bool is_one_against_rest(const Model& model);

}  // namespace dyad::internal

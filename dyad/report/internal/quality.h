// The parts of a report on how good a model is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"
#include "dyad/report/internal/json_parts.h"

namespace dyad::internal {

/// Predictions for rows.
struct Predicted {
  Matrix scores;
  Matrix probabilities;
  std::vector<std::int32_t> classes;
};

/// Errors, curves, calibration and confusion of predictions for rows of the classes y.
[[nodiscard]] Json evaluation_part(const Model& model, const Predicted& predicted,
                                   std::span<const std::int32_t> y);

/// What was tried in the fit, and how it did.
[[nodiscard]] Json settings_part(const Model& model);

}  // namespace dyad::internal

// Counts of rows that the densities of a model expect.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad::internal {

/// Counts for a model that holds none: its densities, times the rows of their classes, at evenly spaced
/// nodes.
[[nodiscard]] RowCounts counts_of_densities(const Model& model, const Execution& execution);

}  // namespace dyad::internal

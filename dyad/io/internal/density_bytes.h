// Densities as bytes of a model file (docs/model_file.md, section TERM).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dyad/data/levels.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/model/model.h"

namespace dyad::internal {

/// Of the exact engine: a bandwidth, which the rows of the class belong to.
void put_bandwidth(Writer& out, const Density& density);
/// The same read back, for the places of a term and the rows of its class.
[[nodiscard]] Density take_by_bandwidth(Reader& in, const Term& term, const Matrix& sample);

/// Of the counts engine: axes and a table, points, or shares of levels with such densities within them.
void put_counts(Writer& out, const Density& density);
/// The same read back, for the places of a term; `levels` are those of the model's features. Fails if they do not go together.
[[nodiscard]] Density take_counts(Reader& in, const Term& term, std::span<const Levels> levels);

}  // namespace dyad::internal

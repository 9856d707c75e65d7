// Densities as bytes of a model file (docs/model_file.md, section TERM).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/levels.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/model/model.h"

namespace dyad::internal {

void put_axis(Writer& out, const Axis& axis, double bandwidth);
/// With the bandwidth of the kernel that it is made for.
[[nodiscard]] Axis take_axis(Reader& in, double& bandwidth);

void put_scaling(Writer& out, const Scaling& scaling);
[[nodiscard]] Scaling take_scaling(Reader& in);

/// How an index that may be none is kept: the place behind the last.
[[nodiscard]] std::uint64_t index_or_end(std::size_t index, std::size_t end);

/// The levels of a feature.
[[nodiscard]] LevelAxis axis_of(std::span<const Levels> levels, std::size_t feature, bool has_missing);

/// Of the exact engine: a bandwidth, which the rows of the class belong to.
void put_bandwidth(Writer& out, const Density& density);
/// The same read back, for the places of a term and the rows of its class.
[[nodiscard]] Density take_by_bandwidth(Reader& in, const Term& term, const Matrix& sample);

/// Of the counts engine: axes and a table, points, or shares of levels with such densities within them.
void put_counts(Writer& out, const Density& density);
/// The same read back, for the places of a term; `levels` are those of the model's features. Fails if they do not go together.
[[nodiscard]] Density take_counts(Reader& in, const Term& term, std::span<const Levels> levels);

}  // namespace dyad::internal

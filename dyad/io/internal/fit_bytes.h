// Options and coordinates as bytes of model files and state files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/coordinate.h"
#include "dyad/fit/options.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/model/model.h"

namespace dyad::internal {

void put_options(Writer& out, const Provenance& options);
/// Names and texts as they are in the file; fails if a name is there twice.
[[nodiscard]] Provenance take_options(Reader& in);
/// Options whose values are in their ranges; fails if one is not.
[[nodiscard]] FitOptions take_fit_options(Reader& in);

void put_coordinates(Writer& out, const std::vector<Coordinate>& coordinates);
/// None, or one for each feature.
[[nodiscard]] std::vector<Coordinate> take_coordinates(Reader& in, std::size_t n_features);

void put_settings(Writer& out, const std::vector<Setting>& settings);
[[nodiscard]] std::vector<Setting> take_settings(Reader& in);

void put_costs(Writer& out, const Matrix& costs);
[[nodiscard]] Matrix take_costs(Reader& in, std::size_t n_classes);

}  // namespace dyad::internal

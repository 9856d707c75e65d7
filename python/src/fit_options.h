// How a fit is asked for from Python.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dyad/fit/options.h"
#include "python/src/arrays.h"
#include "python/src/options.h"

namespace dyad::python {

/// Rows to train on and rows to test on.
using SplitRows = std::pair<Values<std::int64_t>, Values<std::int64_t>>;

/// Pairs that are given, if any, and features and pairs that are excluded, by name.
using StructureNames =
    std::pair<std::optional<std::vector<std::vector<std::string>>>, std::vector<std::vector<std::string>>>;

/// The options of the preset, method and objective that a dict names, with its values in place of theirs.
/// Throws as options_over does, and std::invalid_argument for values out of range or that do not go together.
[[nodiscard]] FitOptions fit_options_from(const nb::dict& given);

/// What callers of the library may give beside the options of the program.
void set_splits_and_weights(FitOptions& options, std::size_t n_rows,
                            const std::optional<std::vector<SplitRows>>& splits,
                            const std::optional<Values<double>>& class_weight,
                            const std::optional<Rows>& costs = {});

/// The structure among the options of a fit.
[[nodiscard]] StructureNames structure_names(const Provenance& fitted_with);

/// Sets the structure, if there is one, for rows with these features.
void set_structure(FitOptions& options, const std::optional<StructureNames>& structure,
                   const std::vector<std::string>& features);

}  // namespace dyad::python

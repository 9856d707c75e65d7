// Warnings about columns and classes before a fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dyad {

/// True if numbers tell rows apart like an id: 20 or more whole numbers, each once, and consecutive but for
/// gaps, so that they span less than twice their number. NaN stands for a missing value.
[[nodiscard]] bool looks_like_id(std::span<const double> values);

/// True if levels tell rows apart like an id: 20 rows or more with a level each.
[[nodiscard]] bool looks_like_id(std::size_t n_levels, std::size_t n_rows);

/// A warning about a column that looks like an id.
[[nodiscard]] std::string note_on_id(const std::string& column);

/// Warnings about classes: more than 20 that are numbers, and classes with fewer than five rows.
[[nodiscard]] std::vector<std::string> notes_on_classes(std::span<const std::string> classes,
                                                        std::span<const std::uint64_t> rows);

}  // namespace dyad

// Advice about a name that is unknown: the nearest known name, and a list of the known ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dyad {

/// Number of edits that turn `a` into `b`: optimal string alignment, ASCII letters in either case.
///
/// An edit inserts, deletes or replaces one byte, or swaps two neighbours. O(|a| |b|).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name with the fewest edits from `unknown`, at most one for every three bytes of the longer one.
///
/// The first of equally near names; empty if none is near enough. O(|unknown|^2) per name.
[[nodiscard]] std::string_view nearest_name(std::span<const std::string> names, std::string_view unknown);

/// The names in quotes and separated by commas: all up to 12, else the first 6, "..." and the last 6.
[[nodiscard]] std::string list_of_names(std::span<const std::string> names);

/// The nearest name, if there is one, and the list of names.
///
/// "did you mean 'age'? the columns are 'age', 'job'", where `are` is "the columns are".
[[nodiscard]] std::string advice_on_name(std::string_view unknown, std::string_view are,
                                         std::span<const std::string> names);

}  // namespace dyad

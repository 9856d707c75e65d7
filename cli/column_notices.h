// What a user should know about the columns of a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "dyad/data/table.h"
#include "dyad/fit/survey.h"

namespace dyad::cli {

/// Says on standard error which columns have no values or only one, followed by the `consequence`, unless
/// that holds for all of them; which tell rows apart like an id; and which have more than `max_levels`
/// levels, so that the rarest are one.
void warn_about_columns(const Table& table, std::size_t max_levels, std::string_view consequence);

/// Says it of rows in parts; numbers are looked at in the sample, as the fit does.
void warn_about_columns(const Survey& survey, std::size_t max_levels, std::string_view consequence);

/// Says on standard error if a label has many numbers, or classes have fewer than five rows.
void warn_about_classes(const Table& table);
void warn_about_classes(const Survey& survey);

}  // namespace dyad::cli

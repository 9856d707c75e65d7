// What a user should know about the columns of a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "dyad/data/table.h"
#include "dyad/fit/survey.h"

namespace dyad::cli {

/// Says on standard error which columns have no values or only one, followed by the `consequence`, unless
/// that holds for all of them; and which have more than `max_levels` levels, so that the rarest are one.
void warn_about_columns(const Table& table, std::size_t max_levels, std::string_view consequence);

/// Says it of rows in parts; numbers are looked at in the sample, as the fit does.
void warn_about_columns(const Survey& survey, std::size_t max_levels, std::string_view consequence);

}  // namespace dyad::cli

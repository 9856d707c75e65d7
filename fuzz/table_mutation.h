// Changes of CSV text that keep it a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "dyad/base/random.h"

namespace dyad::fuzz {

/// The text with a change at random that knows rows and columns.
///
/// Fields become another spelling of a number, a truth, a level, quoted text or a gap, one alone or from some
/// row to the end of a column; rows are repeated, left out or swapped; columns are swapped, repeated or
/// added, under the names that options of the fuzz target know.
[[nodiscard]] std::string mutated_table(std::string_view text, Random& random);

}  // namespace dyad::fuzz

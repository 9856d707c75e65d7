// Rows of a table as numbers and codes of known levels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"
#include "dyad/data/levels.h"
#include "dyad/data/table.h"

namespace dyad {

/// All rows, n x d: numbers, codes of `levels` (one for each feature, or none if all are numbers), NaN for missing values. Throws
/// std::invalid_argument naming a column that has text where numbers are expected or numbers where text is; one without values fits both. Rows are
/// counted from n_before + 1 on.
[[nodiscard]] Matrix coded_rows(const Table& table, std::span<const Levels> levels, std::size_t n_before = 0);

}  // namespace dyad

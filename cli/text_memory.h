// Memory that the levels of text take in a fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/table_estimate.h"

namespace dyad::cli {

/// Bytes that columns of text take beside the rows of a table; 0 without such a column.
struct TextMemory {
  double while_read = 0;     ///< of a table as a whole, its rows included
  double while_fitted = 0;   ///< of a table as a whole
  double while_written = 0;  ///< of the model of such a table
  double in_chunks = 0;      ///< while a table in chunks is surveyed, counted and fitted
  double while_written_of_chunks = 0;
};

/// The memory of a fit with terms of n_pairs pairs, over all classes, and of up to max_levels levels.
///
/// `copies_survey` says whether a table in chunks may be fitted to a copy of its survey, without a second
/// pass.
[[nodiscard]] TextMemory text_memory(const TableEstimate& table, double n_pairs, std::size_t max_levels,
                                     bool copies_survey);

}  // namespace dyad::cli

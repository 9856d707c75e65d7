// Shares of a limit of memory: the sample, the tables and the values that a fit holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cli/table_estimate.h"
#include "dyad/fit/options.h"
#include "dyad/fit/state.h"

namespace dyad::cli {

/// Ways to read a table.
enum class Reading { automatic, whole, chunked };

/// Sizes of the parts of a fit that a limit of memory allows.
struct FitMemory {
  bool is_chunked = false;      ///< whether the table is read in chunks rather than as a whole
  std::size_t sample_rows = 0;  ///< of a table in chunks; 0 for `default_sample_rows`
  std::size_t table_bytes = State::default_table_bytes;
  std::size_t weight_bytes = 0;  ///< as in FitOptions
  int threads = 0;               ///< as in Execution
  std::size_t limit = 0;         ///< the limit less what levels of text take; 0 without one
};

/// Bytes that tables of counts may take within a limit; the default without one, 0.
[[nodiscard]] std::size_t table_bytes(std::size_t limit);

/// The shares of the limit that a run was given. Without one they do not depend on the machine.
///
/// Throws std::runtime_error that names the least limit if the table cannot be fitted within the one given.
[[nodiscard]] FitMemory fit_memory(const TableEstimate& table, const FitOptions& options, Reading reading,
                                   const RunFlags& run);

}  // namespace dyad::cli

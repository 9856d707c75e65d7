// The size of a table, estimated before it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace dyad::cli {

/// Bytes of a regular file; 0 of others.
[[nodiscard]] std::size_t size_of_file(const std::string& path);

/// The levels of a column of text.
struct TextEstimate {
  double n_levels = 0;        ///< in all rows
  double bytes_of_level = 0;  ///< of the block with its text, on average; 0 where a string has room for it
};

/// The size of a table, by that of the file and its first rows; zeros where that cannot be told.
struct TableEstimate {
  double n_rows = 0;
  std::size_t n_features = 0;
  std::size_t n_classes = 0;
  std::vector<TextEstimate> text;  ///< of each column of text
};

/// Estimates the size of a table by its first 1000 rows, or by up to 128 000 rows or 16 MB where there is a
/// limit of memory and text still has many new levels. Takes little memory and some tenths of a second.
[[nodiscard]] TableEstimate estimate_table(const TableFlags& flags, std::size_t limit);

}  // namespace dyad::cli

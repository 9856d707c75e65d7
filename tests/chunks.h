// Tables cut into chunks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "dyad/base/gather.h"
#include "dyad/data/chunk.h"

namespace dyad::test {

/// The given rows of a chunk.
inline Chunk rows_of(const Chunk& chunk, const std::vector<std::size_t>& rows) {
  Chunk result{chunk.features, chunk.classes,         Matrix(rows.size(), chunk.X.n_cols),
               chunk.levels,   gather(chunk.y, rows), {}};
  for (std::size_t j = 0; j < chunk.X.n_cols; ++j)
    std::ranges::copy(gather(chunk.X.column(j), rows), result.X.column(j).begin());
  if (!chunk.weights.empty()) result.weights = gather(chunk.weights, rows);
  return result;
}

/// Rows first .. last - 1.
inline Chunk part_of(const Chunk& chunk, std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows;
  for (std::size_t i = first; i < std::min(last, chunk.n_rows()); ++i) rows.push_back(i);
  return rows_of(chunk, rows);
}

}  // namespace dyad::test

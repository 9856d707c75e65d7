// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/chunk.h"

#include <algorithm>

namespace dyad {

std::size_t default_chunk_rows(std::size_t n_columns) {
  constexpr std::size_t most_values = std::size_t{1} << 22U;
  return std::clamp<std::size_t>(most_values / std::max<std::size_t>(n_columns, 1), 1024, 120'000);
}

Chunk chunk_of(const Table& table) {
  Chunk chunk{.classes = table.labels.classes, .y = table.labels.codes, .weights = table.weights};
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    chunk.features.push_back(table.features[j].name);
    const auto* const text = std::get_if<CategoricalColumn>(&table.features[j].data);
    if (text == nullptr) continue;
    chunk.levels.resize(table.features.size());
    chunk.levels[j] = levels_of(*text);
  }
  chunk.X = coded_rows(table, chunk.levels);
  return chunk;
}

}  // namespace dyad

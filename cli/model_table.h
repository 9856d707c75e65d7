// A table read for a model: its features by name, in the model's order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <vector>

#include "cli/flags.h"
#include "dyad/data/table.h"
#include "dyad/io/csv.h"
#include "dyad/model/model.h"

namespace dyad::cli {

inline Matrix read_rows_for(const Model& model, TableFlags flags) {
  flags.csv.columns = model.features;
  const Table table = read_csv(flags.path, flags.csv);
  require_complete_numeric(table, "the model");
  std::vector<std::size_t> rows(table.n_rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return numeric_rows(table, rows);
}

}  // namespace dyad::cli

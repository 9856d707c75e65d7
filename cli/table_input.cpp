// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table_input.h"

#include <fmt/core.h>

#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "dyad/io/csv.h"

namespace dyad::cli {

Table read_table(const TableFlags& flags, const RunFlags& run) {
  ByteSource source = open_source(flags.path);
  source.read = [read = std::move(source.read), &run](std::span<char> buffer) {
    throw_if_stopped(run.execution);
    try {
      return read(buffer);
    } catch (const std::runtime_error&) {
      throw_if_stopped(run.execution);  // the signal made the read fail
      throw;
    }
  };
  return read_csv(std::move(source), flags.csv);
}

Matrix read_rows_for(const Model& model, TableFlags flags, const RunFlags& run) {
  flags.csv.columns = model.features;
  const Table table = read_table(flags, run);
  on_table(flags.path, [&] { require_complete_numeric(table, "the model"); });
  std::vector<std::size_t> rows(table.n_rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return numeric_rows(table, rows);
}

void warn_unless_converged(const FitReport& report, const RunFlags& run) {
  if (report.converged || run.quiet) return;
  fmt::print(stderr,
             "dyad: an SVM was stopped at a duality gap of {:.2g}; raise --max-iterations or --tolerance\n",
             report.gap);
}

}  // namespace dyad::cli

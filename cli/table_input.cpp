// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table_input.h"

#include <fmt/core.h>

#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "dyad/data/coded_rows.h"
#include "dyad/io/csv.h"

namespace dyad::cli {

namespace {

/// Text in columns that no term looks at, such as those that were empty in training, is as good as no value.
void forget_unused_text(Table& table, const Model& model) {
  std::vector<bool> used(table.features.size());
  for (const Term& term : model.terms) used[term.i] = used[term.j] = true;
  for (std::size_t j = 0; j < used.size(); ++j)
    if (!used[j] && (model.levels.empty() || model.levels[j].is_number()) &&
        std::holds_alternative<CategoricalColumn>(table.features[j].data))
      table.features[j].data =
          NumericColumn{std::vector<double>(table.n_rows, std::numeric_limits<double>::quiet_NaN())};
}

}  // namespace

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
  for (std::size_t j = 0; j < model.levels.size(); ++j)
    if (!model.levels[j].is_number()) flags.csv.categorical.push_back(model.features[j]);
  Table table = read_table(flags, run);
  forget_unused_text(table, model);
  return on_table(flags.path, [&] { return coded_rows(table, model.levels); });
}

void require_engine(const Table& table, Engine engine) {
  if (engine == Engine::exact) require_complete_numeric(table, "the exact engine");
}

void warn_unless_converged(const FitReport& report, const RunFlags& run) {
  if (report.converged || run.quiet) return;
  fmt::print(stderr,
             "dyad: an SVM was stopped at a duality gap of {:.2g}; raise --max-iterations or --tolerance\n",
             report.gap);
}

}  // namespace dyad::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/table_cells.h"

#include <limits>

#include "dyad/terms/label_bins.h"

namespace dyad {
namespace {

constexpr std::size_t most_bins = 10;

/// The cells of rows in the table of two features, or of one.
std::vector<std::uint16_t> cells_of(const FeatureBins& bins, const FeaturePair& table,
                                    std::span<const std::uint32_t> rows) {
  std::vector<std::uint16_t> cells;
  cells.reserve(rows.size());
  const auto& x = bins.of_row[table.i];
  if (table.i == table.j) {
    for (const std::uint32_t row : rows) cells.push_back(x[row]);
    return cells;
  }
  const auto& y = bins.of_row[table.j];
  const auto width = static_cast<std::uint32_t>(bins.axes[table.j].size());
  for (const std::uint32_t row : rows) cells.push_back(static_cast<std::uint16_t>(x[row] * width + y[row]));
  return cells;
}

std::size_t cell_count(const FeatureBins& bins, const FeaturePair& table) {
  return bins.axes[table.i].size() * (table.i == table.j ? 1 : bins.axes[table.j].size());
}

/// All tables: those of the features that vary, then pairs, but for those of more cells than 16 bits number.
std::vector<FeaturePair> tables_of(const FeatureBins& bins, std::span<const FeaturePair> pairs) {
  constexpr std::size_t most_numbered = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
  std::vector<FeaturePair> tables;
  for (std::size_t j = 0; j < bins.axes.size(); ++j)
    if (std::ranges::adjacent_find(bins.of_row[j], std::not_equal_to<>()) != bins.of_row[j].end())
      tables.push_back({j, j});
  std::ranges::copy_if(pairs, std::back_inserter(tables),
                       [&](const FeaturePair& pair) { return cell_count(bins, pair) <= most_numbered; });
  return tables;
}

FreeTable table_of(const FeatureBins& bins, const FeaturePair& table, std::vector<double> values) {
  return {.x = bins.axes[table.i],
          .y = table.i == table.j ? BinAxis{} : bins.axes[table.j],
          .values = std::move(values)};
}

}  // namespace

SortedRows sorted_rows(const LabelledSample& sample, const Execution& execution) {
  SortedRows result(sample.n_features());
  parallel_for(result.size(), execution, {}, [&](std::size_t j) {
    if (!sample.is_categorical(j)) result[j] = rows_by_value(sample, j);
  });
  return result;
}

FeatureBins feature_bins(const LabelledSample& sample, const SortedRows& sorted,
                         std::span<const double> loss_weights, const Execution& execution) {
  const std::size_t d = sample.n_features();
  FeatureBins bins{std::vector<BinAxis>(d), std::vector<std::vector<std::uint16_t>>(d)};
  parallel_for(d, execution, {}, [&](std::size_t j) {
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t row : sorted[j])
      if (loss_weights[row] > 0) rows.push_back(row);
    bins.axes[j] = label_bins(sample, j, rows, loss_weights, most_bins);
    const auto values = sample.X.column(j);
    bins.of_row[j].resize(values.size());
    std::ranges::transform(values, bins.of_row[j].begin(),
                           [&](double value) { return static_cast<std::uint16_t>(bins.axes[j].bin(value)); });
  });
  return bins;
}

TableRows table_rows(const FeatureBins& bins, std::span<const FeaturePair> pairs,
                     std::span<const std::uint32_t> rows, const LabelledSample& sample,
                     std::span<const double> loss_weights) {
  TableRows result{.n_classes = sample.n_classes};
  for (const FeaturePair& table : tables_of(bins, pairs)) {
    result.cells.push_back(cells_of(bins, table, rows));
    result.n_cells.push_back(cell_count(bins, table));
  }
  for (const std::uint32_t row : rows) {
    result.y.push_back(sample.y[row]);
    result.loss_weights.push_back(loss_weights[row]);
  }
  return result;
}

std::vector<Term> table_terms(const FeatureBins& bins, std::span<const FeaturePair> pairs,
                              const TableSolution& solution, double share) {
  std::vector<Term> terms;
  const auto tables = tables_of(bins, pairs);
  for (std::size_t k = 0; k < solution.values.size(); ++k)
    for (std::size_t t = 0; t < solution.values[k].size(); ++t) {
      std::vector<double> values = solution.values[k][t];
      for (double& value : values) value *= share;
      if (std::ranges::any_of(values, [](double value) { return value != 0; }))
        terms.push_back(table_term({static_cast<std::int32_t>(k), tables[t].i, tables[t].j},
                                   table_of(bins, tables[t], std::move(values))));
    }
  return terms;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"

namespace dyad {
namespace {

/// Leaves out classes without rows. Without text among them, the others are in the order of numbers.
void drop_empty_classes(Labels& labels) {
  std::vector<bool> has_rows(labels.classes.size());
  for (const std::int32_t code : labels.codes) has_rows[static_cast<std::size_t>(code)] = true;
  auto kept = rows_where(has_rows.size(), [&](std::size_t c) { return has_rows[c]; });
  kept = gather(kept, class_order(gather(labels.classes, kept), ValueType::unknown));
  std::vector<std::int32_t> new_codes(has_rows.size());
  for (std::size_t k = 0; k < kept.size(); ++k) new_codes[kept[k]] = static_cast<std::int32_t>(k);
  for (std::int32_t& code : labels.codes) code = new_codes[static_cast<std::size_t>(code)];
  labels.classes = gather(labels.classes, kept);
}

}  // namespace

Labels make_labels(const CategoricalColumn& column) {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> place_of_name;
  std::vector<std::size_t> place_of_level;
  for (const std::string& level : column.levels) {
    const auto [at, is_new] = place_of_name.emplace(normal_form(level), names.size());
    if (is_new) names.push_back(at->first);
    place_of_level.push_back(at->second);
  }
  const auto order = class_order(names, ValueType::unknown);
  std::vector<std::int32_t> code_of_place(names.size());
  for (std::size_t k = 0; k < order.size(); ++k) code_of_place[order[k]] = static_cast<std::int32_t>(k);
  Labels labels{.classes = gather(names, order)};
  labels.codes.reserve(column.codes.size());
  for (const std::int32_t code : column.codes)
    labels.codes.push_back(code_of_place[place_of_level[static_cast<std::size_t>(code)]]);
  return labels;
}

void require_complete_numeric(const Table& table, std::string_view method) {
  for (const Column& column : table.features) {
    if (const auto* text = std::get_if<CategoricalColumn>(&column.data))
      throw std::invalid_argument(
          "column " + quoted(column.name) + " is categorical (" +
          (text->levels.empty() ? "no value" : "for example " + quoted(text->levels[0])) + "); " +
          std::string(method) + " takes numbers only");
    const auto& values = std::get<NumericColumn>(column.data).values;
    const auto gap = std::ranges::find_if(values, [](double value) { return std::isnan(value); });
    if (gap != values.end())
      throw std::invalid_argument("column " + quoted(column.name) + " has a missing value in row " +
                                  std::to_string(gap - values.begin() + 1) + "; " + std::string(method) +
                                  " takes complete columns only");
  }
}

void require_classes(const Table& table) {
  const auto& classes = table.labels.classes;
  if (classes.size() < 2)
    throw std::invalid_argument("the label has " +
                                (classes.empty() ? "no class" : "only one class, " + quoted(classes[0])) +
                                "; at least two are needed");
  require_distinct_numbers(classes, ValueType::unknown);
}

void drop_weightless_rows(Table& table) {
  const auto rows = rows_where(table.weights.size(), [&](std::size_t i) { return table.weights[i] > 0; });
  if (rows.empty() || rows.size() == table.n_rows) return;
  for (Column& column : table.features) {
    if (auto* const text = std::get_if<CategoricalColumn>(&column.data))
      text->codes = gather(text->codes, rows);
    else if (auto* const numbers = std::get_if<NumericColumn>(&column.data))
      numbers->values = gather(numbers->values, rows);
  }
  table.n_rows = rows.size();
  table.weights = gather(table.weights, rows);
  table.labels.codes = gather(table.labels.codes, rows);
  drop_empty_classes(table.labels);
}

std::vector<std::size_t> rows_of_class(const Labels& labels, std::int32_t code) {
  return rows_where(labels.codes.size(), [&](std::size_t i) { return labels.codes[i] == code; });
}

Matrix numeric_rows(const Table& table, std::span<const std::size_t> rows) {
  Matrix result(rows.size(), table.features.size());
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    const auto& values = std::get<NumericColumn>(table.features[j].data).values;
    std::ranges::transform(rows, result.column(j).begin(), [&](std::size_t row) { return values[row]; });
  }
  return result;
}

}  // namespace dyad

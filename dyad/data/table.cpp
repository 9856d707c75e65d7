// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"

namespace dyad {
bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error == std::errc::invalid_argument || stop != end) return false;
  // from_chars gives no value where a number is too large or too small for a double; strtod says which.
  if (error == std::errc::result_out_of_range) parsed = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(parsed)) return false;
  value = parsed;
  return true;
}

Labels make_labels(const CategoricalColumn& column) {
  const std::size_t n_levels = column.levels.size();
  std::vector<double> numbers(n_levels);
  bool all_numbers = true;
  for (std::size_t k = 0; k < n_levels; ++k)
    all_numbers = all_numbers && parse_number(column.levels[k], numbers[k]);

  auto order = all_rows(n_levels);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return all_numbers ? numbers[a] < numbers[b] : column.levels[a] < column.levels[b];
  });

  Labels labels;
  std::vector<std::int32_t> code_of_level(n_levels);
  for (std::size_t k = 0; k < n_levels; ++k) {
    // Beyond 2^53 different integers may be the same double.
    const bool repeats = k > 0 && all_numbers && numbers[order[k]] == numbers[order[k - 1]] &&
                         std::abs(numbers[order[k]]) < 0x1p53;
    if (!repeats) labels.classes.push_back(column.levels[order[k]]);
    code_of_level[order[k]] = static_cast<std::int32_t>(labels.classes.size() - 1);
  }
  labels.codes.reserve(column.codes.size());
  for (const std::int32_t code : column.codes)
    labels.codes.push_back(code_of_level[static_cast<std::size_t>(code)]);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/coded_rows.h"

#include <algorithm>
#include <stdexcept>

#include "dyad/base/text.h"

namespace dyad {
namespace {

std::string row_text(std::size_t n_before, std::ptrdiff_t row) {
  return std::to_string(n_before + static_cast<std::size_t>(row) + 1);
}

void require_no_values(const NumericColumn& column, const std::string& name, std::size_t n_before) {
  const auto value = std::ranges::find_if(column.values, [](double x) { return !std::isnan(x); });
  if (value != column.values.end())
    throw std::invalid_argument("column " + quoted(name) + " has the number " + number_text(*value) +
                                " in row " + row_text(n_before, value - column.values.begin()) +
                                "; it is a column of categories");
}

void require_no_levels(const CategoricalColumn& column, const std::string& name, std::size_t n_before) {
  const auto code = std::ranges::find_if(
      column.codes, [](std::int32_t level) { return level != CategoricalColumn::missing; });
  if (code != column.codes.end())
    throw std::invalid_argument(
        "column " + quoted(name) + " has the text " + quoted(column.levels[static_cast<std::size_t>(*code)]) +
        " in row " + row_text(n_before, code - column.codes.begin()) + "; it is a column of numbers");
}

}  // namespace

Matrix coded_rows(const Table& table, std::span<const Levels> levels, std::size_t n_before) {
  Matrix result(table.n_rows, table.features.size());
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    const auto& [name, data] = table.features[j];
    const bool is_number = levels.empty() || levels[j].is_number();
    const auto* const text = std::get_if<CategoricalColumn>(&data);
    if (text != nullptr && is_number) require_no_levels(*text, name, n_before);
    if (text == nullptr && !is_number) require_no_values(std::get<NumericColumn>(data), name, n_before);
    std::ranges::copy(text != nullptr ? codes_of(is_number ? Levels{} : levels[j], *text)
                                      : std::get<NumericColumn>(data).values,
                      result.column(j).begin());
  }
  return result;
}

}  // namespace dyad

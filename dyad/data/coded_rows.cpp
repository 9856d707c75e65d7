// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/coded_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "dyad/base/text.h"

namespace dyad {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

void copy_codes(const CategoricalColumn& column, const Levels& levels, std::span<double> out) {
  std::vector<double> codes;
  for (const std::string& name : column.levels) codes.push_back(code_of(levels, name));
  std::ranges::transform(column.codes, out.begin(), [&](std::int32_t code) {
    return code == CategoricalColumn::missing ? missing : codes[static_cast<std::size_t>(code)];
  });
}

void require_no_values(const NumericColumn& column, const std::string& name) {
  const auto value = std::ranges::find_if(column.values, [](double x) { return !std::isnan(x); });
  if (value != column.values.end())
    throw std::invalid_argument("column " + quoted(name) + " has the number " + number_text(*value) +
                                " in row " + std::to_string(value - column.values.begin() + 1) +
                                "; it is a column of categories");
}

void require_no_levels(const CategoricalColumn& column, const std::string& name) {
  const auto code =
      std::ranges::find_if(column.codes, [](std::int32_t of) { return of != CategoricalColumn::missing; });
  if (code != column.codes.end())
    throw std::invalid_argument(
        "column " + quoted(name) + " has the text " + quoted(column.levels[static_cast<std::size_t>(*code)]) +
        " in row " + std::to_string(code - column.codes.begin() + 1) + "; it is a column of numbers");
}

}  // namespace

Matrix coded_rows(const Table& table, std::span<const Levels> levels) {
  Matrix result(table.n_rows, table.features.size());
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    const auto& [name, data] = table.features[j];
    const bool is_number = levels.empty() || levels[j].is_number();
    const auto* const text = std::get_if<CategoricalColumn>(&data);
    if (text != nullptr && is_number) require_no_levels(*text, name);
    if (text == nullptr && !is_number) require_no_values(std::get<NumericColumn>(data), name);
    if (text != nullptr)
      copy_codes(*text, is_number ? Levels{} : levels[j], result.column(j));
    else
      std::ranges::copy(std::get<NumericColumn>(data).values, result.column(j).begin());
  }
  return result;
}

}  // namespace dyad

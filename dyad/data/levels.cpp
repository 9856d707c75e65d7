// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/levels.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"

namespace dyad {
namespace {

/// The code of levels without a name.
double code_of_others(const Levels& levels) {
  return levels.has_others ? static_cast<double>(levels.names.size())
                           : std::numeric_limits<double>::quiet_NaN();
}

/// The place of the level that a text means. Blanks at its ends may be others than those of the level, unless
/// levels are pooled: the text may be one of them.
std::optional<std::size_t> place_of(const Levels& levels, const ValueNames& names, std::string_view text) {
  const auto found = names.find(text);
  return found || levels.has_others ? found : names.find_without_blanks(text);
}

[[noreturn]] void refuse(const std::string& column, const std::string& value, std::ptrdiff_t row,
                         std::size_t n_before, const std::string& expected) {
  throw std::invalid_argument("column " + quoted(column) + " has the " + value + " in row " +
                              std::to_string(n_before + static_cast<std::size_t>(row) + 1) +
                              "; it is a column of " + expected);
}

void require_no_values(const NumericColumn& column, const std::string& name, std::size_t n_before) {
  const auto value = std::ranges::find_if(column.values, [](double x) { return !std::isnan(x); });
  if (value != column.values.end())
    refuse(name, "number " + number_text(*value), value - column.values.begin(), n_before, "categories");
}

void require_no_levels(const CategoricalColumn& column, const std::string& name, std::size_t n_before) {
  const auto code = std::ranges::find_if(
      column.codes, [](std::int32_t level) { return level != CategoricalColumn::missing; });
  if (code != column.codes.end())
    refuse(name, "text " + quoted(column.levels[static_cast<std::size_t>(*code)]),
           code - column.codes.begin(), n_before, "numbers");
}

}  // namespace

Levels frequent_levels(std::span<const std::string> names, std::span<const double> counts, bool has_others,
                       std::size_t most) {
  auto order = all_rows(names.size());
  std::erase_if(order, [&](std::size_t level) { return counts[level] == 0; });
  has_others = has_others || order.size() > most;
  if (has_others && order.size() >= most) {
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t level) { return counts[level]; });
    order.resize(most - 1);
    std::ranges::sort(order);
  }
  return {gather(names, order), has_others};
}

Levels levels_of(const CategoricalColumn& column) {
  Levels levels;
  for (const std::string& text : column.levels) levels.names.push_back(normal_form(text));
  std::ranges::sort(levels.names);
  levels.names.erase(std::unique(levels.names.begin(), levels.names.end()), levels.names.end());
  return levels;
}

double code_of(const Levels& levels, std::string_view name) {
  const auto found = std::ranges::lower_bound(levels.names, name);
  if (found != levels.names.end() && *found == name) return static_cast<double>(found - levels.names.begin());
  return code_of_others(levels);
}

std::vector<double> codes_of(const Levels& levels, std::span<const std::string> names) {
  std::vector<double> codes(names.size());
  std::ranges::transform(names, codes.begin(),
                         [&](const std::string& name) { return code_of(levels, name); });
  return codes;
}

std::vector<double> codes_of(const Levels& levels, const CategoricalColumn& column) {
  const ValueNames names(levels.names);
  std::vector<double> new_codes;
  for (const std::string& text : column.levels) {
    const auto found = place_of(levels, names, text);
    new_codes.push_back(found ? static_cast<double>(*found) : code_of_others(levels));
  }
  std::vector<double> codes;
  codes.reserve(column.codes.size());
  for (const std::int32_t code : column.codes)
    codes.push_back(code == CategoricalColumn::missing ? std::numeric_limits<double>::quiet_NaN()
                                                       : new_codes[static_cast<std::size_t>(code)]);
  return codes;
}

void count_known(const Table& table, std::span<const Levels> levels, std::vector<LevelUse>& use) {
  use.resize(levels.size());
  for (std::size_t j = 0; j < levels.size(); ++j) {
    const auto* const column = std::get_if<CategoricalColumn>(&table.features[j].data);
    if (column == nullptr || levels[j].is_number()) continue;
    const ValueNames names(levels[j].names);
    std::vector<bool> is_known;
    for (const std::string& text : column->levels)
      is_known.push_back(place_of(levels[j], names, text).has_value());
    for (const std::int32_t code : column->codes) {
      if (code == CategoricalColumn::missing) continue;
      const auto level = static_cast<std::size_t>(code);
      ++use[j].n_values;
      if (is_known[level])
        ++use[j].n_known;
      else if (use[j].unknown.empty())
        use[j].unknown = column->levels[level];
    }
  }
}

std::string note_on_unknown(const std::string& feature, const Levels& levels, const LevelUse& use) {
  if (use.n_values < 2 || use.n_known == use.n_values) return {};
  if (use.n_known > 0)
    return levels.has_others
               ? std::string()
               : "column " + quoted(feature) + ": " + std::to_string(use.n_values - use.n_known) +
                     " of its " + std::to_string(use.n_values) +
                     " values are no level of the model, for example " + quoted(use.unknown) +
                     "; the column says nothing about their rows";
  return "column " + quoted(feature) + ": none of its " + std::to_string(use.n_values) +
         " values is a level of the model, for example " + quoted(use.unknown) + " where the model has " +
         quoted(levels.names.front());
}

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

void recode(Matrix& X, std::span<const Levels> from, std::span<const Levels> to) {
  for (std::size_t j = 0; j < from.size(); ++j) {
    if (from[j] == to[j]) continue;
    auto new_codes = codes_of(to[j], from[j].names);
    if (from[j].has_others) new_codes.push_back(code_of_others(to[j]));
    for (double& value : X.column(j)) value = recoded(value, new_codes);
  }
}

}  // namespace dyad

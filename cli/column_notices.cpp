// SPDX-License-Identifier: BSD-3-Clause
#include "cli/column_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "dyad/base/text.h"
#include "dyad/data/table_notes.h"

namespace dyad::cli {
namespace {

/// What the rows that count have in a column.
struct ColumnFacts {
  FeatureValues values = FeatureValues::none;
  std::size_t n_levels = 0;  ///< 0 of numbers
  bool is_id = false;
};

/// Adds up what differs among the values of the rows that count.
template <class Value, class IsMissing>
FeatureValues values_of(const std::vector<Value>& values, const std::vector<double>& weights,
                        const IsMissing& is_missing) {
  std::size_t first = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!weights.empty() && weights[i] == 0) continue;
    if (first == values.size()) first = i;
    if (is_missing(values[i]) != is_missing(values[first]) ||
        (!is_missing(values[i]) && values[i] != values[first]))
      return FeatureValues::vary;
  }
  return first == values.size() || is_missing(values[first]) ? FeatureValues::none : FeatureValues::constant;
}

ColumnFacts facts_of(const Column& column, const Table& table) {
  if (const auto* numbers = std::get_if<NumericColumn>(&column.data))
    return {values_of(numbers->values, table.weights, [](double x) { return std::isnan(x); }), 0,
            looks_like_id(numbers->values)};
  const auto& text = std::get<CategoricalColumn>(column.data);
  std::vector<bool> met(text.levels.size());
  for (std::size_t i = 0; i < text.codes.size(); ++i)
    if (text.codes[i] != CategoricalColumn::missing && (table.weights.empty() || table.weights[i] > 0))
      met[static_cast<std::size_t>(text.codes[i])] = true;
  const auto n_levels = static_cast<std::size_t>(std::ranges::count(met, true));
  return {values_of(text.codes, table.weights,
                    [](std::int32_t code) { return code == CategoricalColumn::missing; }),
          n_levels, looks_like_id(n_levels, table.n_rows)};
}

ColumnFacts facts_of(const Survey& survey, std::size_t j) {
  const auto& rows = survey.features[j].level_rows;
  const std::size_t n_levels = rows.size() - static_cast<std::size_t>(std::ranges::count(rows, 0U));
  return {values_of(survey, j), n_levels, looks_like_id(n_levels, survey.n_rows())};
}

/// Prints what is to be said of columns, of the first few.
class Notices {
 public:
  void add(const std::string& name, const std::string& what) {
    add_note(fmt::format("column {} {}", dyad::quoted(name), what));
  }
  void add_note(const std::string& note) {
    if (++n_said_ <= most) tell(fmt::format("dyad: {}\n", note));
  }
  void finish() const {
    if (n_said_ > most) tell(fmt::format("dyad: and so on for {} more columns\n", n_said_ - most));
  }

 private:
  static constexpr std::size_t most = 10;
  std::size_t n_said_ = 0;
};

void tell_facts(const auto& features, const std::vector<ColumnFacts>& facts, std::size_t max_levels,
                std::string_view consequence) {
  const bool none_varies = std::ranges::none_of(
      facts, [](const ColumnFacts& column) { return column.values == FeatureValues::vary; });
  Notices notices;
  for (std::size_t j = 0; j < facts.size() && !none_varies; ++j) {
    if (facts[j].values == FeatureValues::none)
      notices.add(features[j].name, fmt::format("is empty{}", consequence));
    if (facts[j].values == FeatureValues::constant)
      notices.add(features[j].name, fmt::format("is constant{}", consequence));
  }
  for (std::size_t j = 0; j < facts.size(); ++j)
    if (facts[j].is_id)
      notices.add_note(note_on_id(features[j].name));
    else if (facts[j].n_levels > max_levels)
      notices.add(features[j].name, fmt::format("has {} levels; the {} most frequent are told apart",
                                                facts[j].n_levels, max_levels - 1));
  notices.finish();
}

}  // namespace

void warn_about_columns(const Table& table, std::size_t max_levels, std::string_view consequence) {
  std::vector<ColumnFacts> facts;
  for (const Column& column : table.features) facts.push_back(facts_of(column, table));
  tell_facts(table.features, facts, max_levels, consequence);
}

void warn_about_columns(const Survey& survey, std::size_t max_levels, std::string_view consequence) {
  std::vector<ColumnFacts> facts;
  for (std::size_t j = 0; j < survey.features.size(); ++j) facts.push_back(facts_of(survey, j));
  tell_facts(survey.features, facts, max_levels, consequence);
}

void warn_about_classes(const Table& table) {
  std::vector<std::uint64_t> rows(table.labels.classes.size());
  for (const std::int32_t code : table.labels.codes) ++rows[static_cast<std::size_t>(code)];
  for (const std::string& note : notes_on_classes(table.labels.classes, rows)) tell("dyad: " + note + "\n");
}

void warn_about_classes(const Survey& survey) {
  for (const std::string& note : notes_on_classes(survey.classes, survey.class_rows))
    tell("dyad: " + note + "\n");
}

}  // namespace dyad::cli

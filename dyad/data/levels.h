// The levels of categorical features, and rows of tables as numbers and codes of levels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "dyad/base/matrix_view.h"
#include "dyad/data/table.h"

namespace dyad {

/// What the codes 0, 1, .. of a categorical feature mean; without names, a feature of numbers.
struct Levels {
  std::vector<std::string> names;  ///< ascending
  bool has_others = false;         ///< whether the code behind the last name stands for all further levels

  [[nodiscard]] bool is_number() const { return names.empty(); }
  [[nodiscard]] std::size_t size() const { return names.size() + (has_others ? 1 : 0); }
  bool operator==(const Levels&) const = default;
};

/// The levels that stay of those with the given ascending names and counts: `most`, the rarest of more being
/// pooled as others.
///
/// Ties are broken by name, and levels without rows are dropped. `has_others` says whether
/// some are pooled already.
[[nodiscard]] Levels frequent_levels(std::span<const std::string> names, std::span<const double> counts,
                                     bool has_others, std::size_t most);

/// The levels of a column of text: the normal forms of its values, ascending.
[[nodiscard]] Levels levels_of(const CategoricalColumn& column);

/// The code of the level of this very name; that of the others, or NaN as for a missing value if there are
/// none, for one without a name.
[[nodiscard]] double code_of(const Levels& levels, std::string_view name);

/// The codes of some names, as `code_of` each.
[[nodiscard]] std::vector<double> codes_of(const Levels& levels, std::span<const std::string> names);

/// The values of a column of text as codes of the levels that they mean, as `ValueNames` finds them, without
/// blanks too unless levels are pooled; NaN for missing values and unknown levels.
[[nodiscard]] std::vector<double> codes_of(const Levels& levels, const CategoricalColumn& column);

/// Counts the values of categorical features, and those among them whose level is known.
struct LevelUse {
  std::size_t n_values = 0;
  std::size_t n_known = 0;
  std::string unknown;  ///< a value whose level is not known
};

/// Adds the values of a table's columns to the counts of each feature; `levels` has those that are known.
void count_known(const Table& table, std::span<const Levels> levels, std::vector<LevelUse>& use);

/// A warning if a feature has several values and some of their levels are not known, or none, which is rarely
/// meant; else empty. Where rare levels are pooled, some unknown ones are as expected.
[[nodiscard]] std::string note_on_unknown(const std::string& feature, const Levels& levels,
                                          const LevelUse& use);

/// new_codes[code], or NaN where `code` is NaN.
[[nodiscard]] inline double recoded(double code, std::span<const double> new_codes) {
  return std::isnan(code) ? code : new_codes[static_cast<std::size_t>(code)];
}

/// All rows of a table, n x d: numbers, codes of `levels` (one for each feature, or none if all are numbers),
/// NaN for missing values. Throws std::invalid_argument naming a column that has text where numbers are
/// expected or numbers where text is; one without values fits both. Rows are counted from n_before + 1 on.
[[nodiscard]] Matrix coded_rows(const Table& table, std::span<const Levels> levels, std::size_t n_before = 0);

/// Replaces the codes of X, columns with the levels `from`, by the codes of `to`. No effect where both are
/// equal or empty.
void recode(Matrix& X, std::span<const Levels> from, std::span<const Levels> to);

}  // namespace dyad

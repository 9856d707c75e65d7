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

/// The code of a level; that of the others, or NaN as for a missing value if there are none, for one without
/// a name.
[[nodiscard]] double code_of(const Levels& levels, std::string_view name);

/// The codes of some names, as `code_of` each.
[[nodiscard]] std::vector<double> codes_of(const Levels& levels, std::span<const std::string> names);

/// The values of a column of text as codes of `levels`; NaN for missing values and unknown levels.
[[nodiscard]] std::vector<double> codes_of(const Levels& levels, const CategoricalColumn& column);

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

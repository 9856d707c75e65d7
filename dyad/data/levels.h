// The levels of categorical features.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// What the codes 0, 1, .. of a categorical feature mean; without names, a feature of numbers.
struct Levels {
  std::vector<std::string> names;  ///< ascending
  bool has_others = false;         ///< whether the code behind the last name stands for all further levels

  [[nodiscard]] bool is_number() const { return names.empty(); }
  [[nodiscard]] std::size_t size() const { return names.size() + (has_others ? 1 : 0); }
  bool operator==(const Levels&) const = default;
};

/// The code of a level; that of the others, or NaN as for a missing value if there are none, for one without a name.
[[nodiscard]] double code_of(const Levels& levels, std::string_view name);

/// X, whose codes mean what `from` says, with the codes of `to`. Where both are the same, or empty for numbers alone, nothing changes.
void recode(Matrix& X, std::span<const Levels> from, std::span<const Levels> to);

}  // namespace dyad

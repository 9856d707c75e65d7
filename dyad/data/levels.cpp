// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyad {

namespace {

/// The code of levels without a name.
double code_of_others(const Levels& levels) {
  return levels.has_others ? static_cast<double>(levels.names.size())
                           : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double code_of(const Levels& levels, std::string_view name) {
  const auto found = std::ranges::lower_bound(levels.names, name);
  if (found != levels.names.end() && *found == name) return static_cast<double>(found - levels.names.begin());
  return code_of_others(levels);
}

void recode(Matrix& X, std::span<const Levels> from, std::span<const Levels> to) {
  for (std::size_t j = 0; j < from.size(); ++j) {
    if (from[j] == to[j]) continue;
    std::vector<double> new_codes;
    for (const std::string& name : from[j].names) new_codes.push_back(code_of(to[j], name));
    if (from[j].has_others) new_codes.push_back(code_of_others(to[j]));
    for (double& value : X.column(j))
      if (!std::isnan(value)) value = new_codes[static_cast<std::size_t>(value)];
  }
}

}  // namespace dyad

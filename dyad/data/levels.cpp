// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/levels.h"

#include <algorithm>
#include <limits>

#include "dyad/base/gather.h"

namespace dyad {

namespace {

/// The code of levels without a name.
double code_of_others(const Levels& levels) {
  return levels.has_others ? static_cast<double>(levels.names.size())
                           : std::numeric_limits<double>::quiet_NaN();
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

double code_of(const Levels& levels, std::string_view name) {
  const auto found = std::ranges::lower_bound(levels.names, name);
  if (found != levels.names.end() && *found == name) return static_cast<double>(found - levels.names.begin());
  return code_of_others(levels);
}

std::vector<double> codes_of(const Levels& levels, std::span<const std::string> names) {
  std::vector<double> codes;
  codes.reserve(names.size());
  for (const std::string& name : names) codes.push_back(code_of(levels, name));
  return codes;
}

std::vector<double> codes_of(const Levels& levels, const CategoricalColumn& column) {
  const auto new_codes = codes_of(levels, column.levels);
  std::vector<double> codes;
  codes.reserve(column.codes.size());
  for (const std::int32_t code : column.codes)
    codes.push_back(code == CategoricalColumn::missing ? std::numeric_limits<double>::quiet_NaN()
                                                       : new_codes[static_cast<std::size_t>(code)]);
  return codes;
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

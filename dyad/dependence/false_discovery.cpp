// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/false_discovery.h"

#include <algorithm>
#include <string>

#include "dyad/base/ordering.h"

namespace dyad {

std::vector<double> benjamini_hochberg(std::vector<double> p_values, const Execution& execution) {
  const std::size_t m = p_values.size();
  if (m > most_positions)
    throw std::invalid_argument("benjamini_hochberg: too many tests, got " + std::to_string(m));
  const auto order = ordered_positions(
      m, [&](std::size_t k) { return p_values[k]; }, execution);
  double smallest = 1;
  for (std::size_t rank = m; rank > 0; --rank) {
    double& value = p_values[order[rank - 1]];
    smallest = std::min(smallest, value * static_cast<double>(m) / static_cast<double>(rank));
    value = smallest;
  }
  return p_values;
}

}  // namespace dyad

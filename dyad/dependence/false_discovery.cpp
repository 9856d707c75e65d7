// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/false_discovery.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dyad {

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const std::size_t m = p_values.size();
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return p_values[k]; });
  std::vector<double> q_values(m);
  double smallest = 1;
  for (std::size_t rank = m; rank > 0; --rank) {
    const std::size_t k = order[rank - 1];
    smallest = std::min(smallest, p_values[k] * static_cast<double>(m) / static_cast<double>(rank));
    q_values[k] = smallest;
  }
  return q_values;
}

}  // namespace dyad

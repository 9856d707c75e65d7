// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/free_table.h"

#include <algorithm>
#include <cmath>

namespace dyad {

std::size_t BinAxis::bin(double value) const {
  if (std::isnan(value)) return size() - 1;
  if (n_levels == 0) return static_cast<std::size_t>(std::ranges::upper_bound(cuts, value) - cuts.begin());
  return value >= 0 && value < static_cast<double>(n_levels) ? static_cast<std::size_t>(value) : n_levels;
}

void look_up(const FreeTable& table, std::span<const double> x, std::span<const double> y,
             std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t cell = table.x.bin(x[i]);
    out[i] = table.values[y.empty() ? cell : cell * table.y.size() + table.y.bin(y[i])];
  }
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/scaled_column.h"

#include "dyad/data/summary.h"

namespace dyad {

ScaledColumn scaled_column(std::span<const double> x) {
  ScaledColumn column{{upper_median(x), positive_spread(x)}, std::vector<float>(x.size())};
  std::ranges::transform(x, column.values.begin(),
                         [&](double value) { return static_cast<float>(column.scaling(value)); });
  return column;
}

ScaledColumn scaled_column(std::span<const double> x, std::span<const std::size_t> rows) {
  std::vector<double> picked(rows.size());
  std::ranges::transform(rows, picked.begin(), [&](std::size_t row) { return x[row]; });
  return scaled_column(picked);
}

}  // namespace dyad

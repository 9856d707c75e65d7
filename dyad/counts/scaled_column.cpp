// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/counts/scaled_column.h"

#include "dyad/data/summary.h"

namespace dyad {

ScaledColumn scaled_column(std::span<const double> x, const WeightsView& weights) {
  return scaled_column(x, {upper_median(x, weights), positive_spread(x, weights)}, weights);
}

ScaledColumn scaled_column(std::span<const double> x, const Scaling& scaling, const WeightsView& weights) {
  ScaledColumn column{scaling, std::vector<float>(x.size()), weights};
  std::ranges::transform(x, column.values.begin(),
                         [&](double value) { return static_cast<float>(column.scaling(value)); });
  return column;
}

}  // namespace dyad

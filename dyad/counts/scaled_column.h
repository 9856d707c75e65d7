// A feature in units in which its numbers are harmless, whatever the values in the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "dyad/data/row_weights.h"

namespace dyad {

/// x' = (x - centre) / scale, limited to +-1e30 so that single precision and products hold it.
struct Scaling {
  double centre = 0;
  double scale = 1;  ///< > 0

  [[nodiscard]] double operator()(double x) const {
    constexpr double farthest = 1e30;
    return std::clamp((x - centre) / scale, -farthest, farthest);
  }
  bool operator==(const Scaling&) const = default;
};

/// The values of some rows of a feature in single precision. The largest loss is 1e-7 of a value, far below a
/// step of any axis.
struct ScaledColumn {
  Scaling scaling;
  std::vector<float> values;
  WeightsView weights;  ///< of the rows

  /// Number of rows, each counted as often as its weight says.
  [[nodiscard]] double n() const { return weights.total(values.size()); }
};

/// x centred at its upper median, in units of its `positive_spread`. O(n), O(n log n) with weights, which
/// have to outlive the result.
[[nodiscard]] ScaledColumn scaled_column(std::span<const double> x, const WeightsView& weights = {});
/// x in given units.
[[nodiscard]] ScaledColumn scaled_column(std::span<const double> x, const Scaling& scaling,
                                         const WeightsView& weights = {});

}  // namespace dyad

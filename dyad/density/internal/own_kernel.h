// A row's own share of a smoothed table, to be taken out again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdlib>

#include "dyad/counts/pair_counts.h"

namespace dyad::internal {

/// One coordinate of a row: the cell around its place, how far into the cell, and what its own counts add to
/// the cell's two nodes.
struct OwnShare {
  std::size_t cell = 0;
  std::array<double, 2> weights{};
  std::array<double, 2> own{};
};

inline double at_distance(const std::vector<double>& kernel, std::int32_t nodes) {
  const auto k = static_cast<std::size_t>(std::abs(nodes));
  return k < kernel.size() ? kernel[k] : 0;
}

/// Of a row that was binned with `quadratic_shares`.
inline OwnShare own_share(const std::vector<double>& kernel, std::int32_t place) {
  constexpr auto steps = static_cast<std::int32_t>(place_steps);
  const double into_cell = static_cast<double>(place % steps) / steps;
  OwnShare share{static_cast<std::size_t>(place / steps), {1 - into_cell, into_cell}, {}};
  const std::int32_t nearest = (place + steps / 2) / steps;
  const QuadraticShares shares = quadratic_shares(place - nearest * steps);
  for (std::int32_t node = 0; node < 2; ++node) {
    const std::int32_t distance = place / steps + node - nearest;
    share.own[static_cast<std::size_t>(node)] =
        (shares.before * at_distance(kernel, distance + 1) + shares.at * at_distance(kernel, distance) +
         shares.after * at_distance(kernel, distance - 1)) /
        steps;
  }
  return share;
}

/// The share of a node's sum that is left without the row's own part; next to nothing where rounding leaves
/// nothing.
inline double rest_share(double sum, double own) {
  const double rest = sum - own;
  return rest > 1e-13 * sum ? rest / sum : 1e-300;
}

/// log n / (n - 1): the mean is over a row less, or over as much of one as a row stands for. A single row has
/// no others.
class OneLess {
 public:
  explicit OneLess(double n) : n_(n), whole_(log_without(1)) {}
  [[nodiscard]] double operator()(double weight) const { return weight >= 1 ? whole_ : log_without(weight); }

 private:
  [[nodiscard]] double log_without(double weight) const {
    return n_ - weight > 1e-9 * n_ ? std::log(n_ / (n_ - weight)) : -1e30;
  }

  double n_;
  double whole_;
};

}  // namespace dyad::internal

// A grid on one coordinate: values become places among equally spaced nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace dyad {

/// Position among the nodes of an axis in steps of 1/256: the upper byte is the cell, the lower the fraction
/// of it. Whole numbers make sums over rows exact, whatever their order.
using Place = std::uint16_t;

inline constexpr unsigned place_steps = 256;
inline constexpr std::size_t most_nodes = 256;

/// Nodes origin + k step, k = 0 .. size - 1; step > 0.
struct Axis {
  double origin = 0;
  double step = 1;
  std::size_t size = 1;  ///< at most `most_nodes` where values become a Place

  [[nodiscard]] double node(std::size_t k) const { return origin + static_cast<double>(k) * step; }
  [[nodiscard]] double last() const { return node(size - 1); }
  /// t in units of the step from the first node.
  [[nodiscard]] double position(double t) const { return (t - origin) / step; }
  /// The place of t, that of the nearest end if t lies outside.
  [[nodiscard]] Place place(double t) const {
    const double end = static_cast<double>((size - 1) * place_steps);
    return static_cast<Place>(std::lround(std::clamp(position(t) * place_steps, 0.0, end)));
  }

  bool operator==(const Axis&) const = default;
};

}  // namespace dyad

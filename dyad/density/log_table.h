// Log densities on the nodes of a grid, and their values between and beyond the nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "dyad/counts/axis.h"

namespace dyad {

/// Axes of densities reach this many bandwidths beyond the outermost rows.
inline constexpr double axis_margin = 3.5;

/// log density at node k is top - unit depths[k]: two bytes a node, so that tables stay in the first level of
/// cache. The steps are at most 0.001, and densities below e^-64 of the largest count as that.
struct LogTable {
  double top = 0;
  double unit = 0;
  std::vector<std::uint16_t> depths;

  bool operator==(const LogTable&) const = default;
};

/// The logarithms of the densities at n_x by n_y nodes (n_y = 1: one axis), less `shift`. They are adjusted
/// so that linear interpolation, which cuts the tops off concave functions, errs to both sides alike: by
/// -1/12 of the second differences.
[[nodiscard]] LogTable make_log_table(std::vector<double> densities, std::size_t n_x, std::size_t n_y,
                                      double shift);

/// One coordinate of a run of rows among the nodes of an axis.
struct Located {
  static constexpr std::size_t most = 256;  ///< rows at a time
  std::int32_t cells[most];                 ///< the node before, at most size - 2
  double fractions[most];                   ///< of the way to the next node; 0 or 1 beyond the axis
  double beyond[most];  ///< bandwidths beyond the axis: negative before, positive after, 0 on it
  bool any_beyond = false;
  double bandwidth = 1;  ///< in steps of the axis
};

/// Places t among the nodes; t has at most Located::most values.
void locate(std::span<const double> t, const Axis& axis, double bandwidth, Located& out);

/// out[i] = the log density interpolated linearly between nodes. d bandwidths beyond the axis it goes on as
/// log f(end) + s d - d^2 / 2, s the slope per bandwidth at the end and at most -margin: as the kernel of the
/// nearest row falls.
void look_up(const LogTable& table, const Located& x, std::span<double> out);
/// The same between the four nodes around (x, y), on an axis y of n_y nodes.
void look_up(const LogTable& table, const Located& x, const Located& y, std::size_t n_y,
             std::span<double> out);

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/log_table.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

constexpr double deepest = 64;
constexpr double most_depths = 65535;
constexpr double farthest_beyond = 1e18;  // bandwidths beyond an axis that make a difference

/// Second differences are those of smooth functions; where the table is cut off they are not.
[[gnu::always_inline]] inline double limited_difference(double second_difference) {
  const double low = second_difference < -0.5 ? -0.5 : second_difference;
  return low > 0.5 ? 0.5 : low;
}

/// out = values - 1/12 of their second differences along both axes; at the ends those of the nodes next to
/// them.
DYAD_SIMD void adjust(const double* values, std::size_t n_x, std::size_t n_y, double* out) {
  for (std::size_t a = 0; a < n_x; ++a) {
    const double* const row = values + a * n_y;
    double* const to = out + a * n_y;
    for (std::size_t b = 0; b < n_y; ++b) to[b] = row[b];
    if (n_x > 2) {
      const double* const centre = values + std::clamp<std::size_t>(a, 1, n_x - 2) * n_y;
      for (std::size_t b = 0; b < n_y; ++b)
        to[b] -= limited_difference((centre - n_y)[b] - 2 * centre[b] + (centre + n_y)[b]) / 12;
    }
    if (n_y > 2) {
      for (std::size_t b = 1; b + 1 < n_y; ++b)
        to[b] -= limited_difference(row[b - 1] - 2 * row[b] + row[b + 1]) / 12;
      to[0] -= limited_difference(row[0] - 2 * row[1] + row[2]) / 12;
      to[n_y - 1] -= limited_difference(row[n_y - 3] - 2 * row[n_y - 2] + row[n_y - 1]) / 12;
    }
  }
}

/// depths[k] = (top - values[k]) / unit, rounded.
DYAD_SIMD void to_depths(std::span<const double> values, double top, double unit, std::uint16_t* depths) {
  const double* const from = values.data();
  for (std::size_t k = 0; k < values.size(); ++k)
    depths[k] =
        static_cast<std::uint16_t>(static_cast<std::int32_t>(std::floor((top - from[k]) / unit + 0.5)));
}

/// The change of the log density at an axis' end, `depth` below the top, for row i beyond it; `rise` is
/// that of the last cell from node to node. The slope in the middle of the cell is half a step less steep
/// than that at the end, the curvature of a kernel being -1.
double fall(const Located& at, std::size_t i, double depth, double rise) {
  constexpr double cut_off =
      deepest - 1;  // below it nodes tell no slope: that of a kernel so far down is as good
  const double beyond = at.beyond[i];
  const double outward = (beyond > 0 ? rise : -rise) * at.bandwidth - 0.5 / at.bandwidth;
  const double steepest = depth < cut_off ? outward : std::min(outward, -std::sqrt(2 * depth));
  const double distance = std::min(std::abs(beyond), farthest_beyond);
  return distance * (std::min(steepest, -axis_margin) - 0.5 * distance);
}

}  // namespace

LogTable make_log_table(std::vector<double> densities, std::size_t n_x, std::size_t n_y, double shift) {
  assert(densities.size() == n_x * n_y);
  // No row may be on the axes, where all lie farther apart than numbers can tell.
  constexpr double smallest = 1e-250;
  const double least_density = std::max(extremes(densities).greatest, smallest) * std::exp(-deepest);
  for (double& density : densities) density = std::max(density, least_density);
  take_logarithms(densities);
  std::vector<double> adjusted(densities.size());
  adjust(densities.data(), n_x, n_y, adjusted.data());
  const auto [least, most] = extremes(adjusted);
  LogTable table{most - shift, std::max(most - least, 1e-6) / most_depths,
                 std::vector<std::uint16_t>(adjusted.size())};
  to_depths(adjusted, most, table.unit, table.depths.data());
  return table;
}

DYAD_SIMD void locate(std::span<const double> t, const Axis& axis, double bandwidth, Located& out) {
  const double origin = axis.origin;
  const double step = axis.step;
  const auto end = static_cast<double>(axis.size - 1);
  const auto last_cell = static_cast<std::int32_t>(axis.size) - 2;
  const double bandwidth_in_steps = bandwidth / step;
  const double* const values = t.data();
  const std::size_t n = t.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double position = (values[i] - origin) / step;
    const double inside = position < 0 ? 0 : position > end ? end : position;
    const double distance = (position - inside) / bandwidth_in_steps;
    const auto below = static_cast<std::int32_t>(inside);
    const std::int32_t cell = below < last_cell ? below : last_cell;
    out.cells[i] = cell;
    out.fractions[i] = inside - cell;
    out.beyond[i] = distance;
  }
  // In a loop of its own, without which the one above is not turned into vectors.
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= std::bit_cast<std::uint64_t>(out.beyond[i]);
  out.any_beyond = any != 0;
  out.bandwidth = bandwidth_in_steps;
}

DYAD_SIMD void look_up(const LogTable& table, const Located& x, std::span<double> out) {
  const std::uint16_t* const depths = table.depths.data();
  const double top = table.top;
  const double unit = table.unit;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto low = static_cast<double>(depths[x.cells[i]]);
    const auto high = static_cast<double>(depths[x.cells[i] + 1]);
    out[i] = top - unit * (low + x.fractions[i] * (high - low));
    if (x.beyond[i] != 0) out[i] += fall(x, i, top - out[i], unit * (low - high));
  }
}

DYAD_SIMD void look_up(const LogTable& table, const Located& x, const Located& y, std::size_t n_y,
                       std::span<double> out) {
  // The two neighbours along y are read at once: a load for each of the two nodes along x.
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t low_x[Located::most];
  std::uint32_t high_x[Located::most];
  const std::size_t n = out.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t* const node = table.depths.data() + static_cast<std::size_t>(x.cells[i]) * n_y +
                                      static_cast<std::size_t>(y.cells[i]);
    std::memcpy(&low_x[i], node, sizeof(std::uint32_t));
    std::memcpy(&high_x[i], node + n_y, sizeof(std::uint32_t));
  }
  const double top = table.top;
  const double unit = table.unit;
  double* const to = out.data();
  for (std::size_t i = 0; i < n; ++i) {
    const auto low_low = static_cast<double>(static_cast<std::int32_t>(low_x[i] & 0xffffU));
    const auto low_high = static_cast<double>(static_cast<std::int32_t>(low_x[i] >> 16U));
    const auto high_low = static_cast<double>(static_cast<std::int32_t>(high_x[i] & 0xffffU));
    const auto high_high = static_cast<double>(static_cast<std::int32_t>(high_x[i] >> 16U));
    const double low = low_low + y.fractions[i] * (low_high - low_low);
    const double high = high_low + y.fractions[i] * (high_high - high_low);
    to[i] = top - unit * (low + x.fractions[i] * (high - low));
  }
  if (!x.any_beyond && !y.any_beyond) return;
  const auto depth = [](std::uint32_t pair, std::uint32_t shift) {
    return static_cast<double>((pair >> shift) & 0xffffU);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double f = x.fractions[i];
    const double g = y.fractions[i];
    const double depth_here = top - to[i];
    if (x.beyond[i] != 0) {
      const double at_low = depth(low_x[i], 0) + g * (depth(low_x[i], 16) - depth(low_x[i], 0));
      const double at_high = depth(high_x[i], 0) + g * (depth(high_x[i], 16) - depth(high_x[i], 0));
      to[i] += fall(x, i, depth_here, unit * (at_low - at_high));
    }
    if (y.beyond[i] != 0) {
      const double at_low_x = depth(low_x[i], 0) - depth(low_x[i], 16);
      const double at_high_x = depth(high_x[i], 0) - depth(high_x[i], 16);
      to[i] += fall(y, i, depth_here, unit * (at_low_x + f * (at_high_x - at_low_x)));
    }
  }
}

}  // namespace dyad

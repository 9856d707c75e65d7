// Axes that resolve kernels, and rows on them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/axis.h"
#include "dyad/data/row_weights.h"

namespace dyad {

/// What an axis is asked for.
struct AxisNeeds {
  double finest = 1;       ///< step wished for
  double coarsest = 1;     ///< step that still does
  double margin = 0;       ///< beyond the outermost values
  std::size_t most = 256;  ///< nodes
};

/// An axis over `values` with its margins. Where `most` nodes at the coarsest step do not span them all, the
/// axis covers the stretch of that length that holds the most values, by weight. O(n), O(n log n) in the
/// latter case. Has eight nodes or more.
[[nodiscard]] Axis axis_over(std::span<const float> values, const AxisNeeds& needs,
                             const WeightsView& weights = {});

/// Places of values among the nodes in steps of 1/256; -1 for values outside the axis or less than half a
/// step from its ends. A row taken out of its counts again must be placed by this very function.
[[nodiscard]] std::vector<std::int32_t> places_on(const Axis& axis, std::span<const float> values);

/// The axis of v over the rows whose u_i is on the axis of u; over all if there is none.
[[nodiscard]] Axis axis_beside(const Axis& u_axis, std::span<const float> u, std::span<const float> v,
                               const AxisNeeds& needs, const WeightsView& weights = {});

/// The sample behind counts, by weight: rows beyond the axes are in no count. They lie so far from all others
/// that only the pair of each with itself adds to a functional.
struct CountedRows {
  double inside = 0;
  double n_rows = 0;          ///< those beyond the axes included
  double squares_beyond = 0;  ///< sum of the squared weights of those

  CountedRows& operator+=(const CountedRows& other) {
    inside += other.inside;
    n_rows += other.n_rows;
    squares_beyond += other.squares_beyond;
    return *this;
  }
};

/// Counts on one axis in 1/256 of the weights' unit, by `quadratic_shares`.
struct AxisCounts {
  std::vector<std::int64_t> counts;
  CountedRows rows;
};
[[nodiscard]] AxisCounts counts_on(const Axis& axis, std::span<const float> values,
                                   const WeightsView& weights = {});

/// Places of the rows (u_i, v_i) that are on both axes.
struct PlacedRows {
  std::vector<Place> u;
  std::vector<Place> v;
  std::vector<std::uint32_t> weights;  ///< their counts; empty if all weights are 1
  CountedRows rows;
};
[[nodiscard]] PlacedRows place_rows(const Axis& u_axis, std::span<const float> u, const Axis& v_axis,
                                    std::span<const float> v, const WeightsView& weights = {});

/// Standard deviation of the kernel that smooths counts: binning by quadratic shares has widened the data by
/// a variance of step^2 / 4 already.
[[nodiscard]] double narrowed(double bandwidth, double step);

/// phi_sd at distances 0, step, 2 step .. to where it is below e^-37 of its top.
[[nodiscard]] std::vector<double> node_kernel(double sd, double step);

}  // namespace dyad

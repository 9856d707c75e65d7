// Univariate Gaussian kernel densities by smoothed counts: as kde1d.h, in time that does not grow with the
// sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/scaled_column.h"
#include "dyad/density/bandwidth.h"
#include "dyad/density/log_table.h"
#include "dyad/density/smoothing_axis.h"

namespace dyad {

/// The log density of a feature on the nodes of an axis of its scaled values.
struct Grid1d {
  Scaling scaling;
  Axis axis;
  double bandwidth = 1;  ///< in units of the scaling
  LogTable table;        ///< in the feature's own units

  bool operator==(const Grid1d&) const = default;
};

/// A column on an axis made for it: counted once, smoothed as often as folds ask.
struct BinnedColumn {
  Scaling scaling;
  Axis axis;
  double bandwidth = 1;
  std::vector<std::int64_t> counts;  ///< by `quadratic_shares`, in 1/256 of the weights' unit
  double unit = 1;                   ///< of the weights
  CountedRows rows;
};

/// A density with what is needed to take single rows out of it again.
struct FittedGrid1d {
  Grid1d grid;
  std::vector<double> densities;  ///< sum of the rows' kernels at the nodes
  std::vector<double> kernel;     ///< one row's at 0, 1, .. nodes from it
  double n_rows = 0;
};

/// Bins a column for a bandwidth in its units. `grid` is half the number of nodes that a pair's axis takes at
/// most; one feature alone takes up to 16 times `grid` where its tails are long.
[[nodiscard]] BinnedColumn bin_column(const ScaledColumn& x, double bandwidth, std::size_t grid);

/// Smooths counts by a kernel of the column's bandwidth times `factor`.
[[nodiscard]] FittedGrid1d smooth(const BinnedColumn& column, double factor = 1);

/// The estimate with the bandwidth that `rule` gives for x. Throws std::invalid_argument if x is empty or has
/// a value that is not finite.
[[nodiscard]] Grid1d fit_grid1d(std::span<const double> x, BandwidthRule rule, std::size_t grid);

/// The estimate with a given bandwidth. Throws std::invalid_argument too if that is not a positive number.
[[nodiscard]] Grid1d make_grid1d(std::span<const double> x, double bandwidth, std::size_t grid);

/// out[i] = log f(x[i]). Beyond the axis it goes on falling as the kernel of the outermost row does. About 2
/// ns each. Throws std::invalid_argument if a value is not finite.
void log_density(const Grid1d& grid, std::span<const double> x, std::span<double> out);

/// The scaled values x are rows of the sample, out[i] their log densities. Takes the kernel of each row
/// itself out of its own value (leave-one-out; bandwidth and axis stay those of all rows); what is left is
/// very low where nothing else is near. A row that stands for several loses one of them.
void leave_out_own(const FittedGrid1d& fitted, std::span<const float> x, std::span<double> out,
                   const WeightsView& weights = {});

/// Rows beyond the axis are in none of its counts: replaces out[i] by the row's own kernel alone, if that is
/// more.
void add_own_beyond_axis(const FittedGrid1d& fitted, std::span<const float> x, std::span<double> out,
                         const WeightsView& weights = {});

}  // namespace dyad

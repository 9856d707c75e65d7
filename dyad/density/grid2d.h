// Bivariate Gaussian kernel densities with a full bandwidth matrix by smoothed counts: as kde2d.h, in time
// that does not grow with the sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/pair_counts.h"
#include "dyad/counts/scaled_column.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/log_table.h"
#include "dyad/density/smoothing_axis.h"

namespace dyad {

/// The coordinates in which a pair of features is laid on a grid: u = x', v = y' - shear x' of the scaled
/// values, so that the kernel is a product whatever the bandwidth matrix, and a narrow one along a diagonal
/// is resolved as well as any other.
struct Frame2d {
  Scaling x;
  Scaling y;
  ShearedKernel kernel;
  Axis u;
  Axis v;

  bool operator==(const Frame2d&) const = default;
};

/// The log density of a pair of features on the nodes of its frame.
struct Grid2d {
  Frame2d frame;
  LogTable table;  ///< in the features' own units

  bool operator==(const Grid2d&) const = default;
};

/// The rows of a pair of columns in a frame made for them: filled once, smoothed as often as folds ask.
struct BinnedPair {
  Frame2d frame;
  PairCounts counts;
  double unit = 1;    ///< of the rows' weights
  double n_rows = 0;  ///< those beyond the axes included
};

/// A density with what is needed to take single rows out of it again.
struct FittedGrid2d {
  Grid2d grid;
  std::vector<double> densities;  ///< sum of the rows' kernels at the nodes
  std::vector<double> kernel_u;   ///< one row's at 0, 1, .. nodes from it
  std::vector<double> kernel_v;
  double n_rows = 0;
};

/// What values may span, in bandwidths, for an axis to hold them all.
[[nodiscard]] double longest_axis(std::size_t grid);

/// The frame of two columns with a given kernel: axes with steps of 0.45 bandwidths and up to 2 `grid` nodes,
/// 256 at most; where those do not span all rows, the stretches that hold the most.
[[nodiscard]] Frame2d make_frame(const ScaledColumn& x, const ScaledColumn& y, const ShearedKernel& kernel,
                                 std::size_t grid);
/// Places of the rows that lie within the frame.
[[nodiscard]] PlacedRows place_rows(const Frame2d& frame, std::span<const float> x, std::span<const float> y,
                                    const WeightsView& weights = {});

/// Counts the rows (x_i, y_i), scaled values, in a frame made for them.
[[nodiscard]] BinnedPair bin_pair(const Frame2d& frame, std::span<const float> x, std::span<const float> y,
                                  const WeightsView& weights = {});

/// Smooths counts by the frame's kernel with its bandwidths multiplied by `factor`.
[[nodiscard]] FittedGrid2d smooth(const BinnedPair& pair, double factor = 1);

/// The estimate with the bandwidth matrix that `rule` gives for the sample. Throws std::invalid_argument if x
/// and y differ in size, are empty or have a value that is not finite.
[[nodiscard]] Grid2d fit_grid2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule,
                                std::size_t grid);
/// The same with a given positive definite H.
[[nodiscard]] Grid2d make_grid2d(std::span<const double> x, std::span<const double> y, const Symmetric2& H,
                                 std::size_t grid);

/// out[i] = log f(x[i], y[i]). Beyond the axes it goes on falling as the kernel of the outermost row does.
/// About 3 ns each. Throws std::invalid_argument if a value is not finite.
void log_density(const Grid2d& grid, std::span<const double> x, std::span<const double> y,
                 std::span<double> out);

/// As for one feature (grid1d.h); x and y are scaled values of rows of the sample.
void leave_out_own(const FittedGrid2d& fitted, std::span<const float> x, std::span<const float> y,
                   std::span<double> out, const WeightsView& weights = {});
void add_own_beyond_axes(const FittedGrid2d& fitted, std::span<const float> x, std::span<const float> y,
                         std::span<double> out, const WeightsView& weights = {});

}  // namespace dyad

// Mutual information from kernel densities: the edge weights of TAN (paper, section 5: the R package mpmi).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"

namespace dyad {

/// In nats. `raw` is the mean over the points of log(f_xy / (f_x f_y)), Epanechnikov (product) kernels, each
/// point's own kernel included; `corrected` is its jackknife, n raw - (n - 1) mean of the n leave-one-out
/// values.
struct MutualInformation {
  double raw = 0;
  double corrected = 0;
};

/// With the bandwidths of `epanechnikov_bandwidth`. O(n^2).
/// Throws std::invalid_argument if x and y differ in size, are empty or have a value that is not finite.
[[nodiscard]] MutualInformation mutual_information(std::span<const double> x, std::span<const double> y);

/// With bandwidths h_x, h_y > 0.
[[nodiscard]] MutualInformation mutual_information(std::span<const double> x, std::span<const double> y,
                                                   double h_x, double h_y);

/// Of every pair of columns of X: entry pair_index(i, j, d). O(n^2 d^2).
[[nodiscard]] std::vector<MutualInformation> mutual_information_all_pairs(const MatrixView& X,
                                                                          const Execution& execution = {});

/// The raw values alone, to rounding: kernels, which are the same for two points in either order, are
/// computed once.
[[nodiscard]] std::vector<double> raw_information_all_pairs(const MatrixView& X,
                                                            const Execution& execution = {});

}  // namespace dyad

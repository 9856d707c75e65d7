// The bandwidth rules of bandwidth.h for binned counts: time grows with n, not n^2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/scaled_column.h"
#include "dyad/density/bandwidth.h"

namespace dyad {

/// A bandwidth matrix as a diagonal one in sheared coordinates: the kernel of (u, v) = (x', y' - shear x') is
/// the product of those of u and v, x' and y' being columns of unit spread. Every H has such a form: shear =
/// H_xy / H_xx.
struct ShearedKernel {
  double shear = 0;
  double h_u = 1;
  double h_v = 1;

  bool operator==(const ShearedKernel&) const = default;
};

/// H = S (h_u^2, 0; 0, h_v^2) S', S = (1, 0; shear, 1).
[[nodiscard]] Symmetric2 matrix_of(const ShearedKernel& kernel);
[[nodiscard]] ShearedKernel sheared(const Symmetric2& H);

/// h of a column, in its units.
[[nodiscard]] double counts_bandwidth_1d(const ScaledColumn& x, BandwidthRule rule);

/// The kernel of a pair of columns. Functionals come from counts on axes in which the pair is uncorrelated;
/// those of a full H are then turned into the frame of the exact rule. Of more than `most_functional_rows`
/// rows, that many evenly spaced ones are taken.
[[nodiscard]] ShearedKernel counts_bandwidth_2d(const ScaledColumn& x, const ScaledColumn& y,
                                                BandwidthRule rule);

inline constexpr std::size_t most_functional_rows = 50000;

/// y' - shear x'.
[[nodiscard]] std::vector<float> sheared_values(std::span<const float> x, std::span<const float> y,
                                                double shear);

/// The same as `bandwidth_1d` and `bandwidth_2d`, to within a percent or two.
[[nodiscard]] double counts_bandwidth_1d(std::span<const double> x, BandwidthRule rule);
[[nodiscard]] Symmetric2 counts_bandwidth_2d(std::span<const double> x, std::span<const double> y,
                                             BandwidthRule rule);

}  // namespace dyad

// Bivariate Gaussian kernel density estimates with a full bandwidth matrix, by exact sums (paper, section 3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dyad/density/bandwidth.h"

namespace dyad {

/// f(p) = 1/n sum_i phi_H(p - p_i), kept in coordinates in which the kernel is the standard normal:
/// p = centre + unit * L (u, v)', with H = unit L L' unit.
struct Kde2d {
  std::vector<double> u;  ///< first whitened coordinate of the points, ascending, at least one
  std::vector<double> v;  ///< second, in the order of u
  double centre_x = 0;
  double centre_y = 0;
  double unit_x = 1;  ///< what H is measured in, so that it is representable
  double unit_y = 1;
  Symmetric2 H{1, 0, 1};  ///< the bandwidth matrix in those units
  double L_xx = 1;        ///< its Cholesky factor
  double L_yx = 0;
  double L_yy = 1;

  bool operator==(const Kde2d&) const = default;
};

/// The estimate with a given H, in the units `unit_x` and `unit_y` of the coordinates. Throws
/// std::invalid_argument if x and y differ in size, are empty or have a value that is not finite, or if H is
/// not positive definite.
[[nodiscard]] Kde2d make_kde2d(std::span<const double> x, std::span<const double> y, const Symmetric2& H,
                               double unit_x = 1, double unit_y = 1);

/// The estimate with the bandwidth matrix that `rule` gives for the sample; for values of any size.
[[nodiscard]] Kde2d fit_kde2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule);

/// out[i] = log f(x[i], y[i]), to about 1e-12 however far from the points, and never below the lowest finite
/// double. O(points within reach) each. Throws std::invalid_argument if a value is not finite.
void log_density(const Kde2d& kde, std::span<const double> x, std::span<const double> y,
                 std::span<double> out);

/// The same for points of the sample itself, each without its own kernel (leave-one-out; H stays).
/// A sample of one point has no others: the lowest finite double.
void log_density_without_own(const Kde2d& kde, std::span<const double> x, std::span<const double> y,
                             std::span<double> out);

}  // namespace dyad

// Univariate Gaussian kernel density estimates by exact sums (paper, section 3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dyad/density/bandwidth.h"

namespace dyad {

/// f(x) = 1/(n h) sum_i phi((x - x_i) / h).
struct Kde1d {
  std::vector<double> points;  ///< the x_i, ascending, finite, at least one
  double bandwidth = 1;        ///< h > 0

  bool operator==(const Kde1d&) const = default;
};

/// The estimate with a given bandwidth. Throws std::invalid_argument if x is empty or has a value that is not
/// finite, or if the bandwidth is not a positive number.
[[nodiscard]] Kde1d make_kde1d(std::span<const double> x, double bandwidth);

/// The estimate with the bandwidth that `rule` gives for x.
[[nodiscard]] Kde1d fit_kde1d(std::span<const double> x, BandwidthRule rule);

/// out[i] = log f(x[i]), to about 1e-12 however far x[i] lies from the points, and never below the lowest
/// finite double. O(log n + points within reach) each. Throws std::invalid_argument if x[i] is not finite.
void log_density(const Kde1d& kde, std::span<const double> x, std::span<double> out);

/// The same for points of the sample itself, each without its own kernel (leave-one-out; the bandwidth
/// stays): out[i] = log 1/((n - 1) h) sum over k != i of phi((x[i] - x_k) / h). Every x[i] must be one of
/// kde.points. A sample of one point has no others: the lowest finite double.
void log_density_without_own(const Kde1d& kde, std::span<const double> x, std::span<double> out);

}  // namespace dyad

// The stable sum shared by the exact densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace dyad::internal {

/// Distance within which all kernels count: beyond it they are less than 1e-19 of the nearest one, whose
/// squared distance is `nearest`. The nearest itself lies within, whatever the rounding.
inline double radius(double nearest) { return std::sqrt(nearest + 88) * (1 + 1e-9); }

/// sum_i exp(-(d_i - nearest) / 2) for squared distances d_i.
template <class Distances>
double kernel_sum(const Eigen::ArrayBase<Distances>& squared, double nearest) {
  return (-0.5 * (squared - nearest)).exp().sum();
}

}  // namespace dyad::internal

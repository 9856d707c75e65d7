// The stable sum shared by the exact densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace dyad::internal {

/// The index of no point.
inline constexpr std::size_t no_point = std::numeric_limits<std::size_t>::max();

/// Distance within which all kernels count: beyond it they are less than 1e-19 of the nearest one, whose
/// squared distance is `nearest`. The nearest itself lies within, whatever the rounding.
inline double radius(double nearest) { return std::sqrt(nearest + 88) * (1 + 1e-9); }

/// sum_i exp(-(d_i - nearest) / 2) for squared distances d_i = ((x_i - at) / h)^2, none of them less than
/// `nearest`.
[[nodiscard]] double kernel_sum(std::span<const double> x, double at, double h, double nearest);

/// The same for d_i = (u_i - at_u)^2 + (v_i - at_v)^2.
[[nodiscard]] double kernel_sum(std::span<const double> u, std::span<const double> v, double at_u,
                                double at_v, double nearest);

}  // namespace dyad::internal

// Parts of HSIC that both engines share: its distribution under independence, the bandwidth, pairs as
// matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/matrix_view.h"

namespace dyad::internal {

/// What the null distribution needs of one feature's kernel matrix K.
struct KernelMoments {
  double mean = 0;            ///< of all entries
  double centred_square = 0;  ///< e_K = mean(K^2) - 2 mean(rowmean(K)^2) + mean(K)^2
};

/// P(n HSIC > statistic) by the gamma approximation; see `hsic`.
[[nodiscard]] double gamma_p_value(double statistic, double n, const KernelMoments& K,
                                   const KernelMoments& L);

/// `median_bandwidth` for ascending values whose differences are finite.
[[nodiscard]] double median_bandwidth_of_sorted(std::span<const double> sorted);

/// x and y as the columns of a matrix. Throws as `require_finite_pairs` does.
[[nodiscard]] Matrix side_by_side(std::span<const double> x, std::span<const double> y);

}  // namespace dyad::internal

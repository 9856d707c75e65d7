// Bandwidths of Gaussian kernel density estimates, by rule (paper, section 5: the rules of the R package ks).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/options.h"
#include "dyad/data/row_weights.h"
#include "dyad/density/plug_in.h"

namespace dyad {

enum class BandwidthRule {
  plug_in,           ///< two-stage direct plug-in; in 2-D a full matrix
  plug_in_diagonal,  ///< the same with a diagonal matrix
  normal_scale       ///< what would be best for a normal sample
};
inline constexpr Names<3> bandwidth_rule_names{"plug_in", "plug_in_diagonal", "normal_scale"};

/// Bandwidth h > 0 of a univariate estimate. O(n^2) for the plug-in rules (Wand and Jones 1995,
/// section 3.6.1), O(n) for normal scale, (4 / (3 n))^(1/5) sd. The plug-in takes min(sd, IQR / 1.349) for
/// the scale; sd alone where the IQR is 0. A sample without any spread (constant, or n = 1) gets the normal
/// scale of `positive_spread`. Throws std::invalid_argument if x is empty or has a value that is not finite.
[[nodiscard]] double bandwidth_1d(std::span<const double> x, BandwidthRule rule);

/// Bandwidth of the Epanechnikov kernel 3/4 (1 - z^2) by three stages of plug-in; for mutual information.
/// Degenerate samples and errors as for `bandwidth_1d`. O(n^2).
[[nodiscard]] double epanechnikov_bandwidth(std::span<const double> x);

/// Positive definite bandwidth matrix H of a bivariate estimate. O(n^2) for the plug-in rules (Duong and
/// Hazelton 2003: SAMSE pilots on the sphered sample; diagonal: on the scaled sample), O(n) for normal scale,
/// n^(-1/3) S. The correlation used for sphering, and in S, is limited to +-`largest_correlation`; a
/// coordinate without any spread counts with its `positive_spread`. Entries stay within the range of double:
/// the matrix of values beyond 1e150 or below 1e-150 saturates and becomes diagonal (`fit_kde2d` works with
/// the true one). Throws std::invalid_argument if x and y differ in size, are empty or have a value that is
/// not finite.
[[nodiscard]] Symmetric2 bandwidth_2d(std::span<const double> x, std::span<const double> y,
                                      BandwidthRule rule);

/// The scale by which a plug-in rule standardises; 0 for a sample without spread.
[[nodiscard]] double plug_in_scale(std::span<const double> x, const WeightsView& weights = {});

inline constexpr double largest_correlation = 1 - 1e-6;

/// The positive, finite number next to a bandwidth that overflowed or underflowed; any other as it is.
[[nodiscard]] double within_doubles(double bandwidth);

/// H, which is in units of the coordinates, in units of 1; diagonal where entries had to be kept within the
/// range of double.
[[nodiscard]] Symmetric2 in_units_of_one(const Symmetric2& H, double unit_x, double unit_y);

}  // namespace dyad

// Location and spread of a sample, safe for values of any size. Values may have weights: 2 is the same as the
// value twice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/row_weights.h"

namespace dyad {

/// 1 for ordinary samples; for values beyond 1e100 or all below 1e-100 the power of two next to the largest
/// magnitude. Dividing by it keeps squares of the values representable, and is exact unless small ones
/// underflow.
[[nodiscard]] double representable_unit(std::span<const double> x);

/// x / unit.
[[nodiscard]] std::vector<double> in_units_of(double unit, std::span<const double> x);

/// Arithmetic mean; 0 for an empty sample.
[[nodiscard]] double mean(std::span<const double> x, const WeightsView& weights = {});

/// Standard deviation with divisor n - 1; 0 for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> x, const WeightsView& weights = {});

/// Quantile by linear interpolation between order statistics at (n - 1) p (R's type 7); x is not empty.
[[nodiscard]] double quantile(std::span<const double> x, double p, const WeightsView& weights = {});

/// The value of 0-based rank floor(n / 2); x is not empty. A centre that no outlier moves.
[[nodiscard]] double upper_median(std::span<const double> x, const WeightsView& weights = {});

/// (x - upper_median) / scale, limited to +-1e150 so that differences and their squares stay finite; scale >
/// 0.
[[nodiscard]] std::vector<double> centred_and_scaled(std::span<const double> x, double scale);

/// Upper less lower quartile.
[[nodiscard]] double interquartile_range(std::span<const double> x, const WeightsView& weights = {});

/// A positive, finite length for any sample: its standard deviation; for a constant sample the magnitude of
/// the constant, or 1 if that is zero.
[[nodiscard]] double positive_spread(std::span<const double> x, const WeightsView& weights = {});

/// The places of the values that are not NaN, ascending.
[[nodiscard]] std::vector<std::size_t> rows_with_value(std::span<const double> x);

/// Whether all values are the same.
[[nodiscard]] bool is_constant(std::span<const double> x);

/// Throws std::invalid_argument, in the name of `function`, if x is empty or has a value that is not finite.
void require_finite_sample(std::span<const double> x, const char* function);

/// The same for both coordinates of a sample of pairs, and if x and y differ in size.
void require_finite_pairs(std::span<const double> x, std::span<const double> y, const char* function);

}  // namespace dyad

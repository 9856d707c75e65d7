// A monotone function of a feature, in which its densities are estimated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"
#include "dyad/data/levels.h"
#include "dyad/data/row_weights.h"

namespace dyad {

enum class Transform {
  none,      ///< the values as they are
  standard,  ///< centred and scaled
  robust     ///< logarithms of positive values that span decades, else asinh, which draws in tails; then
             ///< standardised
};
inline constexpr Names<3> transform_names{"none", "standard", "robust"};

enum class Curve { linear, asinh, log };
inline constexpr Names<3> curve_names{"linear", "asinh", "log"};

/// z = (t - mean) / deviation, t = curve((x - centre) / spread), or log max(x, lowest).
struct Coordinate {
  Curve curve = Curve::linear;
  double lowest = 0;
  double centre = 0;
  double spread = 1;
  double mean = 0;
  double deviation = 1;

  bool operator==(const Coordinate&) const = default;
};

/// The coordinate that `transform`, which is not `none`, gives a feature by its values x, none of them
/// missing: log if all are positive and the quantiles at 0.95 and 0.05 are more than 100 times apart (later
/// values below half of the smallest count as that), else asinh of distances from the median in units of the
/// interquartile range / 1.349, or of the standard deviation where that is all but 0.
[[nodiscard]] Coordinate fit_coordinate(std::span<const double> x, Transform transform,
                                        const WeightsView& weights = {});

/// out[i] = z of x[i], limited to +-1e100, and 0 where it is as good as that; NaN stays. They may be the same
/// place.
void apply(const Coordinate& coordinate, std::span<const double> x, std::span<double> out);

/// Replaces the columns of X by their coordinates; keeps X if there are none.
void apply_coordinates(std::span<const Coordinate> coordinates, Matrix& X, const Execution& execution = {});

/// A copy of X in coordinates, or of X itself if there are none.
[[nodiscard]] Matrix in_coordinates(std::span<const Coordinate> coordinates, const MatrixView& X,
                                    const Execution& execution = {});

/// The x of z, at least `lowest` where that applies; within the range of double.
[[nodiscard]] double inverse(const Coordinate& coordinate, double z);

/// Coordinates of the columns, from the values that are not missing; empty for Transform::none.
///
/// Codes of levels and columns without a value stay as they are.
[[nodiscard]] std::vector<Coordinate> fit_coordinates(const MatrixView& X, Transform transform,
                                                      const WeightsView& weights,
                                                      const Execution& execution = {},
                                                      std::span<const Levels> levels = {});

}  // namespace dyad

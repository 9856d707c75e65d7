// How well scores rank rows, at every threshold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace dyad {

/// A curve with one point for each distinct score that rows are taken from on, the highest first.
struct RankingCurve {
  std::vector<double> x;
  std::vector<double> y;
  double area = 0;
};

/// x: share of the negative rows (signs[i] <= 0) taken, y: share of the positive ones; from (0, 0) to (1, 1),
/// and the area below. Empty, with an area of NaN, if one kind is absent. O(n log n).
[[nodiscard]] RankingCurve roc_curve(std::span<const double> scores, std::span<const double> signs);

/// x: recall, the share of the positive rows taken; y: precision, the share of positive ones among those
/// taken; from x = 0 with the precision of the first point. The area is the average precision, sum (x_k -
/// x_k-1) y_k.
[[nodiscard]] RankingCurve precision_recall_curve(std::span<const double> scores,
                                                  std::span<const double> signs);

/// The curve without points that are less than `step` from the last one kept in both directions; its ends
/// stay.
[[nodiscard]] RankingCurve thinned(const RankingCurve& curve, double step);

}  // namespace dyad

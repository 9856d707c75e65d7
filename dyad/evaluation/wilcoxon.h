// Paired comparison of two methods over data sets or folds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace dyad {

struct WilcoxonTest {
  double statistic = 0;  ///< sum of the ranks of positive differences
  double p_value = 1;    ///< two-sided
  bool exact = true;
};

/// Wilcoxon's signed-rank test of the differences a_i - b_i: zeros are dropped, ties share the mean of their ranks. Up to 50
/// differences the p-value is exact, given the ties; beyond, the normal approximation with corrections for ties and continuity.
/// p = 1 if no difference is left. Throws std::invalid_argument if a and b differ in size or a value is not finite.
[[nodiscard]] WilcoxonTest wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b);

/// min(1, m p) of m p-values.
[[nodiscard]] std::vector<double> bonferroni(std::span<const double> p_values);

}  // namespace dyad

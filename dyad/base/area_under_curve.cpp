// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/area_under_curve.h"

#include <algorithm>
#include <limits>

#include "dyad/base/gather.h"

namespace dyad {

double area_under_curve(std::span<const double> scores, std::span<const double> signs,
                        std::span<const double> weights) {
  auto order = all_rows(scores.size());
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double won = 0;  // by weight, pairs of a positive row with a negative one below it
  double positives = 0;
  double negatives = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double tied_positives = 0;
    double tied_negatives = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      (signs[order[end]] > 0 ? tied_positives : tied_negatives) += weights.empty() ? 1 : weights[order[end]];
    won += tied_positives * (negatives + 0.5 * tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  return won / (positives * negatives);
}

}  // namespace dyad

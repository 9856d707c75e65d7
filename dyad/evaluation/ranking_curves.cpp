// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/ranking_curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "dyad/base/gather.h"

namespace dyad {
namespace {

/// Rows with at least a score: one for each distinct score, the highest first.
struct Taken {
  double positives = 0;
  double negatives = 0;
};

std::vector<Taken> taken_by_threshold(std::span<const double> scores, std::span<const double> signs) {
  auto order = all_rows(scores.size());
  std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return scores[i]; });
  std::vector<Taken> result;
  Taken taken;
  for (std::size_t k = 0; k < order.size(); ++k) {
    ++(signs[order[k]] > 0 ? taken.positives : taken.negatives);
    if (k + 1 == order.size() || scores[order[k + 1]] != scores[order[k]]) result.push_back(taken);
  }
  return result;
}

RankingCurve no_curve() { return {{}, {}, std::numeric_limits<double>::quiet_NaN()}; }

}  // namespace

RankingCurve roc_curve(std::span<const double> scores, std::span<const double> signs) {
  const auto taken = taken_by_threshold(scores, signs);
  if (taken.empty() || taken.back().positives == 0 || taken.back().negatives == 0) return no_curve();
  RankingCurve curve{{0}, {0}};
  for (const auto& [positives, negatives] : taken) {
    const double x = negatives / taken.back().negatives;
    const double y = positives / taken.back().positives;
    curve.area += (x - curve.x.back()) * 0.5 * (y + curve.y.back());
    curve.x.push_back(x);
    curve.y.push_back(y);
  }
  return curve;
}

RankingCurve precision_recall_curve(std::span<const double> scores, std::span<const double> signs) {
  const auto taken = taken_by_threshold(scores, signs);
  if (taken.empty() || taken.back().positives == 0) return no_curve();
  RankingCurve curve{{0}, {taken.front().positives / (taken.front().positives + taken.front().negatives)}};
  for (const auto& [positives, negatives] : taken) {
    const double recall = positives / taken.back().positives;
    const double precision = positives / (positives + negatives);
    curve.area += (recall - curve.x.back()) * precision;
    curve.x.push_back(recall);
    curve.y.push_back(precision);
  }
  return curve;
}

RankingCurve thinned(const RankingCurve& curve, double step) {
  RankingCurve result{.area = curve.area};
  for (std::size_t k = 0; k < curve.x.size(); ++k)
    if (k == 0 || k + 1 == curve.x.size() || std::abs(curve.x[k] - result.x.back()) >= step ||
        std::abs(curve.y[k] - result.y.back()) >= step) {
      result.x.push_back(curve.x[k]);
      result.y.push_back(curve.y[k]);
    }
  return result;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace dyad {

Confusion confusion(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                    std::size_t n_classes) {
  Confusion counts(n_classes, std::vector<std::size_t>(n_classes, 0));
  for (std::size_t i = 0; i < truth.size(); ++i)
    ++counts[static_cast<std::size_t>(truth[i])][static_cast<std::size_t>(predicted[i])];
  return counts;
}

double error_rate(const Confusion& counts) {
  std::size_t all = 0;
  std::size_t right = 0;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    all += std::accumulate(counts[a].begin(), counts[a].end(), std::size_t{0});
    right += counts[a][a];
  }
  return static_cast<double>(all - right) / static_cast<double>(all);
}

double balanced_error_rate(const Confusion& counts) {
  double sum = 0;
  double present = 0;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    const auto rows =
        static_cast<double>(std::accumulate(counts[a].begin(), counts[a].end(), std::size_t{0}));
    if (rows == 0) continue;
    sum += 1 - static_cast<double>(counts[a][a]) / rows;
    present += 1;
  }
  return sum / present;
}

double area_under_curve(std::span<const double> scores, std::span<const bool> positive) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  // Sum of the ranks of the positives, tied rows sharing the mean of their ranks.
  double rank_sum = 0;
  double positives = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double tied_positives = 0;
    while (end < order.size() && scores[order[end]] == scores[order[begin]])
      tied_positives += positive[order[end++]] ? 1 : 0;
    rank_sum += tied_positives * 0.5 * static_cast<double>(begin + 1 + end);
    positives += tied_positives;
    begin = end;
  }
  const double negatives = static_cast<double>(scores.size()) - positives;
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);
}

double mean_area_under_curve(const Matrix& scores, std::span<const std::int32_t> truth,
                             std::size_t n_classes) {
  double sum = 0;
  double present = 0;
  for (std::size_t k = 0; k < scores.n_cols; ++k) {
    const auto own_class = static_cast<std::int32_t>(n_classes == 2 ? 1 : k);
    const auto positive =
        std::make_unique<bool[]>(truth.size());  // NOLINT(modernize-avoid-c-arrays): no vector<bool>
    for (std::size_t i = 0; i < truth.size(); ++i) positive[i] = truth[i] == own_class;
    const double area = area_under_curve(scores.column(k), {positive.get(), truth.size()});
    if (std::isnan(area)) continue;
    sum += area;
    present += 1;
  }
  return present > 0 ? sum / present : std::numeric_limits<double>::quiet_NaN();
}

double log_loss(const Matrix& probabilities, std::span<const std::int32_t> truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    sum -= std::log(std::max(probabilities(i, static_cast<std::size_t>(truth[i])), 1e-15));
  return sum / static_cast<double>(truth.size());
}

}  // namespace dyad

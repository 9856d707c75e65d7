// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dyad/base/area_under_curve.h"
#include "dyad/model/prediction.h"
#include "dyad/weights/single_weights.h"

namespace dyad {

Confusion confusion(std::span<const std::int32_t> y, std::span<const std::int32_t> predicted,
                    std::size_t n_classes) {
  Confusion counts(n_classes, std::vector<std::size_t>(n_classes, 0));
  for (std::size_t i = 0; i < y.size(); ++i)
    ++counts[static_cast<std::size_t>(y[i])][static_cast<std::size_t>(predicted[i])];
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

double mean_area_under_curve(const Matrix& scores, std::span<const std::int32_t> y, std::size_t n_classes) {
  double sum = 0;
  double present = 0;
  for (std::size_t k = 0; k < scores.n_cols; ++k) {
    const double area = area_under_curve(scores.column(k), signs_of_score(y, n_classes, k));
    if (std::isnan(area)) continue;
    sum += area;
    present += 1;
  }
  return present > 0 ? sum / present : std::numeric_limits<double>::quiet_NaN();
}

double mean_cost(const Confusion& counts, const Matrix& costs) {
  double sum = 0;
  double rows = 0;
  for (std::size_t a = 0; a < counts.size(); ++a)
    for (std::size_t b = 0; b < counts.size(); ++b) {
      sum += static_cast<double>(counts[a][b]) * costs(a, b);
      rows += static_cast<double>(counts[a][b]);
    }
  return sum / rows;
}

Reliability reliability(const Matrix& probabilities, std::span<const std::int32_t> y) {
  Reliability bins;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto told =
        static_cast<std::size_t>(probabilities.n_cols == 2 ? 1 : winning_class(probabilities, i));
    const double p = probabilities(i, told);
    const auto place = static_cast<std::size_t>(p > 0 ? p * static_cast<double>(bins.size()) : 0);
    ReliabilityBin& bin = bins[std::min(place, bins.size() - 1)];
    bin.rows += 1;
    bin.predicted += p;
    bin.observed += static_cast<std::size_t>(y[i]) == told ? 1 : 0;
  }
  return bins;
}

void add(Reliability& sum, const Reliability& part) {
  for (std::size_t b = 0; b < sum.size(); ++b) {
    sum[b].rows += part[b].rows;
    sum[b].predicted += part[b].predicted;
    sum[b].observed += part[b].observed;
  }
}

double calibration_error(const Reliability& bins) {
  double sum = 0;
  double rows = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += std::abs(bin.predicted - bin.observed);
    rows += static_cast<double>(bin.rows);
  }
  return sum / rows;
}

Baseline baseline_of(std::span<const double> class_rows, std::span<const std::int32_t> y) {
  constexpr double least = 1e-15;
  const double total = std::accumulate(class_rows.begin(), class_rows.end(), 0.0);
  const auto most_frequent = std::ranges::max_element(class_rows) - class_rows.begin();
  Baseline result{static_cast<std::size_t>(most_frequent), 0, 0};
  for (const std::int32_t code : y) {
    const auto c = static_cast<std::size_t>(code);
    if (c != result.class_code) ++result.error;
    result.log_loss -= std::log(std::max(class_rows[c] / total, least));
  }
  result.error /= static_cast<double>(y.size());
  result.log_loss /= static_cast<double>(y.size());
  return result;
}

double log_loss(const Matrix& probabilities, std::span<const std::int32_t> y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    sum -= std::log(std::max(probabilities(i, static_cast<std::size_t>(y[i])), 1e-15));
  return sum / static_cast<double>(y.size());
}

}  // namespace dyad

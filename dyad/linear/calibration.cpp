// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/calibration.h"

#include <algorithm>

#include "dyad/base/gather.h"
#include "dyad/linear/internal/line_search.h"

namespace dyad {
namespace {

/// -target log p - (1 - target) log(1 - p) at linear predictor z, without overflow.
double cross_entropy(double z, double target) {
  return std::max(z, 0.0) - z * target + std::log1p(std::exp(-std::abs(z)));
}

double loss(const Calibration& c, std::span<const double> scores, const std::vector<double>& targets,
            std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    sum += weights[i] * cross_entropy(c.slope * scores[i] + c.offset, targets[i]);
  return sum;
}

std::vector<double> all_weights(std::span<const double> given, std::size_t n) {
  std::vector<double> weights(given.begin(), given.end());
  weights.resize(n, 1.0);
  return weights;
}

/// Weights of the positive and of the negative labels.
struct Sums {
  double positive = 0;
  double negative = 0;
};
Sums sums_of(std::span<const double> y, std::span<const double> weights) {
  Sums sums;
  for (std::size_t i = 0; i < y.size(); ++i) (y[i] > 0 ? sums.positive : sums.negative) += weights[i];
  return sums;
}

/// Linear interpolation between the steps.
double interpolated(std::span<const CalibrationStep> steps, double score) {
  const auto above = std::ranges::upper_bound(steps, score, {}, &CalibrationStep::score);
  if (above == steps.begin()) return steps.front().probability;
  if (above == steps.end()) return steps.back().probability;
  const CalibrationStep& low = *(above - 1);
  // Halves, as the difference of two finite scores may not be finite.
  const double share = (score / 2 - low.score / 2) / (above->score / 2 - low.score / 2);
  return std::lerp(low.probability, above->probability, share);
}

/// Rows next to each other in the order of scores.
struct Pool {
  double first = 0;  ///< score
  double last = 0;
  double weight = 0;
  double positive = 0;  ///< weight of the positive labels

  [[nodiscard]] double share() const { return positive / weight; }
  /// Adds the rows of the next pool.
  void add(const Pool& next) {
    last = next.last;
    weight += next.weight;
    positive += next.positive;
  }
};

/// One row's part in the first and second derivative of the likelihood by the slope.
struct Curve {
  double slope = 0;
  double curvature = 0;
};

Curve softmax_curve(const Matrix& scores, std::size_t i, std::span<const double> offsets, double a,
                    double own_target, double other_target, std::size_t own) {
  const std::size_t n_classes = scores.n_cols;
  double highest = a * scores(i, 0) + offsets[0];
  for (std::size_t k = 1; k < n_classes; ++k) highest = std::max(highest, a * scores(i, k) + offsets[k]);
  // Scores relative to that of the own class, as only differences matter.
  const double centre = scores(i, own);
  double total = 0;
  double first = 0;
  double second = 0;
  double wanted = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double share = std::exp(a * scores(i, k) + offsets[k] - highest);
    const double s = scores(i, k) - centre;
    total += share;
    first += share * s;
    second += share * s * s;
    wanted += (k == own ? own_target : other_target) * s;
  }
  const double mean = first / total;
  return {mean - wanted, std::max(second / total - mean * mean, 0.0)};
}

}  // namespace

double probability(const Calibration& calibration, double score) {
  if (!calibration.steps.empty()) return interpolated(calibration.steps, score);
  const double z = calibration.slope * score + calibration.offset;
  return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
}

Calibration fit_calibration(std::span<const double> scores, std::span<const double> y,
                            std::span<const double> given_weights) {
  assert(scores.size() == y.size());
  const auto weights = all_weights(given_weights, y.size());
  const auto [positives, negatives] = sums_of(y, weights);
  std::vector<double> targets;
  for (const double label : y)
    targets.push_back(label > 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2));

  Calibration c{0, std::log((positives + 1) / (negatives + 1))};
  double value = loss(c, scores, targets, weights);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double g_slope = 0;
    double g_offset = 0;
    double h_ss = 1e-12;
    double h_so = 0;
    double h_oo = 1e-12;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = probability(c, scores[i]);
      const double error = weights[i] * (p - targets[i]);
      const double curvature = weights[i] * p * (1 - p);
      g_slope += error * scores[i];
      g_offset += error;
      h_ss += curvature * scores[i] * scores[i];
      h_so += curvature * scores[i];
      h_oo += curvature;
    }
    if (std::abs(g_slope) < 1e-9 && std::abs(g_offset) < 1e-9) break;
    const double det = h_ss * h_oo - h_so * h_so;
    const double d_slope = -(h_oo * g_slope - h_so * g_offset) / det;
    const double d_offset = -(h_ss * g_offset - h_so * g_slope) / det;
    // A step that gains less than the rounding of the loss is the last one; with nearly equal scores it may
    // lead uphill.
    if (const double gain = -(g_slope * d_slope + g_offset * d_offset); gain <= 1e-14 * value) {
      const Calibration last{c.slope + d_slope, c.offset + d_offset};
      return gain >= 0 && loss(last, scores, targets, weights) <= value * (1 + 1e-13) ? last : c;
    }
    const bool moved = internal::backtrack(1e-10, [&](double length) {
      const Calibration next{c.slope + length * d_slope, c.offset + length * d_offset};
      const double next_value = loss(next, scores, targets, weights);
      if (!(next_value <= value)) return false;
      c = next;
      value = next_value;
      return true;
    });
    if (!moved) break;
  }
  return c;
}

Calibration fit_isotonic(std::span<const double> scores, std::span<const double> y,
                         std::span<const double> given_weights) {
  assert(scores.size() == y.size());
  const auto weights = all_weights(given_weights, y.size());
  const auto [positives, negatives] = sums_of(y, weights);
  auto order = all_rows(y.size());
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
  std::vector<Pool> pools;
  for (const std::size_t i : order) {
    if (weights[i] <= 0) continue;
    const Pool row{scores[i], scores[i], weights[i], y[i] > 0 ? weights[i] : 0};
    if (pools.empty() || pools.back().last < row.first)
      pools.push_back(row);
    else
      pools.back().add(row);
  }
  std::size_t n_pools = 0;
  for (const Pool& next : pools) {
    pools[n_pools++] = next;
    for (; n_pools > 1 && pools[n_pools - 2].share() >= pools[n_pools - 1].share(); --n_pools)
      pools[n_pools - 2].add(pools[n_pools - 1]);
  }
  pools.resize(n_pools);
  Calibration result;
  for (const Pool& pool : pools) {
    const double p = std::clamp(pool.share(), 1 / (negatives + 2), (positives + 1) / (positives + 2));
    result.steps.push_back({pool.first, p});
    if (pool.last > pool.first) result.steps.push_back({pool.last, p});
  }
  return result;
}

double fit_softmax_slope(const Matrix& scores, std::span<const double> offsets,
                         std::span<const std::int32_t> y, std::span<const double> given_weights) {
  assert(scores.n_rows == y.size() && scores.n_cols == offsets.size());
  const auto weights = all_weights(given_weights, y.size());
  std::vector<double> counts(scores.n_cols);
  for (std::size_t i = 0; i < y.size(); ++i) counts[static_cast<std::size_t>(y[i])] += weights[i];
  const auto n_others = static_cast<double>(scores.n_cols - 1);
  // The loss is convex in a: finds where its derivative is 0, between two bounds, by Newton steps or halves.
  const auto derivative = [&](double a) {
    Curve sum;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto own = static_cast<std::size_t>(y[i]);
      const double other = 1 / (counts[own] + 2);
      const Curve row = softmax_curve(scores, i, offsets, a, 1 - other, other / n_others, own);
      sum.slope += weights[i] * row.slope;
      sum.curvature += weights[i] * row.curvature;
    }
    return sum;
  };
  double low = 1e-6;
  double high = 1e6;
  double a = 1;
  for (int iteration = 0; iteration < 200 && high - low > 1e-12 * high; ++iteration) {
    const Curve at = derivative(a);
    if (at.slope == 0) break;
    (at.slope > 0 ? high : low) = a;
    const double newton = a - at.slope / at.curvature;
    if (std::abs(newton - a) <= 1e-12 * a) break;
    // The bounds span decades.
    a = newton > low && newton < high ? newton : std::sqrt(low * high);
  }
  return a;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

/// The order statistics of a sample in which each value stands as often as its count says. Weights of a
/// smaller unit than 1 are ranked by their units, so that quantiles do not change with it.
struct WeightedRanks {
  WeightedRanks(std::span<const double> x, const WeightsView& weights) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      values.emplace_back(x[i], weights.counts[i]);
      total += weights.counts[i];
    }
    std::ranges::sort(values);
  }

  /// The value of a 0-based rank; the largest beyond the last.
  [[nodiscard]] double operator[](std::uint64_t rank) const {
    std::uint64_t end = 0;
    for (const auto& [value, count] : values) {
      end += count;
      if (rank < end) return value;
    }
    return values.back().first;
  }

  std::vector<std::pair<double, std::uint32_t>> values;  ///< ascending
  std::uint64_t total = 0;
};

}  // namespace

double representable_unit(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  if (largest == 0 || (largest >= 1e-100 && largest <= 1e100)) return 1;
  return std::ldexp(1.0, std::clamp(std::ilogb(largest), -1022, 1023));
}

std::vector<double> in_units_of(double unit, std::span<const double> x) {
  std::vector<double> scaled(x.begin(), x.end());
  for (double& value : scaled) value /= unit;
  return scaled;
}

double mean(std::span<const double> x, const WeightsView& weights) {
  if (x.empty()) return 0;
  const double unit = representable_unit(x);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += weights[i] * (x[i] / unit);
  return sum / weights.total(x.size()) * unit;
}

double standard_deviation(std::span<const double> x, const WeightsView& weights) {
  // A constant has no spread, even where rounding puts its mean beside it.
  if (x.size() < 2 || is_constant(x)) return 0;
  const double unit = representable_unit(x);
  const double centre = mean(x, weights) / unit;
  const double n = weights.total(x.size());
  double squares = 0;
  double sum = 0;  // 0 but for what rounding moves the mean by, which is a lot where values are far from 0
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double deviation = x[i] / unit - centre;
    squares += weights[i] * deviation * deviation;
    sum += weights[i] * deviation;
  }
  return std::sqrt(std::max(0.0, squares - sum * sum / n) / one_less(n)) * unit;
}

double quantile(std::span<const double> x, double p, const WeightsView& weights) {
  if (!weights.empty()) {
    const WeightedRanks ranks(x, weights);
    const double at = p * static_cast<double>(ranks.total - 1);
    const auto rank = static_cast<std::uint64_t>(at);
    return std::lerp(ranks[rank], ranks[rank + 1], at - std::floor(at));
  }
  std::vector<double> values(x.begin(), x.end());
  const double position = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const auto at_low = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), at_low, values.end());
  if (low + 1 == values.size()) return *at_low;
  const double high_value = *std::min_element(at_low + 1, values.end());
  const double share = position - static_cast<double>(low);
  return (1 - share) * *at_low + share * high_value;
}

double upper_median(std::span<const double> x, const WeightsView& weights) {
  if (!weights.empty()) {
    const WeightedRanks ranks(x, weights);
    return ranks[ranks.total / 2];
  }
  std::vector<double> values(x.begin(), x.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> centred_and_scaled(std::span<const double> x, double scale) {
  constexpr double farthest = 1e150;
  const double centre = upper_median(x);
  std::vector<double> z(x.begin(), x.end());
  for (double& value : z) value = std::clamp((value - centre) / scale, -farthest, farthest);
  return z;
}

double interquartile_range(std::span<const double> x, const WeightsView& weights) {
  return quantile(x, 0.75, weights) - quantile(x, 0.25, weights);
}

double positive_spread(std::span<const double> x, const WeightsView& weights) {
  const double sd = standard_deviation(x, weights);
  if (sd > 0) return std::min(sd, std::numeric_limits<double>::max());
  const double magnitude = std::abs(x.front());
  return magnitude > 0 ? magnitude : 1;
}

std::vector<std::size_t> rows_with_value(std::span<const double> x) {
  return rows_where(x.size(), [&](std::size_t i) { return !std::isnan(x[i]); });
}

bool is_constant(std::span<const double> x) {
  return std::ranges::adjacent_find(x, std::not_equal_to<>()) == x.end();
}

void require_finite_sample(std::span<const double> x, const char* function) {
  if (x.empty()) throw std::invalid_argument(std::string(function) + ": the sample is empty");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      throw std::invalid_argument(std::string(function) + ": value " + std::to_string(i + 1) +
                                  " is not finite, got " + number_text(x[i]));
}

void require_finite_pairs(std::span<const double> x, std::span<const double> y, const char* function) {
  require_finite_sample(x, function);
  require_finite_sample(y, function);
  if (x.size() != y.size())
    throw std::invalid_argument(std::string(function) + ": x and y differ in size, got " +
                                std::to_string(x.size()) + " and " + std::to_string(y.size()));
}

}  // namespace dyad

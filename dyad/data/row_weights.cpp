// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/row_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

/// A table of counts in 1/65536 holds this sum of weights.
constexpr int most_bits_of_sum = 46;
constexpr int most_bits = 20;

std::uint64_t total_of(std::span<const std::uint32_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

double WeightsView::total(std::size_t n) const {
  return counts.empty() ? static_cast<double>(n) : static_cast<double>(total_of(counts)) * unit;
}

RowWeights make_row_weights(std::span<const double> weights) {
  double largest = 0;
  bool whole = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0 && weights[i] <= largest_weight))
      throw std::invalid_argument("the weight of row " + std::to_string(i + 1) + " must be between 0 and " +
                                  number_text(largest_weight) + ", a number of rows, got " +
                                  number_text(weights[i]));
    largest = std::max(largest, weights[i]);
    whole = whole && weights[i] == std::floor(weights[i]);
  }
  if (largest == 0) throw std::invalid_argument("no row has a positive weight");
  return row_weights_in(unit_of_weights(whole, largest, weights.size()), weights);
}

double unit_of_weights(bool are_whole, double largest, std::uint64_t n_rows) {
  if (are_whole) return 1;
  if (largest < smallest_largest_weight)
    throw std::invalid_argument("weights are numbers of rows; the largest is only " + number_text(largest));
  const int bits = std::min(most_bits, most_bits_of_sum - static_cast<int>(std::bit_width(n_rows)));
  return std::ldexp(1.0, std::ilogb(largest) - bits);
}

RowWeights row_weights_in(double unit, std::span<const double> weights) {
  RowWeights result{std::vector<std::uint32_t>(weights.size()), unit};
  std::ranges::transform(weights, result.counts.begin(), [&](double weight) {
    return weight > 0 ? static_cast<std::uint32_t>(std::max(1L, std::lround(weight / unit))) : 0U;
  });
  return result;
}

RowWeights gather(const WeightsView& weights, std::span<const std::size_t> rows) {
  if (weights.empty()) return {{}, weights.unit};
  return {gather(weights.counts, rows), weights.unit};
}

double one_less(double total_weight) { return std::max(total_weight - 1, total_weight / 2); }

std::vector<std::size_t> evenly_spaced(std::size_t n, std::size_t most) {
  std::vector<std::size_t> result(std::min(n, most));
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = (2 * k + 1) * n / (2 * result.size());
  return result;
}

std::vector<std::size_t> repeated_rows(const WeightsView& weights, std::size_t n, std::size_t most) {
  if (weights.empty()) return evenly_spaced(n, most);
  const std::uint64_t total = total_of(weights.counts);
  const auto copies = static_cast<std::uint64_t>(std::max(1LL, std::llround(weights.total(n))));
  const auto n_positive =
      static_cast<std::uint64_t>(n) - static_cast<std::uint64_t>(std::ranges::count(weights.counts, 0U));
  const std::uint64_t size = std::min<std::uint64_t>(std::max(copies, n_positive), most);
  std::vector<std::size_t> rows(size);
  std::size_t row = 0;
  std::uint64_t end = weights.counts[0];
  for (std::uint64_t k = 0; k < size; ++k) {
    const auto at = static_cast<std::uint64_t>((static_cast<double>(k) + 0.5) * static_cast<double>(total) /
                                               static_cast<double>(size));
    while (end <= at) end += weights.counts[++row];
    rows[k] = row;
  }
  return rows;
}

}  // namespace dyad

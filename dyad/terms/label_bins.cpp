// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/label_bins.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

constexpr double fewest_rows_of_bin = 5;

/// A split of consecutive rows.
struct LeafSplit {
  std::size_t place = 0;  ///< the first row of the second part
  double gain = 0;        ///< in log likelihood; 0 if there is no split
};

/// Consecutive rows, and their best split.
struct Leaf {
  std::size_t begin = 0;
  std::size_t end = 0;
  LeafSplit split;
};

/// Rows ascending by value, and what they count.
struct SortedClasses {
  const LabelledSample& sample;
  std::span<const double> values;
  std::span<const std::uint32_t> rows;
  std::span<const double> loss_weights;

  [[nodiscard]] double count(std::size_t k) const { return WeightsView(sample.weights)[rows[k]]; }
  [[nodiscard]] bool ends_value(std::size_t k) const { return values[rows[k]] < values[rows[k + 1]]; }
};

/// Adds the log likelihoods sum_k n_k log n_k - n log n of the classes' own shares in some parts, given
/// their weights by class.
void add_log_likelihoods(std::span<const std::vector<double>> of_class, std::vector<double>& sums) {
  constexpr double least = 1e-12;  // differences of sums round to something else than 0
  std::vector<double> all(sums.size());
  for (const auto& weights : of_class) {
    add_n_log_n(weights, 1, least, sums);
    std::ranges::transform(all, weights, all.begin(), std::plus<>());
  }
  add_n_log_n(all, -1, least, sums);
}

/// Finds the best split of the rows begin .. end - 1.
LeafSplit best_split(const SortedClasses& sorted, std::size_t begin, std::size_t end) {
  const std::size_t n_classes = sorted.sample.n_classes;
  double n_after = 0;
  for (std::size_t k = begin; k < end; ++k) n_after += sorted.count(k);
  double n_before = 0;
  std::vector<std::size_t> places;                       // of the first rows of second parts
  std::vector<std::vector<double>> of_class(n_classes);  // weights before each place, then of all rows
  std::vector<double> before(n_classes);
  const auto note = [&] {
    for (std::size_t c = 0; c < n_classes; ++c) of_class[c].push_back(before[c]);
  };
  for (std::size_t k = begin; k < end; ++k) {
    const std::uint32_t row = sorted.rows[k];
    before[static_cast<std::size_t>(sorted.sample.y[row])] += sorted.loss_weights[row];
    n_before += sorted.count(k);
    n_after -= sorted.count(k);
    if (n_before < fewest_rows_of_bin || n_after < fewest_rows_of_bin || !sorted.ends_value(k)) continue;
    places.push_back(k + 1);
    note();
  }
  if (places.empty()) return {};
  note();
  std::vector<double> gains(places.size() + 1);
  add_log_likelihoods(of_class, gains);
  const double whole = gains.back();
  for (auto& weights : of_class) {
    const double all = weights.back();
    for (double& weight : weights) weight = all - weight;
  }
  add_log_likelihoods(of_class, gains);
  // A gain that rounding alone could make is none.
  LeafSplit best{.gain = 1e-9 * std::accumulate(before.begin(), before.end(), 0.0)};
  for (std::size_t m = 0; m < places.size(); ++m)
    if (gains[m] - whole > best.gain) best = {places[m], gains[m] - whole};
  return best.place == 0 ? LeafSplit{} : best;
}

double halfway(double a, double b) {
  const double middle = a / 2 + b / 2;
  return middle > a ? middle : b;  // neighbours
}

}  // namespace

std::vector<std::uint32_t> rows_by_value(const LabelledSample& sample, std::size_t feature) {
  const auto values = sample.X.column(feature);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) rows.push_back(i);
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return values[row]; });
  return rows;
}

BinAxis label_bins(const LabelledSample& sample, std::size_t feature, std::span<const std::uint32_t> rows,
                   std::span<const double> loss_weights, std::size_t most) {
  if (sample.is_categorical(feature)) return {.n_levels = sample.levels[feature].size()};
  const auto values = sample.X.column(feature);
  const SortedClasses sorted{sample, values, rows, loss_weights};
  const auto leaf = [&](std::size_t begin, std::size_t end) {
    return Leaf{begin, end, best_split(sorted, begin, end)};
  };
  std::vector<Leaf> leaves{leaf(0, rows.size())};
  BinAxis axis;
  while (leaves.size() < most) {
    Leaf& best = *std::ranges::max_element(leaves, {}, [](const Leaf& one) { return one.split.gain; });
    if (!(best.split.gain > 0)) break;
    const std::size_t place = best.split.place;
    axis.cuts.push_back(halfway(values[rows[place - 1]], values[rows[place]]));
    const Leaf second = leaf(place, best.end);
    best = leaf(best.begin, place);
    leaves.push_back(second);
  }
  std::ranges::sort(axis.cuts);
  return axis;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/cell_trees.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/base/vector_math.h"
#include "dyad/dependence/spanning_tree.h"

namespace dyad {
namespace {

/// sum_i n_i log n_i
double sum_of_n_log_n(std::span<const double> numbers) {
  constexpr double least = std::numeric_limits<double>::min();
  std::array<double, 64> products{};
  for (std::size_t first = 0; first < numbers.size(); first += products.size())
    add_n_log_n(numbers.subspan(first, std::min(products.size(), numbers.size() - first)), 1, least,
                products);
  return std::accumulate(products.begin(), products.end(), 0.0);
}

/// Mutual information of counts in n_a x n_b cells less its mean by chance, in nats; 0 unless that exceeds
/// two standard deviations by chance.
double clear_information(std::span<const double> counts, std::size_t n_b, double unit) {
  const std::size_t n_a = counts.size() / n_b;
  std::vector<double> of_a(n_a);
  std::vector<double> of_b(n_b);
  double total = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    of_a[cell / n_b] += counts[cell];
    of_b[cell % n_b] += counts[cell];
    total += counts[cell];
  }
  if (!(total > 0)) return 0;
  const auto filled = [](std::span<const double> margin) {
    return static_cast<double>(std::ranges::count_if(margin, [](double count) { return count > 0; }));
  };
  const double freedom = (filled(of_a) - 1) * (filled(of_b) - 1);
  if (freedom == 0) return 0;  // rounding would be information about a constant
  // sum count log(count total / (count of a x count of b)); a count of 0 adds nothing.
  const double sum =
      sum_of_n_log_n(counts) + sum_of_n_log_n({&total, 1}) - sum_of_n_log_n(of_a) - sum_of_n_log_n(of_b);
  const double n = total * unit;
  const double excess = 2 * sum * unit - freedom;  // 2 n I less its mean by chance
  return excess > 2 * std::sqrt(2 * freedom) ? excess / (2 * n) : 0;
}

/// Counts of the rows `of_class` in the cells of a pair, by the fold that holds them out, then of all.
std::vector<std::vector<double>> counts_by_fold(const LabelledSample& sample, const HeldOutChances& chances,
                                                std::span<const std::size_t> of_class, const FeatureCells& a,
                                                const FeatureCells& b) {
  const WeightsView weights = sample.weights;
  std::vector<std::vector<double>> counts(chances.n_views(), std::vector<double>(a.count * b.count));
  for (const std::size_t i : of_class) {
    const std::size_t cell = a.of_row[i] * b.count + b.of_row[i];
    counts[chances.folds[i]][cell] += weights.count(i);
    counts.back()[cell] += weights.count(i);
  }
  return counts;
}

}  // namespace

std::vector<std::vector<TermKey>> cell_trees(const LabelledSample& sample, const HeldOutChances& chances,
                                             std::span<const FeaturePair> pairs, const Execution& execution) {
  std::vector<FeatureCells> cells(sample.n_features());
  parallel_for(cells.size(), execution, {}, [&](std::size_t j) { cells[j] = feature_cells(sample, j); });
  const std::size_t n_views = chances.n_views();
  std::vector<std::vector<TermKey>> trees(n_views);
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto of_class = rows_where(sample.n_rows(), [&](std::size_t i) {
      return static_cast<std::size_t>(sample.y[i]) == c && chances.folds[i] < chances.n_folds;
    });
    std::vector<std::vector<double>> information(n_views, std::vector<double>(pairs.size()));
    parallel_for(pairs.size(), execution, {}, [&](std::size_t pair) {
      const FeatureCells& b = cells[pairs[pair].j];
      auto counts = counts_by_fold(sample, chances, of_class, cells[pairs[pair].i], b);
      for (std::size_t view = 0; view < n_views; ++view) {
        if (view < chances.n_folds)
          std::ranges::transform(counts.back(), counts[view], counts[view].begin(), std::minus<>());
        information[view][pair] = clear_information(counts[view], b.count, WeightsView(sample.weights).unit);
      }
    });
    for (std::size_t view = 0; view < n_views; ++view) {
      std::vector<Edge> edges;
      for (std::size_t pair = 0; pair < pairs.size(); ++pair)
        if (information[view][pair] > 0)
          edges.push_back({pairs[pair].i, pairs[pair].j, information[view][pair]});
      for (const Edge& edge : maximum_spanning_forest(std::move(edges), sample.n_features()))
        trees[view].push_back({static_cast<std::int32_t>(c), edge.i, edge.j});
    }
  }
  return trees;
}

}  // namespace dyad

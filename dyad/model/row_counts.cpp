// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/row_counts.h"

#include <set>

#include "dyad/base/gather.h"

namespace dyad {
namespace {

/// Rows whose quantiles are the nodes of an axis.
constexpr std::size_t most_quantile_rows = 2000;

/// The distinct values, ascending; none if they are more than `most`.
std::vector<double> few_values(std::span<const double> x, std::size_t most) {
  std::set<double> found;
  for (const double value : x)
    if (!std::isnan(value) && found.insert(value).second && found.size() > most) return {};
  return {found.begin(), found.end()};
}

std::vector<double> nodes_of(std::span<const double> x) {
  auto nodes = few_values(x, most_count_nodes);
  if (!nodes.empty()) return nodes;
  const auto known = rows_where(x.size(), [&](std::size_t k) { return !std::isnan(x[k]); });
  std::vector<double> sorted;
  for (const std::size_t k : evenly_spaced(known.size(), most_quantile_rows)) sorted.push_back(x[known[k]]);
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < most_count_nodes && !sorted.empty(); ++k)
    nodes.push_back(sorted[(2 * k + 1) * sorted.size() / (2 * most_count_nodes)]);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// The axis of a feature and the places of its values.
struct Axed {
  FeatureCounts axis;
  std::vector<std::uint32_t> places;
};

Axed axed(std::span<const double> x, const Levels* levels, std::span<const std::uint32_t> weights) {
  Axed result;
  const bool is_category = levels != nullptr && !levels->is_number();
  if (!is_category) result.axis.nodes = nodes_of(x);
  const std::size_t n_nodes = is_category ? levels->size() : result.axis.nodes.size();
  result.axis.has_missing = std::ranges::any_of(x, [](double value) { return std::isnan(value); });
  result.axis.rows.resize(n_nodes + (result.axis.has_missing ? 1 : 0));
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::size_t place = std::isnan(x[k]) ? n_nodes
                              : is_category    ? static_cast<std::size_t>(x[k])
                                               : nearest_node(result.axis.nodes, x[k]);
    result.places.push_back(static_cast<std::uint32_t>(place));
    result.axis.rows[place] += weights[k];
  }
  return result;
}

PairRows cells_of(std::size_t i, std::size_t j, const Axed& x, const Axed& y,
                  std::span<const std::uint32_t> weights) {
  PairRows result{i, j, {}};
  const std::size_t n_y = y.axis.rows.size();
  result.rows.resize(x.axis.rows.size() * n_y);
  for (std::size_t k = 0; k < weights.size(); ++k) result.rows[x.places[k] * n_y + y.places[k]] += weights[k];
  return result;
}

}  // namespace

std::vector<ValueRange> ranges_of(const LabelledSample& sample) {
  std::vector<ValueRange> ranges(sample.n_features());
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    if (sample.is_categorical(j)) continue;
    ValueRange& range = ranges[j];
    for (const double value : sample.X.column(j)) {
      if (std::isnan(value)) continue;
      range.low = range.has_numbers ? std::min(range.low, value) : value;
      range.high = range.has_numbers ? std::max(range.high, value) : value;
      range.is_whole = (range.is_whole || !range.has_numbers) && value == std::floor(value);
      range.has_numbers = true;
    }
  }
  return ranges;
}

std::size_t nearest_node(std::span<const double> nodes, double value) {
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(nodes, value) - nodes.begin());
  if (above == 0 || above == nodes.size()) return above == 0 ? 0 : nodes.size() - 1;
  return value - nodes[above - 1] <= nodes[above] - value ? above - 1 : above;
}

RowCounts count_rows(std::span<const Term> terms, const LabelledSample& sample, const SampledRows& counted,
                     const Execution& execution) {
  std::set<std::size_t> features;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const Term& term : terms) {
    features.insert({term.i, term.j});
    if (term.is_pair()) pairs.insert({term.i, term.j});
  }
  std::vector<std::uint32_t> weights(counted.rows.size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = WeightsView(counted.weights).count(k);

  const std::vector<std::size_t> with_terms(features.begin(), features.end());
  std::vector<Axed> axes(sample.n_features());
  parallel_for(with_terms.size(), execution, {}, [&](std::size_t k) {
    const std::size_t j = with_terms[k];
    axes[j] = axed(gather(sample.X.column(j), counted.rows),
                   sample.levels.empty() ? nullptr : &sample.levels[j], weights);
  });
  const std::vector<std::pair<std::size_t, std::size_t>> wanted(pairs.begin(), pairs.end());
  RowCounts result{.unit = counted.weights.unit};
  result.pairs.resize(wanted.size());
  parallel_for(wanted.size(), execution, {}, [&](std::size_t k) {
    const auto [i, j] = wanted[k];
    result.pairs[k] = cells_of(i, j, axes[i], axes[j], weights);
  });
  for (Axed& feature : axes) result.features.push_back(std::move(feature.axis));
  return result;
}

const PairRows* find_pair(const RowCounts& counts, std::size_t i, std::size_t j) {
  const auto found = std::ranges::lower_bound(counts.pairs, std::pair(i, j), {},
                                              [](const PairRows& pair) { return std::pair(pair.i, pair.j); });
  return found != counts.pairs.end() && found->i == i && found->j == j ? &*found : nullptr;
}

}  // namespace dyad

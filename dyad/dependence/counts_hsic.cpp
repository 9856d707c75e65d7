// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/counts_hsic.h"

#include "dyad/base/gather.h"
#include "dyad/base/vector_math.h"
#include "dyad/counts/pair_counts.h"
#include "dyad/data/summary.h"
#include "dyad/dependence/internal/hsic_null.h"

namespace dyad {
namespace {

constexpr std::size_t most_sorted = 10000;

/// Values of a feature in units of its kernel's bandwidth are limited to this: beyond it they are as far from
/// the others as can be.
constexpr double farthest_value = 1e9;
/// Where missing values are: as far from the farthest.
constexpr double place_of_missing = 2 * farthest_value;

/// The nodes of a feature's axis, ascending.
struct Nodes {
  std::vector<double> at;
  std::vector<double> widening;  ///< variance that linear binning adds to the rows around a node
};

/// Nodes for the ascending values z: `step` apart where values lie close, further where |z| exceeds `bend`,
/// and on the values themselves where the next is a step or more away. Single values in long tails and few
/// levels are so met exactly. Empty if more than `most` nodes are needed.
std::vector<double> place_nodes(std::span<const double> sorted, double step, double bend, std::size_t most) {
  std::vector<double> nodes{sorted.front()};
  for (const double z : sorted) {
    if (z <= nodes.back()) continue;
    if (nodes.size() == most) return {};
    const double last = nodes.back();
    nodes.push_back(std::max(z, last + step * std::sqrt(1 + last * last / (bend * bend))));
  }
  return nodes;
}

/// The finest nodes, of a list of steps, that do with `most`.
std::vector<double> finest_nodes(std::span<const double> sorted, std::size_t most) {
  // A first trial meets values that are all as far from each other as can be, however far out: a kernel that
  // tells equal from different.
  auto levels = place_nodes(sorted, 6, farthest_value, most);
  const bool apart =
      std::ranges::adjacent_find(levels, [](double a, double b) { return b - a < 100; }) == levels.end();
  if (!levels.empty() && apart) return levels;
  double step = 0.25 * std::min(1.0, static_cast<double>(sorted.size()) / 400);
  for (;; step *= 1.25) {
    auto nodes = place_nodes(sorted, step, 8, most);
    if (!nodes.empty()) return nodes;
  }
}

Place place_among(std::span<const double> nodes, double z) {
  // The last node at or before z, without branches.
  std::size_t cell = 0;
  for (std::size_t half = std::bit_floor(nodes.size()); half > 0; half /= 2) {
    const std::size_t next = cell + half;
    cell = next < nodes.size() && nodes[next] <= z ? next : cell;
  }
  if (cell + 1 == nodes.size()) return static_cast<Place>(cell * place_steps);
  const double share = (z - nodes[cell]) / (nodes[cell + 1] - nodes[cell]);
  return static_cast<Place>(cell * place_steps +
                            static_cast<std::size_t>(std::floor(share * place_steps + 0.5)));
}

/// Means of share (1 - share) gap^2 over the rows that count at each node.
std::vector<double> widening_of(std::span<const double> nodes, std::span<const Place> places,
                                const WeightsView& row_weights) {
  // A row between two far nodes keeps on average 2/3 of the kernel with itself; the limit makes that good.
  constexpr double most = 5.0 / 18;
  std::vector<double> sums(nodes.size() + 1);
  std::vector<double> weights(nodes.size() + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t cell = places[i] >> 8U;
    const double share = static_cast<double>(places[i] & 255U) / place_steps;
    const double gap = share == 0 ? 0 : nodes[cell + 1] - nodes[cell];
    const double variance = std::min(share * (1 - share) * gap * gap, most);
    const double before = row_weights[i] * (1 - share);
    const double after = row_weights[i] * share;
    sums[cell] += before * variance;
    weights[cell] += before;
    sums[cell + 1] += after * variance;
    weights[cell + 1] += after;
  }
  for (std::size_t a = 0; a < nodes.size(); ++a) sums[a] = weights[a] > 0 ? sums[a] / weights[a] : 0;
  sums.pop_back();
  return sums;
}

/// exp(-(z_a - z_b)^2 / (2 width^2)) as rows on nodes a and b see it on average: narrower by what binning
/// widens, and higher.
std::vector<double> kernel_on_nodes(const Nodes& nodes, double width) {
  const std::size_t n = nodes.at.size();
  std::vector<double> kernel(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const double square = width * width;
      const double rest = std::max(square - nodes.widening[a] - nodes.widening[b], square * 4 / 9);
      const double distance = nodes.at[a] - nodes.at[b];
      kernel[a * n + b] = kernel[b * n + a] =
          std::exp(-0.5 * distance * distance / rest) * std::sqrt(square / rest);
    }
  return kernel;
}

/// Factors U with K = U U' but for a residual whose mean over rows is below `tolerance`: Cholesky with the
/// node of the largest residual, weighted by its share of the rows, as the next pivot.
std::vector<std::vector<double>> low_rank_factors(const std::vector<double>& kernel,
                                                  std::span<const double> shares) {
  constexpr double tolerance = 1e-4;
  const std::size_t n = shares.size();
  std::vector<double> residual(n);
  for (std::size_t a = 0; a < n; ++a) residual[a] = kernel[a * n + a];
  std::vector<std::vector<double>> factors;
  const auto weighted = [&](std::size_t a) { return shares[a] * residual[a]; };
  while (factors.size() < n) {
    std::size_t pivot = 0;
    double sum = 0;
    for (std::size_t a = 0; a < n; ++a) {
      if (weighted(a) > weighted(pivot)) pivot = a;
      sum += weighted(a);
    }
    if (sum <= tolerance) break;
    std::vector<double> column(n);
    for (std::size_t a = 0; a < n; ++a) {
      double value = kernel[a * n + pivot];
      for (const auto& factor : factors) value -= factor[a] * factor[pivot];
      column[a] = value / std::sqrt(residual[pivot]);
    }
    for (std::size_t a = 0; a < n; ++a) residual[a] = std::max(0.0, residual[a] - column[a] * column[a]);
    residual[pivot] = 0;
    factors.push_back(std::move(column));
  }
  return factors;
}

constexpr std::size_t ranks_at_once = 16;  // of add_product

/// One feature: the places of its rows and its kernel on the nodes.
struct BinnedFeature {
  std::vector<Place> places;
  std::vector<std::vector<Place>> left_out;  ///< the places of the rows that each set leaves out
  std::size_t n_nodes = 0;
  std::size_t rank = 0;           ///< a multiple of `ranks_at_once`
  std::vector<float> factors;     ///< n_nodes x rank
  std::vector<float> transposed;  ///< rank x n_nodes
  internal::KernelMoments moments;
  /// Sums over the rows of each set of the factors at the row: rank values a set.
  std::vector<std::vector<float>> margins;
};

/// The sets of rows that HSIC is computed of: all, then all but each list of rows.
struct Sets {
  std::span<const std::vector<std::size_t>> left_out;
  WeightsView weights;
  std::vector<RowWeights> left_out_weights;
  std::vector<double> counts;  ///< of each set, the sum of its rows' counts
};

Sets make_sets(std::size_t n_rows, std::span<const std::vector<std::size_t>> left_out,
               const WeightsView& weights) {
  Sets sets{left_out, weights, {}, {weights.total(n_rows) / weights.unit}};
  for (const auto& rows : left_out) {
    sets.left_out_weights.push_back(gather(weights, rows));
    const WeightsView out = sets.left_out_weights.back();
    sets.counts.push_back(sets.counts.front() - out.total(rows.size()) / weights.unit);
  }
  return sets;
}

/// Linearly binned counts of one feature's rows, in 1/256.
std::vector<std::int64_t> node_counts(std::span<const Place> places, const WeightsView& weights,
                                      std::size_t n_nodes) {
  std::vector<std::int64_t> counts(n_nodes + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t weight = weights.count(i);
    counts[places[i] >> 8U] += weight * (place_steps - (places[i] & 255U));
    counts[(places[i] >> 8U) + 1U] += weight * (places[i] & 255U);
  }
  counts.pop_back();
  return counts;
}

void set_moments(const std::vector<double>& kernel, const std::vector<double>& squared_kernel,
                 std::span<const double> shares, internal::KernelMoments& moments) {
  const std::size_t n = shares.size();
  double mean_of_squares = 0;
  double mean_of_row_squares = 0;
  for (std::size_t a = 0; a < n; ++a) {
    double row = 0;
    double square_row = 0;
    for (std::size_t b = 0; b < n; ++b) {
      row += kernel[a * n + b] * shares[b];
      square_row += squared_kernel[a * n + b] * shares[b];
    }
    moments.mean += shares[a] * row;
    mean_of_row_squares += shares[a] * row * row;
    mean_of_squares += shares[a] * square_row;
  }
  moments.centred_square = mean_of_squares - 2 * mean_of_row_squares + moments.mean * moments.mean;
}

/// Sums of the factors over the rows whose counts are given.
std::vector<float> margin_of(const BinnedFeature& feature, std::span<const std::int64_t> counts) {
  std::vector<float> margin(feature.rank);
  std::vector<float> as_floats(counts.size());
  std::ranges::transform(counts, as_floats.begin(),
                         [](std::int64_t count) { return static_cast<float>(count) / place_steps; });
  add_product(1, counts.size(), feature.rank, as_floats.data(), feature.factors.data(), margin.data());
  return margin;
}

void set_kernel(BinnedFeature& feature, const Nodes& nodes, const Sets& sets) {
  const std::size_t n_nodes = nodes.at.size();
  feature.n_nodes = n_nodes;
  const auto counts = node_counts(feature.places, sets.weights, n_nodes);
  std::vector<double> shares(n_nodes);
  std::ranges::transform(counts, shares.begin(), [&](std::int64_t count) {
    return static_cast<double>(count) / place_steps / sets.counts.front();
  });
  const auto kernel = kernel_on_nodes(nodes, 1);
  const auto factors = low_rank_factors(kernel, shares);
  set_moments(kernel, kernel_on_nodes(nodes, std::sqrt(0.5)), shares, feature.moments);
  feature.rank = (factors.size() + ranks_at_once - 1) / ranks_at_once * ranks_at_once;
  feature.factors.assign(n_nodes * feature.rank, 0.0F);
  feature.transposed.assign(n_nodes * feature.rank, 0.0F);
  for (std::size_t r = 0; r < factors.size(); ++r)
    for (std::size_t a = 0; a < n_nodes; ++a)
      feature.factors[a * feature.rank + r] = feature.transposed[r * n_nodes + a] =
          static_cast<float>(factors[r][a]);
  feature.margins.push_back(margin_of(feature, counts));
  for (std::size_t k = 0; k < feature.left_out.size(); ++k) {
    auto rest = counts;
    const auto out = node_counts(feature.left_out[k], sets.left_out_weights[k], n_nodes);
    for (std::size_t a = 0; a < n_nodes; ++a) rest[a] -= out[a];
    feature.margins.push_back(margin_of(feature, rest));
  }
}

/// The values ascending, each as often as its weight says; of more than `most_sorted` those of as many evenly
/// spaced rows. The two ends are always there.
std::vector<double> sorted_values(std::span<const double> x, const WeightsView& weights) {
  auto values = gather(x, repeated_rows(weights, x.size(), most_sorted));
  std::ranges::sort(values);
  const auto [least, greatest] = extremes(x);
  if (least < values.front()) values.insert(values.begin(), least);
  if (greatest > values.back()) values.push_back(greatest);
  return values;
}

/// A column in units of its kernel's bandwidth, missing values as far from the others as can be.
struct InBandwidths {
  std::vector<double> values;
  std::vector<double> sorted;  ///< those of `sorted_values`; of codes all that occur
};

InBandwidths in_bandwidths(std::span<const double> x, const WeightsView& weights, bool categorical) {
  // Codes are 1 apart or more.
  constexpr double code_bandwidth = 1e-3;
  const double unit = categorical ? 1 : representable_unit(x);
  InBandwidths result{in_units_of(unit, x), {}};
  if (categorical) {
    result.sorted = result.values;
    std::ranges::sort(result.sorted);
    result.sorted.erase(std::unique(result.sorted.begin(), result.sorted.end()), result.sorted.end());
  } else {
    result.sorted = sorted_values(result.values, weights);
  }
  const double width = categorical ? code_bandwidth : internal::median_bandwidth_of_sorted(result.sorted);
  const double centre = result.sorted[result.sorted.size() / 2];
  for (auto* values : {&result.values, &result.sorted})
    for (double& value : *values)
      value = std::clamp((value - centre) / width, -farthest_value, farthest_value);
  return result;
}

InBandwidths in_bandwidths_with_gaps(std::span<const double> column, const WeightsView& weights,
                                     bool categorical) {
  const auto present = rows_with_value(column);
  if (present.size() == column.size()) return in_bandwidths(column, weights, categorical);
  InBandwidths result{std::vector<double>(column.size(), place_of_missing), {}};
  if (!present.empty()) {
    const RowWeights present_weights = gather(weights, present);
    InBandwidths of_present = in_bandwidths(gather(column, present), present_weights, categorical);
    for (std::size_t k = 0; k < present.size(); ++k) result.values[present[k]] = of_present.values[k];
    result.sorted = std::move(of_present.sorted);
  }
  result.sorted.push_back(place_of_missing);
  return result;
}

BinnedFeature make_feature(std::span<const double> column, const Sets& sets, std::size_t grid,
                           bool categorical) {
  const auto [z, sorted] = in_bandwidths_with_gaps(column, sets.weights, categorical);
  Nodes nodes{.at = finest_nodes(sorted, grid)};
  BinnedFeature feature;
  feature.places.resize(z.size());
  std::ranges::transform(z, feature.places.begin(),
                         [&](double value) { return place_among(nodes.at, value); });
  for (const auto& rows : sets.left_out) feature.left_out.push_back(gather(feature.places, rows));
  nodes.widening = widening_of(nodes.at, feature.places, sets.weights);
  set_kernel(feature, nodes, sets);
  return feature;
}

/// Room for one pair at a time.
struct Workspace {
  std::vector<float> shares;
  std::vector<float> half;
  std::vector<float> product;
};

/// |U' C V|^2 of a set whose rows' counts add up to n.
double squared_norm(const BinnedFeature& x, const BinnedFeature& y, std::size_t set, double n,
                    const PairCounts& counts, Workspace& room) {
  room.shares.resize(counts.values().size());
  to_floats(counts.values(), room.shares.data());
  room.half.assign(x.n_nodes * y.rank, 0.0F);
  add_product(x.n_nodes, y.n_nodes, y.rank, room.shares.data(), y.factors.data(), room.half.data());
  room.product.assign(x.rank * y.rank, 0.0F);
  add_product(x.rank, x.n_nodes, y.rank, x.transposed.data(), room.half.data(), room.product.data());
  return squared_difference(x.rank, y.rank, room.product.data(),
                            1 / (n * static_cast<double>(PairCounts::one)), x.margins[set].data(),
                            y.margins[set].data(), 1 / (n * n));
}

/// Sets result[set][pair] to the HSIC of x and y for every set of rows.
void score_pair(const BinnedFeature& x, const BinnedFeature& y, const Sets& sets, Workspace& room,
                std::size_t pair, std::vector<std::vector<Hsic>>& result) {
  PairCounts all(x.n_nodes, y.n_nodes);
  all.fill(x.places, y.places, sets.weights.counts);
  result[0][pair].value = squared_norm(x, y, 0, sets.counts[0], all, room);
  for (std::size_t k = 0; k < sets.left_out.size(); ++k) {
    PairCounts out(x.n_nodes, y.n_nodes);
    out.fill(x.left_out[k], y.left_out[k], sets.left_out_weights[k].counts);
    PairCounts rest = all;
    rest -= out;
    result[k + 1][pair].value = squared_norm(x, y, k + 1, sets.counts[k + 1], rest, room);
  }
}

}  // namespace

std::vector<std::vector<Hsic>> counts_hsic_without(const MatrixView& X,
                                                   std::span<const std::vector<std::size_t>> left_out,
                                                   std::size_t grid, const Execution& execution,
                                                   const WeightsView& weights,
                                                   const std::vector<bool>& categorical) {
  require_grid(grid, "hsic");
  const std::size_t d = X.n_cols;
  for (std::size_t j = 0; j < d; ++j)
    if (std::ranges::any_of(X.column(j), [](double x) { return std::isinf(x); }))
      throw std::invalid_argument("hsic: column " + std::to_string(j + 1) +
                                  " has a value that is not finite");
  std::vector<std::vector<Hsic>> result(1 + left_out.size(), std::vector<Hsic>(pair_count(d)));
  if (d < 2 || X.n_rows == 0) return result;
  const Sets sets = make_sets(X.n_rows, left_out, weights);
  const double n = weights.total(X.n_rows);
  std::vector<BinnedFeature> features(d);
  parallel_for(d, execution, {}, [&](std::size_t j) {
    features[j] = make_feature(X.column(j), sets, grid, !categorical.empty() && categorical[j]);
  });
  parallel_for(d - 1, execution, "hsic", [&](std::size_t i) {
    Workspace room;
    for (std::size_t j = i + 1; j < d; ++j) {
      const std::size_t k = pair_index(i, j, d);
      score_pair(features[i], features[j], sets, room, k, result);
      Hsic& pair = result[0][k];
      pair.p_value = internal::gamma_p_value(n * pair.value, n, features[i].moments, features[j].moments);
    }
  });
  return result;
}

std::vector<Hsic> counts_hsic_all_pairs(const MatrixView& X, std::size_t grid, const Execution& execution,
                                        const WeightsView& weights, const std::vector<bool>& categorical) {
  return std::move(counts_hsic_without(X, {}, grid, execution, weights, categorical).front());
}

std::vector<Hsic> pairwise_hsic(const MatrixView& X, Engine engine, int grid, const Execution& execution,
                                const WeightsView& weights, const std::vector<bool>& categorical) {
  if (engine == Engine::exact) return hsic_all_pairs(X, execution);
  return counts_hsic_all_pairs(X, static_cast<std::size_t>(grid), execution, weights, categorical);
}

Hsic counts_hsic(std::span<const double> x, std::span<const double> y, std::size_t grid) {
  return counts_hsic_all_pairs(internal::side_by_side(x, y), grid, Execution{.threads = 1}).front();
}

}  // namespace dyad

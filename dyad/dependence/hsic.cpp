// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/hsic.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <unsupported/Eigen/SpecialFunctions>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/data/summary.h"
#include "dyad/dependence/internal/hsic_null.h"

namespace dyad {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// Of all pairs of ascending values: how many are at most a distance apart, and the distances next to it.
struct PairsWithin {
  std::uint64_t count = 0;
  double below = 0;                                        ///< the largest one that is not larger
  double above = std::numeric_limits<double>::infinity();  ///< the smallest one that is
};

PairsWithin pairs_within(std::span<const double> sorted, double distance) {
  PairsWithin result;
  std::size_t end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    end = std::max(end, i + 1);
    while (end < sorted.size() && sorted[end] - sorted[i] <= distance) ++end;
    result.count += end - i - 1;
    result.below = std::max(result.below, sorted[end - 1] - sorted[i]);
    if (end < sorted.size()) result.above = std::min(result.above, sorted[end] - sorted[i]);
  }
  return result;
}

/// The distances in (low, high] of all pairs of the ascending values.
std::vector<double> distances_within(std::span<const double> sorted, double low, double high) {
  std::vector<double> distances;
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    begin = std::max(begin, i + 1);
    while (begin < sorted.size() && sorted[begin] - sorted[i] <= low) ++begin;
    end = std::max(end, begin);
    while (end < sorted.size() && sorted[end] - sorted[i] <= high) ++end;
    for (std::size_t k = begin; k < end; ++k) distances.push_back(sorted[k] - sorted[i]);
  }
  return distances;
}

/// The wanted distance is larger than `low` and at most `high`.
struct Bracket {
  double low, high;
  double above_low;  ///< the smallest distance that is larger than low; high is a distance, too
  std::uint64_t count_low, count_high;

  /// Moves the end on the same side of the rank as `middle` there; false if middle is not between the ends.
  bool narrow(std::span<const double> sorted, double middle, std::uint64_t rank) {
    if (!(middle > low && middle < high)) return false;
    const PairsWithin pairs = pairs_within(sorted, middle);
    if (pairs.count > rank) {
      high = pairs.below;
      count_high = pairs.count;
    } else {
      low = middle;
      above_low = pairs.above;
      count_low = pairs.count;
    }
    return true;
  }
};

/// The distance of 0-based rank floor(N / 2) among all pairs of the ascending values. The number of pairs
/// within a distance is found in O(n): a guess from few of the values, then regula falsi, each third step a
/// bisection, soon leave few distances to look at.
// NOLINTNEXTLINE(misc-no-recursion): of so few values that it goes no deeper
double median_distance(std::span<const double> sorted) {
  constexpr std::size_t few = 64;
  if (sorted.size() < 2) return 0;
  const auto n = static_cast<std::uint64_t>(sorted.size());
  const std::uint64_t rank = n * (n - 1) / 2 / 2;
  const PairsWithin equal = pairs_within(sorted, 0);
  Bracket bracket{0, sorted.back() - sorted.front(), equal.above, equal.count, n * (n - 1) / 2};
  if (bracket.count_low > rank) return 0;
  if (sorted.size() > 4 * few) {
    const double guess = median_distance(gather(sorted, evenly_spaced(sorted.size(), few)));
    bracket.narrow(sorted, 0.98 * guess, rank);
    bracket.narrow(sorted, 1.02 * guess, rank);
  }
  const std::uint64_t few_enough = n / 2 + 64;
  for (int step = 0; bracket.count_high - bracket.count_low > few_enough; ++step) {
    if (bracket.above_low >= bracket.high) return bracket.high;  // what is left are ties
    const auto count = static_cast<double>(bracket.count_high - bracket.count_low);
    const double length = bracket.high - bracket.low;
    const double share = step % 3 == 2 ? 0.5 : static_cast<double>(rank - bracket.count_low) / count;
    const double middle = bracket.low + length * share;
    const double margin = 0.4 * length * static_cast<double>(few_enough) / count;
    const bool below = bracket.narrow(sorted, middle - margin, rank);
    const bool above = bracket.narrow(sorted, middle + margin, rank);
    if (!below && !above && !bracket.narrow(sorted, 0.5 * (bracket.low + bracket.high), rank))
      return bracket.high;
  }
  auto distances = distances_within(sorted, bracket.low, bracket.high);
  const auto at = distances.begin() + static_cast<std::ptrdiff_t>(rank - bracket.count_low);
  std::ranges::nth_element(distances, at);
  return *at;
}

/// The moments of one feature's kernel matrix, with the means of its rows.
struct RowMoments : internal::KernelMoments {
  ArrayXd row_means;

  RowMoments() = default;
  RowMoments(const ArrayXd& row_sums, double square_sum) {
    const auto n = static_cast<double>(row_sums.size());
    row_means = row_sums / n;
    mean = row_means.mean();
    centred_square = square_sum / (n * n) - 2 * row_means.square().mean() + mean * mean;
  }
};

/// The smallest distance between different ones of the ascending values; 0 for a constant.
double smallest_gap(std::span<const double> sorted) {
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] > sorted[i - 1]) gap = std::min(gap, sorted[i] - sorted[i - 1]);
  return std::isfinite(gap) ? gap : 0;
}

/// `median_bandwidth` for values whose differences are finite.
double median_bandwidth_of(std::vector<double> x) {
  std::ranges::sort(x);
  return internal::median_bandwidth_of_sorted(x);
}

/// The columns centred and divided by sqrt(2) s, so that the kernel is exp(-(a - b)^2).
MatrixXd kernel_units(const MatrixView& X) {
  MatrixXd result(static_cast<Index>(X.n_rows), static_cast<Index>(X.n_cols));
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto x = in_units_of(representable_unit(X.column(j)), X.column(j));
    const auto z = centred_and_scaled(x, std::numbers::sqrt2 * median_bandwidth_of(x));
    std::ranges::copy(z, result.col(static_cast<Index>(j)).data());
  }
  return result;
}

/// Entries (i, k), k > i, of the kernel matrices of all features for a run of rows i: one matrix row per
/// entry. The diagonal, all ones, is left out.
struct KernelBlock {
  Index first_row;
  Index n_rows;
  Index n_entries;
};

/// Cuts the upper triangle into blocks of about the same number of entries.
std::vector<KernelBlock> kernel_blocks(Index n, Index d) {
  constexpr Index values_at_once = Index{1} << 22;
  const Index target = std::max(n, values_at_once / d);
  std::vector<KernelBlock> blocks;
  for (Index row = 0; row < n;) {
    KernelBlock block{row, 0, 0};
    while (row < n && block.n_entries + (n - 1 - row) <= target) {
      block.n_entries += n - 1 - row;
      ++block.n_rows;
      ++row;
    }
    blocks.push_back(block);
  }
  return blocks;
}

/// Fills one column of `entries` with the block's kernel values of feature x, and adds to its row sums.
void fill_kernel_column(const Eigen::Ref<const Eigen::VectorXd>& x, const KernelBlock& block,
                        Eigen::Ref<Eigen::VectorXd> entries, ArrayXd& row_sums) {
  const Index n = x.size();
  Index position = 0;
  for (Index i = block.first_row; i < block.first_row + block.n_rows; ++i) {
    const Index rest = n - 1 - i;
    auto values = entries.segment(position, rest).array();
    values = (-(x.segment(i + 1, rest).array() - x[i]).square()).exp();
    row_sums[i] += values.sum();
    row_sums.segment(i + 1, rest) += values;
    position += rest;
  }
}

/// Sums of K_i.K_j over the upper triangle for all pairs of features (i <= j), and each feature's row sums.
struct KernelProducts {
  MatrixXd products;
  std::vector<ArrayXd> row_sums;
};

KernelProducts kernel_products(const MatrixXd& scaled, const Execution& execution) {
  constexpr Index tile = 32;
  const Index n = scaled.rows();
  const Index d = scaled.cols();
  const Index n_tiles = (d + tile - 1) / tile;
  std::vector<std::pair<Index, Index>> tiles;
  for (Index a = 0; a < n_tiles; ++a)
    for (Index b = a; b < n_tiles; ++b) tiles.emplace_back(a, b);

  KernelProducts result{MatrixXd::Zero(d, d), {static_cast<std::size_t>(d), ArrayXd::Ones(n)}};
  const auto blocks = kernel_blocks(n, d);
  const Execution silent{.threads = execution.threads, .stop = execution.stop};
  MatrixXd entries(std::ranges::max(blocks, {}, &KernelBlock::n_entries).n_entries, d);
  std::size_t done = 0;
  for (const KernelBlock& block : blocks) {
    parallel_for(static_cast<std::size_t>(d), silent, {}, [&](std::size_t j) {
      const auto column = static_cast<Index>(j);
      fill_kernel_column(scaled.col(column), block, entries.col(column).head(block.n_entries),
                         result.row_sums[j]);
    });
    parallel_for(tiles.size(), silent, {}, [&](std::size_t t) {
      const auto [a, b] = tiles[t];
      const Index rows = std::min(tile, d - a * tile);
      const Index cols = std::min(tile, d - b * tile);
      result.products.block(a * tile, b * tile, rows, cols).noalias() +=
          entries.block(0, a * tile, block.n_entries, rows).transpose() *
          entries.block(0, b * tile, block.n_entries, cols);
    });
    if (execution.progress) execution.progress("hsic", ++done, blocks.size());
  }
  return result;
}

}  // namespace

Matrix internal::side_by_side(std::span<const double> x, std::span<const double> y) {
  require_finite_pairs(x, y, "hsic");
  Matrix both(x.size(), 2);
  std::ranges::copy(x, both.column(0).begin());
  std::ranges::copy(y, both.column(1).begin());
  return both;
}

double internal::gamma_p_value(double statistic, double n, const KernelMoments& K, const KernelMoments& L) {
  const double expectation = (1 - K.mean) * (1 - L.mean);
  const double variance =
      2 * n * (n - 4) * (n - 5) / ((n - 1) * (n - 2) * (n - 3)) * K.centred_square * L.centred_square;
  // A constant feature has a kernel matrix of ones: both moments are rounding noise.
  if (n < fewest_gamma_rows || !(expectation > 1e-13) || !(variance > 1e-26)) return 1;
  const double shape = expectation * expectation / variance;
  const double scale = variance / expectation;
  return std::clamp(Eigen::numext::igammac(shape, std::max(0.0, statistic / scale)), 0.0, 1.0);
}

double internal::median_bandwidth_of_sorted(std::span<const double> sorted) {
  const double median = median_distance(sorted);
  if (median > 0) return median / std::numbers::sqrt2;
  const double gap = smallest_gap(sorted);
  return gap > 0 ? std::max(0.001 * gap, std::numeric_limits<double>::min()) : 1;
}

double median_bandwidth(std::span<const double> x) {
  require_finite_sample(x, "hsic");
  if (standard_deviation(x) == 0) return 1;
  const double unit = representable_unit(x);
  return std::min(median_bandwidth_of(in_units_of(unit, x)) * unit, std::numeric_limits<double>::max());
}

std::vector<Hsic> hsic_all_pairs(const MatrixView& X, const Execution& execution) {
  const std::size_t d = X.n_cols;
  std::vector<Hsic> result(pair_count(d));
  if (result.empty() || X.n_rows == 0) return result;
  const auto n = static_cast<double>(X.n_rows);
  const KernelProducts sums = kernel_products(kernel_units(X), execution);
  std::vector<RowMoments> moments(d);
  for (std::size_t j = 0; j < d; ++j) {
    const auto column = static_cast<Index>(j);
    moments[j] = RowMoments(sums.row_sums[j], n + 2 * sums.products(column, column));
  }
  parallel_for(d, execution, {}, [&](std::size_t i) {
    for (std::size_t j = i + 1; j < d; ++j) {
      const double product_sum = n + 2 * sums.products(static_cast<Index>(i), static_cast<Index>(j));
      Hsic& pair = result[pair_index(i, j, d)];
      pair.value = product_sum / (n * n) + moments[i].mean * moments[j].mean -
                   2 * (moments[i].row_means * moments[j].row_means).mean();
      if (pair.value < 0) pair.value = 0;
      pair.p_value = internal::gamma_p_value(n * pair.value, n, moments[i], moments[j]);
    }
  });
  return result;
}

Hsic hsic(std::span<const double> x, std::span<const double> y) {
  return hsic_all_pairs(internal::side_by_side(x, y), Execution{.threads = 1}).front();
}

double hsic_permutation_p_value(std::span<const double> x, std::span<const double> y, int permutations,
                                std::uint64_t seed, const Execution& execution) {
  if (x.size() > most_permutation_rows)
    throw std::invalid_argument("permutation takes at most " + std::to_string(most_permutation_rows) +
                                " rows, got " + std::to_string(x.size()));
  const MatrixXd scaled = kernel_units(internal::side_by_side(x, y));
  const Index n = scaled.rows();
  const auto kernel = [&](Index j) {
    MatrixXd K(n, n);
    for (Index i = 0; i < n; ++i)
      K.col(i) = (-(scaled.col(j).array() - scaled(i, j)).square()).exp().matrix();
    return K;
  };
  MatrixXd K = kernel(0);
  const MatrixXd L = kernel(1);
  // With K centred on both sides, n^2 HSIC of any permutation p is sum_ik K_ik L_p(i)p(k).
  const Eigen::VectorXd row_means = K.rowwise().mean();
  const double all_mean = row_means.mean();
  K.colwise() -= row_means;
  K.rowwise() -= row_means.transpose();
  K.array() += all_mean;

  const double observed = K.cwiseProduct(L).sum();
  const double tie = 1e-12 * K.cwiseAbs().sum();
  auto order = all_rows<Index>(static_cast<std::size_t>(n));
  Random random(seed);
  int at_least = 0;
  for (int b = 0; b < permutations; ++b) {
    throw_if_stopped(execution);
    random.shuffle(order);
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      const double* const row = L.data() + order[static_cast<std::size_t>(i)] * n;
      for (Index k = 0; k < i; ++k) sum += 2 * K(k, i) * row[order[static_cast<std::size_t>(k)]];
      sum += K(i, i);
    }
    at_least += sum >= observed - tie ? 1 : 0;
  }
  return (1.0 + at_least) / (1.0 + permutations);
}

}  // namespace dyad

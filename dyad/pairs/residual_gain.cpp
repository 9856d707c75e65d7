// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/residual_gain.h"

#include <array>

#include "dyad/base/simd.h"
#include "dyad/model/model.h"

namespace dyad {
namespace {

constexpr std::size_t n_intervals = 6;
constexpr std::size_t n_named_levels = 7;
constexpr double steps_of_one = 0x1p20;
constexpr double cell_shrinkage = 2;

/// Number of sums over the rows of a cell in one view: R, H and Q.
constexpr std::size_t n_sums = 3;

/// The numbers that each row adds to its cell, for all views, in steps.
struct RowNumbers {
  std::size_t width = 0;
  std::vector<std::int32_t> values;  ///< row after row

  [[nodiscard]] std::span<std::int32_t> row(std::size_t i) { return {values.data() + i * width, width}; }
};

DYAD_SIMD void add_rows(const RowNumbers& rows, const FeatureCells& a, const FeatureCells& b,
                        std::int64_t* sums) {
  const std::size_t width = rows.width;
  for (std::size_t i = 0; i < a.of_row.size(); ++i) {
    const std::int32_t* const from = rows.values.data() + i * width;
    std::int64_t* const to = sums + (a.of_row[i] * b.count + b.of_row[i]) * width;
    for (std::size_t k = 0; k < width; ++k) to[k] += from[k];
  }
}

/// The numbers of all rows for the score of class k; a row of the largest weight counts as one.
RowNumbers numbers_of(const LabelledSample& sample, const HeldOutChances& chances, std::size_t k,
                      double largest_weight) {
  RowNumbers rows{n_sums * chances.n_views(), {}};
  rows.values.resize(sample.n_rows() * rows.width);
  const auto in_steps = [](double x) { return static_cast<std::int32_t>(std::lround(x)); };
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    const double weight = steps_of_one * WeightsView(sample.weights)[i] / largest_weight;
    const double truth = static_cast<std::size_t>(sample.y[i]) == k ? 1 : 0;
    const auto row = rows.row(i);
    for (std::size_t view = 0; view < chances.n_views(); ++view) {
      if (!chances.counts(i, view)) continue;
      const double p = chances.of_view[view](i, k);
      const double h = p * (1 - p);
      row[n_sums * view] = in_steps(weight * (truth - p));
      row[n_sums * view + 1] = in_steps(weight * h);
      row[n_sums * view + 2] = in_steps(weight * h * (1 - 6 * h));
    }
  }
  return rows;
}

/// Named levels, the others together, and gaps.
constexpr std::size_t most_cells = n_named_levels + 2;
using CellNumbers = std::array<double, most_cells * most_cells>;

/// Sums over the rows in the cells of a pair, in one view.
struct CellSums {
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  CellNumbers R, H, Q;

  [[nodiscard]] std::size_t n_cells() const { return n_a * n_b; }
};

/// The sums of one view; `step` is what a step stands for.
CellSums sums_of_view(std::span<const std::int64_t> sums, std::size_t width, std::size_t n_a, std::size_t n_b,
                      std::size_t view, double step) {
  CellSums result;
  result.n_a = n_a;
  result.n_b = n_b;
  for (std::size_t cell = 0; cell < n_a * n_b; ++cell) {
    const std::int64_t* const of_cell = sums.data() + cell * width + n_sums * view;
    result.R[cell] = step * static_cast<double>(of_cell[0]);
    result.H[cell] = step * static_cast<double>(of_cell[1]);
    result.Q[cell] = step * static_cast<double>(of_cell[2]);
  }
  return result;
}

/// Makes the weighted mean of the n numbers `stride` apart 0; returns what it was.
double centre(double* values, const double* weights, std::size_t n, std::size_t stride) {
  double sum = 0;
  double total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += weights[k * stride] * values[k * stride];
    total += weights[k * stride];
  }
  if (!(total > 0)) return 0;
  const double mean = sum / total;
  for (std::size_t k = 0; k < n; ++k) values[k * stride] -= mean;
  return mean;
}

/// Takes the function of one feature plus one of the other that fits R / H best out of R.
void take_out_margins(CellSums& sums) {
  constexpr int most_sweeps = 20;
  constexpr double least_change = 1e-4;  // of the largest mean
  CellNumbers ratio;
  for (std::size_t cell = 0; cell < sums.n_cells(); ++cell)
    ratio[cell] = sums.H[cell] > 0 ? sums.R[cell] / sums.H[cell] : 0;
  double largest = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    const auto note = [&](double mean) { change = std::max(change, std::abs(mean)); };
    for (std::size_t a = 0; a < sums.n_a; ++a)
      note(centre(ratio.data() + a * sums.n_b, sums.H.data() + a * sums.n_b, sums.n_b, 1));
    for (std::size_t b = 0; b < sums.n_b; ++b)
      note(centre(ratio.data() + b, sums.H.data() + b, sums.n_a, sums.n_b));
    largest = std::max(largest, change);
    if (change <= least_change * largest) break;
  }
  for (std::size_t cell = 0; cell < sums.n_cells(); ++cell) sums.R[cell] = sums.H[cell] * ratio[cell];
}

/// The statistic less its mean by chance, in standard deviations; 0 where it is below the mean.
double gain_of(CellSums sums) {
  take_out_margins(sums);
  std::array<double, most_cells> of_a{};
  std::array<double, most_cells> of_b{};
  double total = 0;
  for (std::size_t cell = 0; cell < sums.n_cells(); ++cell) {
    of_a[cell / sums.n_b] += sums.H[cell];
    of_b[cell % sums.n_b] += sums.H[cell];
    total += sums.H[cell];
  }
  double excess = 0;
  double variance = 0;
  for (std::size_t cell = 0; cell < sums.n_cells(); ++cell) {
    const double H = sums.H[cell];
    if (!(H > 0)) continue;
    // Share of the variance H of R that the margins leave.
    const double left =
        std::clamp(1 - H / of_a[cell / sums.n_b] - H / of_b[cell % sums.n_b] + H / total, 0.0, 1.0);
    excess += (sums.R[cell] * sums.R[cell] - left * H) / (H + cell_shrinkage);
    variance +=
        left * std::max(2 * H * H + sums.Q[cell], 0.0) / ((H + cell_shrinkage) * (H + cell_shrinkage));
  }
  return excess > 0 && variance > 0 ? excess / std::sqrt(variance) : 0;
}

/// The number of the most frequent levels in their order, and of all others.
std::vector<std::uint8_t> numbers_of_levels(std::span<const double> codes, const WeightsView& weights,
                                            std::size_t n_levels) {
  std::vector<double> counts(n_levels);
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (!std::isnan(codes[i])) counts[static_cast<std::size_t>(codes[i])] += weights[i];
  std::vector<std::size_t> order(n_levels);
  for (std::size_t k = 0; k < n_levels; ++k) order[k] = k;
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return counts[k]; });
  std::vector<std::uint8_t> numbers(n_levels);
  for (std::size_t k = 0; k < n_levels; ++k)
    numbers[order[k]] = static_cast<std::uint8_t>(std::min(k, n_named_levels));
  return numbers;
}

/// Values that begin an interval, but for the first.
std::vector<double> cuts_of(std::span<const double> column) {
  std::vector<double> sorted;
  for (const double x : column)
    if (!std::isnan(x)) sorted.push_back(x);
  std::ranges::sort(sorted);
  std::vector<double> cuts;
  for (std::size_t k = 1; k < n_intervals && !sorted.empty(); ++k)
    if (const double cut = sorted[k * sorted.size() / n_intervals];
        cut > (cuts.empty() ? sorted.front() : cuts.back()))
      cuts.push_back(cut);
  return cuts;
}

}  // namespace

FeatureCells feature_cells(const LabelledSample& sample, std::size_t feature) {
  const auto column = sample.X.column(feature);
  std::vector<std::uint8_t> of_level;
  std::vector<double> cuts;
  FeatureCells cells;
  if (sample.is_categorical(feature)) {
    of_level = numbers_of_levels(column, sample.weights, sample.levels[feature].size());
    cells.count = std::min(of_level.size(), n_named_levels + 1);
  } else {
    cuts = cuts_of(column);
    cells.count = cuts.size() + 1;
  }
  const auto of_gaps = static_cast<std::uint8_t>(cells.count);
  for (const double x : column) {
    if (std::isnan(x)) {
      cells.of_row.push_back(of_gaps);
      cells.count = of_gaps + 1U;
    } else if (sample.is_categorical(feature)) {
      cells.of_row.push_back(of_level[static_cast<std::size_t>(x)]);
    } else {
      cells.of_row.push_back(static_cast<std::uint8_t>(std::ranges::upper_bound(cuts, x) - cuts.begin()));
    }
  }
  return cells;
}

std::vector<std::vector<double>> residual_gains(const LabelledSample& sample, const HeldOutChances& chances,
                                                std::span<const FeaturePair> pairs,
                                                const Execution& execution) {
  std::vector<FeatureCells> cells(sample.n_features());
  parallel_for(cells.size(), execution, {}, [&](std::size_t j) { cells[j] = feature_cells(sample, j); });
  double largest = 0;
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    largest = std::max(largest, WeightsView(sample.weights)[i]);
  std::vector<std::vector<double>> gains(chances.n_views(), std::vector<double>(pairs.size()));
  for (std::size_t score = 0; score < score_count(sample.n_classes); ++score) {
    const RowNumbers rows = numbers_of(sample, chances, score, largest);
    parallel_for(pairs.size(), execution, {}, [&](std::size_t pair) {
      const FeatureCells& a = cells[pairs[pair].i];
      const FeatureCells& b = cells[pairs[pair].j];
      std::vector<std::int64_t> sums(a.count * b.count * rows.width);
      add_rows(rows, a, b, sums.data());
      for (std::size_t view = 0; view < gains.size(); ++view)
        gains[view][pair] +=
            gain_of(sums_of_view(sums, rows.width, a.count, b.count, view, largest / steps_of_one));
    });
  }
  return gains;
}

}  // namespace dyad

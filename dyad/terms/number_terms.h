// Densities of numbers by counts or points: binned once, smoothed with all rows or without some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/scaled_column.h"
#include "dyad/data/row_weights.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"
#include "dyad/model/term.h"

namespace dyad {

struct TermContext;

/// A feature some of whose rows lie so far from the others that no axis holds them all.
struct ColumnOfPoints {
  std::vector<double> x;
  RowWeights weights;
  double bandwidth = 1;  ///< in the feature's units
  double rows_each = 1;  ///< that a point of weight 1 stands for
};

/// A pair of few rows in tails so long that a table would be larger, and less exact, than sums over the rows.
struct PairOfPoints {
  std::vector<double> x;
  std::vector<double> y;
  RowWeights weights;
  Scaling scaling_x;
  Scaling scaling_y;
  ShearedKernel kernel;
};

/// A density by sums over points; its members are named as those of FittedGrid1d.
template <class Kde>
struct FittedPoints {
  Kde grid;
  double log_own = 0;  ///< log of what a row adds to the density at its own place
  double n_rows = 0;
};

[[nodiscard]] FittedPoints<Kde1d> smooth(const ColumnOfPoints& column, double factor = 1);
[[nodiscard]] FittedPoints<Kde2d> smooth(const PairOfPoints& pair, double factor = 1);

/// The kinds of densities of numbers, each by what it is counted with: the one list of them.
using Binned = std::variant<BinnedColumn, BinnedPair, ColumnOfPoints, PairOfPoints>;

template <class... Kinds>
std::variant<decltype(smooth(std::declval<Kinds>()))...> smoothed(const std::variant<Kinds...>& binned) {
  return std::visit([](const auto& kind) { return decltype(smoothed(binned))(smooth(kind)); }, binned);
}

/// A density of any of these kinds, which `smooth` makes of its counts.
using FittedNumbers = decltype(smoothed(std::declval<Binned>()));

/// Rows that a density of numbers is estimated from.
struct DensityRows {
  std::span<const std::size_t> rows;  ///< of the sample, ascending
  const RowWeights& weights;          ///< the rest in the order of `rows`
  const ScaledColumn& x;
  const ScaledColumn& y;

  [[nodiscard]] double n() const { return WeightsView(weights).total(rows.size()); }
};

/// The rows on axes made for their density, which is to be that of all rows of the table if they are a part
/// of one.
[[nodiscard]] Binned bin_rows(const TermContext& context, const TermKey& key, const DensityRows& rows);

/// Adds rows by the features x and y, scaled as those that the axes are made for.
void add_rows(Binned& binned, std::span<const float> x, std::span<const float> y, const WeightsView& weights);

/// Removes all rows and frees the counts of pairs. Points, which stand for any rows of their class, stay.
void clear(Binned& binned);

/// True if rows have been counted.
[[nodiscard]] bool has_rows(const Binned& binned);

/// Adds the counts of other rows on the same axes.
void add(Binned& binned, const Binned& other);

/// The density without the rows at `left_out` (ascending places in DensityRows::rows, not all), by
/// subtraction.
[[nodiscard]] FittedNumbers smooth_without(const Binned& binned, const DensityRows& rows,
                                           std::span<const std::size_t> left_out);

/// The rows that a density is made of, by weight.
[[nodiscard]] double row_count(const FittedNumbers& fitted);

/// Log densities of rows given by their values of the term's features; no floor and no pseudo-observations.
void evaluate(const FittedNumbers& fitted, std::span<const double> x, std::span<const double> y,
              std::span<double> out);

/// Mixes in the pseudo-observations that the options ask for, at least some, beside the rows that the density
/// is made of.
///
/// `left_out` are the weights w_i of rows left out of their own densities, where min(w_i, 1) rows are
/// missing; null if none is.
void mix_in_prior(const TermContext& context, const TermKey& key, const FittedNumbers& fitted,
                  std::span<const double> x, std::span<const double> y, std::span<double> values,
                  const RowWeights* left_out = nullptr);

/// Rows that a density was fitted to, by their scaled features.
struct OwnRows {
  std::span<const float> x;
  std::span<const float> y;
  WeightsView weights;
};

/// Corrects the values of such rows: takes their own kernels out, or adds those that no count holds.
void correct_own(const FittedNumbers& fitted, const OwnRows& rows, bool leave_out, std::span<double> values);

}  // namespace dyad

// The densities of terms by counts: binned once, smoothed with all rows or without some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/counts/scaled_column.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/density/level_density.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"
#include "dyad/terms/exact_terms.h"

namespace dyad::internal {

/// The rows of one class with its features scaled.
struct ScaledClass {
  std::vector<std::size_t> rows;  ///< ascending
  RowWeights weights;             ///< in the order of `rows`
  std::vector<ScaledColumn>
      columns;  ///< one a feature of numbers without gaps, values in the order of `rows`

  [[nodiscard]] double n() const { return WeightsView(weights).total(rows.size()); }
};

struct TableStats;

/// Folds that level shares are counted without.
inline constexpr int level_fold_count = 10;

/// What all terms of a fit share.
struct TermContext {
  const LabelledSample& sample;
  std::vector<ScaledClass> classes;
  std::vector<double> log_spread;  ///< of each feature, over all rows; 0 of categories
  const FitOptions& options;
  std::vector<LevelAxis> axes{};  ///< of the features
  std::vector<std::vector<double>>
      level_priors{};  ///< of each feature, the shares of its levels over all classes
  std::size_t n_level_folds = 0;
  std::vector<std::size_t> level_folds{};  ///< of each row, if a feature has levels
  const TableStats* more = nullptr;        ///< of the table that the sample is a part of

  [[nodiscard]] const ScaledClass& class_of(const TermKey& place) const {
    return classes[static_cast<std::size_t>(place.class_code)];
  }
  /// Rows of the term's class, by weight: of the table, if the sample is a part of one.
  [[nodiscard]] double n_of(const TermKey& place) const;
  /// Whether the features of a term are numbers without gaps.
  [[nodiscard]] bool is_plain(const TermKey& place) const {
    return axes[place.i].is_plain() && axes[place.j].is_plain();
  }
};

[[nodiscard]] TermContext make_context(const LabelledSample& sample, const FitOptions& options,
                                       const Execution& execution, const TableStats* more = nullptr);

/// The same for a part of the rows of `all`: a level or a gap that only the others have is there too.
[[nodiscard]] TermContext make_context(const LabelledSample& sample, const LabelledSample& all,
                                       const FitOptions& options, const Execution& execution,
                                       const TableStats* more = nullptr);

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

/// A density by sums over points; the member is named as in the other alternatives of FittedGrid.
template <class Kde>
struct FittedPoints {
  Kde grid;
  double log_own = 0;  ///< log of what a row adds to the density at its own place
  double n_rows = 0;
};

using Binned = std::variant<BinnedColumn, BinnedPair, ColumnOfPoints, PairOfPoints>;
using FittedGrid = std::variant<FittedGrid1d, FittedGrid2d, FittedPoints<Kde1d>, FittedPoints<Kde2d>>;

/// Rows that a density of numbers is estimated from.
struct DensityRows {
  std::span<const std::size_t> rows;  ///< of the sample, ascending
  const RowWeights& weights;          ///< the rest in the order of `rows`
  const ScaledColumn& x;
  const ScaledColumn& y;

  [[nodiscard]] double n() const { return WeightsView(weights).total(rows.size()); }
};

[[nodiscard]] DensityRows rows_of_term(const TermContext& context, const TermKey& place);

/// The rows on axes made for their density, which is to be that of all rows of the table if they are a part of one.
[[nodiscard]] Binned bin_rows(const TermContext& context, const TermKey& place, const DensityRows& rows);

/// Adds rows by the features x and y, scaled as those that the axes are made for.
void add_rows(Binned& binned, std::span<const float> x, std::span<const float> y, const WeightsView& weights);

/// Takes all rows out, and the room for counts of pairs with them. Points, which stand for any rows of their class, stay.
void clear(Binned& binned);

/// Whether there are rows.
[[nodiscard]] bool has_rows(const Binned& binned);

/// Adds the counts of other rows on the same axes.
void add(Binned& binned, const Binned& other);

[[nodiscard]] FittedGrid smooth_rows(const Binned& binned);

/// The density without the rows at `left_out` (ascending places in DensityRows::rows, not all), by subtraction.
[[nodiscard]] FittedGrid smooth_without(const Binned& binned, const DensityRows& rows,
                                        std::span<const std::size_t> left_out);

[[nodiscard]] double row_count(const FittedGrid& fitted);

[[nodiscard]] double floor_of(const TermContext& context, const TermKey& place);

/// Log densities of rows given by their values of the term's features; no floor and no pseudo-observations.
void evaluate(const FittedGrid& fitted, std::span<const double> x, std::span<const double> y,
              std::span<double> out);

/// Mixes in the pseudo-observations that the options ask for, beside the rows that the density is made of.
void mix_in_prior(const TermContext& context, const TermKey& place, const FittedGrid& fitted,
                  std::span<const double> x, std::span<const double> y, std::span<double> values);

/// The same for rows that were left out of their own densities: what their weights say, one row at most, is missing in each.
void mix_in_prior_without(const WeightsView& weights, const TermContext& context, const TermKey& place,
                          const FittedGrid& fitted, std::span<const double> x, std::span<const double> y,
                          std::span<double> values);

/// Rows that a density was fitted to, by their scaled features.
struct OwnRows {
  std::span<const float> x;
  std::span<const float> y;
  WeightsView weights;
};

/// Corrects the values of such rows: takes their own kernels out, or adds those that no count holds.
void correct_own(const FittedGrid& fitted, const OwnRows& rows, bool leave_out, std::span<double> values);

}  // namespace dyad::internal

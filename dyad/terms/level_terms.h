// Terms of features that are categories or have missing values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "dyad/density/level_density.h"
#include "dyad/terms/number_terms.h"

namespace dyad {

struct TableStats;
struct TermOptions;

/// The rows that one density of numbers within a term is estimated from.
struct PartRows {
  std::vector<std::size_t> places;  ///< in ScaledClass::rows, ascending
  std::vector<std::size_t> rows;    ///< the same rows of the sample
  RowWeights weights;               ///< viewed by `x` and `y`
  ScaledColumn x;
  ScaledColumn y;

  [[nodiscard]] DensityRows density_rows() const { return {rows, weights, x, y}; }
};

/// A density of numbers within a term. Copies share its rows.
struct LevelPart {
  TermKey key;  ///< the features that are numbers
  std::shared_ptr<const PartRows> rows = std::make_shared<PartRows>();
  Binned binned;
};

/// A term's rows counted by their levels, and what is a number among them binned.
struct BinnedLevels {
  LevelDensity frame;  ///< without shares and densities
  std::vector<double> prior_x;
  std::vector<double> prior_y;
  std::vector<double> counts;                        ///< by cell
  std::vector<std::vector<double>> counts_in_folds;  ///< of TableStats::level_folds, by cell
  std::vector<LevelPart> parts;
};

/// A density with what is needed to see it without single rows.
struct FittedLevels {
  LevelDensity grid;
  std::vector<FittedNumbers> parts;                     ///< as in `grid`
  std::vector<std::vector<double>> log_shares_without;  ///< of each of TableStats::level_folds, by cell
  std::vector<double> counts;                           ///< by cell
  std::vector<double> counts_x;                         ///< by level
  std::vector<double> counts_y;
  double n_rows = 0;
};

/// A term without rows, cells and parts: its axes, and the shares that its levels are drawn to.
[[nodiscard]] BinnedLevels empty_levels(const TableStats& stats, const TermOptions& options,
                                        const TermKey& key);

[[nodiscard]] BinnedLevels bin_levels(const TermContext& context, const TermKey& key);

/// Rows of a term's class by their features x and y.
struct LevelRows {
  std::span<const double> x;
  std::span<const double> y;  ///< x for one feature
  WeightsView weights;
  std::span<const std::size_t> folds;  ///< of TableStats::level_folds
};

/// Adds rows to the counts.
void add_rows(BinnedLevels& binned, const LevelRows& rows);

/// Removes all rows from the counts.
void clear(BinnedLevels& binned);

/// Adds the counts of other rows.
void add(BinnedLevels& binned, const BinnedLevels& other);

/// The density without the rows at `left_out` (ascending places in ScaledClass::rows); of all rows if there
/// are none.
[[nodiscard]] FittedLevels smooth_levels(const BinnedLevels& binned, const TermContext& context,
                                         const TermKey& key, std::span<const std::size_t> left_out = {});

/// Rows excluded from a row's own value.
enum class LeftOut {
  nothing,
  row,           ///< the row itself; enough if all rows are of one class
  row_of_pairs,  ///< the row itself, but not in shares of the levels of one feature
  row_and_fold   ///< the row in densities of numbers, its whole fold in shares, which would reveal its class
};

/// Rows of the sample to evaluate; `own` marks those the density was fitted to.
struct AskedRows {
  std::span<const std::size_t> rows;
  const std::vector<bool>& own;
};

/// Whether a density has levels alone, so that the value of a row depends on its cell.
[[nodiscard]] bool has_levels_alone(const FittedLevels& fitted);

/// The cells of rows with the values x and y; n_cells() if a level was never met.
[[nodiscard]] std::vector<std::uint32_t> cells_of_levels(const LevelDensity& frame, std::span<const double> x,
                                                         std::span<const double> y);

/// Values of all rows of the sample by their cells, with their folds left out or not. NaN behind the last
/// cell.
void values_of_cells(const FittedLevels& fitted, const TermContext& context,
                     std::span<const std::uint32_t> cells, bool leaves_folds_out, std::span<double> out);

/// Values of rows of the sample, pseudo-observations included, no floor. Left out of densities of numbers is
/// the row itself, and of shares of levels what `left_out` says.
void level_values(const FittedLevels& fitted, const TermContext& context, const TermKey& key,
                  const AskedRows& asked, LeftOut left_out, std::span<double> out);

}  // namespace dyad

// Statistics of all rows of a table, in memory or surveyed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/random.h"
#include "dyad/counts/scaled_column.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/density/level_density.h"
#include "dyad/terms/options.h"
#include "dyad/terms/term_densities.h"

namespace dyad {

/// Statistics of the table that a sample comes from. A table in memory is its own sample.
struct TableStats {
  bool is_part = false;            ///< whether the table has rows that the sample lacks
  std::vector<double> class_rows;  ///< rows of each class, by weight
  std::vector<LevelAxis> axes;     ///< levels and gaps of each feature
  std::vector<std::vector<double>>
      level_priors;  ///< of each feature, the shares of its levels over all classes
  std::size_t n_level_folds = 0;
  std::vector<std::size_t> level_folds;  ///< of each row: shares of its levels are counted without this fold
  std::vector<std::uint64_t> numbers;    ///< of the rows of the sample in the table
  std::vector<std::vector<Scaling>> scalings;  ///< by class and feature, of counted rows; empty: the sample's
  std::span<const TermKey> keys;               ///< the densities that all rows have been counted for
  std::span<const BinnedTerm> counts;          ///< all rows, for each of `keys`
};

/// Folds that level shares are counted without.
inline constexpr int level_fold_count = 10;

/// The fold, one of n_folds, that the levels of a row are counted without.
[[nodiscard]] constexpr std::size_t level_fold(std::uint64_t number, std::size_t n_folds) {
  return static_cast<std::size_t>(hashed(hashed(number)) % n_folds);
}

/// The axis of a feature with these levels, none for numbers.
[[nodiscard]] LevelAxis level_axis(const Levels& levels, bool has_missing);

/// Statistics of a table in memory, by one pass over `sample`.
[[nodiscard]] TableStats stats_of(const LabelledSample& sample, const TermOptions& options);

/// Statistics of `part`, some rows of `all`: levels and gaps are those of `all`.
[[nodiscard]] TableStats stats_of(const LabelledSample& part, const LabelledSample& all,
                                  const TermOptions& options);

/// At most `most` rows of the sample, fewer of large classes, with weights that restore the classes' shares
/// of the table.
///
/// Rows of a table in memory are evenly spaced within each class; those of a part of a table have the least
/// hashes of row numbers. Weights add up to `most` where rows are left out.
[[nodiscard]] SampledRows sampled_rows(const LabelledSample& sample, std::size_t most,
                                       const TableStats& stats);

}  // namespace dyad

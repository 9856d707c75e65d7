// Checks and encoding of a sample before estimation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/coordinate.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/data/levels.h"
#include "dyad/fit/options.h"
#include "dyad/fit/recipe.h"
#include "dyad/model/row_counts.h"
#include "dyad/model/row_sketch.h"

namespace dyad {

/// The encoding of a table's values in a prepared sample.
struct Encoding {
  std::size_t n_features = 0;
  std::vector<Levels> levels;
  std::vector<Coordinate> coordinates;
  std::vector<ValueRange> ranges;
  RowSketch sketch;
};

/// Throws std::invalid_argument if `sample` cannot be fitted with these options, which are valid.
void check(const LabelledSample& sample, const FitOptions& options);

/// Brings a sample into the coordinates of the densities, and settles what of the recipe depends on the
/// table. The sketch of rows stays empty.
///
/// `weights` are those that coordinates are fitted with; `is_part` says whether the table has more rows.
[[nodiscard]] Encoding encode(LabelledSample& sample, const RowWeights& weights, bool is_part, Recipe& recipe,
                              const Execution& execution);

/// Checks a table in memory, brings it into the form that the engine takes, and encodes it.
///
/// Splits of the inner cross-validation in `recipe` follow the rows. The counts engine has equal rows merged
/// unless `merges` is false. Throws std::invalid_argument as `check`.
[[nodiscard]] Encoding prepare(LabelledSample& sample, const FitOptions& options, Recipe& recipe,
                               const Execution& execution, bool merges = true);

/// Drops all features but the given ones, which are ascending.
void keep_features(LabelledSample& sample, std::span<const std::size_t> kept);

/// Removes the values and levels of excluded features.
void clear_excluded(LabelledSample& sample, const FitOptions& options);

/// Drops the excluded features and, for the counts engine, those that are the same in all rows; returns the
/// numbers of the others.
///
/// If all are the same, drops those without values; if none has values, none.
[[nodiscard]] std::vector<std::size_t> drop_unused_features(LabelledSample& sample,
                                                            const FitOptions& options);

}  // namespace dyad

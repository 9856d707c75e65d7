// Choices made from a survey before rows are counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/fit/choose_terms.h"
#include "dyad/fit/options.h"
#include "dyad/fit/prepare.h"
#include "dyad/fit/recipe.h"
#include "dyad/fit/survey.h"
#include "dyad/fit/weigh.h"
#include "dyad/terms/term_densities.h"

namespace dyad {

/// Bytes that tables of counts take at most unless said otherwise.
inline constexpr std::size_t default_table_bytes = std::size_t{512} << 20U;

/// Choices made from the sample of a survey.
struct Plan {
  Survey survey;  ///< in order
  FitOptions options;
  Encoding encoding;                           ///< of all features
  std::vector<std::size_t> kept;               ///< features that vary
  ChosenTerms chosen;                          ///< numbered among the kept ones
  std::vector<TermKey> keys;                   ///< those of `chosen` that are densities
  std::vector<BinnedTerm> frames;              ///< of each, without rows
  std::vector<std::vector<Scaling>> scalings;  ///< by class and kept feature
  Provenance reduced;                          ///< what a limit of memory or time reduced

  static constexpr Names<5> names_of_reduced{"sample_rows", "table_grid", "path_rows", "path_pairs",
                                             search_end_name};

  /// The recipe of the options, settled for a table in parts.
  [[nodiscard]] Recipe recipe() const;
  /// The sample in coordinates, kept features alone.
  [[nodiscard]] LabelledSample sample() const;
  /// All that is known of the table but its counts.
  [[nodiscard]] TableStats table_stats() const;
};

/// The levels that features have under the options, and the ranges of the sample; coordinates are left open.
[[nodiscard]] Encoding encoding_of_levels(const Survey& survey, const FitOptions& options);

/// Chooses terms and axes. Throws std::invalid_argument if the options cannot be fitted to the rows of the
/// survey.
[[nodiscard]] Plan make_plan(Survey survey, FitOptions options, std::size_t table_bytes,
                             const Execution& execution);

/// True if rows counted by one plan can be added to those counted by the other.
[[nodiscard]] bool is_same(const Plan& a, const Plan& b);

}  // namespace dyad

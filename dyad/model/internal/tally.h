// Counting the rows of a table for chosen terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/chunk.h"
#include "dyad/data/survey.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/internal/more_rows.h"
#include "dyad/model/internal/preparation.h"
#include "dyad/model/internal/term_choice.h"

namespace dyad::internal {

/// What was chosen from the sample of a survey.
struct Plan {
  Survey survey;  ///< in order
  FitOptions options;
  FeatureMode asked_feature_mode = FeatureMode::automatic;
  Meaning meaning;                             ///< of all features
  std::vector<std::size_t> kept;               ///< features that vary
  ChosenTerms chosen;                          ///< numbered among the kept ones
  std::vector<TermPlace> places;               ///< those of `chosen` that are densities
  std::vector<BinnedTerm> frames;              ///< of each, without rows
  std::vector<std::vector<Scaling>> scalings;  ///< by class and kept feature

  /// The sample in coordinates, kept features alone.
  [[nodiscard]] LabelledSample sample() const;
  /// All that is known of the table but its counts.
  [[nodiscard]] MoreRows more_rows() const;
  /// What weights of rows are whole numbers of.
  [[nodiscard]] double weight_unit() const;
};

/// The levels that features have under the options; coordinates are left open.
[[nodiscard]] Meaning meaning_of_levels(const Survey& survey, const FitOptions& options);

/// Chooses terms and axes. Throws std::invalid_argument if the options cannot be fitted to the rows of the survey.
[[nodiscard]] Plan make_plan(const Survey& survey, FitOptions options, std::size_t table_bytes,
                             const Execution& execution);

/// Whether rows counted by one plan can be added to those counted by the other.
[[nodiscard]] bool is_same(const Plan& a, const Plan& b);

/// The rows of a chunk in the form of the plan's sample. Throws std::invalid_argument as State::update does.
[[nodiscard]] LabelledSample prepared_rows(const Plan& plan, const Chunk& chunk, const Execution& execution);

/// The rows counted by a plan.
class Tally {
 public:
  explicit Tally(const Plan& plan);

  /// As State::update.
  void add(const Plan& plan, const Chunk& chunk, std::uint64_t first_row, const Execution& execution);
  void add(const Tally& other);

  /// Throws std::invalid_argument if an addition did not come to its end.
  void require_whole() const;

  [[nodiscard]] const std::vector<BinnedTerm>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<std::uint64_t>& class_rows() const { return class_rows_; }

  // For reading states.
  std::vector<BinnedTerm>& terms() { return terms_; }
  std::vector<std::uint64_t>& class_rows() { return class_rows_; }

 private:
  std::vector<BinnedTerm> terms_;
  std::vector<std::uint64_t> class_rows_;
  bool is_whole_ = true;
};

}  // namespace dyad::internal

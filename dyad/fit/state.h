// Fitting to tables in parts: mergeable surveys and counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/chunk.h"
#include "dyad/fit/added_rows.h"
#include "dyad/fit/options.h"
#include "dyad/fit/plan.h"
#include "dyad/fit/survey.h"
#include "dyad/fit/term_counts.h"
#include "dyad/model/model.h"
#include "dyad/terms/fit_report.h"

namespace dyad {

/// Rows in chunks: returns a function that gives the next chunk, and one without rows at the end.
using ChunkSource = std::function<std::function<Chunk()>()>;

/// Goes over the rows twice. The first time it is a survey: numbers of rows, levels and gaps, and a sample of
/// the rows. `plan` then chooses all that is to be chosen from the sample: coordinates, pairs, axes. The
/// second time, the state that `plan` returns counts all rows on those axes; `finalize` makes densities of
/// the counts, and finds weights on the sample, whose rows leave their own kernels out.
///
/// States of parts of the rows are merged in any order: integer sums and the sample come out the same, to the
/// bit; sums of weights that are not whole numbers to rounding.
class State {
 public:
  /// A survey with a sample of so many rows at most; 0 for `default_sample_rows`.
  explicit State(std::size_t sample_rows = 0);

  /// Adds rows, the first of which has the number first_row in the table: the same in both passes. Throws
  /// std::invalid_argument, and changes nothing, if they do not go with the rows before: numbers that the
  /// state has, other features, text in a column of numbers, of a planned state a class or level that the
  /// survey has not met. A planned state that is interrupted while it counts refuses all further use.
  void update(const Chunk& chunk, std::uint64_t first_row, const Execution& execution = {});
  /// Adds rows that follow those of this state: new ones, even if they equal rows before.
  void update(const Chunk& chunk, const Execution& execution = {}) { update(chunk, next_row(), execution); }

  /// Adds the rows of another state: of a survey, or of the same plan. Throws std::invalid_argument, and
  /// changes nothing, if it is not of the kind, or has rows that this one has (`AddedRows`).
  void merge(const State& other);

  /// An empty state that counts rows as the options need them. Throws std::invalid_argument if the options
  /// cannot be fitted to the rows surveyed, and for the exact engine. Tables of counts take some
  /// `table_bytes` at most; axes are coarser where they would take more.
  [[nodiscard]] State plan(FitOptions options, const Execution& execution = {},
                           std::size_t table_bytes = default_table_bytes) const;

  /// As `plan` does, and leaves this state without its sample: the two take less memory together.
  [[nodiscard]] State take_plan(FitOptions options, const Execution& execution, std::size_t table_bytes);

  static constexpr std::size_t default_table_bytes = dyad::default_table_bytes;

  /// The model of all rows. Throws std::invalid_argument unless the state is planned and every row that was
  /// surveyed has been counted.
  [[nodiscard]] Model finalize(const Execution& execution = {}) const;
  [[nodiscard]] Model finalize(const Execution& execution, FitReport& report) const;
  /// The model of all rows, its single SVM by resubstitution (preset `paper`) fitted to all rows in a third
  /// pass. Values are spilled to an unnamed file in `scratch_folder`; takes about 100 bytes of memory a row.
  /// Other weights are fitted to the sample.
  [[nodiscard]] Model finalize(const ChunkSource& rows, const std::string& scratch_folder,
                               const Execution& execution, FitReport& report) const;

  /// The model of the sample alone, without a second pass: of all rows, if they are in the sample, as `fit`
  /// makes it.
  [[nodiscard]] Model fit_sample(const FitOptions& options, const Execution& execution,
                                 FitReport& report) const;

  [[nodiscard]] bool is_planned() const { return plan_ != nullptr; }
  /// The number that the next row has unless one is given: behind those of all rows, and no less than
  /// `n_rows`.
  [[nodiscard]] std::uint64_t next_row() const { return std::max(n_rows(), added_.end()); }
  /// Rows of a weight above 0 that were added to this state and those merged into it.
  [[nodiscard]] std::uint64_t n_rows() const;
  [[nodiscard]] const Survey& survey() const;
  /// The options of a planned state.
  [[nodiscard]] const FitOptions& planned_options() const { return plan_->options; }

  // For reading and writing states.
  [[nodiscard]] const Plan* plan_of() const { return plan_.get(); }
  [[nodiscard]] const TermCounts* term_counts() const { return is_planned() ? &*term_counts_ : nullptr; }
  [[nodiscard]] const AddedRows& added_rows() const { return added_; }
  State(std::shared_ptr<const Plan> plan, TermCounts term_counts, AddedRows added = {});
  explicit State(Survey survey, AddedRows added = {});

 private:
  [[nodiscard]] Model finalize_with(const RowSource& rows, const Execution& execution,
                                    FitReport& report) const;

  Survey survey_;  ///< empty once planned
  std::shared_ptr<const Plan> plan_;
  std::optional<TermCounts> term_counts_;  ///< of the plan
  AddedRows added_;                        ///< to the survey, or counted
};

/// Adds all rows of a source, the first of which has the number first_row in the table.
void add_chunks(State& state, const ChunkSource& source, const Execution& execution,
                std::uint64_t first_row = 0);

/// Fits to the rows of a source that have been surveyed: by another pass unless all are in the sample, and a
/// third where a folder is given for `State::finalize`.
[[nodiscard]] Model fit_surveyed(State survey, const ChunkSource& source, const FitOptions& options,
                                 const Execution& execution, FitReport& report,
                                 std::size_t table_bytes = State::default_table_bytes,
                                 const std::string& scratch_folder = {});

}  // namespace dyad

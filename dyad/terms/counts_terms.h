// The counts engine's way from rows to T(x): densities on grids, and their values for training rows in single
// precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/folds.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/terms/table_stats.h"
#include "dyad/terms/term_context.h"
#include "dyad/terms/term_keys.h"

namespace dyad {

/// Densities of the given terms by the engine of the options; the exact one's are those of `fit_terms`.
///
/// The counts engine estimates them from all rows of the table that `sample` comes from.
[[nodiscard]] std::vector<Term> terms_of(const LabelledSample& sample, std::span<const TermKey> keys,
                                         const TableStats& stats, const TermOptions& options,
                                         const Execution& execution);

/// Terms, and the values of training rows that weights are fitted to.
struct CountsFeatures {
  std::vector<Term> terms;        ///< for new rows
  FloatRows values;               ///< T(x) of the training rows, by options.feature_mode
  std::vector<std::size_t> rows;  ///< row i of `values` is row rows[i] of the sample
  /// Rows of `values` that probabilities are calibrated on, and their values as if the densities had not seen
  /// them.
  std::vector<std::size_t> held_out_rows;
  FloatRows held_out;
};

/// Rows to calibrate on, of classes y: all if they are few, else evenly spaced ones of each class.
[[nodiscard]] std::vector<std::size_t> rows_to_hold_out(std::span<const std::int32_t> y, std::size_t n_terms);

/// Values of all rows of a table in memory, by options.feature_mode; `holds_out` asks for held-out values,
/// too.
///
/// Terms are fitted and evaluated in small groups, so that only their tables and one matrix of values stay.
[[nodiscard]] CountsFeatures counts_training_features(const LabelledSample& sample,
                                                      std::span<const TermKey> keys,
                                                      const TermOptions& options, const Execution& execution,
                                                      FitReport& report, bool holds_out = true);

/// Values of the given rows, ascending, with each row's own kernel left out; densities are those of the whole
/// table.
///
/// `left_out` says what is left out of the shares of levels.
[[nodiscard]] CountsFeatures counts_features_of_rows(const LabelledSample& sample,
                                                     std::span<const TermKey> keys,
                                                     std::span<const std::size_t> rows,
                                                     const TableStats& stats, const TermOptions& options,
                                                     const Execution& execution, FitReport& report,
                                                     LeftOut left_out = LeftOut::row_and_fold);

/// Values of all rows for an inner cross-validation: matrix k is from the densities of the rows outside
/// splits[k].
///
/// Counts are those of all rows less the split's, on the axes of all rows with wider bandwidths for the
/// smaller sample. Rows outside have the values of training rows: by resubstitution if the options say so,
/// else leave-one-out; rows inside have those of new rows. Column columns[k][t] of matrix k belongs to
/// keys[t]; a column `unused` is not made.
class SplitValues {
 public:
  static constexpr auto unused = static_cast<std::size_t>(-1);

  /// `sample` and `splits` must outlive it.
  SplitValues(const LabelledSample& sample, std::span<const Split> splits, const TermOptions& options,
              const Execution& execution);

  [[nodiscard]] std::vector<FloatRows> of(std::span<const TermKey> keys,
                                          std::span<const std::vector<std::size_t>> columns,
                                          const Execution& execution) const;

 private:
  void set_values(const TermKey& key, std::span<const std::vector<std::size_t>> columns, std::size_t t,
                  std::span<FloatRows> values) const;

  std::span<const Split> splits_;
  TermContext context_;
  std::vector<std::vector<std::vector<std::size_t>>> left_out_;  ///< by class and split
  std::vector<std::vector<bool>> trains_;                        ///< by split
};

/// Rows that each split does not train on, by class and split, as ascending places among the rows of the
/// class.
[[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> rows_left_out(const LabelledSample& sample,
                                                                               std::span<const Split> splits);

}  // namespace dyad

// The counts engine's way from rows to T(x): densities on grids, and their values for training rows in single precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/terms/exact_terms.h"

namespace dyad {
namespace internal {
struct TableStats;
}

/// Densities of the given terms, estimated from all rows of `sample`, or of the table that it is a part of; as `fit_terms`.
[[nodiscard]] std::vector<Term> counts_terms(const LabelledSample& sample, std::span<const TermKey> places,
                                             const FitOptions& options, const Execution& execution,
                                             const internal::TableStats* more = nullptr);

/// What a weight fit starts from.
struct CountsFeatures {
  std::vector<Term> terms;        ///< for new rows
  FloatRows values;               ///< T(x) of the training rows, by options.feature_mode
  std::vector<std::size_t> rows;  ///< row i of `values` is row rows[i] of the sample
  /// Values of some rows as if the densities had not seen them: probabilities are calibrated on those.
  /// Not for averages, which have values of that kind.
  std::vector<std::size_t> held_out_rows;  ///< which rows of `values`
  FloatRows held_out;
};

/// Rows to calibrate on, of classes y: all if they are few, else evenly spaced ones of each class.
[[nodiscard]] std::vector<std::size_t> rows_to_hold_out(std::span<const std::int32_t> y, std::size_t n_terms);

/// Terms are fitted and evaluated in small groups, so that no more than their tables and one matrix of values stay.
[[nodiscard]] CountsFeatures counts_training_features(const LabelledSample& sample,
                                                      std::span<const TermKey> places,
                                                      const FitOptions& options, const Execution& execution,
                                                      FitReport& report);

/// What the shares of levels in a row's values are counted without.
enum class SharesWithout {
  fold,  ///< a part of the rows of all classes that the row is in, so that they do not tell its class
  row    ///< the row alone
};

/// The same for values of the given rows, ascending, with each row's own kernel left out.
[[nodiscard]] CountsFeatures counts_features_of_rows(
    const LabelledSample& sample, std::span<const TermKey> places, std::span<const std::size_t> rows,
    const FitOptions& options, const Execution& execution, FitReport& report,
    SharesWithout shares = SharesWithout::fold, const internal::TableStats* more = nullptr);

/// Values of all rows for an inner cross-validation. Matrix k is from the densities of the rows that splits[k] has outside, by
/// subtraction from the counts of all rows, with the axes of all rows and their bandwidths made wider for the smaller sample. Those rows
/// have the values of training rows: by resubstitution if the options say so, else leave-one-out; the others those of new rows. Column
/// columns[k][t] of matrix k belongs to places[t].
[[nodiscard]] std::vector<FloatRows> counts_split_values(
    const LabelledSample& sample, std::span<const TermKey> places, std::span<const Split> splits,
    std::span<const std::vector<std::size_t>> columns, const FitOptions& options, const Execution& execution);

/// By class and split, the rows that the split does not train on, as places among the rows of the class, ascending.
[[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> rows_left_out(const LabelledSample& sample,
                                                                               std::span<const Split> splits);

}  // namespace dyad

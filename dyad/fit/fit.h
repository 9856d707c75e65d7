// Fitting: table in, model out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/data/table.h"
#include "dyad/fit/options.h"
#include "dyad/model/model.h"
#include "dyad/terms/fit_report.h"

namespace dyad {

/// Fits options.method to a table.
/// Throws std::invalid_argument if an option is out of range, the table has fewer than two classes or no
/// feature, a weight is negative or not finite, or if a column is categorical or has a missing value and the
/// engine is exact.
[[nodiscard]] Model fit(const Table& table, const FitOptions& options, const Execution& execution = {});

/// Fits options.method to a table; seconds are added to those in `report`.
[[nodiscard]] Model fit(const Table& table, const FitOptions& options, const Execution& execution,
                        FitReport& report);

/// Fits to a table, and frees its values once they are copied, so that memory does not hold them twice.
///
/// Names and labels stay.
[[nodiscard]] Model fit_and_release(Table& table, const FitOptions& options, const Execution& execution,
                                    FitReport& report);

/// Fits to a sample; names are left empty.
///
/// A weight of 2 gives the same model as two copies of the row, to the last bit with the counts engine; the
/// exact one takes whole weights.
[[nodiscard]] Model fit(LabelledSample sample, FitOptions options, const Execution& execution,
                        FitReport& report);

/// Fits the densities of every feature and of the given pairs, with weights of 0.
[[nodiscard]] Model fit_densities(LabelledSample sample, const FitOptions& options,
                                  std::span<const TermKey> pairs, const Execution& execution,
                                  FitReport& report);

/// Values that these densities have for the rows of the sample, each by the densities of the rows in other
/// folds: rows x terms, in the order of the terms of `fit_densities`.
///
/// Rows of a class are dealt to folds in turn, at most `n_folds` and no more than there are rows; the single
/// row of a class is in all densities. Bandwidths grow with the rows left out, coordinates and levels are
/// those of all.
[[nodiscard]] Matrix cross_fitted_densities(LabelledSample sample, const FitOptions& options,
                                            std::span<const TermKey> pairs, int n_folds,
                                            const Execution& execution, FitReport& report);

/// The pairs that `fit` would keep with SettingsRule::best.
[[nodiscard]] std::vector<TermKey> choose_pairs(LabelledSample sample, FitOptions options,
                                                const Execution& execution, FitReport& report);

}  // namespace dyad

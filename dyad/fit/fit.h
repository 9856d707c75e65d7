// Fitting: table in, model out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/data/table.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"
#include "dyad/terms/exact_terms.h"

namespace dyad {

/// Fits options.method to a table.
/// Throws std::invalid_argument if an option is out of range, the table has fewer than two classes or no feature, a weight is negative or
/// not finite, or if a column is categorical or has a missing value and the engine is exact.
[[nodiscard]] Model fit(const Table& table, const FitOptions& options, const Execution& execution = {});

/// The same, and tells how it went.
[[nodiscard]] Model fit(const Table& table, const FitOptions& options, const Execution& execution,
                        FitReport& report);

/// The same, freeing the values of the table once they are copied, so that memory does not hold them twice. Names and labels stay.
[[nodiscard]] Model fit_and_release(Table& table, const FitOptions& options, const Execution& execution,
                                    FitReport& report);

/// The same for a sample; seconds are added to those in `report`. Names are left empty. A weight is the same as so many copies of the
/// row, to the last bit with the counts engine; the exact one takes whole numbers.
[[nodiscard]] Model fit(LabelledSample sample, FitOptions options, const Execution& execution,
                        FitReport& report);

/// The densities of a model alone: those of every feature and of the given pairs, with weights of 0.
[[nodiscard]] Model fit_densities(LabelledSample sample, FitOptions options, std::span<const TermKey> pairs,
                                  const Execution& execution, FitReport& report);

/// The pairs that `fit` would keep with SettingsRule::best.
[[nodiscard]] std::vector<TermKey> choose_pairs(LabelledSample sample, FitOptions options,
                                                const Execution& execution, FitReport& report);

}  // namespace dyad

// The exact engine's way from rows to T(x) (paper, eq. 5): densities as sums over rows, and their values for
// training rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/terms/term_keys.h"

namespace dyad {

/// Densities of the given terms, estimated from all rows of `sample`; weights and centres are left open.
[[nodiscard]] std::vector<Term> fit_terms(const LabelledSample& sample, std::span<const TermKey> keys,
                                          const TermOptions& options, const Execution& execution);

/// `values` (n x n_terms, of all rows of `sample`, which the terms were fitted to) with each row's own kernel
/// left out.
[[nodiscard]] Matrix leave_one_out_values(const LabelledSample& sample, std::span<const Term> terms,
                                          Matrix values, const Execution& execution);

/// Values of the given rows of `sample`, which the terms were fitted to, with each row's own kernel left out.
[[nodiscard]] Matrix left_out_values(const LabelledSample& sample, std::span<const Term> terms,
                                     std::span<const std::size_t> rows, const Execution& execution);

/// Terms, and the values of training rows that weights are fitted to.
struct TrainingFeatures {
  std::vector<Term> terms;        ///< for new rows
  Matrix values;                  ///< n x n_terms: T(x) of the training rows, by options.feature_mode
  std::vector<std::size_t> rows;  ///< row i of `values` is row rows[i] of the sample
};
[[nodiscard]] TrainingFeatures training_features(const LabelledSample& sample, std::span<const TermKey> keys,
                                                 const TermOptions& options, const Execution& execution,
                                                 FitReport& report);

}  // namespace dyad

// From terms to a model: densities and weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/fit/prepare.h"
#include "dyad/fit/term_choice.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/terms/table_stats.h"

namespace dyad::internal {

/// A model without terms of densities that `sample` is for.
[[nodiscard]] Model model_of(const LabelledSample& sample, const FitOptions& options);

/// All rows of a table, for an SVM that is fitted to them rather than to a sample: what it needs of them is kept on a disk.
struct RowSource {
  std::size_t n_rows = 0;
  std::string scratch_folder;
  /// Calls use(rows) for the rows of the table in turn: prepared as the sample is.
  std::function<void(const std::function<void(const LabelledSample&)>& use)> visit;
};

/// The model of chosen terms with its weights. `sample` is prepared and may be a part of a table; `kept` are the features that it has of
/// `meaning`. Names are left empty. `all` is for the SVM of a single setting by resubstitution alone; others are fitted to the sample.
[[nodiscard]] Model weighted_model(const LabelledSample& sample, ChosenTerms chosen, FitOptions options,
                                   const std::vector<std::size_t>& kept, Encoding encoding,
                                   const Execution& execution, FitReport& report,
                                   const TableStats* more = nullptr, const RowSource* all = nullptr);

}  // namespace dyad::internal

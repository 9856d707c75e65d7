// From chosen terms to a model: densities and weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/fit/choose_terms.h"
#include "dyad/fit/options.h"
#include "dyad/fit/prepare.h"
#include "dyad/fit/recipe.h"
#include "dyad/model/model.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/table_stats.h"

namespace dyad {

/// All rows of a table, for a single SVM that is fitted to them rather than to a sample; none by default.
struct RowSource {
  std::size_t n_rows = 0;
  std::string scratch_folder;  ///< holds the file that values spill to
  /// Calls use(rows) for the rows of the table in turn, prepared as the sample is.
  std::function<void(const std::function<void(const LabelledSample&)>& use)> visit;
};

/// A prepared sample, and what is known of the table that it comes from.
struct PreparedTable {
  LabelledSample sample;
  Encoding encoding;              ///< of all features
  std::vector<std::size_t> kept;  ///< the features that the sample has
  TableStats stats;
};

/// A model without terms for densities of the given rows.
[[nodiscard]] Model empty_model(const LabelledSample& rows, const FitOptions& options);

/// A model with the names of its features and classes, and the type of the labels.
[[nodiscard]] Model with_names(Model model, const auto& features, const std::vector<std::string>& classes,
                               ValueType label_type = ValueType::unknown) {
  for (const auto& feature : features) model.features.push_back(feature.name);
  model.classes = classes;
  model.label_type = label_type;
  return model;
}

/// The model of chosen terms with its weights; names are left empty.
///
/// `rows` are used for a single SVM by resubstitution on a part of a table; other weights are fitted to the
/// sample.
[[nodiscard]] Model weigh(const PreparedTable& table, ChosenTerms chosen, Recipe recipe, FitOptions options,
                          const Execution& execution, FitReport& report, const RowSource& rows = {});

}  // namespace dyad

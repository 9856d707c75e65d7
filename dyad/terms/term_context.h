// The data that all terms of a fit share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/counts/scaled_column.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/terms/options.h"
#include "dyad/terms/table_stats.h"

namespace dyad {

/// The rows of one class with its features scaled.
struct ScaledClass {
  std::vector<std::size_t> rows;      ///< ascending
  RowWeights weights;                 ///< in the order of `rows`
  std::vector<ScaledColumn> columns;  ///< of features of numbers without gaps, in the order of `rows`

  [[nodiscard]] double n() const { return WeightsView(weights).total(rows.size()); }
};

struct TermContext {
  const LabelledSample& sample;
  TermOptions options;
  TableStats stats;  ///< of the table that the sample comes from
  std::vector<ScaledClass> classes;
  std::vector<double> log_spread;  ///< of each feature, over all rows; 0 for categories

  [[nodiscard]] const ScaledClass& class_of(const TermKey& key) const {
    return classes[static_cast<std::size_t>(key.class_code)];
  }
  /// Rows of the term's class in the table, by weight.
  [[nodiscard]] double n_of(const TermKey& key) const {
    return stats.is_part ? stats.class_rows[static_cast<std::size_t>(key.class_code)] : class_of(key).n();
  }
  /// True if the features of a term are numbers without gaps.
  [[nodiscard]] bool is_plain(const TermKey& key) const {
    return stats.axes[key.i].is_plain() && stats.axes[key.j].is_plain();
  }
  /// The rows that the density of a term of numbers is estimated from.
  [[nodiscard]] DensityRows rows_of_term(const TermKey& key) const {
    const ScaledClass& scaled = class_of(key);
    return {scaled.rows, scaled.weights, scaled.columns[key.i], scaled.columns[key.j]};
  }
};

/// The context of a sample, which must outlive it.
[[nodiscard]] TermContext make_context(const LabelledSample& sample, TableStats stats,
                                       const TermOptions& options, const Execution& execution);

}  // namespace dyad

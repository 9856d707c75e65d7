// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/term_context.h"

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"

namespace dyad {

TermContext make_context(const LabelledSample& sample, TableStats stats, const TermOptions& options,
                         const Execution& execution) {
  const std::size_t d = sample.n_features();
  TermContext context{sample, options, std::move(stats), std::vector<ScaledClass>(sample.n_classes),
                      std::vector<double>(d)};
  auto rows = rows_by_class(sample);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    ScaledClass& scaled = context.classes[c];
    scaled.rows = std::move(rows[c]);
    scaled.weights = gather(sample.weights, scaled.rows);
    scaled.columns.resize(d);
  }
  parallel_for(d, execution, {}, [&](std::size_t j) {
    const LevelAxis& axis = context.stats.axes[j];
    if (!axis.is_number) return;
    if (const auto present = rows_with_value(sample.X.column(j)); !present.empty())
      context.log_spread[j] =
          std::log(positive_spread(gather(sample.X.column(j), present), gather(sample.weights, present)));
    if (axis.has_missing) return;
    for (std::size_t c = 0; c < context.classes.size(); ++c) {
      ScaledClass& scaled = context.classes[c];
      const auto x = gather(sample.X.column(j), scaled.rows);
      scaled.columns[j] = context.stats.scalings.empty()
                              ? scaled_column(x, scaled.weights)
                              : scaled_column(x, context.stats.scalings[c][j], scaled.weights);
    }
  });
  return context;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/table_stats.h"

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/terms/term_keys.h"

namespace dyad {

LevelAxis level_axis(const Levels& levels, bool has_missing) {
  return {.is_number = levels.is_number(),
          .has_missing = has_missing,
          .n_levels = (levels.is_number() ? 1 : levels.size()) + (has_missing ? 1 : 0)};
}

TableStats stats_of(const LabelledSample& sample, const TermOptions& options) {
  return stats_of(sample, sample, options);
}

TableStats stats_of(const LabelledSample& part, const LabelledSample& all, const TermOptions& options) {
  TableStats stats{.class_rows = class_counts(part), .numbers = all_rows<std::uint64_t>(part.n_rows())};
  const WeightsView weights = all.weights;
  const double n = weights.total(all.n_rows());
  for (std::size_t j = 0; j < all.n_features(); ++j) {
    const auto column = all.X.column(j);
    const bool has_missing = std::ranges::any_of(column, [](double x) { return std::isnan(x); });
    const LevelAxis& axis =
        stats.axes.emplace_back(level_axis(all.levels.empty() ? Levels{} : all.levels[j], has_missing));
    auto& prior = stats.level_priors.emplace_back(axis.n_levels, axis.is_plain() ? 1 : 0);
    if (axis.is_plain()) continue;
    for (std::size_t i = 0; i < column.size(); ++i) prior[axis.level(column[i])] += weights[i] / n;
  }
  if (std::ranges::all_of(stats.axes, &LevelAxis::is_plain)) return stats;
  stats.n_level_folds = fold_count(part, level_fold_count);
  stats.level_folds = stratified_folds(part.y, stats.n_level_folds, options.seed);
  return stats;
}

SampledRows sampled_rows(const LabelledSample& sample, std::size_t most, const TableStats& stats) {
  if (!stats.is_part) return sampled_rows(sample, most);
  return sampled_rows(sample, most, stats.numbers, stats.class_rows, static_cast<double>(most));
}

}  // namespace dyad

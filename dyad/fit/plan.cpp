// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/plan.h"

#include <numeric>
#include <utility>

#include "dyad/base/text.h"
#include "dyad/terms/term_context.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// Nodes of the axes of pairs, of which a grid has twice its size.
constexpr int smallest_grid = 32;

/// The largest grid, up to that of the options, with which the tables of so many pairs take no more than so
/// many bytes.
int affordable_grid(int grid, std::size_t n_pairs, std::size_t table_bytes) {
  const double nodes = static_cast<double>(table_bytes) /
                       static_cast<double>(sizeof(std::int64_t) * std::max<std::size_t>(n_pairs, 1));
  const int most = static_cast<int>(std::min(std::sqrt(nodes), 4096.0)) / 2;
  return std::max(std::min(grid, smallest_grid), std::min(grid, most));
}

/// The shares of a feature's levels among all rows, by weight, missing values last.
///
/// Numbers are one level, of share exactly 0 if all are missing.
std::vector<double> level_shares_of(const SurveyedFeature& feature, const Levels& levels,
                                    const Survey& survey, double n) {
  std::vector<double> shares(levels.is_number() ? 1 : levels.size());
  for (std::size_t k = 0; k < feature.levels.size(); ++k)
    if (feature.level_rows[k] > 0)
      shares[static_cast<std::size_t>(code_of(levels, feature.levels[k]))] += feature.level_weights[k] / n;
  const double missing = feature.missing_weight / n;
  if (levels.is_number()) shares[0] = feature.n_missing == survey.n_rows() ? 0 : 1 - missing;
  if (feature.n_missing > 0) shares.push_back(missing);
  return shares;
}

/// The sample as it is, with codes of `levels`.
LabelledSample coded_sample(const Survey& survey, const std::vector<Levels>& levels) {
  LabelledSample sample = sample_of(survey);
  recode(sample.X, sample.levels, levels);
  sample.levels = levels;
  return sample;
}

bool has_same_axes(const Binned& a, const Binned& b) {
  if (a.index() != b.index()) return false;
  if (const auto* const column = std::get_if<BinnedColumn>(&a))
    return column->axis == std::get<BinnedColumn>(b).axis &&
           column->scaling == std::get<BinnedColumn>(b).scaling;
  if (const auto* const pair = std::get_if<BinnedPair>(&a))
    return pair->frame == std::get<BinnedPair>(b).frame;
  return true;
}

bool has_same_axes(const BinnedTerm& a, const BinnedTerm& b) {
  if (a.index() != b.index()) return false;
  if (const auto* const number = std::get_if<Binned>(&a)) return has_same_axes(*number, std::get<Binned>(b));
  const auto& parts = std::get<BinnedLevels>(a).parts;
  const auto& others = std::get<BinnedLevels>(b).parts;
  return std::get<BinnedLevels>(a).frame == std::get<BinnedLevels>(b).frame &&
         std::ranges::equal(parts, others,
                            [](const auto& x, const auto& y) { return has_same_axes(x.binned, y.binned); });
}

}  // namespace

bool is_same(const Plan& a, const Plan& b) {
  return a.survey.class_rows == b.survey.class_rows && a.survey.sample.numbers == b.survey.sample.numbers &&
         a.kept == b.kept && a.encoding.coordinates == b.encoding.coordinates && a.keys == b.keys &&
         a.scalings == b.scalings && std::ranges::equal(a.frames, b.frames, [](const auto& x, const auto& y) {
           return has_same_axes(x, y);
         });
}

LabelledSample Plan::sample() const {
  LabelledSample sample = coded_sample(survey, encoding.levels);
  apply_coordinates(encoding.coordinates, sample.X, {.threads = 1});
  keep_features(sample, kept);
  return sample;
}

Recipe Plan::recipe() const {
  Recipe recipe = make_recipe(options);
  recipe.terms.structure = among(options.structure, kept);
  recipe.terms.feature_mode =
      settled_feature_mode(recipe.terms.feature_mode, survey.classes.size(), survey.sample.size(), true);
  return recipe;
}

TableStats Plan::table_stats() const {
  TableStats stats{.is_part = true,
                   .class_rows = survey.class_weights,
                   .n_level_folds = level_fold_count,
                   .numbers = survey.sample.numbers,
                   .scalings = scalings,
                   .keys = keys};
  const double n = std::accumulate(survey.class_weights.begin(), survey.class_weights.end(), 0.0);
  for (const std::size_t j : kept) {
    const SurveyedFeature& feature = survey.features[j];
    const Levels levels = encoding.levels.empty() ? Levels{} : encoding.levels[j];
    stats.axes.push_back(level_axis(levels, feature.n_missing > 0));
    stats.level_priors.push_back(level_shares_of(feature, levels, survey, n));
  }
  for (const std::uint64_t number : stats.numbers)
    stats.level_folds.push_back(level_fold(number, level_fold_count));
  return stats;
}

Encoding encoding_of_levels(const Survey& survey, const FitOptions& options) {
  Encoding encoding{.n_features = survey.features.size(), .ranges = ranges_of(sample_of(survey))};
  for (std::size_t j = 0; j < encoding.n_features; ++j) {
    if (std::ranges::binary_search(options.structure.excluded, j)) encoding.ranges[j] = {};
    if (!survey.features[j].is_categorical()) continue;
    encoding.levels.resize(encoding.n_features);
    if (std::ranges::binary_search(options.structure.excluded, j)) continue;
    encoding.levels[j] = frequent_levels(survey.features[j].levels, survey.features[j].level_weights, false,
                                         static_cast<std::size_t>(options.max_levels));
  }
  encoding.sketch = row_sketch(coded_sample(survey, encoding.levels).X, static_cast<double>(survey.n_rows()),
                               options.structure.excluded);
  return encoding;
}

Plan make_plan(Survey survey, FitOptions options, std::size_t table_bytes, const Execution& execution) {
  if (options.engine == Engine::exact)
    throw std::invalid_argument(
        "the exact engine needs all rows at once; rows in parts are for the counts engine");
  require_classes(survey);
  Plan plan{.survey = in_order(std::move(survey))};
  if (!options.inner_splits.empty())
    throw std::invalid_argument("splits of the inner cross-validation cannot be given for rows in parts");
  plan.encoding = encoding_of_levels(plan.survey, options);
  LabelledSample sample = coded_sample(plan.survey, plan.encoding.levels);
  require_valid(options);
  clear_excluded(sample, options);
  check(sample, options);
  Recipe recipe = make_recipe(options);
  plan.encoding.coordinates =
      encode(sample, weights_for_all_rows(plan.survey, sample), true, recipe, execution).coordinates;
  plan.kept = drop_unused_features(sample, options);
  recipe.terms.structure = among(options.structure, plan.kept);

  FitReport report;
  plan.chosen = choose_terms(sample, recipe, options.svm.C,
                             within_max_seconds(execution, options, plan.survey.n_rows()), report);
  if (plan.chosen.path) plan.reduced = std::exchange(plan.chosen.path->reduced, {});
  if (report.ended_early) plan.reduced.push_back(search_end(options, execution));
  for (const TermKey& key : plan.chosen.terms.keys)
    if (!key.is_linear()) plan.keys.push_back(key);
  const auto n_pairs = static_cast<std::size_t>(std::ranges::count_if(plan.keys, &TermKey::is_pair));
  plan.options = std::move(options);

  const int widest = affordable_grid(recipe.terms.grid, n_pairs, default_table_bytes);
  recipe.terms.grid = affordable_grid(recipe.terms.grid, n_pairs, table_bytes);
  if (!plan.survey.is_whole() && plan.survey.most_rows < default_sample_rows(plan.survey.features.size()))
    plan.reduced.emplace_back(Plan::names_of_reduced[0], std::to_string(plan.survey.most_rows));
  if (recipe.terms.grid < widest)
    plan.reduced.emplace_back(Plan::names_of_reduced[1], std::to_string(recipe.terms.grid));
  const TermContext context = make_context(sample, plan.table_stats(), recipe.terms, execution);
  for (const ScaledClass& scaled : context.classes) {
    plan.scalings.emplace_back();
    for (const ScaledColumn& column : scaled.columns) plan.scalings.back().push_back(column.scaling);
  }
  plan.frames.resize(plan.keys.size());
  parallel_for(plan.keys.size(), execution, "axes", [&](std::size_t t) {
    plan.frames[t] = bin_term(context, plan.keys[t]);
    std::visit([](auto& binned) { clear(binned); }, plan.frames[t]);
  });
  return plan;
}

}  // namespace dyad

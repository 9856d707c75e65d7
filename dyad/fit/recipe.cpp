// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/recipe.h"

#include "dyad/base/text.h"

namespace dyad {
namespace {

TermRule term_rule_of(const FitOptions& o) {
  switch (o.method) {
    case Method::slb:
      if (o.structure.pairs && o.pairs != PairRule::path)  // all that may be ranked
        return Screened{.keep = PairRule::count, .n_pairs = std::numeric_limits<std::int64_t>::max()};
      return Screened{.keep = o.pairs, .fdr = o.fdr, .n_pairs = o.n_pairs, .min_hsic = o.min_hsic};
    case Method::slb_minus:
      return AllPairs{};
    case Method::tan:
    case Method::tan_forest:
      return Tree{.drops_weak_edges = o.method == Method::tan_forest, .beta = o.forest_beta};
    case Method::lu:
    case Method::nb:
      break;
  }
  return Univariate{};
}

WeightRule weight_rule_of(const FitOptions& o) {
  if (!has_svm(o.method)) return Likelihood{.priors = o.priors, .class_weights = o.class_weight_values};
  if (o.settings == SettingsRule::best)
    return SingleSvm{.svm = o.svm, .cost = o.cost, .norm_bound = o.norm_bound};
  return Average{.svm = o.svm,
                 .cost = o.cost,
                 .n_average = o.n_average,
                 .max_pairs = o.max_pairs,
                 .blend = o.blend,
                 .multiclass = o.multiclass,
                 .optimise = o.optimise};
}

FeatureMode feature_mode_of(const FitOptions& o) {
  if (!has_svm(o.method)) return FeatureMode::leave_one_out;
  // A path judges its sets by left-out values.
  const bool follows_path = o.method == Method::slb && o.pairs == PairRule::path;
  return follows_path && o.feature_mode == FeatureMode::automatic ? FeatureMode::leave_one_out
                                                                  : o.feature_mode;
}

ProbabilityRule probability_rule_of(const FitOptions& o) {
  using Scores = ProbabilityRule::Scores;
  const bool svm = has_svm(o.method);
  const Scores of_svm = o.settings == SettingsRule::average ? Scores::log_odds : Scores::margins;
  return {.calibration = o.calibration,
          .scores = svm ? of_svm : Scores::likelihoods,
          .classes_alike = svm ? o.optimise == Objective::balanced : o.priors == Priors::equal,
          .class_weights = o.class_weight_values,
          .has_costs = !o.costs.data.empty()};
}

}  // namespace

Recipe make_recipe(const FitOptions& o) {
  return {.term_rule = term_rule_of(o),
          .weight_rule = weight_rule_of(o),
          .terms = {.engine = o.engine,
                    .grid = o.grid,
                    .transform = o.transform,
                    .bandwidth = o.bandwidth,
                    .prior_rows = o.prior_rows,
                    .level_rows = o.level_rows,
                    .floor = o.floor,
                    .feature_mode = feature_mode_of(o),
                    .cross_fit_folds = o.cross_fit_folds,
                    .linear_terms = o.linear_terms && has_svm(o.method),
                    .seed = o.seed},
          .weights = {.class_weights =
                          o.optimise == Objective::balanced ? ClassWeights::balanced : ClassWeights::none,
                      .class_weight_values = o.class_weight_values,
                      .term_scale = o.term_scale,
                      .has_coordinates = o.transform != Transform::none,
                      .probability = probability_rule_of(o),
                      .inner_folds = o.inner_folds,
                      .inner_splits = o.inner_splits,
                      .seed = o.seed,
                      .uses_tables = o.free_tables,
                      .bytes = o.weight_bytes}};
}

Execution within_max_seconds(const Execution& execution, const FitOptions& options, std::size_t n_rows) {
  constexpr std::size_t few_rows = 10000;
  return ending_after(execution, (n_rows <= few_rows ? 0.9 : 0.5) * options.max_seconds);
}

Provenance::value_type search_end(const FitOptions& options, const Execution& execution) {
  const bool was_enough = execution.enough != nullptr && *execution.enough;
  return {std::string(search_end_name),
          was_enough ? "callback" : "max_seconds " + number_text(options.max_seconds)};
}

ClassFrequencies class_frequencies(const FitOptions& options) {
  const ProbabilityRule rule = probability_rule_of(options);
  if (rule.has_costs) return ClassFrequencies::table;
  if (!rule.class_weights.empty()) return ClassFrequencies::weighted;
  return rule.classes_alike ? ClassFrequencies::equal : ClassFrequencies::table;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/fit.h"

#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/base/text.h"
#include "dyad/fit/choose_terms.h"
#include "dyad/fit/prepare.h"
#include "dyad/fit/recipe.h"
#include "dyad/fit/weigh.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// Throws std::invalid_argument if a name, label or level has a NUL byte, which no file takes.
void require_text(const Table& table) {
  const auto require = [](const std::string& text, const char* what) {
    if (text.find('\0') != std::string::npos)
      throw std::invalid_argument(std::string("fit: ") + what + " " + quoted(text) + " has a NUL byte");
  };
  for (const std::string& label : table.labels.classes) require(label, "the label");
  for (const Column& feature : table.features) {
    require(feature.name, "the column name");
    if (const auto* column = std::get_if<CategoricalColumn>(&feature.data))
      for (const std::string& level : column->levels) require(level, "the level");
  }
}

/// Throws std::invalid_argument unless the score of two classes can have a direction along the features.
void require_monotone(const LabelledSample& sample, std::span<const MonotoneFeature> features) {
  for (const MonotoneFeature& of : features) {
    if (sample.n_classes != 2)
      throw std::invalid_argument("monotone: expected two classes, got " + std::to_string(sample.n_classes));
    if (of.feature >= sample.n_features() || sample.is_categorical(of.feature))
      throw std::invalid_argument("monotone: expected features of numbers, got number " +
                                  std::to_string(of.feature + 1));
  }
}

}  // namespace

Model fit(LabelledSample sample, FitOptions options, const Execution& given, FitReport& report) {
  require_monotone(sample, options.monotone);
  const Execution execution = within_max_seconds(given, options, sample.n_rows());
  report.ended_early = false;
  Recipe recipe = make_recipe(options);
  PreparedTable table{.sample = std::move(sample)};
  table.encoding = prepare(table.sample, options, recipe, execution);
  table.kept = drop_unused_features(table.sample, options);
  recipe.terms.structure = among(options.structure, table.kept);
  table.stats = stats_of(table.sample, recipe.terms);
  ChosenTerms chosen = choose_terms(table.sample, recipe, options.svm.C, execution, report);
  return weigh(table, std::move(chosen), std::move(recipe), std::move(options), execution, report);
}

Model fit_densities(LabelledSample sample, const FitOptions& options, std::span<const TermKey> pairs,
                    const Execution& execution, FitReport& report) {
  Recipe recipe = make_recipe(options);
  Encoding encoding = prepare(sample, options, recipe, execution);
  Model model = empty_model(sample, options);
  model.levels = std::move(encoding.levels);
  model.coordinates = std::move(encoding.coordinates);
  const Stopwatch watch(report.density);
  model.terms = terms_of(sample, with_more(univariate_keys(sample.n_classes, sample.n_features()), pairs),
                         stats_of(sample, recipe.terms), recipe.terms, execution);
  model.intercepts.assign(score_count(sample.n_classes), 0.0);
  model.weights = Matrix(model.n_scores(), model.terms.size());
  return model;
}

Matrix cross_fitted_densities(LabelledSample sample, const FitOptions& options,
                              std::span<const TermKey> pairs, int n_folds, const Execution& execution,
                              FitReport& report) {
  Recipe recipe = make_recipe(options);
  recipe.terms.feature_mode = FeatureMode::cross_fit;
  recipe.terms.cross_fit_folds = n_folds;
  const auto keys = with_more(univariate_keys(sample.n_classes, sample.n_features()), pairs);
  std::vector<double> weights;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) weights.push_back(WeightsView(sample.weights)[i]);
  static_cast<void>(prepare(sample, options, recipe, execution, false));
  if (options.engine == Engine::exact) {
    // Its rows are repeated as often as their weights say.
    const Matrix values = training_features(sample, keys, recipe.terms, execution, report).values;
    std::vector<std::size_t> first_copies;
    for (double copies = 0; const double weight : weights)
      first_copies.push_back(static_cast<std::size_t>(std::exchange(copies, copies + weight)));
    return gather(values, first_copies);
  }
  const FloatRows values =
      counts_training_features(sample, keys, recipe.terms, execution, report, false).values;
  Matrix result(weights.size(), keys.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t t = 0; t < keys.size(); ++t) result(i, t) = static_cast<double>(values.row(i)[t]);
  return result;
}

std::vector<TermKey> choose_pairs(LabelledSample sample, FitOptions options, const Execution& execution,
                                  FitReport& report) {
  if (options.settings == SettingsRule::average) {
    options.settings = SettingsRule::best;
    options.term_scale = TermScale::unit;
  }
  Recipe recipe = make_recipe(options);
  static_cast<void>(prepare(sample, options, recipe, execution));
  return select_pairs(sample, recipe, within_max_seconds(execution, options, sample.n_rows()), report).pairs;
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution) {
  FitReport report;
  return fit(table, options, execution, report);
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution, FitReport& report) {
  require_text(table);
  return with_names(fit(labelled_sample(table), options, execution, report), table.features,
                    table.labels.classes);
}

Model fit_and_release(Table& table, const FitOptions& options, const Execution& execution,
                      FitReport& report) {
  require_text(table);
  return with_names(fit(take_labelled_sample(table), options, execution, report), table.features,
                    table.labels.classes);
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/fit.h"

#include "dyad/base/stopwatch.h"
#include "dyad/fit/prepare.h"
#include "dyad/fit/term_choice.h"
#include "dyad/fit/weighted_model.h"
#include "dyad/weights/likelihood_weights.h"

namespace dyad {
namespace {

using namespace internal;

void set_names(Model& model, const Table& table) {
  for (const Column& column : table.features) model.features.push_back(column.name);
  model.classes = table.labels.classes;
}

}  // namespace

Model fit(LabelledSample sample, FitOptions options, const Execution& execution, FitReport& report) {
  const FeatureMode asked = options.feature_mode;
  Encoding encoding = prepare(sample, options, execution);
  // The exact engine's models hold the rows, all features included.
  const auto kept =
      options.engine == Engine::counts ? drop_constant_features(sample) : std::vector<std::size_t>();
  Model model = weighted_model(sample, choose_terms(sample, options, execution, report), options, kept,
                               std::move(encoding), execution, report);
  model.options.feature_mode = asked;
  return model;
}

Model fit_densities(LabelledSample sample, FitOptions options, std::span<const TermKey> pairs,
                    const Execution& execution, FitReport& report) {
  const FeatureMode asked = options.feature_mode;
  Encoding encoding = prepare(sample, options, execution);
  Model model = model_of(sample, options);
  model.options.feature_mode = asked;
  model.levels = std::move(encoding.levels);
  model.coordinates = std::move(encoding.coordinates);
  const Stopwatch watch(report.density);
  model.terms = terms_of(sample, with_pairs(univariate_keys(sample.n_classes, sample.n_features()), pairs),
                         options, execution);
  model.intercepts.assign(score_count(sample.n_classes), 0.0);
  model.weights = Matrix(model.n_scores(), model.terms.size());
  return model;
}

std::vector<TermKey> choose_pairs(LabelledSample sample, FitOptions options, const Execution& execution,
                                  FitReport& report) {
  prepare(sample, options, execution);
  return select_terms(sample, options, execution, report).pairs;
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution) {
  FitReport report;
  return fit(table, options, execution, report);
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution, FitReport& report) {
  Model model = fit(labelled_sample(table), options, execution, report);
  set_names(model, table);
  return model;
}

Model fit_and_release(Table& table, const FitOptions& options, const Execution& execution,
                      FitReport& report) {
  Model model = fit(take_labelled_sample(table), options, execution, report);
  set_names(model, table);
  return model;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dyad/base/picked.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/averaged_weights.h"
#include "dyad/model/counts_features.h"
#include "dyad/model/internal/generative_fit.h"
#include "dyad/model/internal/preparation.h"
#include "dyad/model/nested_terms.h"
#include "dyad/model/novelty.h"
#include "dyad/model/selection.h"
#include "dyad/model/softmax_weights.h"
#include "dyad/model/svm_weights.h"
#include "dyad/model/tree_edges.h"

namespace dyad {
namespace {

using namespace internal;

/// Weights of averages are fitted to a part of the rows where all their values would take too much memory and time.
constexpr std::size_t most_weight_values = 48'000'000;
constexpr std::size_t fewest_weight_rows = 2000;

void set_names(Model& model, const Table& table) {
  for (const Column& column : table.features) model.features.push_back(column.name);
  model.classes = table.labels.classes;
}

void set_weights(Model& model, std::vector<Term> terms, SvmWeights weights, FitReport& report) {
  report.converged = weights.converged;
  report.gap = weights.gap;
  report.iterations = weights.iterations;
  model.terms = std::move(terms);
  // Values of linear terms may have been given without an offset.
  for (std::size_t t = 0; t < model.terms.size(); ++t) model.terms[t].centre += weights.centres[t];
  model.weights = std::move(weights.weights);
  model.intercepts = std::move(weights.intercepts);
  model.calibrations = std::move(weights.calibrations);
}

/// Weights of SLB, SLB- and LU by one SVM for each score.
void fit_discriminative(Model& model, const LabelledSample& sample, std::span<const TermPlace> places,
                        const FitOptions& options, const Execution& execution, FitReport& report) {
  if (options.engine == Engine::counts) {
    CountsFeatures features = counts_training_features(sample, places, options, execution, report);
    const Stopwatch watch(report.svm);
    auto weights = fit_svm_weights(features.values, features.held_out_rows, features.held_out,
                                   picked(sample.y, features.rows), picked(sample.weights, features.rows),
                                   sample.n_classes, options, execution);
    return set_weights(model, std::move(features.terms), std::move(weights), report);
  }
  TrainingFeatures features = training_features(sample, places, options, execution, report);
  // Only resubstitution lets a row's own kernel into its values.
  Matrix held_out_values = features.values;
  if (options.feature_mode == FeatureMode::resubstitution) {
    const Stopwatch watch(report.features);
    held_out_values = leave_one_out_values(sample, features.terms, std::move(held_out_values), execution);
  }
  const Stopwatch watch(report.svm);
  auto weights = fit_svm_weights(features.values, held_out_values, picked(sample.y, features.rows),
                                 sample.n_classes, options, execution);
  set_weights(model, std::move(features.terms), std::move(weights), report);
}

/// Terms, and the rows that averages of weights are fitted to with their values.
struct AveragingRows {
  std::vector<Term> terms;
  WeightRows rows;
};

AveragingRows averaging_rows(const LabelledSample& sample, std::span<const TermPlace> places,
                             const FitOptions& options, const Execution& execution, FitReport& report) {
  if (options.engine == Engine::exact) {
    TrainingFeatures features = training_features(sample, places, options, execution, report);
    for (std::size_t t = 0; t < places.size(); ++t) {
      if (!places[t].is_linear()) continue;
      features.terms[t].centre = linear_offset(sample, places[t].i, options);
      for (double& value : features.values.column(t)) value -= features.terms[t].centre;
    }
    auto y = picked(sample.y, features.rows);
    return {std::move(features.terms),
            {std::move(features.rows), float_rows(features.values), std::move(y), {}}};
  }
  const std::size_t most = std::max(fewest_weight_rows, most_weight_values / places.size());
  const bool sampled = options.feature_mode == FeatureMode::leave_one_out && sample.n_rows() > most;
  SampledRows some = sampled ? sampled_rows(sample, most) : SampledRows{};
  CountsFeatures features =
      sampled ? counts_features_of_rows(sample, places, some.rows, options, execution, report)
              : counts_training_features(sample, places, options, execution, report);
  auto y = picked(sample.y, features.rows);
  auto weights = sampled ? std::move(some.weights) : picked(sample.weights, features.rows);
  return {std::move(features.terms),
          {std::move(features.rows), std::move(features.values), std::move(y), std::move(weights)}};
}

/// Drops the terms that no score uses, and returns the numbers of the others.
std::vector<std::size_t> drop_unused_terms(Model& model) {
  std::vector<std::size_t> used;
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    if (std::ranges::any_of(model.weights.column(t), [](double weight) { return weight != 0; }))
      used.push_back(t);
  Matrix weights(model.n_scores(), used.size());
  std::vector<Term> terms;
  for (std::size_t t = 0; t < used.size(); ++t) {
    std::ranges::copy(model.weights.column(used[t]), weights.column(t).begin());
    terms.push_back(std::move(model.terms[used[t]]));
  }
  model.weights = std::move(weights);
  model.terms = std::move(terms);
  return used;
}

/// Weights of SLB, SLB- and LU that are means over settings.
void fit_averaged(Model& model, const LabelledSample& sample, const FitOptions& options,
                  const Execution& execution, FitReport& report) {
  const auto ranked = pairs_to_keep(sample, options, execution, report);
  const NestedTerms terms = nested_terms(sample, ranked, options);
  AveragingRows training = averaging_rows(sample, terms.places, options, execution, report);
  const Stopwatch watch(report.svm);
  AveragedWeights averaged =
      sample.n_classes == 2 || !is_direct(options)
          ? fit_averaged_weights(training.rows, terms, sample.n_classes, options, execution)
          : fit_softmax_weights(training.rows, terms, sample.n_classes, options, execution);
  set_weights(model, std::move(training.terms), std::move(averaged.weights), report);
  model.settings = std::move(averaged.settings);
  drop_unused_terms(model);
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, double> hsic;
  for (const RankedPair& pair : ranked) hsic[{pair.place.class_code, pair.place.i, pair.place.j}] = pair.hsic;
  for (const Term& term : model.terms)
    if (term.is_pair()) report.hsic.push_back(hsic[{term.class_code, term.i, term.j}]);
}

void set_meaning(Model& model, Meaning meaning) {
  model.levels = std::move(meaning.levels);
  model.coordinates = std::move(meaning.coordinates);
}

/// The terms of one feature, then the pairs.
std::vector<TermPlace> with_pairs(std::vector<TermPlace> places, std::span<const TermPlace> pairs) {
  places.insert(places.end(), pairs.begin(), pairs.end());
  return places;
}

/// A model without terms of densities that `sample` is for.
Model model_of(const LabelledSample& sample, const FitOptions& options) {
  Model model;
  model.options = options;
  model.options.inner_splits.clear();
  model.options.class_weight_values.clear();
  model.options.costs = {};
  model.costs = options.costs;
  model.n_features = sample.n_features();
  for (const double count : class_counts(sample))
    model.class_rows.push_back(static_cast<std::size_t>(std::max(1LL, std::llround(count))));
  for (std::size_t c = 0; options.engine == Engine::exact && c < sample.n_classes; ++c)
    model.samples.push_back(rows_of_class(sample, static_cast<std::int32_t>(c)));
  return model;
}

/// A model of the rows that densities are estimated from.
Model model_of_density_rows(const LabelledSample& sample, const FitOptions& options) {
  if (options.feature_mode != FeatureMode::split || is_generative(options.method))
    return model_of(sample, options);
  return model_of(rows_of(sample, roles_of_rows(sample, options).density_rows), options);
}

/// The pairs that the method keeps, and the cost that goes with them.
Selection select_terms(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                       FitReport& report) {
  if (!is_generative(options.method)) return select(sample, options, execution, report);
  Selection selection{.C = options.svm.C};
  const Stopwatch watch(report.screen);
  if (options.method != Method::nb) selection.pairs = tree_edges(sample, options, execution);
  return selection;
}

}  // namespace

Model fit(LabelledSample sample, FitOptions options, const Execution& execution, FitReport& report) {
  const FeatureMode asked = options.feature_mode;
  Meaning meaning = prepare(sample, options, execution);
  const std::size_t n_features = sample.n_features();
  // The exact engine's models hold the rows, all features included.
  const auto kept =
      options.engine == Engine::counts ? drop_constant_features(sample) : std::vector<std::size_t>();
  Model model;
  if (!is_generative(options.method) && options.settings == SettingsRule::average) {
    model = model_of_density_rows(sample, options);
    fit_averaged(model, sample, options, execution, report);
  } else {
    const Selection selection = select_terms(sample, options, execution, report);
    report.hsic = selection.hsic;
    options.svm.C = selection.C;
    const auto singles = is_generative(options.method)
                             ? univariate_places(sample.n_classes, sample.n_features())
                             : single_places(sample, options);
    const auto places = with_pairs(singles, selection.pairs);
    model = model_of_density_rows(sample, options);
    model.settings = selection.tried;
    // Likelihoods need all rows.
    if (is_generative(options.method)) {
      fit_generative(model, sample, places, options, execution, report);
    } else {
      fit_discriminative(model, sample, places, options, execution, report);
      if (options.svm.penalty != Penalty::l2) {
        report.hsic.clear();
        for (const std::size_t t : drop_unused_terms(model))
          if (t >= singles.size()) report.hsic.push_back(selection.hsic[t - singles.size()]);
      }
    }
  }
  set_typical_values(model.terms, sample, execution);
  if (!kept.empty())
    for (Term& term : model.terms) {
      term.i = kept[term.i];
      term.j = kept[term.j];
    }
  model.n_features = n_features;
  model.options.feature_mode = asked;
  set_meaning(model, std::move(meaning));
  return model;
}

Model fit_densities(LabelledSample sample, FitOptions options, std::span<const TermPlace> pairs,
                    const Execution& execution, FitReport& report) {
  const FeatureMode asked = options.feature_mode;
  Meaning meaning = prepare(sample, options, execution);
  Model model = model_of(sample, options);
  model.options.feature_mode = asked;
  set_meaning(model, std::move(meaning));
  const Stopwatch watch(report.density);
  model.terms = terms_of(sample, with_pairs(univariate_places(sample.n_classes, sample.n_features()), pairs),
                         options, execution);
  model.intercepts.assign(score_count(sample.n_classes), 0.0);
  model.weights = Matrix(model.n_scores(), model.terms.size());
  return model;
}

std::vector<TermPlace> choose_pairs(LabelledSample sample, FitOptions options, const Execution& execution,
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

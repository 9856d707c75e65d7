// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/weighted_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/novelty.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/likelihood_weights.h"
#include "dyad/weights/single_weights.h"
#include "dyad/weights/softmax_weights.h"

namespace dyad::internal {
namespace {

/// Weights of averages are fitted to a part of the rows where all their values would take too much memory and time.
constexpr std::size_t most_weight_values = 48'000'000;
constexpr std::size_t fewest_weight_rows = 2000;

std::size_t most_weight_rows(std::size_t n_terms) {
  return std::max(fewest_weight_rows, most_weight_values / n_terms);
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

/// Writes the values of terms for rows to those of a matrix from `first` on.
void write_values(std::span<const Term> terms, const LabelledSample& rows, const Execution& execution,
                  FloatRows& values, std::size_t first) {
  constexpr std::size_t block_rows = 1024;
  parallel_for((rows.n_rows() + block_rows - 1) / block_rows, execution, {}, [&](std::size_t block) {
    std::vector<std::size_t> some(std::min(block_rows, rows.n_rows() - block * block_rows));
    std::iota(some.begin(), some.end(), block * block_rows);
    const Matrix found = term_values(terms, rows_of(rows, some).X, {.threads = 1});
    for (std::size_t t = 0; t < terms.size(); ++t)
      for (std::size_t i = 0; i < some.size(); ++i)
        values.row(first + some[i])[t] = static_cast<float>(found(i, t) - terms[t].centre);
  });
}

/// Weights of SLB, SLB- and LU by one SVM for each score, of a sample of a table: its rows count as many as they stand for.
void fit_sampled(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                 const FitOptions& options, const Execution& execution, FitReport& report,
                 const TableStats& more) {
  const double n = std::accumulate(more.class_rows.begin(), more.class_rows.end(), 0.0);
  const std::size_t most = std::min(most_weight_rows(places.size()), sample.n_rows());
  // A row costs as much as all those that it stands for: in parts by its weight and by C, both of which have limits.
  constexpr double largest_cost = 1e6;
  const double part = std::sqrt(std::max(n / static_cast<double>(most), 1.0));
  const SampledRows some = sampled_rows(sample, most, more.numbers, more.class_rows, n / part);
  FitOptions with_cost = options;
  with_cost.svm.C = std::min(options.svm.C * part, largest_cost);
  CountsFeatures features = counts_features_of_rows(sample, places, some.rows, options, execution, report,
                                                    SharesWithout::fold, &more);
  const Stopwatch watch(report.svm);
  const auto y = gather(sample.y, some.rows);
  const auto held_out_rows = rows_to_hold_out(y, places.size());
  FloatRows held_out = gather(features.values, held_out_rows);
  auto weights = fit_svm_weights(features.values, held_out_rows, held_out, y, some.weights, sample.n_classes,
                                 with_cost, execution);
  set_weights(model, std::move(features.terms), std::move(weights), report);
}

/// The same of all rows, with the values that new rows would have.
void fit_to_all(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                const FitOptions& options, const Execution& execution, FitReport& report,
                const TableStats& more, const RowSource& all) {
  CountsFeatures features =
      counts_features_of_rows(sample, places, {}, options, execution, report, SharesWithout::fold, &more);
  FloatRows values(all.n_rows, places.size(), all.scratch_folder);
  std::vector<std::int32_t> y;
  RowWeights weights{{}, sample.weights.unit};
  {
    const Stopwatch watch(report.features);
    all.visit([&](const LabelledSample& rows) {
      const std::size_t first = y.size();
      if (rows.n_rows() > all.n_rows - first)
        throw std::invalid_argument("the table has more rows than before");
      write_values(features.terms, rows, execution, values, first);
      y.insert(y.end(), rows.y.begin(), rows.y.end());
      weights.counts.insert(weights.counts.end(), rows.weights.counts.begin(), rows.weights.counts.end());
    });
    if (y.size() != all.n_rows) throw std::invalid_argument("the table has fewer rows than before");
  }
  const Stopwatch watch(report.svm);
  const auto held_out_rows = rows_to_hold_out(y, places.size());
  FloatRows held_out = gather(values, held_out_rows);
  auto svm =
      fit_svm_weights(values, held_out_rows, held_out, y, weights, sample.n_classes, options, execution);
  set_weights(model, std::move(features.terms), std::move(svm), report);
}

/// Weights of SLB, SLB- and LU by one SVM for each score.
void fit_discriminative(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                        const FitOptions& options, const Execution& execution, FitReport& report) {
  if (options.engine == Engine::counts) {
    CountsFeatures features = counts_training_features(sample, places, options, execution, report);
    const Stopwatch watch(report.svm);
    auto weights = fit_svm_weights(features.values, features.held_out_rows, features.held_out,
                                   gather(sample.y, features.rows), gather(sample.weights, features.rows),
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
  auto weights = fit_svm_weights(features.values, held_out_values, gather(sample.y, features.rows),
                                 sample.n_classes, options, execution);
  set_weights(model, std::move(features.terms), std::move(weights), report);
}

/// Terms, and the rows that averages of weights are fitted to with their values.
struct AveragingRows {
  std::vector<Term> terms;
  TrainingRows rows;
};

/// The same by the exact engine.
AveragingRows exact_averaging_rows(const LabelledSample& sample, std::span<const TermKey> places,
                                   const FitOptions& options, const Execution& execution, FitReport& report) {
  TrainingFeatures features = training_features(sample, places, options, execution, report);
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (!places[t].is_linear()) continue;
    features.terms[t].centre = linear_offset(sample, places[t].i, options);
    for (double& value : features.values.column(t)) value -= features.terms[t].centre;
  }
  auto y = gather(sample.y, features.rows);
  return {std::move(features.terms),
          {std::move(features.rows), float_rows(features.values), std::move(y), {}}};
}

AveragingRows averaging_rows(const LabelledSample& sample, std::span<const TermKey> places,
                             const FitOptions& options, const Execution& execution, FitReport& report,
                             const TableStats* more) {
  if (options.engine == Engine::exact)
    return exact_averaging_rows(sample, places, options, execution, report);
  const std::size_t most = most_weight_rows(places.size());
  const bool sampled =
      more != nullptr || (options.feature_mode == FeatureMode::leave_one_out && sample.n_rows() > most);
  SampledRows some;
  if (sampled) {
    std::vector<std::uint64_t> numbers(more != nullptr ? 0 : sample.n_rows());
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    some = sampled_rows(sample, most, more != nullptr ? more->numbers : numbers,
                        more != nullptr ? more->class_rows : class_counts(sample),
                        static_cast<double>(std::min(most, sample.n_rows())));
  }
  CountsFeatures features = sampled ? counts_features_of_rows(sample, places, some.rows, options, execution,
                                                              report, SharesWithout::fold, more)
                                    : counts_training_features(sample, places, options, execution, report);
  auto y = gather(sample.y, features.rows);
  auto weights = sampled ? std::move(some.weights) : gather(sample.weights, features.rows);
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
void fit_averaged(Model& model, const LabelledSample& sample, const NestedTerms& terms,
                  const FitOptions& options, const Execution& execution, FitReport& report,
                  const TableStats* more) {
  AveragingRows training = averaging_rows(sample, terms.places, options, execution, report, more);
  const Stopwatch watch(report.svm);
  AveragedWeights averaged =
      sample.n_classes == 2 || !is_direct(options)
          ? fit_averaged_weights(training.rows, terms, sample.n_classes, options, execution)
          : fit_softmax_weights(training.rows, terms, sample.n_classes, options, execution);
  set_weights(model, std::move(training.terms), std::move(averaged.weights), report);
  model.settings = std::move(averaged.settings);
}

/// A model of the rows that densities are estimated from.
Model model_of_density_rows(const LabelledSample& sample, const FitOptions& options) {
  if (options.feature_mode != FeatureMode::split || is_generative(options.method))
    return model_of(sample, options);
  return model_of(rows_of(sample, row_split(sample, options).density_rows), options);
}

std::size_t rounded_rows(double weight) {
  return static_cast<std::size_t>(std::max(1LL, std::llround(weight)));
}

}  // namespace

Model model_of(const LabelledSample& sample, const FitOptions& options) {
  Model model;
  model.options = options;
  model.options.inner_splits.clear();
  model.options.class_weight_values.clear();
  model.options.costs = {};
  model.costs = options.costs;
  model.n_features = sample.n_features();
  for (const double count : class_counts(sample)) model.class_rows.push_back(rounded_rows(count));
  for (std::size_t c = 0; options.engine == Engine::exact && c < sample.n_classes; ++c)
    model.samples.push_back(rows_of_class(sample, static_cast<std::int32_t>(c)));
  return model;
}

Model weighted_model(const LabelledSample& sample, ChosenTerms chosen, FitOptions options,
                     const std::vector<std::size_t>& kept, Encoding encoding, const Execution& execution,
                     FitReport& report, const TableStats* more, const RowSource* all) {
  options.svm.C = chosen.C;
  Model model = more != nullptr ? model_of(sample, options) : model_of_density_rows(sample, options);
  if (more != nullptr) std::ranges::transform(more->class_rows, model.class_rows.begin(), rounded_rows);
  model.settings = std::move(chosen.tried);
  const auto& places = chosen.terms.places;
  if (averages(options))
    fit_averaged(model, sample, chosen.terms, options, execution, report, more);
  else if (is_generative(options.method))
    fit_generative(model, sample, places, options, execution, report, more);
  else if (more != nullptr && all != nullptr && options.feature_mode == FeatureMode::resubstitution)
    fit_to_all(model, sample, places, options, execution, report, *more, *all);
  else if (more != nullptr)
    fit_sampled(model, sample, places, options, execution, report, *more);
  else
    fit_discriminative(model, sample, places, options, execution, report);

  std::vector<std::size_t> used(places.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  if (averages(options) || (!is_generative(options.method) && options.svm.penalty != Penalty::l2))
    used = drop_unused_terms(model);
  report.hsic.clear();
  for (const std::size_t t : used)
    if (places[t].is_pair() && !is_generative(options.method)) report.hsic.push_back(chosen.hsic[t]);

  set_typical_values(model.terms, sample, execution);
  if (!kept.empty())
    for (Term& term : model.terms) {
      term.i = kept[term.i];
      term.j = kept[term.j];
    }
  model.n_features = kept.empty() ? sample.n_features() : encoding.n_features;
  model.levels = std::move(encoding.levels);
  model.coordinates = std::move(encoding.coordinates);
  return model;
}

}  // namespace dyad::internal

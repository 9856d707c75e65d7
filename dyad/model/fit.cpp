// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "dyad/base/pairs.h"
#include "dyad/base/picked.h"
#include "dyad/base/stopwatch.h"
#include "dyad/base/text.h"
#include "dyad/base/vector_math.h"
#include "dyad/data/repeated_rows.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/spanning_tree.h"
#include "dyad/model/averaged_weights.h"
#include "dyad/model/class_calibration.h"
#include "dyad/model/counts_features.h"
#include "dyad/model/internal/generative_forms.h"
#include "dyad/model/nested_terms.h"
#include "dyad/model/novelty.h"
#include "dyad/model/selection.h"
#include "dyad/model/softmax_weights.h"
#include "dyad/model/svm_weights.h"

namespace dyad {
namespace {

/// Three matrices of rows by rows: 10 GiB.
constexpr std::size_t most_svm_rows = 20000;
/// Hours.
constexpr std::size_t most_exact_rows = 1000000;

/// Weights of averages are fitted to a part of the rows where all their values would take too much memory and time.
constexpr std::size_t most_weight_values = 48'000'000;
constexpr std::size_t fewest_weight_rows = 2000;

/// Mutual information takes all pairs of rows.
constexpr std::size_t most_tree_rows = 2000;

/// Likelihoods are calibrated on a part of the rows.
constexpr std::size_t most_calibration_rows = 5000;

/// Throws std::invalid_argument if what is given by row or class is not there for every one.
void require_sizes(const LabelledSample& sample, const FitOptions& options) {
  const auto require = [](std::size_t size, std::size_t wanted, const char* what) {
    if (size != wanted)
      throw std::invalid_argument("fit: there are " + std::to_string(size) + " " + what + ", expected " +
                                  std::to_string(wanted));
  };
  require(sample.y.size(), sample.n_rows(), "labels");
  if (!sample.weights.empty()) require(sample.weights.counts.size(), sample.n_rows(), "weights");
  if (!options.class_weight_values.empty())
    require(options.class_weight_values.size(), sample.n_classes, "class weights");
  for (const double weight : options.class_weight_values)
    if (!(weight >= 0) || !std::isfinite(weight))
      throw std::invalid_argument("a class weight must be finite and not negative, got " +
                                  number_text(weight));
  if (!options.costs.data.empty()) require_costs(options.costs, sample.n_classes);
  for (const Split& split : options.inner_splits)
    for (const auto* rows : {&split.inside, &split.outside})
      for (const std::size_t row : *rows)
        if (row >= sample.n_rows())
          throw std::invalid_argument("a split of the inner cross-validation has row " + std::to_string(row) +
                                      ", counted from 0, of " + std::to_string(sample.n_rows()));
}

/// Throws std::invalid_argument if a class has no row, or none that a given split trains on.
void require_rows(const LabelledSample& sample, const FitOptions& options) {
  if (sample.n_classes < 2)
    throw std::invalid_argument("fit needs rows of at least two classes, got one class");
  const auto counts = class_counts(sample);
  const WeightsView weights = sample.weights;
  if (const auto none = std::ranges::find(counts, 0.0); none != counts.end())
    throw std::invalid_argument("class " + std::to_string(none - counts.begin() + 1) + " of " +
                                std::to_string(counts.size()) + " has no row of positive weight");
  for (std::size_t k = 0; k < options.inner_splits.size(); ++k) {
    std::vector<bool> trained(sample.n_classes);
    for (const std::size_t row : options.inner_splits[k].outside)
      if (weights.count(row) > 0) trained[static_cast<std::size_t>(sample.y[row])] = true;
    if (const auto none = std::ranges::find(trained, false); none != trained.end())
      throw std::invalid_argument("split " + std::to_string(k + 1) +
                                  " of the inner cross-validation trains on no row of class " +
                                  std::to_string(none - trained.begin() + 1));
  }
}

/// Weights of each class's log likelihood, and the log prior.
void set_generative_weights(Model& model, std::span<const TermPlace> places, const LabelledSample& sample) {
  const auto counts = class_counts(sample);
  const auto likelihood = internal::likelihood_weights(places);
  const std::size_t n_scores = score_count(sample.n_classes);
  model.weights = Matrix(n_scores, model.terms.size());
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const auto c = static_cast<std::size_t>(model.terms[t].class_code);
    if (n_scores == 1)
      model.weights(0, t) = c == 1 ? likelihood[t] : -likelihood[t];
    else
      model.weights(c, t) = likelihood[t];
  }
  const auto log_prior = [&](std::size_t c) {
    if (model.options.priors == Priors::equal) return 0.0;
    return std::log(counts[c] / WeightsView(sample.weights).total(sample.n_rows()));
  };
  for (std::size_t k = 0; k < n_scores; ++k)
    model.intercepts.push_back(n_scores == 1 ? log_prior(1) - log_prior(0) : log_prior(k));
}

/// The rows of a class that its tree is found from, each as often as its weight says: the counts engine takes `most_tree_rows` evenly
/// spaced ones of more.
Matrix tree_rows(const LabelledSample& sample, std::int32_t code, const FitOptions& options) {
  Matrix X = rows_of_class(sample, code);
  if (options.engine == Engine::exact) return X;
  const auto rows = repeated_rows(weights_of_class(sample, code), X.n_rows, most_tree_rows);
  Matrix result(rows.size(), X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t k = 0; k < rows.size(); ++k) result(k, j) = X(rows[k], j);
  return result;
}

/// Whether a feature is a number in all rows.
bool is_plain(const LabelledSample& sample, std::size_t j) {
  return !sample.is_categorical(j) && all_finite(sample.X.column(j));
}

/// Sets the information of pairs with a feature that has levels, or gaps: the mean over rows of the class of log p(x_i, x_j) / (p(x_i)
/// p(x_j)), each row left out.
void set_information_by_terms(const LabelledSample& sample, std::int32_t code, const std::vector<bool>& plain,
                              const FitOptions& options, const Execution& execution,
                              std::vector<MutualInformation>& information) {
  const std::size_t d = sample.n_features();
  std::vector<TermPlace> places;
  for (std::size_t j = 0; j < d; ++j) places.push_back({code, j, j});
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j)
      if (!plain[i] || !plain[j]) places.push_back({code, i, j});
  const auto class_rows = rows_by_class(sample)[static_cast<std::size_t>(code)];
  const auto rows = picked(class_rows, evenly_spaced(class_rows.size(), most_tree_rows));
  FitReport report;
  const CountsFeatures features =
      counts_features_of_rows(sample, places, rows, options, execution, report, SharesWithout::row);
  const RowWeights weights = picked(sample.weights, rows);
  const auto mean_of = [&](std::size_t t) {
    double sum = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) sum += WeightsView(weights)[k] * features.values.row(k)[t];
    return sum / WeightsView(weights).total(rows.size());
  };
  for (std::size_t t = d; t < places.size(); ++t) {
    const auto [c, i, j] = places[t];
    const double value = mean_of(t) - mean_of(i) - mean_of(j);
    information[pair_index(i, j, d)] = {value, value};
  }
}

/// Mutual information of all pairs in one class.
std::vector<MutualInformation> information_of_pairs(const LabelledSample& sample, std::int32_t code,
                                                    const FitOptions& options, const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<bool> plain;
  std::vector<std::size_t> numbers;
  for (std::size_t j = 0; j < d; ++j) {
    plain.push_back(is_plain(sample, j));
    if (plain[j]) numbers.push_back(j);
  }
  const Matrix X = tree_rows(sample, code, options);
  if (numbers.size() == d) return mutual_information_all_pairs(X, execution);
  Matrix of_numbers(X.n_rows, numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    std::ranges::copy(X.column(numbers[k]), of_numbers.column(k).begin());
  std::vector<MutualInformation> information(pair_count(d));
  const auto among_numbers = mutual_information_all_pairs(of_numbers, execution);
  for (std::size_t k = 0; k < among_numbers.size(); ++k) {
    const auto [a, b] = pair_at(k, numbers.size());
    information[pair_index(numbers[a], numbers[b], d)] = among_numbers[k];
  }
  set_information_by_terms(sample, code, plain, options, execution, information);
  return information;
}

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
  static_cast<void>(drop_unused_terms(model));
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, double> hsic;
  for (const RankedPair& pair : ranked) hsic[{pair.place.class_code, pair.place.i, pair.place.j}] = pair.hsic;
  for (const Term& term : model.terms)
    if (term.is_pair()) report.hsic.push_back(hsic[{term.class_code, term.i, term.j}]);
}

/// Throws std::invalid_argument if a value is infinite, a code stands for no level, or the engine does not take what a feature has.
void require_values(const LabelledSample& sample, const FitOptions& options) {
  const auto refuse = [](std::size_t j, const std::string& what) {
    throw std::invalid_argument("fit: feature " + std::to_string(j + 1) + what);
  };
  for (std::size_t j = 0; j < sample.n_features(); ++j) {
    const auto column = sample.X.column(j);
    if (!sample.is_categorical(j) && all_finite(column)) continue;
    if (std::ranges::any_of(column, [](double x) { return std::isinf(x); }))
      refuse(j, " has a value that is not finite");
    if (options.engine == Engine::exact)
      refuse(j, std::string(sample.is_categorical(j) ? " is categorical" : " has missing values") +
                    "; the exact engine takes complete numbers, the counts engine takes both");
    if (!sample.is_categorical(j)) continue;
    const auto n_levels = static_cast<double>(sample.levels[j].size());
    for (const double code : column)
      if (!std::isnan(code) && !(code >= 0 && code < n_levels && code == std::floor(code)))
        refuse(j, " has the code " + number_text(code) + " of " + number_text(n_levels) + " levels");
  }
}

/// Drops the features that are the same in all rows, unless all are; returns the numbers of the others.
std::vector<std::size_t> drop_constant_features(LabelledSample& sample) {
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    if (!is_constant(sample, j)) kept.push_back(j);
  if (kept.empty()) {
    kept.resize(sample.n_features());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
  }
  if (kept.size() == sample.n_features()) return kept;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::ranges::copy(sample.X.column(kept[k]), sample.X.column(k).begin());
    if (!sample.levels.empty()) sample.levels[k] = sample.levels[kept[k]];
  }
  sample.X.n_cols = kept.size();
  sample.X.data.resize(sample.X.n_rows * sample.X.n_cols);
  if (!sample.levels.empty()) sample.levels.resize(kept.size());
  return kept;
}

/// Throws std::invalid_argument if a value is beyond what the SVM, which has them in single precision, can take.
void require_single_precision(const LabelledSample& sample) {
  constexpr double largest = 1e37;
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    for (const double value : sample.X.column(j))
      if (std::abs(value) > largest)
        throw std::invalid_argument("linear_terms: feature " + std::to_string(j + 1) + " has the value " +
                                    number_text(value) +
                                    ", too large for features that are not put on a scale");
}

/// Brings rows that repeat or have weights into the form that the engine takes.
void prepare_rows(LabelledSample& sample, FitOptions& options) {
  if (options.engine == Engine::counts) return merge_repeated_rows(sample, options.inner_splits);
  const double n = WeightsView(sample.weights).total(sample.n_rows());
  const std::size_t most = is_generative(options.method) ? most_exact_rows : most_svm_rows;
  if (n > static_cast<double>(most))
    throw std::invalid_argument("the exact engine goes over all pairs of rows and takes at most " +
                                std::to_string(most) +
                                " rows, each counted as often as its weight says, got " + number_text(n) +
                                "; the counts engine takes more");
  expand_weights(sample, options.inner_splits, "the exact engine");
}

/// What the values of a prepared sample mean.
struct Meaning {
  std::vector<Levels> levels;
  std::vector<Coordinate> coordinates;
};

/// Checks what is to be fitted, brings it into the form that the engine takes and into the coordinates of the densities.
Meaning prepare(LabelledSample& sample, FitOptions& options, const Execution& execution) {
  require_valid(options);
  require_sizes(sample, options);
  require_rows(sample, options);
  require_values(sample, options);
  if (options.linear_terms && options.transform == Transform::none && !is_generative(options.method))
    require_single_precision(sample);
  for (Split& split : options.inner_splits)
    for (auto* rows : {&split.inside, &split.outside}) {
      std::ranges::sort(*rows);
      rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
    }
  pool_rare_levels(sample, static_cast<std::size_t>(options.max_levels));
  prepare_rows(sample, options);
  if (options.feature_mode == FeatureMode::automatic)
    options.feature_mode = sample.n_classes > 2 && sample.n_rows() <= most_cross_fit_rows
                               ? FeatureMode::cross_fit
                               : FeatureMode::leave_one_out;
  auto coordinates = fit_coordinates(sample.X, options.transform, sample.weights, execution, sample.levels);
  parallel_for(coordinates.size(), execution, {},
               [&](std::size_t j) { apply(coordinates[j], sample.X.column(j), sample.X.column(j)); });
  return {sample.levels, std::move(coordinates)};
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

std::vector<Term> terms_of(const LabelledSample& sample, std::span<const TermPlace> places,
                           const FitOptions& options, const Execution& execution) {
  return options.engine == Engine::exact ? fit_terms(sample, places, options, execution)
                                         : counts_terms(sample, places, options, execution);
}

/// Scores of rows from their values: `value(i, t)` of term t.
Matrix scores_of_values(const Model& model, std::size_t n_rows, const auto& value) {
  Matrix result(n_rows, model.n_scores());
  for (std::size_t k = 0; k < model.n_scores(); ++k) {
    std::ranges::fill(result.column(k), model.intercepts[k]);
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      if (const double weight = model.weights(k, t); weight != 0)
        for (std::size_t i = 0; i < n_rows; ++i) result(i, k) += weight * value(i, t);
  }
  return result;
}

/// Scores of NB and TAN that some rows have without their own kernels; the model gets its terms and weights on the way.
Matrix fit_with_held_out_scores(Model& model, const LabelledSample& sample, std::span<const TermPlace> places,
                                std::span<const std::size_t> rows, const FitOptions& options,
                                const Execution& execution, FitReport& report) {
  if (options.engine == Engine::counts) {
    CountsFeatures features = counts_features_of_rows(sample, places, rows, options, execution, report);
    model.terms = std::move(features.terms);
    set_generative_weights(model, places, sample);
    return scores_of_values(model, rows.size(),
                            [&](std::size_t i, std::size_t t) { return features.values.row(i)[t]; });
  }
  {
    const Stopwatch watch(report.density);
    model.terms = fit_terms(sample, places, options, execution);
  }
  set_generative_weights(model, places, sample);
  const Stopwatch watch(report.features);
  const LabelledSample part = rows_of(sample, rows);
  const Matrix values =
      leave_one_out_values(part, model.terms, term_values(model.terms, part.X, execution), execution);
  return scores_of_values(model, rows.size(), [&](std::size_t i, std::size_t t) { return values(i, t); });
}

/// Terms, weights and calibrations of NB and TAN. The single row of a class takes no part in calibration: without it there is no density.
void fit_generative(Model& model, const LabelledSample& sample, std::span<const TermPlace> places,
                    const FitOptions& options, const Execution& execution, FitReport& report) {
  if (options.calibration == CalibrationRule::none) {
    const Stopwatch watch(report.density);
    model.terms = terms_of(sample, places, options, execution);
    return set_generative_weights(model, places, sample);
  }
  const SampledRows some = sampled_rows(sample, most_calibration_rows);
  const Matrix held_out =
      fit_with_held_out_scores(model, sample, places, some.rows, options, execution, report);
  const auto y = picked(sample.y, some.rows);
  const auto counts = class_counts(sample);
  std::vector<double> weights;
  for (std::size_t i = 0; i < y.size(); ++i)
    weights.push_back(counts[static_cast<std::size_t>(y[i])] > 1 ? WeightsView(some.weights)[i] : 0);
  model.calibrations = fit_calibrations(held_out, y, weights, sample.n_classes, options);
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

std::vector<TermPlace> tree_edges(const LabelledSample& sample, const FitOptions& options,
                                  const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<TermPlace> edges;
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const auto information = information_of_pairs(sample, code, options, execution);
    std::vector<double> raw;
    for (const MutualInformation& pair : information) raw.push_back(pair.raw);
    const double threshold = forest_threshold(class_counts(sample)[c], options.forest_beta);
    for (const Edge& edge : maximum_spanning_tree(raw, d)) {
      if (options.method == Method::tan_forest &&
          information[pair_index(edge.i, edge.j, d)].corrected <= threshold)
        continue;
      edges.push_back({code, edge.i, edge.j});
    }
  }
  return edges;
}

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

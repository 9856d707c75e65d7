// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit.h"

#include <cmath>
#include <stdexcept>

#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/base/vector_math.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/spanning_tree.h"
#include "dyad/model/counts_features.h"
#include "dyad/model/selection.h"
#include "dyad/model/svm_weights.h"

namespace dyad {
namespace {

/// Three matrices of rows by rows: 10 GiB.
constexpr std::size_t most_svm_rows = 20000;

/// Mutual information takes all pairs of rows.
constexpr std::size_t most_tree_rows = 5000;

bool is_generative(Method method) {
  return method == Method::nb || method == Method::tan || method == Method::tan_forest;
}

/// Rows that are left of n when the largest of `folds` parts is taken away.
std::size_t left_of(std::size_t n, std::size_t folds) { return n - (n + folds - 1) / folds; }

/// The fewest rows of a class with which no density is left without a row.
std::size_t fewest_rows(const FitOptions& options) {
  if (is_generative(options.method)) return 1;
  std::size_t needed = 1;
  const auto grow_until_left = [&](std::size_t folds, std::size_t wanted) {
    while (left_of(needed, folds) < wanted) ++needed;
  };
  if (options.feature_mode == FeatureMode::cross_fit)
    grow_until_left(static_cast<std::size_t>(options.cross_fit_folds), 1);
  if (options.feature_mode == FeatureMode::split) grow_until_left(2, 1);
  if ((options.method == Method::slb && options.pairs == PairRule::cv) || options.cost == CostRule::cv)
    grow_until_left(static_cast<std::size_t>(options.inner_folds), needed);
  return needed;
}

/// Throws std::invalid_argument if a class is too small for what the options ask for.
void require_rows(const LabelledSample& sample, const FitOptions& options) {
  for (const std::size_t count : class_counts(sample))
    if (count < fewest_rows(options))
      throw std::invalid_argument(
          "a class has " + std::to_string(count) +
          " rows to be fitted to (in cross-validation: outside a fold); these options need " +
          std::to_string(fewest_rows(options)) + "; --pairs fdr, --feature-mode leave_one_out or " +
          "fewer --folds need less");
}

/// Weights of each class's log likelihood: 1 per edge, 1 - degree per feature (lemma 1), and the log prior.
void set_generative_weights(Model& model, const LabelledSample& sample) {
  const std::size_t d = sample.n_features();
  const auto counts = class_counts(sample);
  std::vector<double> likelihood_weight(model.terms.size(), 1.0);
  for (const Term& edge : model.terms)
    if (edge.is_pair())
      // Terms of one feature come first, class by class.
      for (const std::size_t end : {edge.i, edge.j})
        likelihood_weight[static_cast<std::size_t>(edge.class_code) * d + end] -= 1;

  const std::size_t n_scores = score_count(sample.n_classes);
  model.weights = Matrix(n_scores, model.terms.size());
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const auto c = static_cast<std::size_t>(model.terms[t].class_code);
    if (n_scores == 1)
      model.weights(0, t) = c == 1 ? likelihood_weight[t] : -likelihood_weight[t];
    else
      model.weights(c, t) = likelihood_weight[t];
  }
  const auto log_prior = [&](std::size_t c) {
    if (model.options.priors == Priors::equal) return 0.0;
    return std::log(static_cast<double>(counts[c]) / static_cast<double>(sample.n_rows()));
  };
  for (std::size_t k = 0; k < n_scores; ++k)
    model.intercepts.push_back(n_scores == 1 ? log_prior(1) - log_prior(0) : log_prior(k));
}

/// The rows of a class that its tree is found from: the counts engine takes `most_tree_rows` evenly spaced ones of more.
Matrix tree_rows(const LabelledSample& sample, std::int32_t code, const FitOptions& options) {
  Matrix X = rows_of_class(sample, code);
  if (options.engine == Engine::exact || X.n_rows <= most_tree_rows) return X;
  Matrix thinned(most_tree_rows, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t k = 0; k < most_tree_rows; ++k) thinned(k, j) = X(k * X.n_rows / most_tree_rows, j);
  return thinned;
}

void set_names(Model& model, const Table& table) {
  for (const Column& column : table.features) model.features.push_back(column.name);
  model.classes = table.labels.classes;
}

/// Weights, centres and intercepts of SLB, SLB- and LU.
void fit_discriminative(Model& model, const LabelledSample& sample, std::span<const TermPlace> places,
                        const FitOptions& options, const Execution& execution, FitReport& report) {
  const auto labels_of = [&](std::span<const std::size_t> rows) {
    std::vector<std::int32_t> y;
    for (const std::size_t row : rows) y.push_back(sample.y[row]);
    return y;
  };
  SvmWeights weights;
  if (options.engine == Engine::counts) {
    CountsFeatures features = counts_training_features(sample, places, options, execution, report);
    const Stopwatch watch(report.svm);
    weights = fit_svm_weights(features.values, features.held_out_rows, features.held_out,
                              labels_of(features.rows), sample.n_classes, options, execution);
    model.terms = std::move(features.terms);
  } else {
    TrainingFeatures features = training_features(sample, places, options, execution, report);
    // Only resubstitution lets a row's own kernel into its values.
    Matrix held_out_values = features.values;
    if (options.feature_mode == FeatureMode::resubstitution) {
      const Stopwatch watch(report.features);
      held_out_values = leave_one_out_values(sample, features.terms, std::move(held_out_values), execution);
    }
    const Stopwatch watch(report.svm);
    weights = fit_svm_weights(features.values, held_out_values, labels_of(features.rows), sample.n_classes,
                              options, execution);
    model.terms = std::move(features.terms);
  }
  report.converged = weights.converged;
  report.gap = weights.gap;
  for (std::size_t t = 0; t < model.terms.size(); ++t) model.terms[t].centre = weights.centres[t];
  model.weights = std::move(weights.weights);
  model.intercepts = std::move(weights.intercepts);
  model.calibrations = std::move(weights.calibrations);
}

}  // namespace

std::vector<TermPlace> tree_edges(const LabelledSample& sample, const FitOptions& options,
                                  const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<TermPlace> edges;
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const Matrix X = tree_rows(sample, code, options);
    const auto information = mutual_information_all_pairs(X, execution);
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

Model fit(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
          FitReport& report) {
  validate(options);
  require_rows(sample, options);
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    if (!all_finite(sample.X.column(j)))
      throw std::invalid_argument("fit: feature " + std::to_string(j + 1) +
                                  " has a value that is not finite");
  const bool exact = options.engine == Engine::exact;
  const bool generative = is_generative(options.method);
  if (exact && !generative && sample.n_rows() > most_svm_rows)
    throw std::invalid_argument(
        "the exact engine holds a matrix of rows by rows for the SVM and takes at most " +
        std::to_string(most_svm_rows) + " rows, got " + std::to_string(sample.n_rows()) +
        "; --engine counts takes more");
  Model model;
  model.options = options;
  model.n_features = sample.n_features();
  std::vector<TermPlace> pairs;
  if (!generative) {
    Selection selection = select(sample, options, execution, report);
    pairs = std::move(selection.pairs);
    model.options.svm.C = selection.C;
  } else if (options.method != Method::nb) {
    const Stopwatch watch(report.screen);
    pairs = tree_edges(sample, options, execution);
  }
  auto places = univariate_places(sample.n_classes, sample.n_features());
  places.insert(places.end(), pairs.begin(), pairs.end());

  // Likelihoods need no training values, and all rows.
  const bool split = !generative && options.feature_mode == FeatureMode::split;
  const LabelledSample half =
      split ? rows_of(sample, roles_of_rows(sample, options).density_rows) : LabelledSample{};
  const LabelledSample& density_sample = split ? half : sample;
  model.class_rows = class_counts(density_sample);
  for (std::size_t c = 0; exact && c < sample.n_classes; ++c)
    model.samples.push_back(rows_of_class(density_sample, static_cast<std::int32_t>(c)));

  if (!generative) {
    fit_discriminative(model, sample, places, model.options, execution, report);
    return model;
  }
  const Stopwatch watch(report.density);
  model.terms = exact ? fit_terms(sample, places, options, execution)
                      : counts_terms(sample, places, options, execution);
  set_generative_weights(model, sample);
  return model;
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution) {
  FitReport report;
  return fit(table, options, execution, report);
}

Model fit(const Table& table, const FitOptions& options, const Execution& execution, FitReport& report) {
  Model model = fit(labelled_sample(table, "fit"), options, execution, report);
  set_names(model, table);
  return model;
}

Model fit_and_release(Table& table, const FitOptions& options, const Execution& execution,
                      FitReport& report) {
  Model model = fit(take_labelled_sample(table, "fit"), options, execution, report);
  set_names(model, table);
  return model;
}

}  // namespace dyad

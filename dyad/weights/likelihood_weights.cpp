// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/likelihood_weights.h"

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/model.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/likelihood_forms.h"

namespace dyad {
namespace {

/// Likelihoods are calibrated on a part of the rows.
constexpr std::size_t most_calibration_rows = 5000;

/// Weights of each class's log likelihood, and the log prior.
FittedWeights weights_of_likelihoods(std::span<const TermKey> keys, std::span<const double> class_rows,
                                     const Likelihood& rule) {
  const auto likelihood = likelihood_weights(keys);
  const std::size_t n_scores = score_count(class_rows.size());
  FittedWeights result{.weights = Matrix(n_scores, keys.size()), .centres = std::vector<double>(keys.size())};
  for (std::size_t t = 0; t < keys.size(); ++t) {
    const auto c = static_cast<std::size_t>(keys[t].class_code);
    if (n_scores == 1)
      result.weights(0, t) = c == 1 ? likelihood[t] : -likelihood[t];
    else
      result.weights(c, t) = likelihood[t];
  }
  const auto log_prior = [&](std::size_t c) {
    const double log_weight =
        rule.class_weights.empty() ? 0.0 : std::log(std::max(rule.class_weights[c], least_class_weight));
    if (rule.priors == Priors::equal) return log_weight;
    return log_weight + std::log(class_rows[c] / std::accumulate(class_rows.begin(), class_rows.end(), 0.0));
  };
  for (std::size_t k = 0; k < n_scores; ++k)
    result.intercepts.push_back(n_scores == 1 ? log_prior(1) - log_prior(0) : log_prior(k));
  return result;
}

/// Scores of rows from their values: `value(i, t)` of term t.
Matrix scores_of_values(const FittedWeights& weights, std::size_t n_rows, const auto& value) {
  Matrix result(n_rows, weights.intercepts.size());
  for (std::size_t k = 0; k < result.n_cols; ++k) {
    std::ranges::fill(result.column(k), weights.intercepts[k]);
    for (std::size_t t = 0; t < weights.weights.n_cols; ++t)
      if (const double weight = weights.weights(k, t); weight != 0)
        for (std::size_t i = 0; i < n_rows; ++i) result(i, k) += weight * value(i, t);
  }
  return result;
}

/// Fits the terms, and scores some rows without their own kernels.
Matrix fit_and_hold_out(WeightedTerms& fitted, const LabelledSample& sample, std::span<const TermKey> keys,
                        std::span<const std::size_t> rows, const TableStats& stats,
                        const TermOptions& options, const Execution& execution, FitReport& report) {
  if (options.engine == Engine::counts) {
    CountsFeatures features = counts_features_of_rows(sample, keys, rows, stats, options, execution, report);
    fitted.terms = std::move(features.terms);
    return scores_of_values(fitted.weights, rows.size(),
                            [&](std::size_t i, std::size_t t) { return features.values.row(i)[t]; });
  }
  {
    const Stopwatch watch(report.density);
    fitted.terms = fit_terms(sample, keys, options, execution);
  }
  const Stopwatch watch(report.features);
  const LabelledSample part = rows_of(sample, rows);
  const Matrix values =
      leave_one_out_values(part, fitted.terms, term_values(fitted.terms, part.X, execution), execution);
  return scores_of_values(fitted.weights, rows.size(),
                          [&](std::size_t i, std::size_t t) { return values(i, t); });
}

}  // namespace

WeightedTerms fit_likelihood_weights(const LabelledSample& sample, std::span<const TermKey> keys,
                                     const TableStats& stats, const TermOptions& options,
                                     const Likelihood& rule, const ProbabilityRule& probability,
                                     const Execution& execution, FitReport& report) {
  WeightedTerms fitted{.weights = weights_of_likelihoods(keys, stats.class_rows, rule)};
  if (probability.calibration == CalibrationRule::none) {
    const Stopwatch watch(report.density);
    fitted.terms = terms_of(sample, keys, stats, options, execution);
    return fitted;
  }
  const SampledRows some = sampled_rows(sample, most_calibration_rows, stats);
  const Matrix held_out =
      fit_and_hold_out(fitted, sample, keys, some.rows, stats, options, execution, report);
  const auto y = gather(sample.y, some.rows);
  std::vector<double> weights;
  for (std::size_t i = 0; i < y.size(); ++i)
    weights.push_back(stats.class_rows[static_cast<std::size_t>(y[i])] > 1 ? WeightsView(some.weights)[i]
                                                                           : 0);
  fitted.weights.calibrations = fit_calibrations(held_out, y, weights, sample.n_classes, probability);
  return fitted;
}

}  // namespace dyad

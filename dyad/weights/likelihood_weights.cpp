// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/likelihood_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/likelihood_forms.h"

namespace dyad::internal {
namespace {

/// Likelihoods are calibrated on a part of the rows.
constexpr std::size_t most_calibration_rows = 5000;

/// Weights of each class's log likelihood, and the log prior.
void set_generative_weights(Model& model, std::span<const TermKey> places,
                            std::span<const double> class_rows) {
  const auto likelihood = likelihood_weights(places);
  const std::size_t n_scores = score_count(class_rows.size());
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
    return std::log(class_rows[c] / std::accumulate(class_rows.begin(), class_rows.end(), 0.0));
  };
  for (std::size_t k = 0; k < n_scores; ++k)
    model.intercepts.push_back(n_scores == 1 ? log_prior(1) - log_prior(0) : log_prior(k));
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
Matrix fit_with_held_out_scores(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                                std::span<const std::size_t> rows, const FitOptions& options,
                                std::span<const double> class_rows, const Execution& execution,
                                FitReport& report, const TableStats* more) {
  if (options.engine == Engine::counts) {
    CountsFeatures features =
        counts_features_of_rows(sample, places, rows, options, execution, report, SharesWithout::fold, more);
    model.terms = std::move(features.terms);
    set_generative_weights(model, places, class_rows);
    return scores_of_values(model, rows.size(),
                            [&](std::size_t i, std::size_t t) { return features.values.row(i)[t]; });
  }
  {
    const Stopwatch watch(report.density);
    model.terms = fit_terms(sample, places, options, execution);
  }
  set_generative_weights(model, places, class_rows);
  const Stopwatch watch(report.features);
  const LabelledSample part = rows_of(sample, rows);
  const Matrix values =
      leave_one_out_values(part, model.terms, term_values(model.terms, part.X, execution), execution);
  return scores_of_values(model, rows.size(), [&](std::size_t i, std::size_t t) { return values(i, t); });
}

}  // namespace

std::vector<Term> terms_of(const LabelledSample& sample, std::span<const TermKey> places,
                           const FitOptions& options, const Execution& execution) {
  return options.engine == Engine::exact ? fit_terms(sample, places, options, execution)
                                         : counts_terms(sample, places, options, execution);
}

void fit_generative(Model& model, const LabelledSample& sample, std::span<const TermKey> places,
                    const FitOptions& options, const Execution& execution, FitReport& report,
                    const TableStats* more) {
  const auto class_rows = more != nullptr ? more->class_rows : class_counts(sample);
  if (options.calibration == CalibrationRule::none) {
    const Stopwatch watch(report.density);
    model.terms = more != nullptr ? counts_terms(sample, places, options, execution, more)
                                  : terms_of(sample, places, options, execution);
    return set_generative_weights(model, places, class_rows);
  }
  const SampledRows some = more != nullptr
                               ? sampled_rows(sample, most_calibration_rows, more->numbers, class_rows,
                                              static_cast<double>(most_calibration_rows))
                               : sampled_rows(sample, most_calibration_rows);
  const Matrix held_out = fit_with_held_out_scores(model, sample, places, some.rows, options, class_rows,
                                                   execution, report, more);
  const auto y = gather(sample.y, some.rows);
  std::vector<double> weights;
  for (std::size_t i = 0; i < y.size(); ++i)
    weights.push_back(class_rows[static_cast<std::size_t>(y[i])] > 1 ? WeightsView(some.weights)[i] : 0);
  model.calibrations = fit_calibrations(held_out, y, weights, sample.n_classes, options);
}

}  // namespace dyad::internal

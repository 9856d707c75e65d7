// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/path_weights.h"

#include "dyad/base/gather.h"
#include "dyad/terms/term_keys.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/term_rows.h"

namespace dyad {
namespace {

constexpr double final_tolerance = 1e-4;

/// The second row or column of two less the first: the single score of two classes.
Matrix second_row_less_first(const Matrix& weights) {
  Matrix result(1, weights.n_cols);
  for (std::size_t t = 0; t < weights.n_cols; ++t) result(0, t) = weights(1, t) - weights(0, t);
  return result;
}

Matrix second_column_less_first(const Matrix& scores) {
  Matrix result(scores.n_rows, 1);
  for (std::size_t i = 0; i < scores.n_rows; ++i) result(i, 0) = scores(i, 1) - scores(i, 0);
  return result;
}

}  // namespace

FittedWeights fit_path_weights(TrainingRows& rows, std::span<const TermKey> keys, const PairPath& path,
                               std::size_t n_classes, const WeightOptions& options,
                               const Execution& execution) {
  const auto loss_weights = [&](std::span<const std::int32_t> y, std::vector<double> weights) {
    return class_weighted(std::move(weights), y, n_classes, options.class_weight_values,
                          options.class_weights == ClassWeights::balanced);
  };
  const ScaledTerms scaled = scale_terms(keys, rows.values, rows.weights, options, execution);
  std::vector<TermValues> values;
  for (std::size_t t = 0; t < keys.size(); ++t) values.push_back({&rows.values, t, scaled.variances[t]});
  const RegressionLabels labels{
      rows.y, loss_weights(rows.y, weights_of(rows.weights, all_rows(rows.y.size()))), n_classes};
  FittedWeights result{.weights = Matrix(n_classes, keys.size()),
                       .centres = scaled.standardisation.centre,
                       .intercepts = std::vector<double>(n_classes)};
  const auto all = all_rows<std::uint32_t>(rows.y.size());
  for (const PathMember& member : path.members) {
    const auto terms = member.terms_among(keys);
    const TermRows term_rows(gather(keys, terms), gather(values, terms), labels, options,
                             member.shares_weights);
    const SoftmaxSolution solution =
        term_rows.solve(all, member.cost, rows.weights, final_tolerance, {}, execution);
    const Matrix weights = term_rows.weights(solution);
    for (std::size_t k = 0; k < n_classes; ++k) {
      result.intercepts[k] += member.share * solution.intercepts[k];
      for (std::size_t m = 0; m < terms.size(); ++m)
        result.weights(k, terms[m]) += member.share * weights(k, m);
    }
    result.iterations = std::max(result.iterations, solution.steps);
  }

  const auto& [held_out_scores, y, weights] = path.held_out;
  const double slope =
      fit_softmax_slope(held_out_scores, std::vector<double>(n_classes), y, loss_weights(y, weights));
  Matrix scores = held_out_scores;
  for (double& score : scores.data) score *= slope;
  for (double& intercept : result.intercepts) intercept *= slope;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    const double scale = scaled.standardisation.scale[t];
    for (std::size_t k = 0; k < n_classes; ++k)
      result.weights(k, t) = scale > 0 ? slope * result.weights(k, t) / scale : 0;
  }
  if (n_classes == 2) {
    result.weights = second_row_less_first(result.weights);
    result.intercepts = {result.intercepts[1] - result.intercepts[0]};
    scores = second_column_less_first(scores);
  }
  // The score of two classes is the log odds of probabilities already, unless costs count classes otherwise.
  const ProbabilityRule& probability = options.probability;
  if (probability.calibration != CalibrationRule::platt || n_classes > 2 || probability.has_costs)
    result.calibrations = fit_calibrations(scores, y, weights, n_classes, probability);
  return result;
}

}  // namespace dyad

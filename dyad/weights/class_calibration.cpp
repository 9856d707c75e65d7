// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/class_calibration.h"

#include "dyad/model/prediction.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

/// Scores that tell nothing may come out the wrong way round: probabilities are then the classes' shares.
constexpr double least_slope = 1e-6;

Calibration one_calibration(std::span<const double> scores, std::span<const double> signs,
                            std::span<const double> weights, const ProbabilityRule& rule) {
  double positives = 0;
  double negatives = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) (signs[i] > 0 ? positives : negatives) += weights[i];
  if (positives == 0 || negatives == 0) return {};
  if (rule.calibration == CalibrationRule::isotonic) return fit_isotonic(scores, signs, weights);
  const Calibration fitted = fit_calibration(scores, signs, weights);
  return fitted.slope > least_slope ? fitted
                                    : Calibration{least_slope, std::log((positives + 1) / (negatives + 1))};
}

/// Offset from log odds at the classes' shares in the scores to those at their shares among the rows, which
/// costs need.
double log_share_gain(double count, std::size_t k, const ProbabilityRule& rule) {
  if (!rule.has_costs || count <= 0) return 0;
  const double share = rule.classes_alike ? count : 1;
  const double weight = rule.class_weights.empty() ? 1 : std::max(rule.class_weights[k], least_class_weight);
  return std::log(share) - std::log(weight);
}

/// P(k) in proportion to exp(slope_k s_k + offset_k). Scores of single SVMs are first calibrated one by one;
/// others are log odds or log likelihoods, but for the shares of the classes. Then one slope is common to all
/// classes.
std::vector<Calibration> softmax_calibrations(const Matrix& scores, std::span<const std::int32_t> y,
                                              std::span<const double> weights, std::span<const double> counts,
                                              const ProbabilityRule& rule) {
  const std::size_t n_classes = scores.n_cols;
  const bool single_svms = rule.scores == ProbabilityRule::Scores::margins;
  std::vector<Calibration> result(n_classes);
  std::vector<double> offsets(n_classes);
  Matrix odds = scores;
  for (std::size_t k = 0; k < n_classes; ++k) {
    if (single_svms)
      result[k] = one_calibration(scores.column(k), signs_of_score(y, n_classes, k), weights, rule);
    else
      offsets[k] = log_share_gain(counts[k], k, rule);
    for (double& score : odds.column(k)) score = result[k].slope * score + result[k].offset;
  }
  const double slope = fit_softmax_slope(odds, offsets, y, weights);
  for (std::size_t k = 0; k < n_classes; ++k)
    result[k] = {slope * result[k].slope, slope * result[k].offset + offsets[k]};
  return result;
}

}  // namespace

std::vector<Calibration> fit_calibrations(const Matrix& scores, std::span<const std::int32_t> y,
                                          std::span<const double> weights, std::size_t n_classes,
                                          const ProbabilityRule& rule) {
  if (rule.calibration == CalibrationRule::none) return {};
  std::vector<double> counts(n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) counts[static_cast<std::size_t>(y[i])] += weights[i];
  std::vector<double> in_population(weights.begin(), weights.end());
  if (!rule.has_costs)
    in_population =
        class_weighted(std::move(in_population), y, n_classes, rule.class_weights, rule.classes_alike);
  if (n_classes > 2 && rule.calibration == CalibrationRule::platt)
    return softmax_calibrations(scores, y, in_population, counts, rule);
  const bool many_likelihoods = rule.scores == ProbabilityRule::Scores::likelihoods && n_classes > 2;
  const Matrix odds = many_likelihoods ? log_odds_against_rest(scores) : scores;
  std::vector<Calibration> result;
  for (std::size_t k = 0; k < odds.n_cols; ++k)
    result.push_back(one_calibration(odds.column(k), signs_of_score(y, n_classes, k), in_population, rule));
  return result;
}

}  // namespace dyad

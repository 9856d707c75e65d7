// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/single_weights.h"

#include <optional>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/linear/linear_svm.h"
#include "dyad/linear/norm_search.h"
#include "dyad/model/model.h"
#include "dyad/weights/class_calibration.h"

namespace dyad {
namespace {

constexpr std::size_t calibration_folds = 5;

/// Scores of every row from an SVM fitted to the other folds, or from `all` for rows in no fold: `gram` is
/// between the training values, cross(i, k) between the held-out values of row i and the training values of
/// row k.
std::vector<double> held_out_scores(const Matrix& gram, const Matrix& cross, std::span<const double> signs,
                                    std::span<const double> loss_weights, std::span<const std::size_t> folds,
                                    std::size_t n_folds, const SvmSolution& all, const SvmOptions& options,
                                    const Execution& execution) {
  std::vector<double> result(signs.size());
  const auto score_rows = [&](std::span<const std::size_t> rows, const SvmSolution& svm,
                              std::span<const std::size_t> train) {
    for (const std::size_t i : rows) {
      result[i] = svm.intercept;
      for (std::size_t b = 0; b < train.size(); ++b)
        result[i] += svm.alpha[b] * signs[train[b]] * cross(i, train[b]);
    }
  };
  score_rows(split_at(folds, n_folds).inside, all, all_rows(signs.size()));
  for (const Split& split : splits_of(folds, n_folds)) {
    const auto& train = split.outside;
    Matrix part(train.size(), train.size());
    for (std::size_t a = 0; a < train.size(); ++a)
      for (std::size_t b = 0; b < train.size(); ++b) part(b, a) = gram(train[b], train[a]);
    score_rows(split.inside,
               solve_svm(part, gather(signs, train), gather(loss_weights, train), options, {}, execution),
               train);
  }
  return result;
}

/// The products of all rows of a matrix, if they are worth it.
std::optional<RowProducts> products_of(const FloatRows& values, const SingleSvm& rule,
                                       const Execution& execution) {
  if (rule.svm.loss != Loss::hinge || !RowProducts::are_worth(values.n_rows(), values.n_cols())) return {};
  std::optional<RowProducts> products(all_rows<std::uint32_t>(values.n_rows()));
  products->extend_to(values, values.n_cols(), execution);
  return products;
}

/// The SVMs of the other folds, by fold; empty if there are enough rows for the SVM of all not to overfit.
std::vector<std::vector<LinearSolution>> svms_without_folds(
    const ScoredRows& scored, std::span<const std::size_t> folds, std::size_t n_folds,
    const std::vector<LinearSolution>& all, SingleSvm rule, const WeightOptions& options,
    const RowProducts* products, const Execution& execution) {
  constexpr std::size_t rows_per_term = 20;
  constexpr double calibration_tolerance = 0.05;
  const std::size_t n_terms = scored.values.n_cols();
  if (options.probability.calibration == CalibrationRule::none ||
      scored.values.n_rows() >= rows_per_term * n_terms)
    return {};
  rule.svm.tolerance = std::max(rule.svm.tolerance, calibration_tolerance);
  rule.norm_bound = 0;
  std::vector<std::vector<std::uint32_t>> train(n_folds);
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    const Split split = split_at(folds, fold);
    train[fold].assign(split.outside.begin(), split.outside.end());
  }
  std::vector<std::vector<LinearSolution>> result(n_folds, std::vector<LinearSolution>(all.size()));
  parallel_for(n_folds * all.size(), execution, {}, [&](std::size_t task) {
    const std::size_t k = task / n_folds;
    SingleSvm at = rule;
    at.svm.C = all[k].C;
    result[task % n_folds][k] = solve_score(scored, train[task % n_folds], n_terms, k, at, options, all[k],
                                            products, {.threads = 1, .stop = execution.stop});
  });
  return result;
}

}  // namespace

std::vector<double> signs_of_score(std::span<const std::int32_t> y, std::size_t n_classes, std::size_t k) {
  const auto own_class = static_cast<std::int32_t>(n_classes == 2 ? 1 : k);
  std::vector<double> signs;
  for (const std::int32_t code : y) signs.push_back(code == own_class ? 1 : -1);
  return signs;
}

std::vector<double> weights_of(const WeightsView& weights, std::span<const std::size_t> rows) {
  std::vector<double> result;
  for (const std::size_t row : rows) result.push_back(weights[row]);
  return result;
}

std::vector<double> class_weighted(std::vector<double> weights, std::span<const std::int32_t> y,
                                   std::size_t n_classes, std::span<const double> given, bool alike) {
  std::vector<double> totals(n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) totals[static_cast<std::size_t>(y[i])] += weights[i];
  const double total = std::accumulate(totals.begin(), totals.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto c = static_cast<std::size_t>(y[i]);
    if (alike && totals[c] > 0) weights[i] *= balance(total, n_classes, totals[c]);
    if (!given.empty()) weights[i] *= given[c];
  }
  return weights;
}

std::vector<double> loss_weights(std::span<const double> signs, std::span<const std::int32_t> y,
                                 const WeightsView& weights, ClassWeights rule,
                                 std::span<const double> given) {
  auto of_rows = weights_of(weights, all_rows(y.size()));
  const bool alike = rule == ClassWeights::balanced;
  if (!given.empty()) return class_weighted(std::move(of_rows), y, given.size(), given, alike);
  std::vector<std::int32_t> sides;
  for (const double sign : signs) sides.push_back(sign > 0 ? 1 : 0);
  return class_weighted(std::move(of_rows), sides, 2, {}, alike);
}

Standardisation scaled_by(const WeightOptions& options, Standardisation standardisation,
                          std::size_t n_linear) {
  if (options.term_scale == TermScale::unit) return standardisation;
  const bool is_common = options.term_scale == TermScale::common;
  const std::span scales =
      std::span(standardisation.scale).subspan(is_common && !options.has_coordinates ? n_linear : 0);
  double squares = 0;
  double count = 0;
  for (const double scale : scales) {
    squares += scale * scale;
    count += scale > 0 ? 1 : 0;
  }
  const double common = is_common && count > 0 ? std::sqrt(squares / count) : 1;
  for (double& scale : scales)
    if (scale > 0) scale = common;
  return standardisation;
}

LinearSolution solve_score(const ScoredRows& scored, std::span<const std::uint32_t> rows, std::size_t n_cols,
                           std::size_t k, const SingleSvm& rule, const WeightOptions& options,
                           const LinearSolution& warm, const RowProducts* products,
                           const Execution& execution) {
  const auto signs = signs_of_score(scored.y, scored.n_classes, k);
  const auto losses =
      loss_weights(signs, scored.y, scored.weights, options.class_weights, options.class_weight_values);
  const auto solve_at = [&](double C, const LinearSolution& from) {
    SvmOptions at = rule.svm;
    at.C = C;
    // A small gap is cheap with a smooth loss, and a norm is only as exact as its root.
    if (rule.norm_bound > 0 && at.loss != Loss::hinge) at.tolerance = std::min(at.tolerance, 1e-9);
    return solve_active_rows(scored.values, rows, n_cols, signs, losses, at, from, execution, products);
  };
  if (rule.norm_bound == 0) return solve_at(rule.svm.C, warm);
  return search_norm<LinearSolution>(rule.norm_bound, solve_at);
}

FittedWeights fit_single_weights(const Matrix& values, const Matrix& held_out_values,
                                 std::span<const std::int32_t> y, std::size_t n_classes,
                                 const SingleSvm& rule, const WeightOptions& options,
                                 const Execution& execution, std::size_t n_linear) {
  const std::size_t n_scores = score_count(n_classes);
  const LinearSvmProblem problem(values, scaled_by(options, standardisation_of(values), n_linear), execution);
  Matrix cross(values.n_rows, values.n_rows);
  add_cross_gram(standardised(held_out_values, problem.standardisation()), problem.standardised_columns(),
                 cross, execution);
  FittedWeights result{.weights = Matrix(n_scores, values.n_cols)};
  const std::size_t n_folds = std::min(calibration_folds, y.size());
  const auto folds = stratified_folds(y, n_folds, options.seed);
  Matrix calibration_scores(y.size(), n_scores);
  for (std::size_t k = 0; k < n_scores; ++k) {
    const auto signs = signs_of_score(y, n_classes, k);
    const auto losses = loss_weights(signs, y, {}, options.class_weights, options.class_weight_values);
    const LinearSvm svm = problem.solve(signs, losses, rule.svm, rule.norm_bound, execution);
    for (std::size_t t = 0; t < values.n_cols; ++t) result.weights(k, t) = svm.weights[t];
    result.centres = svm.centre;
    result.intercepts.push_back(svm.intercept);
    result.converged = result.converged && svm.solution.converged;
    result.gap = std::max(svm.solution.gap, result.gap);
    result.iterations = std::max(svm.solution.iterations, result.iterations);
    SvmOptions solved_with = rule.svm;
    solved_with.C = svm.solution.C;
    if (options.probability.calibration != CalibrationRule::none)
      std::ranges::copy(held_out_scores(problem.gram(), cross, signs, losses, folds, n_folds, svm.solution,
                                        solved_with, execution),
                        calibration_scores.column(k).begin());
  }
  result.calibrations = fit_calibrations(calibration_scores, y, std::vector<double>(y.size(), 1.0), n_classes,
                                         options.probability);
  return result;
}

FittedWeights fit_single_weights(FloatRows& values, std::span<const std::size_t> held_out_rows,
                                 FloatRows& held_out, std::span<const std::int32_t> y,
                                 const WeightsView& weights, std::size_t n_classes, const SingleSvm& rule,
                                 const WeightOptions& options, const Execution& execution,
                                 std::size_t n_linear) {
  const Standardisation scaling =
      scaled_by(options, standardisation_of(values, execution, weights), n_linear);
  apply(scaling, values, execution);
  apply(scaling, held_out, execution);
  const auto all_held_out = all_rows<std::uint32_t>(held_out_rows.size());
  const std::size_t n_folds = std::min(calibration_folds, y.size());
  const auto folds = stratified_folds(y, n_folds, options.seed);
  const ScoredRows scored{values, y, weights, n_classes};
  const auto products = products_of(values, rule, execution);
  const RowProducts* const given = products ? &*products : nullptr;
  std::vector<LinearSolution> svms(score_count(n_classes));
  const Execution of_each{.threads = svms.size() == 1 ? execution.threads : 1, .stop = execution.stop};
  parallel_for(svms.size(), execution, {}, [&](std::size_t k) {
    svms[k] = solve_score(scored, all_rows<std::uint32_t>(y.size()), values.n_cols(), k, rule, options, {},
                          given, of_each);
  });
  const auto svms_of_folds =
      svms_without_folds(scored, folds, n_folds, svms, rule, options, given, execution);

  FittedWeights result{.weights = Matrix(svms.size(), values.n_cols()), .centres = scaling.centre};
  Matrix calibration_scores(held_out_rows.size(), svms.size());
  for (std::size_t k = 0; k < svms.size(); ++k) {
    const LinearSolution& svm = svms[k];
    for (std::size_t t = 0; t < values.n_cols(); ++t)
      result.weights(k, t) = scaling.scale[t] > 0 ? svm.w[t] / scaling.scale[t] : 0;
    result.intercepts.push_back(svm.intercept);
    result.converged = result.converged && svm.converged;
    result.gap = std::max(svm.gap, result.gap);
    result.iterations = std::max(svm.steps, result.iterations);

    if (options.probability.calibration == CalibrationRule::none) continue;
    auto scores = decision_values(held_out, all_held_out, svm.w, svm.intercept);
    for (std::size_t fold = 0; fold < svms_of_folds.size(); ++fold) {
      const LinearSolution& part = svms_of_folds[fold][k];
      const auto of_fold = decision_values(held_out, all_held_out, part.w, part.intercept);
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (folds[held_out_rows[i]] == fold) scores[i] = of_fold[i];
    }
    std::ranges::copy(scores, calibration_scores.column(k).begin());
  }
  result.calibrations = fit_calibrations(calibration_scores, gather(y, held_out_rows),
                                         weights_of(weights, held_out_rows), n_classes, options.probability);
  return result;
}

}  // namespace dyad

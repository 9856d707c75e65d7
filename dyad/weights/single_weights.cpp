// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/single_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/linear/linear_svm.h"
#include "dyad/linear/norm_search.h"
#include "dyad/model/model.h"
#include "dyad/weights/class_calibration.h"

namespace dyad {
namespace {

/// Scores of every row from an SVM fitted to the other folds, or from `all` for rows in no fold: `gram` is between the training values,
/// cross(i, k) between the held-out values of row i and the training values of row k.
std::vector<double> held_out_scores(const Matrix& gram, const Matrix& cross, std::span<const double> signs,
                                    std::span<const double> costs, std::span<const std::size_t> folds,
                                    std::size_t n_folds, const SvmSolution& all, const SvmOptions& options,
                                    const Execution& execution) {
  std::vector<double> result(signs.size(), all.intercept);
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t b = 0; folds[i] == n_folds && b < result.size(); ++b)
      result[i] += all.alpha[b] * signs[b] * cross(i, b);
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    const Split split = split_at(folds, fold);
    const auto& train = split.outside;
    Matrix part(train.size(), train.size());
    for (std::size_t a = 0; a < train.size(); ++a)
      for (std::size_t b = 0; b < train.size(); ++b) part(b, a) = gram(train[b], train[a]);
    const auto train_signs = gather(signs, train);
    const SvmSolution svm = solve_svm(part, train_signs, gather(costs, train), options, {}, execution);
    for (const std::size_t i : split.inside) {
      result[i] = svm.intercept;
      for (std::size_t b = 0; b < train.size(); ++b)
        result[i] += svm.alpha[b] * train_signs[b] * cross(i, train[b]);
    }
  }
  return result;
}

}  // namespace

std::vector<double> signs_of_score(std::span<const std::int32_t> y, std::size_t n_classes, std::size_t k) {
  const auto own_class = static_cast<std::int32_t>(n_classes == 2 ? 1 : k);
  std::vector<double> signs;
  for (const std::int32_t code : y) signs.push_back(code == own_class ? 1 : -1);
  return signs;
}

std::vector<double> row_costs(std::span<const double> signs, std::span<const std::int32_t> y,
                              const WeightsView& weights, const FitOptions& options) {
  std::vector<double> costs(signs.size());
  double positives = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    costs[i] = weights[i];
    if (signs[i] > 0) positives += weights[i];
  }
  const double n = weights.total(signs.size());
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (!options.class_weight_values.empty())
      costs[i] *= options.class_weight_values[static_cast<std::size_t>(y[i])];
    else if (options.class_weights == ClassWeights::balanced)
      costs[i] *= n / (2 * (signs[i] > 0 ? positives : n - positives));
  }
  return costs;
}

SvmWeights fit_svm_weights(const Matrix& values, const Matrix& held_out_values,
                           std::span<const std::int32_t> y, std::size_t n_classes, const FitOptions& options,
                           const Execution& execution) {
  constexpr std::size_t calibration_folds = 5;
  const std::size_t n_scores = score_count(n_classes);
  const LinearSvmProblem problem(values);
  Matrix cross(values.n_rows, values.n_rows);
  add_cross_gram(standardised(held_out_values, problem.standardisation()), problem.standardised_columns(),
                 cross);
  SvmWeights result{.weights = Matrix(n_scores, values.n_cols)};
  const std::size_t n_folds = std::min(calibration_folds, y.size());
  const auto folds = stratified_folds(y, n_folds, options.seed);
  Matrix calibration_scores(y.size(), n_scores);
  for (std::size_t k = 0; k < n_scores; ++k) {
    const auto signs = signs_of_score(y, n_classes, k);
    const auto costs = row_costs(signs, y, {}, options);
    const LinearSvm svm = options.norm_bound > 0
                              ? problem.solve_within(signs, costs, options.svm, options.norm_bound, execution)
                              : problem.solve(signs, costs, options.svm, {}, execution);
    for (std::size_t t = 0; t < values.n_cols; ++t) result.weights(k, t) = svm.weights[t];
    result.centres = svm.centre;
    result.intercepts.push_back(svm.intercept);
    result.converged = result.converged && svm.solution.converged;
    result.gap = std::max(svm.solution.gap, result.gap);
    result.iterations = std::max(svm.solution.iterations, result.iterations);
    SvmOptions solved_with = options.svm;
    solved_with.C = svm.solution.C;
    if (options.calibration != CalibrationRule::none)
      std::ranges::copy(held_out_scores(problem.gram(), cross, signs, costs, folds, n_folds, svm.solution,
                                        solved_with, execution),
                        calibration_scores.column(k).begin());
  }
  result.calibrations =
      fit_calibrations(calibration_scores, y, std::vector<double>(y.size(), 1.0), n_classes, options);
  return result;
}

LinearSolution solve_rows(const FloatRows& values, std::span<const std::uint32_t> rows, std::size_t n_cols,
                          std::span<const double> signs, std::span<const double> row_costs,
                          const FitOptions& options, const LinearSolution& warm, const Execution& execution) {
  const auto solve_at = [&](double C, const LinearSolution& from) {
    SvmOptions at = options.svm;
    at.C = C;
    // Where the loss is smooth, a small gap is cheap, and a norm is known no better than to its root.
    if (options.norm_bound > 0 && at.loss != Loss::hinge) at.tolerance = std::min(at.tolerance, 1e-9);
    return solve_linear(values, rows, n_cols, signs, row_costs, at, from, execution);
  };
  const auto norm_of = [&](const LinearSolution& solution) {
    return std::sqrt(std::inner_product(solution.w.begin(), solution.w.end(), solution.w.begin(), 0.0));
  };
  if (options.norm_bound > 0) return search_norm<LinearSolution>(options.norm_bound, solve_at, norm_of);
  return solve_at(options.svm.C, warm);
}

std::vector<LinearSolution> solve_scores(const FloatRows& values, std::span<const std::uint32_t> rows,
                                         std::size_t n_cols, std::span<const std::int32_t> y,
                                         const WeightsView& weights, std::size_t n_classes,
                                         const FitOptions& options, std::span<const double> costs,
                                         const std::vector<LinearSolution>& warm,
                                         const Execution& execution) {
  FitOptions at = options;
  std::vector<LinearSolution> result;
  for (std::size_t k = 0; k < score_count(n_classes); ++k) {
    if (!costs.empty()) at.svm.C = costs[k];
    const auto signs = signs_of_score(y, n_classes, k);
    result.push_back(solve_rows(values, rows, n_cols, signs, row_costs(signs, y, weights, options), at,
                                warm.empty() ? LinearSolution{} : warm[k], execution));
  }
  return result;
}

SvmWeights fit_svm_weights(FloatRows& values, std::span<const std::size_t> held_out_rows, FloatRows& held_out,
                           std::span<const std::int32_t> y, const WeightsView& weights, std::size_t n_classes,
                           const FitOptions& options, const Execution& execution) {
  constexpr std::size_t calibration_folds = 5;
  constexpr std::size_t rows_per_term = 20;
  constexpr double calibration_tolerance = 0.05;
  const std::size_t n_scores = score_count(n_classes);
  const Standardisation standardisation = standardise(values, execution, weights);
  apply(standardisation, held_out, execution);
  std::vector<std::uint32_t> all(y.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> all_held_out(held_out_rows.size());
  std::iota(all_held_out.begin(), all_held_out.end(), 0U);
  const std::size_t n_folds = std::min(calibration_folds, y.size());
  const auto folds = stratified_folds(y, n_folds, options.seed);

  const auto svms =
      solve_scores(values, all, values.n_cols(), y, weights, n_classes, options, {}, {}, execution);
  std::vector<std::vector<LinearSolution>> svms_of_folds;
  if (options.calibration != CalibrationRule::none && values.n_rows() < rows_per_term * values.n_cols()) {
    FitOptions solved_with = options;
    solved_with.svm.tolerance = std::max(options.svm.tolerance, calibration_tolerance);
    solved_with.norm_bound = 0;
    std::vector<double> costs;
    for (const LinearSolution& svm : svms) costs.push_back(svm.C);
    svms_of_folds.resize(n_folds);
    parallel_for(n_folds, execution, {}, [&](std::size_t fold) {
      const Split split = split_at(folds, fold);
      const std::vector<std::uint32_t> train(split.outside.begin(), split.outside.end());
      svms_of_folds[fold] = solve_scores(values, train, values.n_cols(), y, weights, n_classes, solved_with,
                                         costs, svms, {.threads = 1, .stop = execution.stop});
    });
  }

  SvmWeights result{.weights = Matrix(n_scores, values.n_cols()), .centres = standardisation.centre};
  Matrix calibration_scores(held_out_rows.size(), n_scores);
  for (std::size_t k = 0; k < n_scores; ++k) {
    const LinearSolution& svm = svms[k];
    for (std::size_t t = 0; t < values.n_cols(); ++t)
      result.weights(k, t) = standardisation.scale[t] > 0 ? svm.w[t] / standardisation.scale[t] : 0;
    result.intercepts.push_back(svm.intercept);
    result.converged = result.converged && svm.converged;
    result.gap = std::max(svm.gap, result.gap);
    result.iterations = std::max(svm.steps, result.iterations);

    if (options.calibration == CalibrationRule::none) continue;
    auto scores = decision_values(held_out, all_held_out, svm.w, svm.intercept);
    for (std::size_t fold = 0; fold < svms_of_folds.size(); ++fold) {
      const LinearSolution& part = svms_of_folds[fold][k];
      const auto of_fold = decision_values(held_out, all_held_out, part.w, part.intercept);
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (folds[held_out_rows[i]] == fold) scores[i] = of_fold[i];
    }
    std::ranges::copy(scores, calibration_scores.column(k).begin());
  }
  std::vector<double> held_out_weights;
  for (const std::size_t row : held_out_rows) held_out_weights.push_back(weights[row]);
  result.calibrations =
      fit_calibrations(calibration_scores, gather(y, held_out_rows), held_out_weights, n_classes, options);
  return result;
}

}  // namespace dyad

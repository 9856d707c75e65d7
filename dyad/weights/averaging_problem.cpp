// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaging_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/weights/single_weights.h"

namespace dyad::internal {
namespace {

/// Losses of settings differ by more than what tighter solutions would change; where large costs let the terms separate the classes, those
/// would take thousands of steps, and predict no better.
constexpr double rough_tolerance = 0.01;
constexpr std::int64_t most_steps = 100;
/// Products of more rows than these would take too much memory.
constexpr std::size_t most_rotated_rows = 2500;
/// Of the variance of terms.
constexpr double lost_by_rotation = 1e-6;

/// Options for  P(r w) + C sum_i loss,  r^2 the squared norm of a row: as many multiples of  P'(w) + C' sum_i loss. Where terms vary by
/// rounding alone, r is next to nothing, and C' the largest that there is.
SvmOptions with_scaled_penalty(SvmOptions svm, double C, double squared_norm) {
  svm.C = C / squared_norm;
  if (svm.penalty == Penalty::l1) svm.C = C / std::sqrt(squared_norm);
  if (svm.penalty == Penalty::elastic_net) {
    const double l1 = svm.l1_ratio / std::sqrt(squared_norm);
    const double l2 = 1 - svm.l1_ratio;
    svm.l1_ratio = l1 / (l1 + l2);
    svm.C /= l1 + l2;
  }
  svm.C = std::clamp(svm.C, cost_range.low, cost_range.high);
  return svm;
}

}  // namespace

void BlendedRows::set_blend(double blend, std::size_t n_cols) {
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    for (std::size_t g = 0; g < n_forms; ++g)
      rows.row(i)[n_cols + g] = static_cast<float>(blend * columns[g].values[i]);
}

Averaging scale_in_place(FloatRows& values, const WeightsView& weights, const NestedTerms& terms,
                         std::size_t n_classes, const FitOptions& options, const Execution& execution) {
  /// A feature has as much say as three log densities of the same spread.
  constexpr double squared_linear_factor = 3;
  Averaging averaging{terms, n_classes, options, execution, standardisation_of(values, execution, weights),
                      {}};
  averaging.deviations = averaging.standardisation.scale;
  for (std::size_t t = 0; t < terms.places.size(); ++t) {
    double& scale = averaging.standardisation.scale[t];
    if (scale == 0) continue;
    const bool linear = terms.places[t].is_linear();
    // Features that are not in coordinates have a scale of their own.
    if (options.term_scale == TermScale::common && !(linear && options.transform == Transform::none))
      scale = 1;
    if (linear) scale /= std::sqrt(squared_linear_factor);
  }
  apply(averaging.standardisation, values, execution);
  return averaging;
}

AveragingProblem::AveragingProblem(const FloatRows& values, std::span<const std::int32_t> y,
                                   const WeightsView& weights, std::span<const Split> splits,
                                   const Averaging& averaging)
    : values_(values), weights_(weights), averaging_(averaging) {
  for (const Split& split : splits) train_.emplace_back(split.outside.begin(), split.outside.end());
  std::vector<std::uint32_t>& all = train_.emplace_back(y.size());
  std::iota(all.begin(), all.end(), 0U);
  for (std::size_t k = 0; k < averaging.n_scores(); ++k) {
    signs_.push_back(signs_of_score(y, averaging.n_classes, k));
    costs_.push_back(row_costs(signs_[k], y, weights, averaging.options));
    FitOptions rated = averaging.options;  // weights that were given for each class stay
    rated.class_weights = balances(rated.optimise) ? ClassWeights::balanced : ClassWeights::none;
    ratings_.push_back(row_costs(signs_[k], y, weights, rated));
  }
  if (averaging.options.blend != Blend::never) find_forms(y);
  make_designs();
}

void AveragingProblem::solve(std::span<const Trial* const> trials, std::size_t f, std::size_t k,
                             const std::function<void(const Solved&)>& visit) const {
  std::optional<BlendedRows> blended_rows;
  LinearSolution solution;
  double blend = 0;
  for (const Trial* trial : trials) {
    const Design& design = designs_[trial->set];
    if (trial->blend != blend) {
      blend = trial->blend;
      solution = {};
      if (!blended_rows) blended_rows = blended(design, f, k);
      blended_rows->set_blend(blend, design.n_cols());
    }
    const FloatRows& rows = blend == 0 ? design.rows(values_) : blended_rows->rows;
    SvmOptions svm = with_scaled_penalty(averaging_.options.svm, trial->C, design.squared_norm);
    svm.tolerance = std::max(svm.tolerance, rough_tolerance);
    svm.max_iterations = std::min(svm.max_iterations, most_steps);
    solution = solve_linear(rows, train_[f], blend == 0 ? design.n_cols() : rows.n_cols(), signs_[k],
                            costs_[k], svm, solution, {.threads = 1, .stop = averaging_.execution.stop});
    visit({*trial, rows, blend == 0 ? nullptr : &blended_rows->columns, solution});
  }
}

void AveragingProblem::add(double share, const Solved& solved, std::size_t k, WeightSum& sum) const {
  const LinearSolution& solution = solved.svm;
  const Design& design = designs_[solved.trial.set];
  const std::span<const double> w(solution.w.data(), design.n_cols());
  const auto weights = design.rotation ? rotated_back(*design.rotation, values_, design.n_terms, w)
                                       : std::vector<double>(w.begin(), w.end());
  for (std::size_t t = 0; t < weights.size(); ++t) sum.weights(k, t) += share * weights[t];
  sum.intercepts[k] += share * solution.intercept;
  for (std::size_t g = 0; solved.forms != nullptr && g < n_forms; ++g) {
    const LinearForm& form = forms_.back()[k][g];
    const FormColumn& column = (*solved.forms)[g];
    const double weight = share * solution.w[design.n_cols() + g] * solved.trial.blend * column.factor;
    for (std::size_t m = 0; m < form.columns.size(); ++m)
      sum.weights(k, form.columns[m]) += weight * form.weights[m] * scale(form.columns[m]);
    sum.intercepts[k] -= weight * column.mean;
  }
  sum.gap = std::max(sum.gap, solution.gap);
  sum.iterations = std::max(sum.iterations, solution.steps);
}

void AveragingProblem::find_forms(std::span<const std::int32_t> y) {
  forms_.resize(train_.size());
  parallel_for(train_.size(), averaging_.execution, {}, [&](std::size_t f) {
    Matrix means = class_means(values_, train_[f], y, weights_, averaging_.n_classes);
    for (std::size_t c = 0; c < means.n_cols; ++c)
      for (std::size_t t = 0; t < means.n_rows; ++t)
        means(t, c) = scale(t) * means(t, c) + averaging_.standardisation.centre[t];
    forms_[f] = generative_forms(averaging_.terms, means, averaging_.n_classes);
  });
}

void AveragingProblem::make_designs() {
  for (const NestedTerms::Set& set : averaging_.terms.sets) {
    double squared_norm = 0;
    for (std::size_t t = 0; t < set.n_terms; ++t)
      if (scale(t) > 0) squared_norm += std::pow(averaging_.deviations[t] / scale(t), 2);
    designs_.push_back({set.n_terms, squared_norm > 0 ? squared_norm : 1, {}});
  }
  parallel_for(designs_.size(), averaging_.execution, {}, [&](std::size_t s) {
    Design& design = designs_[designs_.size() - 1 - s];
    // Turned columns have other absolute values.
    const bool turns = averaging_.options.svm.penalty == Penalty::l2;
    if (turns && design.n_terms > values_.n_rows() && values_.n_rows() <= most_rotated_rows)
      design.rotation = cholesky_rows(values_, design.n_terms, lost_by_rotation);
  });
}

FormColumn AveragingProblem::form_column(const LinearForm& form, const Design& design,
                                         std::span<const std::uint32_t> rows) const {
  FormColumn column{std::vector<double>(values_.n_rows()), 0, 0};
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const auto row = values_.row(i);
    for (std::size_t m = 0; m < form.columns.size(); ++m)
      column.values[i] +=
          form.weights[m] * scale(form.columns[m]) * static_cast<double>(row[form.columns[m]]);
  }
  double total = 0;
  for (const std::uint32_t i : rows) {
    total += weights_[i];
    column.mean += weights_[i] * column.values[i];
  }
  column.mean /= total;
  double squares = 0;
  for (const std::uint32_t i : rows) squares += weights_[i] * std::pow(column.values[i] - column.mean, 2);
  if (squares > 0) column.factor = std::sqrt(design.squared_norm / 2 * total / squares);
  for (double& value : column.values) value = column.factor * (value - column.mean);
  return column;
}

BlendedRows AveragingProblem::blended(const Design& design, std::size_t f, std::size_t k) const {
  const FloatRows& from = design.rows(values_);
  BlendedRows result{FloatRows(from.n_rows(), design.n_cols() + n_forms), {}};
  for (std::size_t i = 0; i < from.n_rows(); ++i)
    std::copy_n(from.row(i).data(), design.n_cols(), result.rows.row(i).data());
  for (std::size_t g = 0; g < n_forms; ++g)
    result.columns[g] = form_column(forms_[f][k][g], design, train_[f]);
  return result;
}

}  // namespace dyad::internal

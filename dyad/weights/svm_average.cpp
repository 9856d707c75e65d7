// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/svm_average.h"

#include <numbers>

#include "dyad/base/gather.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/inner_splits.h"

namespace dyad {
namespace {

constexpr std::array<double, 8> svm_costs{0.1, 0.3, 1, 3, 10, 30, 100, 300};
constexpr std::array<double, 4> more_linear_svm_costs{1000, 3000, 10000, 30000};
constexpr std::array<double, 2> svm_blends{1, 3};
constexpr std::size_t most_trial_rows = 6000;

/// Losses of settings differ by more than what tighter solutions would change; where large costs let the
/// terms separate the classes, those would take thousands of steps, and predict no better.
constexpr double rough_tolerance = 0.01;
constexpr std::int64_t most_steps = 100;
/// Products of more rows than these would take too much memory.
constexpr std::size_t most_rotated_rows = 2500;
/// Share of the terms' variance that a rotation may lose.
constexpr double lost_by_rotation = 1e-6;

/// Options for  P(r w) + C sum_i loss,  r^2 the squared norm of a row: as many multiples of  P'(w) + C' sum_i
/// loss. Where terms vary by rounding alone, r is next to nothing, and C' the largest that there is.
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

double root_mean_square(std::span<const double> scores, std::span<const double> ratings) {
  double total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    total += ratings[i];
    squares += ratings[i] * scores[i] * scores[i];
  }
  return squares > 0 ? std::sqrt(squares / total) : 1;
}

/// The logistic loss at the best of some slopes of scores divided by their size.
double least_logistic_loss(std::span<const double> scores, std::span<const double> signs,
                           std::span<const double> ratings, double size) {
  double least = std::numbers::ln2;  // of a score that is always 0
  for (const double slope : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      sum += ratings[i] * Logistic::value(slope / size * signs[i] * scores[i]);
      total += ratings[i];
    }
    if (total > 0) least = std::min(least, sum / total);
  }
  return least;
}

/// The factor of a trial's scores k in the average: they are divided by their size.
double share_of(const Trial& trial, std::size_t k, std::size_t n_chosen) {
  return 1 / (trial.size[k] * static_cast<double>(n_chosen));
}

}  // namespace

void BlendedRows::set_blend(double blend, std::size_t n_cols) {
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    for (std::size_t g = 0; g < n_forms; ++g)
      rows.row(i)[n_cols + g] = static_cast<float>(blend * columns[g].values[i]);
}

const TrialGrid SvmAverage::grid{svm_costs, more_linear_svm_costs, svm_blends, most_trial_rows,
                                 std::numeric_limits<std::size_t>::max()};

SvmAverage::SvmAverage(const ScoredRows& rows, std::vector<Split> splits, const Averaging& averaging)
    : rows_(rows), splits_(std::move(splits)), averaging_(averaging) {
  for (const Split& split : splits_) train_.emplace_back(split.outside.begin(), split.outside.end());
  train_.push_back(all_rows<std::uint32_t>(rows.y.size()));
  const WeightOptions& options = averaging.options;
  // Without class weights SVMs balance for any objective: else one of a rare class predicts the frequent
  // class everywhere. Calibrations have the frequencies of the objective.
  const auto in_svm = options.class_weight_values.empty() ? ClassWeights::balanced : options.class_weights;
  for (std::size_t k = 0; k < averaging.n_scores(); ++k) {
    signs_.push_back(signs_of_score(rows.y, averaging.n_classes, k));
    loss_weights_.push_back(
        loss_weights(signs_[k], rows.y, rows.weights, in_svm, options.class_weight_values));
    ratings_.push_back(
        loss_weights(signs_[k], rows.y, rows.weights, options.class_weights, options.class_weight_values));
  }
  if (averaging.rule.blend != Blend::never) {
    forms_.resize(train_.size());
    parallel_for(train_.size(), averaging.execution, {},
                 [&](std::size_t f) { forms_[f] = averaging.forms(rows_, train_[f]); });
  }
  make_designs();
}

HeldOutScores SvmAverage::hold_out(std::span<const Trial> trials) const {
  const std::size_t n_sets = averaging_.terms.sets.size();
  HeldOutScores scores(splits_, trials.size(), averaging_.n_scores());
  // Large sets first: they take longest.
  parallel_for(n_sets * splits_.size(), averaging_.execution, "settings", [&](std::size_t task) {
    const std::size_t s = n_sets - 1 - task / splits_.size();
    const std::size_t f = task % splits_.size();
    const std::vector<std::uint32_t> test(splits_[f].inside.begin(), splits_[f].inside.end());
    for (std::size_t k = 0; k < averaging_.n_scores(); ++k)
      solve(trials, s, f, k, [&](const Solved& solved) {
        scores.set(f, solved.t, k, decision_values(solved.rows, test, solved.svm.w, solved.svm.intercept));
      });
  });
  return scores.in_order_of_rows();
}

void SvmAverage::rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const {
  for (std::size_t k = 0; k < averaging_.n_scores(); ++k) {
    const auto scores = held_out.scores[t].column(k);
    const auto signs = gather(signs_[k], held_out.rows);
    const auto ratings = gather(ratings_[k], held_out.rows);
    trial.size.push_back(root_mean_square(scores, ratings));
    trial.loss += (averaging_.rule.optimise == Objective::auc
                       ? ranking_loss(scores, signs, ratings)
                       : least_logistic_loss(scores, signs, ratings, trial.size[k])) /
                  static_cast<double>(averaging_.n_scores());
  }
}

FittedWeights SvmAverage::combine(const TrainingRows& rows, bool are_all, std::span<const Trial> trials,
                                  const std::vector<std::size_t>& chosen,
                                  const HeldOutScores& held_out) const {
  if (are_all) return average(trials, chosen, held_out);
  // SVMs of all rows have scores of other sizes: one split of all rows shows them, if it is a stratified one.
  const LabelledSample sample{Matrix(rows.y.size(), 0), rows.y, averaging_.n_classes, rows.weights};
  auto splits = inner_splits_among(rows.rows, sample, averaging_.options);
  if (averaging_.options.inner_splits.empty()) splits.resize(1);
  const SvmAverage all({rows.values, rows.y, rows.weights, averaging_.n_classes}, std::move(splits),
                       averaging_);
  std::vector<Trial> again;
  for (const std::size_t t : chosen) again.push_back({trials[t].set, trials[t].C, trials[t].blend});
  const HeldOutScores scores = all.hold_out(again);
  parallel_for(again.size(), averaging_.execution, {}, [&](std::size_t t) { all.rate(again[t], t, scores); });
  return all.average(again, all_rows(again.size()), scores);
}

std::vector<FittedWeights> SvmAverage::sums_by_set(std::span<const Trial> trials) const {
  const std::size_t n_sets = averaging_.terms.sets.size();
  const std::size_t n_scores = averaging_.n_scores();
  std::vector<FittedWeights> sums(n_sets);
  parallel_for(n_sets, averaging_.execution, "weights", [&](std::size_t task) {
    const std::size_t s = n_sets - 1 - task;
    sums[s] = {.weights = Matrix(n_scores, averaging_.terms.keys.size()),
               .intercepts = std::vector<double>(n_scores)};
    for (std::size_t k = 0; k < n_scores; ++k)
      solve(trials, s, train_.size() - 1, k,
            [&](const Solved& solved) { add(share_of(solved.trial, k, trials.size()), solved, k, sums[s]); });
  });
  return sums;
}

FittedWeights SvmAverage::average(std::span<const Trial> trials, const std::vector<std::size_t>& chosen,
                                  const HeldOutScores& held_out) const {
  const std::size_t n_scores = averaging_.n_scores();
  const std::size_t n_terms = averaging_.terms.keys.size();
  const auto sums = sums_by_set(gather(trials, chosen));
  FittedWeights result{.weights = Matrix(n_scores, n_terms), .centres = averaging_.standardisation.centre};
  Matrix log_odds(held_out.rows.size(), n_scores);
  for (std::size_t k = 0; k < n_scores; ++k) {
    std::vector<double> shares;
    for (const std::size_t t : chosen) shares.push_back(share_of(trials[t], k, chosen.size()));
    const auto scores = held_out.sum(k, chosen, shares);
    const auto signs = gather(signs_[k], held_out.rows);
    // The single row of a class is never held out: its score stays as it is.
    const bool both =
        std::ranges::find(signs, 1.0) != signs.end() && std::ranges::find(signs, -1.0) != signs.end();
    const Calibration calibration =
        both ? fit_calibration(scores, signs, gather(ratings_[k], held_out.rows)) : Calibration{};
    // Scores without information may come out the wrong way round.
    constexpr double flattest_slope = 0.01;
    const double slope = std::max(calibration.slope, flattest_slope);
    double intercept = 0;
    for (const FittedWeights& sum : sums) {
      intercept += sum.intercepts[k];
      for (std::size_t t = 0; t < n_terms; ++t)
        if (scale(t) > 0) result.weights(k, t) += slope * sum.weights(k, t) / scale(t);
    }
    result.intercepts.push_back(slope * intercept + calibration.offset);
    for (std::size_t i = 0; i < scores.size(); ++i) log_odds(i, k) = slope * scores[i] + calibration.offset;
  }
  // The score of two classes is the log odds of probabilities already, unless costs count classes otherwise.
  const ProbabilityRule& probability = averaging_.options.probability;
  if (probability.calibration != CalibrationRule::platt || n_scores > 1 || probability.has_costs)
    result.calibrations =
        fit_calibrations(log_odds, gather(rows_.y, held_out.rows), weights_of(rows_.weights, held_out.rows),
                         averaging_.n_classes, probability);
  for (const FittedWeights& sum : sums) {
    result.converged = result.converged && sum.converged;
    result.gap = std::max(result.gap, sum.gap);
    result.iterations = std::max(result.iterations, sum.iterations);
  }
  return result;
}

void SvmAverage::solve(std::span<const Trial> trials, std::size_t set, std::size_t f, std::size_t k,
                       const std::function<void(const Solved&)>& visit) const {
  const Design& design = designs_[set];
  std::optional<BlendedRows> blended_rows;
  LinearSolution solution;
  double blend = 0;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Trial& trial = trials[t];
    if (trial.set != set) continue;
    if (trial.blend != blend) {
      blend = trial.blend;
      solution = {};
      if (!blended_rows) blended_rows = blended(design, f, k);
      blended_rows->set_blend(blend, design.n_cols());
    }
    const FloatRows& rows = blend == 0 ? design.rows(rows_.values) : blended_rows->rows;
    SvmOptions svm = with_scaled_penalty(averaging_.rule.svm, trial.C, design.squared_norm);
    svm.tolerance = std::max(svm.tolerance, rough_tolerance);
    svm.max_iterations = std::min(svm.max_iterations, most_steps);
    solution =
        solve_linear(rows, train_[f], blend == 0 ? design.n_cols() : rows.n_cols(), signs_[k],
                     loss_weights_[k], svm, solution, {.threads = 1, .stop = averaging_.execution.stop});
    visit({trial, t, rows, blend == 0 ? nullptr : &blended_rows->columns, solution});
  }
}

void SvmAverage::add(double share, const Solved& solved, std::size_t k, FittedWeights& sum) const {
  const LinearSolution& solution = solved.svm;
  const Design& design = designs_[solved.trial.set];
  const std::span<const double> w(solution.w.data(), design.n_cols());
  const auto weights = design.rotation ? rotated_back(*design.rotation, rows_.values, design.n_terms, w)
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
  // Steps beyond those of a rough solution are not asked for.
  sum.converged = sum.converged && (solution.converged || averaging_.rule.svm.max_iterations >= most_steps);
  sum.gap = std::max(sum.gap, solution.gap);
  sum.iterations = std::max(sum.iterations, solution.steps);
}

void SvmAverage::make_designs() {
  for (const NestedTerms::Set& set : averaging_.terms.sets) {
    double squared_norm = 0;
    for (std::size_t t = 0; t < set.n_terms; ++t)
      if (scale(t) > 0) squared_norm += std::pow(averaging_.deviations[t] / scale(t), 2);
    const bool has_unit = squared_norm > 0 && averaging_.options.term_scale != TermScale::none;
    designs_.push_back({set.n_terms, has_unit ? squared_norm : 1, {}});
  }
  parallel_for(designs_.size(), averaging_.execution, {}, [&](std::size_t s) {
    Design& design = designs_[designs_.size() - 1 - s];
    // Turned columns have other absolute values.
    const bool turns = averaging_.rule.svm.penalty == Penalty::l2;
    if (turns && design.n_terms > rows_.values.n_rows() && rows_.values.n_rows() <= most_rotated_rows)
      design.rotation = cholesky_rows(rows_.values, design.n_terms, lost_by_rotation, averaging_.execution);
  });
}

FormColumn SvmAverage::form_column(const LinearForm& form, const Design& design,
                                   std::span<const std::uint32_t> rows) const {
  FormColumn column{std::vector<double>(rows_.values.n_rows()), 0, 0};
  for (std::size_t i = 0; i < column.values.size(); ++i)
    column.values[i] = averaging_.value(form, rows_.values.row(i));
  double total = 0;
  for (const std::uint32_t i : rows) {
    total += rows_.weights[i];
    column.mean += rows_.weights[i] * column.values[i];
  }
  column.mean /= total;
  double squares = 0;
  for (const std::uint32_t i : rows)
    squares += rows_.weights[i] * std::pow(column.values[i] - column.mean, 2);
  if (squares > 0) column.factor = std::sqrt(design.squared_norm / 2 * total / squares);
  for (double& value : column.values) value = column.factor * (value - column.mean);
  return column;
}

BlendedRows SvmAverage::blended(const Design& design, std::size_t f, std::size_t k) const {
  const FloatRows& from = design.rows(rows_.values);
  BlendedRows result{FloatRows(from.n_rows(), design.n_cols() + n_forms), {}};
  for (std::size_t i = 0; i < from.n_rows(); ++i)
    std::copy_n(from.row(i).data(), design.n_cols(), result.rows.row(i).data());
  for (std::size_t g = 0; g < n_forms; ++g)
    result.columns[g] = form_column(forms_[f][k][g], design, train_[f]);
  return result;
}

}  // namespace dyad

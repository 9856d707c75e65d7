// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaged_weights.h"

#include "dyad/base/gather.h"
#include "dyad/weights/averaging.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/softmax_average.h"
#include "dyad/weights/svm_average.h"

namespace dyad {
namespace {

/// Most rows that settings are tried on: settings differ by more than what more rows would change.
std::size_t most_rows_to_try(const TrialGrid& grid, std::size_t n_terms) {
  constexpr std::size_t fewest_rows = 1500;
  constexpr std::size_t most_values = 2'500'000;
  return std::max(fewest_rows, std::min(grid.most_rows, most_values / n_terms));
}

/// Splits that settings are tried on where there are many values.
constexpr std::size_t fewest_splits = 3;

/// Scores that trials give to rows held out.
///
/// With a limit of time the smallest sets of terms are tried first, and trials that it leaves no time for are
/// dropped.
template <class Learner>
HeldOutScores hold_out_in_time(Learner& tried, std::vector<Trial>& trials, const Execution& execution) {
  if (!has_time_limit(execution)) return tried.hold_out(trials);
  HeldOutScores result;
  std::vector<Matrix> scores;
  while (scores.size() < trials.size() && (scores.empty() || !is_time_up(execution))) {
    const auto rest = std::span(trials).subspan(scores.size());
    const auto is_other = [&](const Trial& trial) { return trial.set != rest.front().set; };
    result = tried.hold_out({rest.begin(), std::ranges::find_if(rest, is_other)});
    std::ranges::move(result.scores, std::back_inserter(scores));
  }
  trials.resize(scores.size());
  result.scores = std::move(scores);
  return result;
}

/// Learner: SvmAverage or SoftmaxAverage.
template <class Learner>
AveragedWeights average_best(const TrainingRows& rows, const Averaging& averaging) {
  const NestedTerms& terms = averaging.terms;
  const WeightOptions& options = averaging.options;
  const std::size_t n_terms = terms.keys.size();
  const LabelledSample sample{Matrix(rows.y.size(), 0), rows.y, averaging.n_classes, rows.weights};
  const SampledRows few = sampled_rows(sample, most_rows_to_try(Learner::grid, n_terms));
  const bool are_all = few.rows.size() == rows.y.size();
  const auto few_y = gather(rows.y, few.rows);
  const FloatRows few_values = are_all ? FloatRows(0, 0) : gather(rows.values, few.rows);
  auto splits = inner_splits_among(gather(rows.rows, few.rows), rows_of(sample, few.rows), options);
  if (options.inner_splits.empty() && few.rows.size() * n_terms > Learner::grid.many_values)
    splits.resize(std::min(splits.size(), fewest_splits));
  Learner tried({are_all ? rows.values : few_values, few_y, few.weights, averaging.n_classes},
                std::move(splits), averaging);

  std::vector<Trial> trials = make_trials(terms, averaging.rule, Learner::grid);
  const std::size_t n_trials = trials.size();
  const HeldOutScores held_out = hold_out_in_time(tried, trials, averaging.execution);
  parallel_for(trials.size(), averaging.execution, {},
               [&](std::size_t t) { tried.rate(trials[t], t, held_out); });
  const auto chosen = choose_trials(trials, averaging.rule);
  auto settings = settings_tried(trials, chosen, terms);
  return {tried.combine(rows, are_all, trials, chosen, held_out), std::move(settings),
          trials.size() < n_trials};
}

}  // namespace

AveragedWeights fit_averaged_weights(TrainingRows& rows, const NestedTerms& terms, std::size_t n_classes,
                                     const Average& rule, const WeightOptions& options,
                                     const Execution& execution) {
  const Averaging averaging =
      scale_in_place(rows.values, rows.weights, terms, n_classes, rule, options, execution);
  return n_classes > 2 && rule.is_direct() ? average_best<SoftmaxAverage>(rows, averaging)
                                           : average_best<SvmAverage>(rows, averaging);
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaged_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "dyad/base/area_under_curve.h"
#include "dyad/base/gather.h"
#include "dyad/weights/averaging_problem.h"
#include "dyad/weights/choice.h"
#include "dyad/weights/class_calibration.h"

namespace dyad {
namespace {

using internal::Averaging;
using internal::AveragingProblem;
using internal::Trial;
using internal::WeightSum;

constexpr std::array<double, 8> costs_tried{0.1, 0.3, 1, 3, 10, 30, 100, 300};
/// Of the features alone, which are few and do not fit single rows.
constexpr std::array<double, 4> more_linear_costs{1000, 3000, 10000, 30000};
constexpr std::array<double, 2> blends_tried{1, 3};
/// By which the loss must fall for Blend::if_better: the inner cross-validation favours NB and TAN a little, as the densities have seen
/// its rows.
constexpr double needed_gain = 0.2;

/// Of more rows than these a part is tried: settings differ by more than what more rows would change.
constexpr std::size_t fewest_trial_rows = 1500;
constexpr std::size_t most_trial_rows = 6000;
constexpr std::size_t most_trial_values = 2'500'000;

/// By set, then blend, costs ascending.
std::vector<Trial> make_trials(const NestedTerms& terms, const FitOptions& options) {
  std::vector<Trial> trials;
  for (std::size_t s = 0; s < terms.sets.size(); ++s) {
    const bool has_densities = terms.sets[s].n_terms > terms.first_univariate();
    std::vector<double> costs{options.svm.C};
    if (options.cost == CostRule::cv) costs.assign(costs_tried.begin(), costs_tried.end());
    if (options.cost == CostRule::cv && !has_densities)
      costs.insert(costs.end(), more_linear_costs.begin(), more_linear_costs.end());
    std::vector<double> blends{0};
    if (options.blend != Blend::never && has_densities)
      blends.insert(blends.end(), blends_tried.begin(), blends_tried.end());
    for (const double blend : blends)
      for (const double C : costs) trials.push_back({s, C, blend});
  }
  return trials;
}

/// Rows that splits hold out, with what they are scored and rated by.
struct HeldOut {
  std::vector<double> scores;
  std::vector<double> signs;
  std::vector<double> ratings;
};

/// Scores that all trials give the rows that splits hold out.
class HeldOutScores {
 public:
  HeldOutScores(const AveragingProblem& problem, std::span<const Trial> trials, std::span<const Split> splits,
                const Averaging& averaging)
      : problem_(problem) {
    const std::size_t n_scores = averaging.n_scores();
    const std::size_t n_sets = averaging.terms.sets.size();
    std::vector<std::vector<Matrix>> of_splits(splits.size());
    for (std::size_t f = 0; f < splits.size(); ++f)
      of_splits[f].assign(n_scores, Matrix(splits[f].inside.size(), trials.size()));
    // Large sets first: they take longest.
    parallel_for(n_sets * splits.size(), averaging.execution, "settings", [&](std::size_t task) {
      const std::size_t s = n_sets - 1 - task / splits.size();
      const std::size_t f = task % splits.size();
      const std::vector<std::uint32_t> test(splits[f].inside.begin(), splits[f].inside.end());
      std::vector<const Trial*> of_set;
      for (const Trial& trial : trials)
        if (trial.set == s) of_set.push_back(&trial);
      for (std::size_t k = 0; k < n_scores; ++k)
        problem.solve(of_set, f, k, [&](const AveragingProblem::Solved& solved) {
          const auto t = static_cast<std::size_t>(&solved.trial - trials.data());
          std::ranges::copy(decision_values(solved.rows, test, solved.svm.w, solved.svm.intercept),
                            of_splits[f][k].column(t).begin());
        });
    });

    // Rows that several splits hold out get the mean.
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> places;  // in splits, by row
    for (std::size_t f = 0; f < splits.size(); ++f)
      for (std::size_t i = 0; i < splits[f].inside.size(); ++i)
        places[splits[f].inside[i]].emplace_back(f, i);
    scores_.assign(n_scores, Matrix(places.size(), trials.size()));
    for (const auto& [row, places_of_row] : places) {
      for (std::size_t k = 0; k < n_scores; ++k)
        for (std::size_t t = 0; t < trials.size(); ++t)
          for (const auto& [f, i] : places_of_row)
            scores_[k](rows_.size(), t) += of_splits[f][k](i, t) / static_cast<double>(places_of_row.size());
      rows_.push_back(row);
    }
  }

  /// Sums over trials of their scores times shares.
  [[nodiscard]] HeldOut sum(std::size_t k, std::span<const std::size_t> trials,
                            std::span<const double> shares) const {
    HeldOut result{std::vector<double>(rows_.size()), gather(problem_.signs(k), rows_),
                   gather(problem_.ratings(k), rows_)};
    for (std::size_t m = 0; m < trials.size(); ++m)
      for (std::size_t i = 0; i < rows_.size(); ++i) result.scores[i] += shares[m] * scores_[k](i, trials[m]);
    return result;
  }

  /// Which of the problem's rows.
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }

 private:
  const AveragingProblem& problem_;
  std::vector<std::size_t> rows_;
  std::vector<Matrix> scores_;  ///< by score: rows x trials
};

double root_mean_square(const HeldOut& rows) {
  double total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rows.scores.size(); ++i) {
    total += rows.ratings[i];
    squares += rows.ratings[i] * rows.scores[i] * rows.scores[i];
  }
  return squares > 0 ? std::sqrt(squares / total) : 1;
}

double ranking_loss(const HeldOut& rows) {
  const double area = area_under_curve(rows.scores, rows.signs, rows.ratings);
  return std::isnan(area) ? 0.5 : 1 - area;
}

double least_logistic_loss(const HeldOut& rows, double size) {
  double least = std::numbers::ln2;  // of a score that is always 0
  for (const double slope : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < rows.scores.size(); ++i) {
      const double margin = slope / size * rows.signs[i] * rows.scores[i];
      sum += rows.ratings[i] * (std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin))));
      total += rows.ratings[i];
    }
    if (total > 0) least = std::min(least, sum / total);
  }
  return least;
}

/// Size and loss of the trials.
void rate(std::span<Trial> trials, const HeldOutScores& held_out, const Averaging& averaging) {
  parallel_for(trials.size(), averaging.execution, {}, [&](std::size_t t) {
    for (std::size_t k = 0; k < averaging.n_scores(); ++k) {
      const HeldOut rows = held_out.sum(k, std::array{t}, std::array{1.0});
      trials[t].size.push_back(root_mean_square(rows));
      trials[t].loss +=
          (averaging.options.optimise == Objective::auc ? ranking_loss(rows)
                                                        : least_logistic_loss(rows, trials[t].size[k])) /
          static_cast<double>(averaging.n_scores());
    }
  });
}

/// The trials to average, ascending.
std::vector<std::size_t> choose(std::span<const Trial> trials, const FitOptions& options) {
  const auto best = [&](bool blended) {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < trials.size(); ++t)
      if (blended || trials[t].blend == 0) order.push_back(t);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return trials[t].loss; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(options.n_average)));
    return order;
  };
  auto chosen = best(true);
  if (options.blend == Blend::if_better) {
    auto plain = best(false);  // perhaps fewer
    double loss = 0;
    double plain_loss = 0;
    for (std::size_t m = 0; m < plain.size(); ++m) {
      loss += trials[chosen[m]].loss;
      plain_loss += trials[plain[m]].loss;
    }
    if (loss > (1 - needed_gain) * plain_loss) chosen = std::move(plain);
  }
  std::ranges::sort(chosen);
  return chosen;
}

// --- the average ---

/// The scores of two classes are probabilities' log odds already, unless classes count otherwise in those because of costs.
bool are_calibrated(std::size_t n_scores, const FitOptions& options) {
  return options.calibration == CalibrationRule::platt && n_scores == 1 && options.costs.data.empty();
}

/// Of SVMs on all rows, which have classes y, one for each chosen trial; `held_out` has scores of all trials.
SvmWeights average(const AveragingProblem& problem, std::span<const std::int32_t> y,
                   const WeightsView& row_weights, std::span<const Trial> trials,
                   const std::vector<std::size_t>& chosen, const HeldOutScores& held_out,
                   const Averaging& averaging) {
  const std::size_t n_sets = averaging.terms.sets.size();
  const std::size_t n_scores = averaging.n_scores();
  const std::size_t n_terms = averaging.terms.places.size();
  std::vector<std::vector<const Trial*>> by_set(n_sets);
  for (const std::size_t t : chosen) by_set[trials[t].set].push_back(&trials[t]);
  const auto share_of = [&](const Trial& trial, std::size_t k) {
    return 1 / (trial.size[k] * static_cast<double>(chosen.size()));
  };
  std::vector<WeightSum> sums(n_sets);
  parallel_for(n_sets, averaging.execution, "weights", [&](std::size_t task) {
    const std::size_t s = n_sets - 1 - task;
    sums[s] = {Matrix(n_scores, n_terms), std::vector<double>(n_scores)};
    for (std::size_t k = 0; k < n_scores; ++k)
      problem.solve(by_set[s], problem.all_rows(), k, [&](const AveragingProblem::Solved& solved) {
        problem.add(share_of(solved.trial, k), solved, k, sums[s]);
      });
  });

  SvmWeights result{.weights = Matrix(n_scores, n_terms), .centres = averaging.standardisation.centre};
  Matrix log_odds(held_out.rows().size(), n_scores);
  for (std::size_t k = 0; k < n_scores; ++k) {
    std::vector<double> shares;
    for (const std::size_t t : chosen) shares.push_back(share_of(trials[t], k));
    const HeldOut rows = held_out.sum(k, chosen, shares);
    // The single row of a class is never held out: its score stays as it is.
    const bool both = std::ranges::find(rows.signs, 1.0) != rows.signs.end() &&
                      std::ranges::find(rows.signs, -1.0) != rows.signs.end();
    const Calibration calibration =
        both ? fit_calibration(rows.scores, rows.signs, rows.ratings) : Calibration{};
    // Scores that tell nothing may come out the wrong way round.
    constexpr double least_slope = 0.01;
    const double slope = std::max(calibration.slope, least_slope);
    double intercept = 0;
    for (const WeightSum& sum : sums) {
      intercept += sum.intercepts[k];
      for (std::size_t t = 0; t < n_terms; ++t)
        if (const double scale = averaging.standardisation.scale[t]; scale > 0)
          result.weights(k, t) += slope * sum.weights(k, t) / scale;
    }
    result.intercepts.push_back(slope * intercept + calibration.offset);
    for (std::size_t i = 0; i < rows.scores.size(); ++i)
      log_odds(i, k) = slope * rows.scores[i] + calibration.offset;
  }
  if (!are_calibrated(n_scores, averaging.options)) {
    std::vector<double> weights_held_out;
    for (const std::size_t row : held_out.rows()) weights_held_out.push_back(row_weights[row]);
    result.calibrations = fit_calibrations(log_odds, gather(y, held_out.rows()), weights_held_out,
                                           averaging.n_classes, averaging.options);
  }
  for (const WeightSum& sum : sums) {
    result.gap = std::max(result.gap, sum.gap);
    result.iterations = std::max(result.iterations, sum.iterations);
  }
  return result;
}

}  // namespace

AveragedWeights fit_averaged_weights(TrainingRows& rows, const NestedTerms& terms, std::size_t n_classes,
                                     const FitOptions& options, const Execution& execution) {
  const Averaging averaging =
      internal::scale_in_place(rows.values, rows.weights, terms, n_classes, options, execution);
  const LabelledSample sample{Matrix(rows.y.size(), 0), rows.y, n_classes, rows.weights};
  const SampledRows few = sampled_rows(
      sample,
      std::max(fewest_trial_rows, std::min(most_trial_rows, most_trial_values / terms.places.size())));
  const bool are_all = few.rows.size() == rows.y.size();
  const auto splits =
      internal::inner_splits_among(gather(rows.rows, few.rows), rows_of(sample, few.rows), options);
  const std::vector<std::int32_t> few_y = gather(rows.y, few.rows);
  const FloatRows few_values = are_all ? FloatRows(0, 0) : gather(rows.values, few.rows);
  const AveragingProblem tried(are_all ? rows.values : few_values, few_y, few.weights, splits, averaging);

  std::vector<Trial> trials = make_trials(terms, options);
  const HeldOutScores held_out(tried, trials, splits, averaging);
  rate(trials, held_out, averaging);
  const auto chosen = choose(trials, options);
  AveragedWeights result;
  for (std::size_t t = 0; t < trials.size(); ++t)
    result.settings.push_back({terms.sets[trials[t].set].name, trials[t].C, trials[t].blend, trials[t].loss,
                               std::ranges::binary_search(chosen, t)});
  std::ranges::stable_sort(result.settings, {}, &Setting::loss);
  if (are_all) {
    result.weights = average(tried, rows.y, rows.weights, trials, chosen, held_out, averaging);
    return result;
  }
  // SVMs of all rows have scores of other sizes: one split of all rows tells them, if it is a stratified one.
  auto splits_of_all = internal::inner_splits_among(rows.rows, sample, options);
  if (options.inner_splits.empty()) splits_of_all.resize(1);
  const AveragingProblem all(rows.values, rows.y, rows.weights, splits_of_all, averaging);
  trials = gather(trials, chosen);
  for (Trial& trial : trials) trial = {trial.set, trial.C, trial.blend};
  std::vector<std::size_t> all_trials(trials.size());
  std::iota(all_trials.begin(), all_trials.end(), std::size_t{0});
  const HeldOutScores scores_of_all(all, trials, splits_of_all, averaging);
  rate(trials, scores_of_all, averaging);
  result.weights = average(all, rows.y, rows.weights, trials, all_trials, scores_of_all, averaging);
  return result;
}

}  // namespace dyad

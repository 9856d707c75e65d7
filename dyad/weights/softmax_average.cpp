// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/softmax_average.h"

#include "dyad/base/area_under_curve.h"
#include "dyad/base/gather.h"
#include "dyad/linear/calibration.h"
#include "dyad/model/prediction.h"
#include "dyad/weights/class_calibration.h"

namespace dyad {
namespace {

constexpr std::array<double, 5> costs_tried{0.1, 0.5, 2, 10, 50};
constexpr std::array<double, 2> more_linear_costs{300, 2000};
constexpr std::size_t most_trial_rows = 5000;
constexpr double factor_variance = 0.1;

/// Differences of settings, and of their means, are larger than what more steps would change.
constexpr SoftmaxOptions rough{.tolerance = 1e-3, .max_steps = 40};

/// Weights of terms of one class that are known but for a factor.
using Forms = std::vector<LinearForm>;  // by class

/// NB, TAN and all dependences: sum over the pairs of log p(x_i, x_j) / (p(x_i) p(x_j)).
std::vector<Forms> shared_forms(const Averaging& averaging, const FloatRows& values,
                                std::span<const std::uint32_t> rows, std::span<const std::int32_t> y,
                                const WeightsView& weights) {
  const NestedTerms& terms = averaging.terms;
  if (averaging.rule.blend == Blend::never || terms.first_univariate() == terms.keys.size()) return {};
  Matrix means = class_means(values, rows, y, weights, averaging.n_classes);
  for (std::size_t t = 0; t < terms.keys.size(); ++t)
    for (std::size_t k = 0; k < averaging.n_classes; ++k)
      means(t, k) = means(t, k) * averaging.scale(t) + averaging.standardisation.centre[t];
  const auto likelihoods = generative_forms(terms, means, averaging.n_classes);
  std::vector<Forms> forms(2);
  for (std::size_t k = 0; k < averaging.n_classes; ++k)
    for (std::size_t f = 0; f < 2; ++f) {
      LinearForm own;
      for (std::size_t m = 0; m < likelihoods[k][f].columns.size(); ++m) {
        const std::size_t t = likelihoods[k][f].columns[m];
        if (terms.keys[t].class_code != static_cast<std::int32_t>(k)) continue;
        own.columns.push_back(t);
        own.weights.push_back(likelihoods[k][f].weights[m]);
      }
      forms[f].push_back(std::move(own));
    }
  const bool has_pairs = std::ranges::any_of(terms.keys, &TermKey::is_pair);
  if (!has_pairs) {
    forms.pop_back();
    return forms;
  }
  Forms& dependences = forms.emplace_back(averaging.n_classes);
  const std::size_t first = terms.first_univariate();
  const std::size_t d = forms[0][0].columns.size();
  for (std::size_t t = 0; t < terms.keys.size(); ++t) {
    const TermKey& key = terms.keys[t];
    if (!key.is_pair()) continue;
    const auto k = static_cast<std::size_t>(key.class_code);
    for (const auto& [column, weight] : {std::pair{t, 1.0}, std::pair{first + k * d + key.i, -1.0},
                                         std::pair{first + k * d + key.j, -1.0}}) {
      dependences[k].columns.push_back(column);
      dependences[k].weights.push_back(weight);
    }
  }
  return forms;
}

/// What a row counts in the fit and in losses.
std::vector<double> class_loss_weights(std::span<const std::int32_t> y, const WeightsView& weights,
                                       const Averaging& averaging) {
  const std::vector<double>& given = averaging.options.class_weight_values;
  std::vector<double> totals(averaging.n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) totals[static_cast<std::size_t>(y[i])] += weights[i];
  std::vector<double> result;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto c = static_cast<std::size_t>(y[i]);
    result.push_back(weights[i]);
    if (!given.empty())
      result.back() *= given[c];
    else if (balances(averaging.rule.optimise))
      result.back() *= balance(weights.total(y.size()), averaging.n_classes, totals[c]);
  }
  return result;
}

/// The columns of a matrix that the score of a class is made of.
FloatRows columns_of(const FloatRows& values, const std::vector<std::size_t>& columns) {
  FloatRows own(values.n_rows(), columns.size());
  for (std::size_t i = 0; i < values.n_rows(); ++i) {
    const auto from = values.row(i);
    const auto to = own.row(i);
    for (std::size_t t = 0; t < columns.size(); ++t) to[t] = from[columns[t]];
  }
  return own;
}

/// The loss at the best of some slopes.
double least_loss(const Matrix& scores, std::span<const std::int32_t> y,
                  std::span<const double> loss_weights) {
  double least = std::log(static_cast<double>(scores.n_cols));  // of scores that are all the same
  for (const double slope : {0.3, 0.5, 0.7, 1.0, 1.4})
    least = std::min(least, softmax_loss(scores, y, loss_weights, slope));
  return least;
}

/// 1 - AUC, of each class against the rest by its log odds.
double ranking_loss(const Matrix& scores, std::span<const std::int32_t> y,
                    std::span<const double> loss_weights) {
  const Matrix odds = log_odds_against_rest(scores);
  double sum = 0;
  for (std::size_t k = 0; k < odds.n_cols; ++k) {
    const double area = area_under_curve(odds.column(k), signs_of_score(y, odds.n_cols, k), loss_weights);
    sum += std::isnan(area) ? 0.5 : 1 - area;
  }
  return sum / static_cast<double>(odds.n_cols);
}

}  // namespace

const TrialGrid SoftmaxAverage::grid{costs_tried, more_linear_costs, {}, most_trial_rows};

ClassColumns::ClassColumns(const NestedTerms& terms, std::size_t n_classes)
    : columns_(n_classes), n_cols_(terms.sets.size(), std::vector<std::size_t>(n_classes)) {
  for (std::size_t k = 0; k < n_classes; ++k)
    for (std::size_t t = 0; t < terms.keys.size(); ++t) {
      const TermKey& key = terms.keys[t];
      if (!key.is_linear() && key.class_code != static_cast<std::int32_t>(k)) continue;
      columns_[k].push_back(t);
      for (std::size_t s = 0; s < terms.sets.size(); ++s)
        if (t < terms.sets[s].n_terms) ++n_cols_[s][k];
    }
}

SoftmaxAverage::SoftmaxAverage(const FloatRows& values, std::span<const std::int32_t> y,
                               const WeightsView& weights, std::vector<Split> splits,
                               const Averaging& averaging)
    : values_(values),
      y_(y),
      weights_(weights),
      splits_(std::move(splits)),
      averaging_(averaging),
      columns_(averaging.terms, averaging.n_classes) {
  const std::size_t n_classes = averaging.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k) rows_.own.push_back(columns_of(values, columns_.of_class(k)));
  for (std::size_t s = 0; s < averaging.terms.sets.size(); ++s) {
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      for (const std::size_t t : std::span(columns_.of_class(k)).first(columns_.n_cols(s)[k])) {
        const double deviation = averaging.scale(t) > 0 ? averaging.deviations[t] / averaging.scale(t) : 0;
        sum += deviation * deviation;
      }
    const bool has_unit = averaging.options.term_scale != TermScale::none;
    squared_norms_.push_back(has_unit ? std::max(sum / static_cast<double>(n_classes), 1e-12) : 1);
  }
  rows_.y.assign(y.begin(), y.end());
  rows_.loss_weights = class_loss_weights(y, weights, averaging);
}

std::vector<Split> SoftmaxAverage::tried_splits(std::vector<Split> splits, std::size_t n_values,
                                                const WeightOptions& options) {
  constexpr std::size_t many_values = 2'500'000;
  constexpr std::size_t fewest_splits = 3;
  if (options.inner_splits.empty() && n_values > many_values)
    splits.resize(std::min(splits.size(), fewest_splits));
  return splits;
}

double SoftmaxAverage::value(const LinearForm& form, std::size_t row) const {
  double sum = 0;
  for (std::size_t m = 0; m < form.columns.size(); ++m)
    sum += form.weights[m] * averaging_.scale(form.columns[m]) *
           static_cast<double>(values_.row(row)[form.columns[m]]);
  return sum;
}

void SoftmaxAverage::find_shared(std::span<const std::uint32_t> train) {
  forms_ = shared_forms(averaging_, values_, train, y_, weights_);
  rows_.shared.clear();
  for (const Forms& of_classes : forms_) {
    Matrix shared(values_.n_rows(), averaging_.n_classes);
    for (std::size_t k = 0; k < of_classes.size(); ++k)
      for (std::size_t i = 0; i < values_.n_rows(); ++i) shared(i, k) = value(of_classes[k], i);
    rows_.shared.push_back(std::move(shared));
  }
}

/// Solves regressions of one set by ascending costs, each from the one before.
template <class Visit>
void SoftmaxAverage::solve_path(std::span<const Trial* const> trials, std::span<const std::uint32_t> train,
                                const Execution& execution, const Visit& visit) const {
  SoftmaxOptions options = rough;
  SoftmaxSolution solution;
  double n = 0;
  for (const std::uint32_t row : train) n += weights_[row];
  for (const Trial* trial : trials) {
    // A prior of variance C for what a row's features add to its score, and one for factors.
    options.factor_C = factor_variance * n;
    options.C = trial->C / squared_norms_[trial->set] * n;
    solution = solve_softmax(rows_, train, columns_.n_cols(trial->set), options, solution, execution);
    visit(*trial, solution);
  }
}

HeldOutScores SoftmaxAverage::hold_out(std::span<const Trial> trials) {
  const std::size_t n_sets = averaging_.terms.sets.size();
  const Execution alone{.threads = 1, .stop = averaging_.execution.stop};
  SplitScores scores(trials, splits_, averaging_.n_scores());
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    const std::vector<std::uint32_t> train(splits_[f].outside.begin(), splits_[f].outside.end());
    const std::vector<std::uint32_t> test(splits_[f].inside.begin(), splits_[f].inside.end());
    find_shared(train);
    // Large sets first: they take longest.
    parallel_for(n_sets, averaging_.execution, "settings", [&](std::size_t task) {
      solve_path(trials_of_set(trials, n_sets - 1 - task), train, alone,
                 [&](const Trial& trial, const SoftmaxSolution& solution) {
                   const Matrix some = softmax_scores(rows_, test, solution, alone);
                   for (std::size_t k = 0; k < some.n_cols; ++k)
                     std::ranges::copy(some.column(k), scores.at(f, trial, k).begin());
                 });
    });
  }
  return scores.in_order_of_splits();
}

void SoftmaxAverage::rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const {
  const auto y = gather(y_, held_out.rows);
  const auto loss_weights = gather(rows_.loss_weights, held_out.rows);
  trial.loss = averaging_.rule.optimise == Objective::auc ? ranking_loss(held_out.scores[t], y, loss_weights)
                                                          : least_loss(held_out.scores[t], y, loss_weights);
  // All regressions share the factors of NB and TAN.
  trial.blend = averaging_.rule.blend == Blend::never ? 0 : 1;
}

void SoftmaxAverage::add(double share, const SoftmaxSolution& solution, FittedWeights& sum) const {
  for (std::size_t k = 0; k < solution.weights.size(); ++k) {
    sum.intercepts[k] += share * solution.intercepts[k];
    for (std::size_t t = 0; t < solution.weights[k].size(); ++t) {
      const std::size_t term = columns_.of_class(k)[t];
      if (averaging_.scale(term) > 0)
        sum.weights(k, term) += share * solution.weights[k][t] / averaging_.scale(term);
    }
    for (std::size_t f = 0; f < forms_.size(); ++f)
      for (std::size_t m = 0; m < forms_[f][k].columns.size(); ++m)
        sum.weights(k, forms_[f][k].columns[m]) += share * solution.factors[f] * forms_[f][k].weights[m];
  }
}

FittedWeights SoftmaxAverage::mean_of_all(std::span<const Trial> trials) {
  const std::size_t n_classes = averaging_.n_classes;
  FittedWeights sum{.weights = Matrix(n_classes, averaging_.terms.keys.size()),
                    .centres = averaging_.standardisation.centre,
                    .intercepts = std::vector<double>(n_classes)};
  const auto all = all_rows<std::uint32_t>(y_.size());
  find_shared(all);
  for (std::size_t s = 0; s < averaging_.terms.sets.size(); ++s)
    solve_path(trials_of_set(trials, s), all, averaging_.execution,
               [&](const Trial&, const SoftmaxSolution& solution) {
                 add(1 / static_cast<double>(trials.size()), solution, sum);
                 sum.iterations = std::max(sum.iterations, solution.steps);
               });
  return sum;
}

FittedWeights SoftmaxAverage::combine(const TrainingRows& rows, const SoftmaxAverage& tried, bool,
                                      std::span<const Trial> trials, const std::vector<std::size_t>& chosen,
                                      const HeldOutScores& held_out, const Averaging& averaging) {
  const std::size_t n_classes = averaging.n_classes;
  FittedWeights result =
      SoftmaxAverage(rows.values, rows.y, rows.weights, {}, averaging).mean_of_all(gather(trials, chosen));
  Matrix mean_scores(held_out.rows.size(), n_classes);
  for (const std::size_t t : chosen)
    for (std::size_t i = 0; i < mean_scores.data.size(); ++i)
      mean_scores.data[i] += held_out.scores[t].data[i] / static_cast<double>(chosen.size());
  const auto y = gather(tried.y_, held_out.rows);
  const double slope = fit_softmax_slope(mean_scores, std::vector<double>(n_classes), y,
                                         gather(tried.rows_.loss_weights, held_out.rows));
  for (auto* numbers : {&result.weights.data, &result.intercepts, &mean_scores.data})
    for (double& number : *numbers) number *= slope;
  std::vector<double> held_out_weights;
  for (const std::size_t row : held_out.rows) held_out_weights.push_back(tried.weights_[row]);
  result.calibrations =
      fit_calibrations(mean_scores, y, held_out_weights, n_classes, averaging.options.probability);
  return result;
}

}  // namespace dyad

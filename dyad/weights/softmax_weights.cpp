// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/softmax_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "dyad/base/area_under_curve.h"
#include "dyad/base/gather.h"
#include "dyad/linear/softmax.h"
#include "dyad/model/model.h"
#include "dyad/weights/averaging_problem.h"
#include "dyad/weights/choice.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

using internal::Averaging;
using internal::LinearForm;

constexpr std::array<double, 5> costs_tried{0.1, 0.5, 2, 10, 50};
constexpr double factor_variance = 0.1;
/// Of the features alone.
constexpr std::array<double, 2> more_linear_costs{300, 2000};

/// Of more rows than these a part is tried.
constexpr std::size_t fewest_trial_rows = 1500;
constexpr std::size_t most_trial_rows = 5000;
constexpr std::size_t most_trial_values = 2'500'000;
constexpr std::size_t fewest_splits = 3;

/// Differences of settings, and of their means, are larger than what more steps would change.
constexpr SoftmaxOptions rough{.tolerance = 1e-3, .max_steps = 40};

struct Trial {
  std::size_t set = 0;
  double C = 1;
  double loss = 0;
};

/// Which terms the score of each class is made of, those of smaller sets first.
class ClassColumns {
 public:
  ClassColumns(const NestedTerms& terms, std::size_t n_classes)
      : columns_(n_classes), n_cols_(terms.sets.size(), std::vector<std::size_t>(n_classes)) {
    for (std::size_t k = 0; k < n_classes; ++k)
      for (std::size_t t = 0; t < terms.places.size(); ++t) {
        const TermKey& place = terms.places[t];
        if (!place.is_linear() && place.class_code != static_cast<std::int32_t>(k)) continue;
        columns_[k].push_back(t);
        for (std::size_t s = 0; s < terms.sets.size(); ++s)
          if (t < terms.sets[s].n_terms) ++n_cols_[s][k];
      }
  }

  [[nodiscard]] const std::vector<std::size_t>& of_class(std::size_t k) const { return columns_[k]; }
  /// By class, how many of its columns belong to a set.
  [[nodiscard]] const std::vector<std::size_t>& n_cols(std::size_t set) const { return n_cols_[set]; }

 private:
  std::vector<std::vector<std::size_t>> columns_;
  std::vector<std::vector<std::size_t>> n_cols_;
};

/// Weights of terms of one class that are known but for a factor.
using Forms = std::vector<LinearForm>;  // by class

/// NB, TAN and all dependences: sum over the pairs of log p(x_i, x_j) / (p(x_i) p(x_j)).
std::vector<Forms> shared_forms(const Averaging& averaging, const FloatRows& values,
                                std::span<const std::uint32_t> rows, std::span<const std::int32_t> y,
                                const WeightsView& weights) {
  const NestedTerms& terms = averaging.terms;
  if (averaging.options.blend == Blend::never || terms.first_univariate() == terms.places.size()) return {};
  Matrix means = internal::class_means(values, rows, y, weights, averaging.n_classes);
  for (std::size_t t = 0; t < terms.places.size(); ++t)
    for (std::size_t k = 0; k < averaging.n_classes; ++k)
      means(t, k) = means(t, k) * averaging.standardisation.scale[t] + averaging.standardisation.centre[t];
  const auto likelihoods = internal::generative_forms(terms, means, averaging.n_classes);
  std::vector<Forms> forms(2);
  for (std::size_t k = 0; k < averaging.n_classes; ++k)
    for (std::size_t f = 0; f < 2; ++f) {
      LinearForm own;
      for (std::size_t m = 0; m < likelihoods[k][f].columns.size(); ++m) {
        const std::size_t t = likelihoods[k][f].columns[m];
        if (terms.places[t].class_code != static_cast<std::int32_t>(k)) continue;
        own.columns.push_back(t);
        own.weights.push_back(likelihoods[k][f].weights[m]);
      }
      forms[f].push_back(std::move(own));
    }
  const bool has_pairs = std::ranges::any_of(terms.places, &TermKey::is_pair);
  if (!has_pairs) {
    forms.pop_back();
    return forms;
  }
  Forms& dependences = forms.emplace_back(averaging.n_classes);
  const std::size_t first = terms.first_univariate();
  const std::size_t d = forms[0][0].columns.size();
  for (std::size_t t = 0; t < terms.places.size(); ++t) {
    const TermKey& place = terms.places[t];
    if (!place.is_pair()) continue;
    const auto k = static_cast<std::size_t>(place.class_code);
    for (const auto& [column, weight] : {std::pair{t, 1.0}, std::pair{first + k * d + place.i, -1.0},
                                         std::pair{first + k * d + place.j, -1.0}}) {
      dependences[k].columns.push_back(column);
      dependences[k].weights.push_back(weight);
    }
  }
  return forms;
}

/// Rows with all that regressions on them, or on parts of them, need.
struct Problem {
  const Averaging& averaging;
  const ClassColumns& columns;
  const FloatRows& values;
  std::span<const std::int32_t> y;
  WeightsView weights;
  SoftmaxRows rows{};
  std::vector<double> squared_norms{};  ///< by set, the mean over rows and classes of the features'
  std::vector<Forms> forms{};           ///< what the shared features of `rows` stand for

  /// Sets the shared features, with trees found from the rows `train`.
  void find_shared(std::span<const std::uint32_t> train) {
    forms = shared_forms(averaging, values, train, y, weights);
    rows.shared.clear();
    for (const Forms& of_classes : forms) {
      Matrix shared(values.n_rows(), averaging.n_classes);
      for (std::size_t k = 0; k < of_classes.size(); ++k)
        for (std::size_t i = 0; i < values.n_rows(); ++i) shared(i, k) = value(of_classes[k], i);
      rows.shared.push_back(std::move(shared));
    }
  }

 private:
  [[nodiscard]] double value(const LinearForm& form, std::size_t row) const {
    double sum = 0;
    for (std::size_t m = 0; m < form.columns.size(); ++m)
      sum += form.weights[m] * averaging.standardisation.scale[form.columns[m]] *
             static_cast<double>(values.row(row)[form.columns[m]]);
    return sum;
  }
};

/// What a row counts in the fit and in losses.
std::vector<double> costs_of(std::span<const std::int32_t> y, const WeightsView& weights,
                             std::size_t n_classes, const FitOptions& options) {
  std::vector<double> totals(n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) totals[static_cast<std::size_t>(y[i])] += weights[i];
  std::vector<double> costs;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto c = static_cast<std::size_t>(y[i]);
    costs.push_back(weights[i]);
    if (!options.class_weight_values.empty())
      costs.back() *= options.class_weight_values[c];
    else if (balances(options.optimise))
      costs.back() *= weights.total(y.size()) / (static_cast<double>(n_classes) * totals[c]);
  }
  return costs;
}

Problem make_problem(const Averaging& averaging, const ClassColumns& columns, const FloatRows& values,
                     std::span<const std::int32_t> y, const WeightsView& weights) {
  Problem problem{averaging, columns, values, y, weights};
  for (std::size_t k = 0; k < averaging.n_classes; ++k) {
    const auto& of_class = columns.of_class(k);
    FloatRows own(values.n_rows(), of_class.size());
    for (std::size_t i = 0; i < values.n_rows(); ++i) {
      const auto from = values.row(i);
      const auto to = own.row(i);
      for (std::size_t t = 0; t < of_class.size(); ++t) to[t] = from[of_class[t]];
    }
    problem.rows.own.push_back(std::move(own));
  }
  for (std::size_t s = 0; s < averaging.terms.sets.size(); ++s) {
    double sum = 0;
    for (std::size_t k = 0; k < averaging.n_classes; ++k)
      for (const std::size_t t : std::span(columns.of_class(k)).first(columns.n_cols(s)[k])) {
        const double scale = averaging.standardisation.scale[t];
        const double deviation = scale > 0 ? averaging.deviations[t] / scale : 0;
        sum += deviation * deviation;
      }
    problem.squared_norms.push_back(std::max(sum / static_cast<double>(averaging.n_classes), 1e-12));
  }
  problem.rows.y.assign(y.begin(), y.end());
  problem.rows.loss_weights = costs_of(y, weights, averaging.n_classes, averaging.options);
  return problem;
}

/// Regressions of one set by ascending costs, each from the one before.
template <class Visit>
void solve_path(const Problem& problem, std::span<const Trial* const> trials,
                std::span<const std::uint32_t> train, const Execution& execution, const Visit& visit) {
  SoftmaxOptions options = rough;
  SoftmaxSolution solution;
  double n = 0;
  for (const std::uint32_t row : train) n += problem.weights[row];
  for (const Trial* trial : trials) {
    // A prior of variance C of what a row's features add to its score, and of factors.
    options.factor_C = factor_variance * n;
    options.C = trial->C / problem.squared_norms[trial->set] * n;
    solution =
        solve_softmax(problem.rows, train, problem.columns.n_cols(trial->set), options, solution, execution);
    visit(*trial, solution);
  }
}

std::vector<Trial> make_trials(const NestedTerms& terms, const FitOptions& options) {
  std::vector<Trial> trials;
  for (std::size_t s = 0; s < terms.sets.size(); ++s) {
    std::vector<double> costs{options.svm.C};
    if (options.cost == CostRule::cv) {
      costs.assign(costs_tried.begin(), costs_tried.end());
      if (terms.sets[s].n_terms <= terms.first_univariate())
        costs.insert(costs.end(), more_linear_costs.begin(), more_linear_costs.end());
    }
    for (const double C : costs) trials.push_back({s, C});
  }
  return trials;
}

std::vector<const Trial*> trials_of_set(std::span<const Trial> trials, std::size_t set) {
  std::vector<const Trial*> result;
  for (const Trial& trial : trials)
    if (trial.set == set) result.push_back(&trial);
  return result;
}

/// Scores that trials give rows held out, one split after the other.
struct HeldOut {
  std::vector<std::size_t> rows;
  std::vector<Matrix> scores;  ///< by trial: rows x K
};

HeldOut hold_out(Problem& problem, std::span<const Trial> trials, std::span<const Split> splits) {
  HeldOut result;
  std::vector<std::size_t> first_row;
  for (const Split& split : splits) {
    first_row.push_back(result.rows.size());
    result.rows.insert(result.rows.end(), split.inside.begin(), split.inside.end());
  }
  result.scores.assign(trials.size(), Matrix(result.rows.size(), problem.rows.n_classes()));
  const std::size_t n_sets = problem.averaging.terms.sets.size();
  const Execution alone{.threads = 1, .stop = problem.averaging.execution.stop};
  for (std::size_t f = 0; f < splits.size(); ++f) {
    const std::vector<std::uint32_t> train(splits[f].outside.begin(), splits[f].outside.end());
    const std::vector<std::uint32_t> test(splits[f].inside.begin(), splits[f].inside.end());
    problem.find_shared(train);
    // Large sets first: they take longest.
    parallel_for(n_sets, problem.averaging.execution, "settings", [&](std::size_t task) {
      const auto of_set = trials_of_set(trials, n_sets - 1 - task);
      solve_path(problem, of_set, train, alone, [&](const Trial& trial, const SoftmaxSolution& solution) {
        Matrix& all = result.scores[static_cast<std::size_t>(&trial - trials.data())];
        const Matrix some = softmax_scores(problem.rows, test, solution, alone);
        for (std::size_t k = 0; k < some.n_cols; ++k)
          std::ranges::copy(some.column(k),
                            all.column(k).begin() + static_cast<std::ptrdiff_t>(first_row[f]));
      });
    });
  }
  return result;
}

/// The loss at the best of some slopes.
double least_loss(const Matrix& scores, std::span<const std::int32_t> y, std::span<const double> costs) {
  double least = std::log(static_cast<double>(scores.n_cols));  // of scores that are all the same
  for (const double slope : {0.3, 0.5, 0.7, 1.0, 1.4})
    least = std::min(least, softmax_loss(scores, y, costs, slope));
  return least;
}

/// 1 - AUC, of each class against the rest by its log odds.
double ranking_loss(const Matrix& scores, std::span<const std::int32_t> y, std::span<const double> costs) {
  const Matrix odds = log_odds_against_rest(scores);
  double sum = 0;
  for (std::size_t k = 0; k < odds.n_cols; ++k) {
    const double area = area_under_curve(odds.column(k), signs_of_score(y, odds.n_cols, k), costs);
    sum += std::isnan(area) ? 0.5 : 1 - area;
  }
  return sum / static_cast<double>(odds.n_cols);
}

std::vector<std::size_t> best_trials(std::span<const Trial> trials, std::size_t count) {
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t t) { return trials[t].loss; });
  order.resize(std::min(order.size(), count));
  std::ranges::sort(order);
  return order;
}

/// Adds share times a regression to the weights of the terms as they are.
void add(double share, const SoftmaxSolution& solution, const Problem& problem, SvmWeights& sum) {
  const std::vector<double>& scale = problem.averaging.standardisation.scale;
  for (std::size_t k = 0; k < solution.weights.size(); ++k) {
    sum.intercepts[k] += share * solution.intercepts[k];
    for (std::size_t t = 0; t < solution.weights[k].size(); ++t) {
      const std::size_t term = problem.columns.of_class(k)[t];
      if (scale[term] > 0) sum.weights(k, term) += share * solution.weights[k][t] / scale[term];
    }
    for (std::size_t f = 0; f < problem.forms.size(); ++f)
      for (std::size_t m = 0; m < problem.forms[f][k].columns.size(); ++m)
        sum.weights(k, problem.forms[f][k].columns[m]) +=
            share * solution.factors[f] * problem.forms[f][k].weights[m];
  }
}

SvmWeights average(Problem problem, std::span<const Trial> chosen) {
  const std::size_t n_classes = problem.rows.n_classes();
  SvmWeights sum{.weights = Matrix(n_classes, problem.averaging.terms.places.size()),
                 .centres = problem.averaging.standardisation.centre,
                 .intercepts = std::vector<double>(n_classes)};
  std::vector<std::uint32_t> all(problem.y.size());
  std::iota(all.begin(), all.end(), 0U);
  problem.find_shared(all);
  for (std::size_t s = 0; s < problem.averaging.terms.sets.size(); ++s)
    solve_path(problem, trials_of_set(chosen, s), all, problem.averaging.execution,
               [&](const Trial&, const SoftmaxSolution& solution) {
                 add(1 / static_cast<double>(chosen.size()), solution, problem, sum);
                 sum.iterations = std::max(sum.iterations, solution.steps);
               });
  return sum;
}

}  // namespace

AveragedWeights fit_softmax_weights(TrainingRows& rows, const NestedTerms& terms, std::size_t n_classes,
                                    const FitOptions& options, const Execution& execution) {
  const Averaging averaging =
      internal::scale_in_place(rows.values, rows.weights, terms, n_classes, options, execution);
  const ClassColumns columns(terms, n_classes);
  const LabelledSample sample{Matrix(rows.y.size(), 0), rows.y, n_classes, rows.weights, {}};
  const SampledRows few = sampled_rows(
      sample,
      std::max(fewest_trial_rows, std::min(most_trial_rows, most_trial_values / terms.places.size())));
  auto splits = internal::inner_splits_among(gather(rows.rows, few.rows), rows_of(sample, few.rows), options);
  // Of many terms some splits tell enough.
  if (options.inner_splits.empty() && few.rows.size() * terms.places.size() > most_trial_values)
    splits.resize(std::min(splits.size(), fewest_splits));
  const auto few_y = gather(rows.y, few.rows);
  const FloatRows few_values = gather(rows.values, few.rows);
  Problem tried = make_problem(averaging, columns, few_values, few_y, few.weights);

  std::vector<Trial> trials = make_trials(terms, options);
  const HeldOut held_out = hold_out(tried, trials, splits);
  const auto y = gather(few_y, held_out.rows);
  const auto row_costs = gather(tried.rows.loss_weights, held_out.rows);
  parallel_for(trials.size(), execution, {}, [&](std::size_t t) {
    trials[t].loss = options.optimise == Objective::auc ? ranking_loss(held_out.scores[t], y, row_costs)
                                                        : least_loss(held_out.scores[t], y, row_costs);
  });
  const auto chosen = best_trials(trials, static_cast<std::size_t>(options.n_average));
  AveragedWeights result;
  for (std::size_t t = 0; t < trials.size(); ++t)
    result.settings.push_back({terms.sets[trials[t].set].name, trials[t].C,
                               options.blend == Blend::never ? 0.0 : 1.0, trials[t].loss,
                               std::ranges::binary_search(chosen, t)});
  std::ranges::stable_sort(result.settings, {}, &Setting::loss);

  Matrix mean_scores(held_out.rows.size(), n_classes);
  for (const std::size_t t : chosen)
    for (std::size_t i = 0; i < mean_scores.data.size(); ++i)
      mean_scores.data[i] += held_out.scores[t].data[i] / static_cast<double>(chosen.size());
  result.weights =
      average(make_problem(averaging, columns, rows.values, rows.y, rows.weights), gather(trials, chosen));
  const double slope = fit_softmax_slope(mean_scores, std::vector<double>(n_classes), y, row_costs);
  for (auto* numbers : {&result.weights.weights.data, &result.weights.intercepts, &mean_scores.data})
    for (double& number : *numbers) number *= slope;
  std::vector<double> held_out_weights;
  for (const std::size_t row : held_out.rows) held_out_weights.push_back(WeightsView(few.weights)[row]);
  result.weights.calibrations = fit_calibrations(mean_scores, y, held_out_weights, n_classes, options);
  return result;
}

}  // namespace dyad

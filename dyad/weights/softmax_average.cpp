// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/softmax_average.h"

#include "dyad/base/gather.h"
#include "dyad/model/prediction.h"
#include "dyad/weights/class_calibration.h"

namespace dyad {
namespace {

constexpr std::array<double, 5> softmax_costs{0.1, 0.5, 2, 10, 50};
constexpr std::array<double, 2> more_linear_softmax_costs{300, 2000};
constexpr std::size_t most_softmax_rows = 5000;
constexpr std::size_t many_values = 2'500'000;
constexpr double factor_variance = 0.1;

/// Differences of settings, and of their means, are larger than what more steps would change.
constexpr SoftmaxOptions rough{.tolerance = 1e-3, .max_steps = 40};

/// Weights of terms of one class that are known but for a factor.
using Forms = std::vector<LinearForm>;  // by class

/// NB, TAN and all dependences: sum over the pairs of log p(x_i, x_j) / (p(x_i) p(x_j)).
std::vector<Forms> shared_forms(const Averaging& averaging, const ScoredRows& rows,
                                std::span<const std::uint32_t> train) {
  const NestedTerms& terms = averaging.terms;
  if (averaging.rule.blend == Blend::never || terms.first_univariate() == terms.keys.size()) return {};
  const auto likelihoods = averaging.forms(rows, train);
  const bool has_pairs = std::ranges::any_of(terms.keys, &TermKey::is_pair);
  std::vector<Forms> forms(has_pairs ? 2 : 1);
  for (std::size_t k = 0; k < averaging.n_classes; ++k)
    for (std::size_t f = 0; f < forms.size(); ++f) {
      LinearForm own;
      for (std::size_t m = 0; m < likelihoods[k][f].columns.size(); ++m) {
        const std::size_t t = likelihoods[k][f].columns[m];
        if (terms.keys[t].class_code != static_cast<std::int32_t>(k)) continue;
        own.columns.push_back(t);
        own.weights.push_back(likelihoods[k][f].weights[m]);
      }
      forms[f].push_back(std::move(own));
    }
  if (!has_pairs) return forms;
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
double mean_ranking_loss(const Matrix& scores, std::span<const std::int32_t> y,
                         std::span<const double> loss_weights) {
  const Matrix odds = log_odds_against_rest(scores);
  double sum = 0;
  for (std::size_t k = 0; k < odds.n_cols; ++k)
    sum += ranking_loss(odds.column(k), signs_of_score(y, odds.n_cols, k), loss_weights);
  return sum / static_cast<double>(odds.n_cols);
}

ClassColumns class_columns(const NestedTerms& terms, std::size_t n_classes) {
  ClassColumns result{std::vector<std::vector<std::size_t>>(n_classes),
                      {terms.sets.size(), std::vector<std::size_t>(n_classes)}};
  for (std::size_t k = 0; k < n_classes; ++k)
    for (std::size_t t = 0; t < terms.keys.size(); ++t) {
      const TermKey& key = terms.keys[t];
      if (!key.is_linear() && key.class_code != static_cast<std::int32_t>(k)) continue;
      result.of_class[k].push_back(t);
      for (std::size_t s = 0; s < terms.sets.size(); ++s)
        if (t < terms.sets[s].n_terms) ++result.n_cols[s][k];
    }
  return result;
}

}  // namespace

const TrialGrid SoftmaxAverage::grid{
    softmax_costs, more_linear_softmax_costs, {}, most_softmax_rows, many_values};

SoftmaxAverage::SoftmaxAverage(const ScoredRows& rows, std::vector<Split> splits, const Averaging& averaging)
    : rows_(rows),
      splits_(std::move(splits)),
      averaging_(averaging),
      columns_(class_columns(averaging.terms, averaging.n_classes)) {
  const std::size_t n_classes = averaging.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k)
    features_.own.push_back(columns_of(rows.values, columns_.of_class[k]));
  for (std::size_t s = 0; s < averaging.terms.sets.size(); ++s) {
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      for (const std::size_t t : std::span(columns_.of_class[k]).first(columns_.n_cols[s][k])) {
        const double deviation = averaging.scale(t) > 0 ? averaging.deviations[t] / averaging.scale(t) : 0;
        sum += deviation * deviation;
      }
    const bool has_unit = averaging.options.term_scale != TermScale::none;
    squared_norms_.push_back(has_unit ? std::max(sum / static_cast<double>(n_classes), 1e-12) : 1);
  }
  features_.y.assign(rows.y.begin(), rows.y.end());
  features_.loss_weights = class_weighted(weights_of(rows.weights, all_rows(rows.y.size())), rows.y,
                                          n_classes, averaging.options.class_weight_values,
                                          averaging.options.class_weights == ClassWeights::balanced);
}

void SoftmaxAverage::find_shared(std::span<const std::uint32_t> train) {
  forms_ = shared_forms(averaging_, rows_, train);
  features_.shared.clear();
  for (const Forms& of_classes : forms_) {
    Matrix& shared = features_.shared.emplace_back(rows_.y.size(), averaging_.n_classes);
    for (std::size_t k = 0; k < of_classes.size(); ++k)
      for (std::size_t i = 0; i < shared.n_rows; ++i)
        shared(i, k) = averaging_.value(of_classes[k], rows_.values.row(i));
  }
}

/// Solves the trials of one set by ascending costs, each from the one before; calls visit(t, solution) for
/// trial t.
template <class Visit>
void SoftmaxAverage::solve_path(std::span<const Trial> trials, std::size_t set,
                                std::span<const std::uint32_t> train, const Execution& execution,
                                const Visit& visit) const {
  SoftmaxOptions options = rough;
  options.max_steps = std::min(options.max_steps, averaging_.rule.svm.max_iterations);
  SoftmaxSolution solution;
  double n = 0;
  for (const std::uint32_t row : train) n += rows_.weights[row];
  // A prior of variance C for what a row's features add to its score, and one for factors.
  options.factor_C = factor_variance * n;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    if (trials[t].set != set) continue;
    options.C = trials[t].C / squared_norms_[set] * n;
    solution = solve_softmax(features_, train, columns_.n_cols[set], options, solution, execution);
    visit(t, solution);
  }
}

HeldOutScores SoftmaxAverage::hold_out(std::span<const Trial> trials) {
  const std::size_t n_sets = averaging_.terms.sets.size();
  const Execution alone{.threads = 1, .stop = averaging_.execution.stop};
  HeldOutScores scores(splits_, trials.size(), averaging_.n_scores());
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    const std::vector<std::uint32_t> train(splits_[f].outside.begin(), splits_[f].outside.end());
    const std::vector<std::uint32_t> test(splits_[f].inside.begin(), splits_[f].inside.end());
    find_shared(train);
    // Large sets first: they take longest.
    parallel_for(n_sets, averaging_.execution, "settings", [&](std::size_t task) {
      solve_path(trials, n_sets - 1 - task, train, alone,
                 [&](std::size_t t, const SoftmaxSolution& solution) {
                   const Matrix some = softmax_scores(features_, test, solution, alone);
                   for (std::size_t k = 0; k < some.n_cols; ++k) scores.set(f, t, k, some.column(k));
                 });
    });
  }
  return scores;
}

void SoftmaxAverage::rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const {
  const auto y = gather(rows_.y, held_out.rows);
  const auto loss_weights = gather(features_.loss_weights, held_out.rows);
  trial.loss = averaging_.rule.optimise == Objective::auc
                   ? mean_ranking_loss(held_out.scores[t], y, loss_weights)
                   : least_loss(held_out.scores[t], y, loss_weights);
  // All regressions share the factors of NB and TAN.
  trial.blend = averaging_.rule.blend == Blend::never ? 0 : 1;
}

void SoftmaxAverage::add(double share, const SoftmaxSolution& solution, FittedWeights& sum) const {
  for (std::size_t k = 0; k < solution.weights.size(); ++k) {
    sum.intercepts[k] += share * solution.intercepts[k];
    for (std::size_t t = 0; t < solution.weights[k].size(); ++t) {
      const std::size_t term = columns_.of_class[k][t];
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
  const auto all = all_rows<std::uint32_t>(rows_.y.size());
  find_shared(all);
  for (std::size_t s = 0; s < averaging_.terms.sets.size(); ++s)
    solve_path(trials, s, all, averaging_.execution, [&](std::size_t, const SoftmaxSolution& solution) {
      add(1 / static_cast<double>(trials.size()), solution, sum);
      sum.iterations = std::max(sum.iterations, solution.steps);
      // Steps beyond those of a rough solution are not asked for.
      sum.converged =
          sum.converged && (solution.converged || averaging_.rule.svm.max_iterations >= rough.max_steps);
    });
  return sum;
}

FittedWeights SoftmaxAverage::combine(const TrainingRows& rows, bool, std::span<const Trial> trials,
                                      const std::vector<std::size_t>& chosen,
                                      const HeldOutScores& held_out) const {
  const std::size_t n_classes = averaging_.n_classes;
  SoftmaxAverage all({rows.values, rows.y, rows.weights, n_classes}, {}, averaging_);
  FittedWeights result = all.mean_of_all(gather(trials, chosen));
  Matrix mean_scores(held_out.rows.size(), n_classes);
  for (const std::size_t t : chosen)
    for (std::size_t i = 0; i < mean_scores.data.size(); ++i)
      mean_scores.data[i] += held_out.scores[t].data[i] / static_cast<double>(chosen.size());
  const auto y = gather(rows_.y, held_out.rows);
  const double slope = fit_softmax_slope(mean_scores, std::vector<double>(n_classes), y,
                                         gather(features_.loss_weights, held_out.rows));
  for (auto* numbers : {&result.weights.data, &result.intercepts, &mean_scores.data})
    for (double& number : *numbers) number *= slope;
  result.calibrations = fit_calibrations(mean_scores, y, weights_of(rows_.weights, held_out.rows), n_classes,
                                         averaging_.options.probability);
  return result;
}

}  // namespace dyad

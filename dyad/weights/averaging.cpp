// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaging.h"

#include <map>

#include "dyad/base/area_under_curve.h"

namespace dyad {

std::vector<GenerativeForms> Averaging::forms(const ScoredRows& rows,
                                              std::span<const std::uint32_t> train) const {
  Matrix means = class_means(rows.values, train, rows.y, rows.weights, n_classes);
  for (std::size_t c = 0; c < means.n_cols; ++c)
    for (std::size_t t = 0; t < means.n_rows; ++t)
      means(t, c) = scale(t) * means(t, c) + standardisation.centre[t];
  return generative_forms(terms, means, n_classes);
}

double Averaging::value(const LinearForm& form, std::span<const float> row) const {
  double sum = 0;
  for (std::size_t m = 0; m < form.columns.size(); ++m)
    sum += form.weights[m] * scale(form.columns[m]) * static_cast<double>(row[form.columns[m]]);
  return sum;
}

double unit_of_term(double deviation, bool is_linear, const WeightOptions& options) {
  /// A feature counts as much as three log densities of the same spread.
  constexpr double squared_linear_factor = 3;
  if (options.term_scale == TermScale::none) return 1;
  // Features that are not in coordinates have a scale of their own.
  const bool shares = options.term_scale == TermScale::common && (!is_linear || options.has_coordinates);
  return (shares ? 1 : deviation) / (is_linear ? std::sqrt(squared_linear_factor) : 1);
}

Averaging scale_in_place(FloatRows& values, const WeightsView& weights, const NestedTerms& terms,
                         std::size_t n_classes, const Average& rule, const WeightOptions& options,
                         const Execution& execution) {
  Averaging averaging{
      terms, n_classes, rule, options, execution, standardisation_of(values, execution, weights), {}};
  averaging.deviations = averaging.standardisation.scale;
  for (std::size_t t = 0; t < terms.keys.size(); ++t)
    if (double& scale = averaging.standardisation.scale[t]; scale != 0)
      scale = unit_of_term(scale, terms.keys[t].is_linear(), options);
  apply(averaging.standardisation, values, execution);
  return averaging;
}

std::vector<Trial> make_trials(const NestedTerms& terms, const Average& rule, const TrialGrid& grid) {
  std::vector<Trial> trials;
  for (std::size_t s = 0; s < terms.sets.size(); ++s) {
    const bool has_densities = terms.sets[s].n_terms > terms.first_univariate();
    std::vector<double> costs{rule.svm.C};
    if (rule.cost == CostRule::cv) costs.assign(grid.costs.begin(), grid.costs.end());
    if (rule.cost == CostRule::cv && !has_densities)
      costs.insert(costs.end(), grid.more_linear_costs.begin(), grid.more_linear_costs.end());
    std::vector<double> blends{0};
    if (rule.blend != Blend::never && has_densities)
      blends.insert(blends.end(), grid.blends.begin(), grid.blends.end());
    for (const double blend : blends)
      for (const double C : costs) trials.push_back({s, C, blend});
  }
  return trials;
}

std::vector<std::size_t> choose_trials(std::span<const Trial> trials, const Average& rule) {
  /// Least fall of the loss for Blend::if_better: the inner cross-validation favours NB and TAN a
  /// little, as the densities have seen its rows.
  constexpr double needed_gain = 0.2;
  const auto best = [&](bool blended) {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < trials.size(); ++t)
      if (blended || trials[t].blend == 0) order.push_back(t);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return trials[t].loss; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(rule.n_average)));
    return order;
  };
  auto chosen = best(true);
  if (rule.blend == Blend::if_better) {
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

double ranking_loss(std::span<const double> scores, std::span<const double> signs,
                    std::span<const double> loss_weights) {
  const double area = area_under_curve(scores, signs, loss_weights);
  return std::isnan(area) ? 0.5 : 1 - area;
}

std::vector<Setting> settings_tried(std::span<const Trial> trials, std::span<const std::size_t> chosen,
                                    const NestedTerms& terms) {
  std::vector<Setting> settings;
  for (std::size_t t = 0; t < trials.size(); ++t)
    settings.push_back({terms.sets[trials[t].set].name, trials[t].C, trials[t].blend, trials[t].loss,
                        std::ranges::binary_search(chosen, t)});
  std::ranges::stable_sort(settings, {}, &Setting::loss);
  return settings;
}

std::vector<double> HeldOutScores::sum(std::size_t k, std::span<const std::size_t> trials,
                                       std::span<const double> shares) const {
  std::vector<double> result(rows.size());
  for (std::size_t m = 0; m < trials.size(); ++m)
    for (std::size_t i = 0; i < rows.size(); ++i) result[i] += shares[m] * scores[trials[m]](i, k);
  return result;
}

HeldOutScores::HeldOutScores(std::span<const Split> splits, std::size_t n_trials, std::size_t n_scores) {
  for (const Split& split : splits) {
    first.push_back(rows.size());
    rows.insert(rows.end(), split.inside.begin(), split.inside.end());
  }
  scores.assign(n_trials, Matrix(rows.size(), n_scores));
}

void HeldOutScores::set(std::size_t f, std::size_t t, std::size_t k, std::span<const double> values) {
  std::ranges::copy(values, scores[t].column(k).subspan(first[f]).begin());
}

HeldOutScores HeldOutScores::in_order_of_rows() const {
  std::map<std::size_t, std::vector<std::size_t>> places;  // by row
  for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i]].push_back(i);
  HeldOutScores result;
  for (const auto& place : places) result.rows.push_back(place.first);
  for (const Matrix& of_trial : scores) {
    Matrix& means = result.scores.emplace_back(places.size(), of_trial.n_cols);
    for (std::size_t k = 0; k < means.n_cols; ++k)
      for (std::size_t i = 0; const auto& [row, same_row] : places) {
        for (const std::size_t place : same_row)
          means(i, k) += of_trial(place, k) / static_cast<double>(same_row.size());
        ++i;
      }
  }
  return result;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaging.h"

#include <map>

namespace dyad {

Averaging scale_in_place(FloatRows& values, const WeightsView& weights, const NestedTerms& terms,
                         std::size_t n_classes, const Average& rule, const WeightOptions& options,
                         const Execution& execution) {
  /// A feature counts as much as three log densities of the same spread.
  constexpr double squared_linear_factor = 3;
  Averaging averaging{
      terms, n_classes, rule, options, execution, standardisation_of(values, execution, weights), {}};
  averaging.deviations = averaging.standardisation.scale;
  for (std::size_t t = 0; t < terms.keys.size(); ++t) {
    double& scale = averaging.standardisation.scale[t];
    if (scale == 0) continue;
    const bool linear = terms.keys[t].is_linear();
    // Features that are not in coordinates have a scale of their own.
    if (options.term_scale == TermScale::none ||
        (options.term_scale == TermScale::common && (!linear || options.has_coordinates)))
      scale = 1;
    if (linear && options.term_scale != TermScale::none) scale /= std::sqrt(squared_linear_factor);
  }
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

std::vector<const Trial*> trials_of_set(std::span<const Trial> trials, std::size_t set) {
  std::vector<const Trial*> result;
  for (const Trial& trial : trials)
    if (trial.set == set) result.push_back(&trial);
  return result;
}

std::vector<std::size_t> choose_trials(std::span<const Trial> trials, const Average& rule) {
  /// By which the loss must fall for Blend::if_better: the inner cross-validation favours NB and TAN a little, as the
  /// densities have seen its rows.
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

SplitScores::SplitScores(std::span<const Trial> trials, std::span<const Split> splits, std::size_t n_scores)
    : trials_(trials), splits_(splits), n_scores_(n_scores) {
  for (const Split& split : splits)
    scores_.emplace_back(trials.size(), Matrix(split.inside.size(), n_scores));
}

HeldOutScores SplitScores::in_order_of_splits() const {
  HeldOutScores result;
  for (const Split& split : splits_)
    result.rows.insert(result.rows.end(), split.inside.begin(), split.inside.end());
  result.scores.assign(trials_.size(), Matrix(result.rows.size(), n_scores_));
  std::size_t first = 0;
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    for (std::size_t t = 0; t < trials_.size(); ++t)
      for (std::size_t k = 0; k < n_scores_; ++k)
        std::ranges::copy(scores_[f][t].column(k), result.scores[t].column(k).subspan(first).begin());
    first += splits_[f].inside.size();
  }
  return result;
}

HeldOutScores SplitScores::in_order_of_rows() const {
  std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> places;  // in splits, by row
  for (std::size_t f = 0; f < splits_.size(); ++f)
    for (std::size_t i = 0; i < splits_[f].inside.size(); ++i)
      places[splits_[f].inside[i]].emplace_back(f, i);
  HeldOutScores result;
  result.scores.assign(trials_.size(), Matrix(places.size(), n_scores_));
  for (const auto& [row, places_of_row] : places) {
    for (std::size_t t = 0; t < trials_.size(); ++t)
      for (std::size_t k = 0; k < n_scores_; ++k)
        for (const auto& [f, i] : places_of_row)
          result.scores[t](result.rows.size(), k) +=
              scores_[f][t](i, k) / static_cast<double>(places_of_row.size());
    result.rows.push_back(row);
  }
  return result;
}

}  // namespace dyad

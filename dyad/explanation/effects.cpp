// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/effects.h"

#include <map>
#include <tuple>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/data/summary.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

constexpr std::size_t most_groups = 50;
constexpr std::size_t n_resamples = 200;

double sum_of_sizes(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

void add_to(std::span<double> sums, std::span<const double> values) {
  std::ranges::transform(sums, values, sums.begin(), std::plus<>());
}

/// Sums over some rows of the absolute contributions to one score: of terms, then effects, then features.
void sum_sizes(const Model& model, const PurifiedEffects& purified, const Matrix& values,
               const Matrix& of_effects, std::size_t score, std::span<double> sums) {
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    std::vector<double> of_term(values.n_rows);
    std::ranges::transform(values.column(t), of_term.begin(), [&](double value) {
      return contribution(model.weights(score, t), value, model.terms[t].centre);
    });
    sums[t] = sum_of_sizes(of_term);
  }
  Matrix of_features(values.n_rows, model.n_features);
  for (std::size_t e = 0; e < purified.effects.size(); ++e) {
    const Effect& effect = purified.effects[e];
    sums[model.terms.size() + e] = sum_of_sizes(of_effects.column(e));
    add_to(of_features.column(effect.i), of_effects.column(e));
    if (effect.is_pair()) add_to(of_features.column(effect.j), of_effects.column(e));
  }
  for (std::size_t j = 0; j < model.n_features; ++j)
    sums[model.terms.size() + purified.effects.size() + j] = sum_of_sizes(of_features.column(j));
}

/// How often each group is taken: n_resamples x n_groups.
Matrix resampled_groups(std::size_t n_groups, Random random) {
  Matrix counts(n_resamples, n_groups);
  for (std::size_t b = 0; b < n_resamples; ++b)
    for (std::size_t g = 0; g < n_groups; ++g) ++counts(b, random.below(n_groups));
  return counts;
}

/// The mean over rows and its interval, by the sums over groups and the numbers of their rows.
Importance importance_of(std::span<const double> sums, std::span<const double> sizes,
                         const Matrix& resamples) {
  const auto mean_by = [&](const auto& count_of) {
    double sum = 0;
    double n = 0;
    for (std::size_t g = 0; g < sums.size(); ++g) {
      sum += count_of(g) * sums[g];
      n += count_of(g) * sizes[g];
    }
    return sum / n;
  };
  std::vector<double> means(resamples.n_rows);
  for (std::size_t b = 0; b < means.size(); ++b)
    means[b] = mean_by([&](std::size_t g) { return resamples(b, g); });
  return {mean_by([](std::size_t) { return 1.0; }), quantile(means, 0.025), quantile(means, 0.975)};
}

}  // namespace

std::vector<Effect> effects_of(const Model& model) {
  std::map<std::tuple<bool, std::size_t, std::size_t>, Effect> found;  // single features first
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    Effect& effect = found[{term.is_pair(), term.i, term.j}];
    effect.i = term.i;
    effect.j = term.j;
    effect.terms.push_back(t);
  }
  std::vector<Effect> effects;
  for (auto& [place, effect] : found) effects.push_back(std::move(effect));
  return effects;
}

Importances importances(const Model& model, const MatrixView& X, std::size_t most_rows, std::uint64_t seed,
                        const Execution& execution) {
  return importances(model, purified_effects(model, execution), X, most_rows, seed, execution);
}

Importances importances(const Model& model, const PurifiedEffects& purified, const MatrixView& X,
                        std::size_t most_rows, std::uint64_t seed, const Execution& execution) {
  if (X.n_rows == 0 || most_rows == 0) throw std::invalid_argument("importances: there is no row");
  const Random random(seed);
  auto order = all_rows(X.n_rows);
  random.split(0).shuffle(order);
  order.resize(std::min(order.size(), most_rows));

  const std::size_t n_effects = purified.effects.size();
  const std::size_t per_score = model.terms.size() + n_effects + model.n_features;
  const std::size_t n_groups = std::min(order.size(), most_groups);
  Matrix sums(model.n_scores() * per_score, n_groups);
  std::vector<double> sizes(n_groups);
  parallel_for(n_groups, execution, "importances", [&](std::size_t g) {
    const std::size_t first = g * order.size() / n_groups;
    const std::size_t last = (g + 1) * order.size() / n_groups;
    sizes[g] = static_cast<double>(last - first);
    const Execution alone{.threads = 1, .stop = execution.stop};
    const Matrix rows = gather(X, std::span(order).subspan(first, last - first));
    const Matrix values = term_values(model.terms, in_coordinates(model.coordinates, rows, alone), alone);
    const auto of_effects = effect_values(model, purified, rows, alone);
    for (std::size_t k = 0; k < model.n_scores(); ++k)
      sum_sizes(model, purified, values, of_effects[k], k, sums.column(g).subspan(k * per_score, per_score));
  });

  const Matrix resamples = resampled_groups(n_groups, random.split(1));
  std::vector<Importance> all(sums.n_rows);
  parallel_for(all.size(), execution, {}, [&](std::size_t s) {
    std::vector<double> of_groups(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g) of_groups[g] = sums(s, g);
    all[s] = importance_of(of_groups, sizes, resamples);
  });
  Importances result{.n_rows = order.size()};
  auto next = all.begin();
  const auto take = [&](std::size_t count) {
    next += static_cast<std::ptrdiff_t>(count);
    return std::vector<Importance>(next - static_cast<std::ptrdiff_t>(count), next);
  };
  for (std::size_t k = 0; k < model.n_scores(); ++k) {
    result.terms.push_back(take(model.terms.size()));
    result.effects.push_back(take(n_effects));
    result.features.push_back(take(model.n_features));
  }
  return result;
}

Matrix feature_parts(const Model& model, const MatrixView& values, std::size_t score) {
  Matrix parts(values.n_rows, model.n_features);
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    const double weight = model.weights(score, t);
    if (weight == 0) continue;
    const auto of_term = values.column(t);
    for (std::size_t i = 0; i < values.n_rows; ++i) {
      const double half = contribution(weight, of_term[i], term.centre) / 2;
      parts(i, term.i) += half;
      parts(i, term.j) += half;
    }
  }
  return parts;
}

std::vector<std::size_t> by_importance(const Importances::ByScore& importances) {
  Matrix means(importances.size(), importances.empty() ? 0 : importances.front().size());
  for (std::size_t k = 0; k < means.n_rows; ++k)
    for (std::size_t t = 0; t < means.n_cols; ++t) means(k, t) = importances[k][t].mean;
  return largest_columns(means);
}

std::vector<std::size_t> largest_columns(const Matrix& values) {
  std::vector<double> sizes(values.n_cols);
  for (std::size_t t = 0; t < values.n_cols; ++t)
    for (const double value : values.column(t)) sizes[t] = std::max(sizes[t], std::abs(value));
  auto order = all_rows(values.n_cols);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return sizes[t]; });
  return order;
}

}  // namespace dyad

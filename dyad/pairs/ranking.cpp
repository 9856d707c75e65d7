// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/weights/choice.h"

namespace dyad {
namespace {

std::size_t kept_count(double share, std::size_t n_pairs) {
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(n_pairs)));
}

/// Drops the pairs whose q-value within their class exceeds `fdr`.
void keep_discoveries(std::vector<RankedPair>& ranked, std::size_t n_classes, double fdr) {
  std::vector<double> q_values(ranked.size());
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::vector<std::size_t> members;
    std::vector<double> p_values;
    for (std::size_t k = 0; k < ranked.size(); ++k) {
      if (ranked[k].place.class_code != static_cast<std::int32_t>(c)) continue;
      members.push_back(k);
      p_values.push_back(ranked[k].p_value);
    }
    const auto q = benjamini_hochberg(p_values);
    for (std::size_t k = 0; k < members.size(); ++k) q_values[members[k]] = q[k];
  }
  std::vector<RankedPair> kept;
  for (std::size_t k = 0; k < ranked.size(); ++k)
    if (q_values[k] <= fdr) kept.push_back(ranked[k]);
  ranked = std::move(kept);
}

/// Drops the pairs that a rule other than cross-validation does not keep.
void keep_by_rule(std::vector<RankedPair>& ranked, std::size_t n_classes, const FitOptions& options) {
  switch (options.pairs) {
    case PairRule::cv:
      break;
    case PairRule::fdr:
      keep_discoveries(ranked, n_classes, options.fdr);
      break;
    case PairRule::count:
      ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(options.n_pairs)));
      break;
    case PairRule::threshold:
      std::erase_if(ranked, [&](const RankedPair& pair) { return pair.hsic < options.min_hsic; });
      break;
  }
}

/// The settings to choose from, given the pairs that may be kept.
internal::Candidates candidates_of(std::size_t n_ranked, const FitOptions& options) {
  internal::Candidates candidates;
  if (options.method == Method::slb && options.pairs == PairRule::cv)
    for (const double share : kept_shares) {
      const std::size_t count = kept_count(share, n_ranked);
      if (candidates.n_pairs.empty() || candidates.n_pairs.back() < count)
        candidates.n_pairs.push_back(count);
    }
  else
    candidates.n_pairs.push_back(n_ranked);
  if (options.cost == CostRule::cv)
    candidates.costs.assign(costs.begin(), costs.end());
  else
    candidates.costs.push_back(options.svm.C);
  return candidates;
}

/// The splits of a sample that consists of the given rows, ascending.
std::vector<Split> restricted(std::span<const Split> splits, std::span<const std::size_t> rows) {
  const auto places_of = [&](std::span<const std::size_t> some) {
    std::vector<std::size_t> places;
    for (const std::size_t row : some)
      if (const auto at = std::ranges::lower_bound(rows, row); at != rows.end() && *at == row)
        places.push_back(static_cast<std::size_t>(at - rows.begin()));
    return places;
  };
  std::vector<Split> result;
  for (const Split& split : splits) result.push_back({places_of(split.inside), places_of(split.outside)});
  return result;
}

/// The splits that test on a row and train on one of each class.
std::vector<Split> useful(std::vector<Split> splits, const LabelledSample& sample) {
  std::erase_if(splits, [&](const Split& split) {
    std::vector<bool> trained(sample.n_classes);
    for (const std::size_t row : split.outside) trained[static_cast<std::size_t>(sample.y[row])] = true;
    return split.inside.empty() || std::ranges::find(trained, false) != trained.end();
  });
  return splits;
}

}  // namespace

std::vector<Split> internal::inner_splits(const LabelledSample& sample, const FitOptions& options) {
  if (!options.inner_splits.empty()) return options.inner_splits;
  const std::size_t n_folds = fold_count(sample, options.inner_folds);
  return splits_of(stratified_folds(sample.y, n_folds, options.seed), n_folds);
}

std::vector<Split> internal::inner_splits_among(std::span<const std::size_t> rows,
                                                const LabelledSample& sample, const FitOptions& options) {
  if (options.inner_splits.empty()) return inner_splits(sample, options);
  auto splits = useful(restricted(options.inner_splits, rows), sample);
  if (splits.empty())
    throw std::invalid_argument(
        "no split of the inner cross-validation trains on every class and tests on a row, of " +
        std::to_string(rows.size()) + " rows that are tried");
  return splits;
}

void internal::add_tried(const Candidates& candidates, const Matrix& errors, std::vector<Setting>& tried) {
  for (std::size_t s = 0; s < candidates.n_pairs.size(); ++s)
    for (std::size_t c = 0; c < candidates.costs.size(); ++c) {
      const Setting setting{
          .terms = pairs_name(candidates.n_pairs[s]), .C = candidates.costs[c], .loss = errors(s, c)};
      const auto is_same = [&](const Setting& other) {
        return other.terms == setting.terms && other.C == setting.C;
      };
      if (std::ranges::none_of(tried, is_same)) tried.push_back(setting);
    }
}

void internal::mark_chosen(Choice& choice) {
  for (Setting& setting : choice.tried)
    setting.averaged = setting.terms == pairs_name(choice.n_pairs) && setting.C == choice.cost;
  std::ranges::stable_sort(choice.tried, {},
                           [](const Setting& setting) { return std::pair(setting.loss, !setting.averaged); });
}

std::vector<double> internal::error_weights(const LabelledSample& sample) {
  std::vector<double> weights;
  for (const double count : class_counts(sample))
    weights.push_back(1 / (count * static_cast<double>(sample.n_classes)));
  return weights;
}

std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const FitOptions& options,
                                   const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<RankedPair> ranked;
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const auto scores = pairwise_hsic(rows_of_class(sample, code), options.engine, options.grid, execution,
                                      weights_of_class(sample, code), categorical_features(sample.levels));
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) {
        const Hsic& score = scores[pair_index(i, j, d)];
        ranked.push_back({{code, i, j}, score.value, score.p_value});
      }
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedPair::hsic);
  return ranked;
}

std::vector<RankedPair> pairs_to_keep(const LabelledSample& sample, const FitOptions& options,
                                      const Execution& execution, FitReport& report) {
  std::vector<RankedPair> ranked;
  if (options.method != Method::lu) ranked = rank_density_rows(sample, options, execution, report);
  if (options.method == Method::slb) keep_by_rule(ranked, sample.n_classes, options);
  return ranked;
}

std::vector<RankedPair> rank_density_rows(const LabelledSample& sample, const FitOptions& options,
                                          const Execution& execution, FitReport& report) {
  const Stopwatch watch(report.screen);
  if (options.feature_mode != FeatureMode::split) return rank_pairs(sample, options, execution);
  return rank_pairs(rows_of(sample, row_split(sample, options).density_rows), options, execution);
}

Selection select(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                 FitReport& report) {
  const auto ranked = pairs_to_keep(sample, options, execution, report);
  const internal::Candidates candidates = candidates_of(ranked.size(), options);
  internal::Choice choice{candidates.n_pairs.front(), candidates.costs.front(), {}};
  if (candidates.n_pairs.size() > 1 || candidates.costs.size() > 1)
    choice = options.engine == Engine::exact
                 ? internal::choose_exact(sample, candidates, options, execution, report)
                 : internal::choose_by_counts(sample, candidates, options, execution, report);
  Selection selection{.C = choice.cost, .tried = std::move(choice.tried)};
  for (std::size_t k = 0; k < choice.n_pairs; ++k) {
    selection.pairs.push_back(ranked[k].place);
    selection.hsic.push_back(ranked[k].hsic);
  }
  return selection;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/ranking.h"

#include <set>

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/dependence/hsic.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// Drops the pairs whose q-value within their class exceeds `fdr`.
void keep_discoveries(std::vector<RankedPair>& ranked, std::size_t n_classes, double fdr) {
  std::vector<std::vector<double>> p_values(n_classes);
  for (const RankedPair& pair : ranked)
    p_values[static_cast<std::size_t>(pair.key.class_code)].push_back(pair.p_value);
  std::vector<std::vector<double>> q_values;
  for (auto& of_class : p_values) q_values.push_back(benjamini_hochberg(std::move(of_class)));
  std::vector<std::size_t> next(n_classes);
  std::vector<RankedPair> kept;
  for (const RankedPair& pair : ranked) {
    const auto c = static_cast<std::size_t>(pair.key.class_code);
    if (q_values[c][next[c]++] <= fdr) kept.push_back(pair);
  }
  ranked = std::move(kept);
}

/// Drops the pairs that a rule other than cross-validation does not keep.
void keep_by_rule(std::vector<RankedPair>& ranked, std::size_t n_classes, const Screened& rule) {
  switch (rule.keep) {
    case PairRule::cv:
    case PairRule::path:
      break;
    case PairRule::fdr:
      keep_discoveries(ranked, n_classes, rule.fdr);
      break;
    case PairRule::count:
      ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(rule.n_pairs)));
      break;
    case PairRule::threshold:
      std::erase_if(ranked, [&](const RankedPair& pair) { return pair.hsic < rule.min_hsic; });
      break;
  }
}

/// The features that pairs may have: those of the pairs given, or all.
std::vector<std::size_t> features_of_pairs(const Structure& structure, std::size_t n_features) {
  if (!structure.pairs) return all_rows(n_features);
  std::set<std::size_t> used;
  for (const FeaturePair& pair : *structure.pairs) used.insert({pair.i, pair.j});
  return {used.begin(), used.end()};
}

}  // namespace

std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const TermOptions& options,
                                   const Execution& execution) {
  const Structure& structure = options.structure;
  const auto features = features_of_pairs(structure, sample.n_features());
  const std::size_t d = features.size();
  std::vector<RankedPair> ranked;
  for (std::size_t c = 0; d > 1 && c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    Matrix rows = rows_of_class(sample, code);
    std::vector<bool> is_category = categorical_features(sample.levels);
    if (d < sample.n_features()) {
      keep_columns(rows, features);
      if (!is_category.empty()) is_category = gather(is_category, features);
    }
    const auto scores = pairwise_hsic(rows, options.engine, options.grid, execution,
                                      weights_of_class(sample, code), is_category);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) {
        if (!structure.allows(features[i], features[j])) continue;
        const Hsic& score = scores[pair_index(i, j, d)];
        ranked.push_back({{code, features[i], features[j]}, score.value, score.p_value});
      }
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedPair::hsic);
  return ranked;
}

std::vector<RankedPair> pairs_to_keep(const LabelledSample& sample, const TermRule& rule,
                                      const TermOptions& options, const Execution& execution,
                                      FitReport& report) {
  if (std::holds_alternative<Univariate>(rule)) return {};
  auto ranked = rank_density_rows(sample, options, execution, report);
  if (const auto* const screened = std::get_if<Screened>(&rule))
    keep_by_rule(ranked, sample.n_classes, *screened);
  return ranked;
}

std::vector<RankedPair> rank_density_rows(const LabelledSample& sample, const TermOptions& options,
                                          const Execution& execution, FitReport& report) {
  const Stopwatch watch(report.screen);
  if (options.feature_mode != FeatureMode::split) return rank_pairs(sample, options, execution);
  return rank_pairs(rows_of(sample, row_split(sample, options).density_rows), options, execution);
}

}  // namespace dyad

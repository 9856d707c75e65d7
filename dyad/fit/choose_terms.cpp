// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/choose_terms.h"

#include <map>
#include <set>
#include <tuple>

#include "dyad/base/stopwatch.h"
#include "dyad/pairs/tree_edges.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// The HSIC of the pairs among some terms, within their classes; 0 for other terms.
std::vector<double> hsic_of(std::span<const TermKey> keys, std::span<const RankedPair> ranked) {
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, double> hsic;
  for (const RankedPair& pair : ranked) hsic[{pair.key.class_code, pair.key.i, pair.key.j}] = pair.hsic;
  std::vector<double> result;
  for (const TermKey& key : keys) result.push_back(key.is_pair() ? hsic[{key.class_code, key.i, key.j}] : 0);
  return result;
}

/// The HSIC of the pairs among some terms, ranked.
std::vector<RankedPair> rank_pairs_among(std::span<const TermKey> keys, const LabelledSample& sample,
                                         TermOptions options, const Execution& execution, FitReport& report) {
  std::set<FeaturePair> pairs;
  for (const TermKey& key : keys)
    if (key.is_pair()) pairs.insert({key.i, key.j});
  options.structure = {.pairs = std::vector<FeaturePair>(pairs.begin(), pairs.end())};
  return rank_density_rows(sample, options, execution, report);
}

ChosenTerms terms_of_path(const LabelledSample& sample, const Recipe& recipe, std::size_t max_pairs,
                          const Execution& execution, FitReport& report) {
  ChosenTerms chosen{.path = find_pairs(sample, max_pairs / sample.n_classes, recipe.terms, recipe.weights,
                                        execution, report)};
  chosen.terms.keys = chosen.path->keys;
  for (const PathStep& step : chosen.path->steps)
    chosen.tried.push_back({step.name, step.C, 0, step.loss, step.share > 0});
  std::ranges::stable_sort(chosen.tried, {}, &Setting::loss);
  chosen.hsic.resize(chosen.terms.keys.size());
  if (std::ranges::none_of(chosen.terms.keys, &TermKey::is_pair)) return chosen;
  // The HSIC of pairs is shown, and has no part in the model.
  const auto& keys = chosen.terms.keys;
  chosen.hsic = hsic_of(keys, rank_pairs_among(keys, sample, recipe.terms, execution, report));
  return chosen;
}

ChosenTerms terms_to_average(const LabelledSample& sample, const Recipe& recipe, const Average& rule,
                             const Execution& execution, FitReport& report) {
  const auto max_pairs = static_cast<std::size_t>(rule.max_pairs);
  if (keeps_by(recipe.term_rule, PairRule::path))
    return terms_of_path(sample, recipe, max_pairs, execution, report);
  const auto ranked = pairs_to_keep(sample, recipe.term_rule, recipe.terms, execution, report);
  ChosenTerms chosen{.terms = nested_terms(sample, ranked, recipe.term_rule, recipe.terms, max_pairs),
                     .C = rule.svm.C};
  chosen.hsic = hsic_of(chosen.terms.keys, ranked);
  return chosen;
}

}  // namespace

Selection select_pairs(const LabelledSample& sample, const Recipe& recipe, const Execution& execution,
                       FitReport& report) {
  if (const auto* const tree = std::get_if<Tree>(&recipe.term_rule)) {
    const Stopwatch watch(report.screen);
    return {.pairs = tree_edges(sample, *tree, recipe.terms, execution)};
  }
  if (recipe.has_likelihoods()) return {};
  SingleFit fit{.terms = recipe.terms, .weights = recipe.weights};
  if (const auto* const single = std::get_if<SingleSvm>(&recipe.weight_rule)) fit.svm = *single;
  return select(sample, recipe.term_rule, fit, execution, report);
}

ChosenTerms choose_terms(const LabelledSample& sample, const Recipe& recipe, double C,
                         const Execution& execution, FitReport& report) {
  if (const auto* const average = std::get_if<Average>(&recipe.weight_rule))
    return terms_to_average(sample, recipe, *average, execution, report);
  Selection selection = select_pairs(sample, recipe, execution, report);
  const auto singles = single_keys(sample, recipe.terms);
  ChosenTerms chosen{.terms = {with_more(singles, selection.pairs), {}},
                     .C = recipe.has_likelihoods() ? C : selection.C,
                     .tried = std::move(selection.tried)};
  chosen.hsic.resize(singles.size());
  chosen.hsic.insert(chosen.hsic.end(), selection.hsic.begin(), selection.hsic.end());
  chosen.hsic.resize(chosen.terms.keys.size());
  return chosen;
}

}  // namespace dyad

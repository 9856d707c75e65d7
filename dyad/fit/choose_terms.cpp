// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/choose_terms.h"

#include <map>
#include <tuple>

#include "dyad/base/stopwatch.h"
#include "dyad/pairs/tree_edges.h"
#include "dyad/terms/term_keys.h"
#include "dyad/weights/pair_path.h"

namespace dyad {
namespace {

/// The terms of one feature, then the pairs that a path keeps, in all classes.
NestedTerms terms_of_path(const LabelledSample& sample, const TermOptions& options, const PairPath& path) {
  NestedTerms terms = nested_terms(sample, {}, Univariate{}, options, 0);
  for (const FeaturePair& pair : path.pairs)
    for (std::size_t c = 0; c < sample.n_classes; ++c)
      terms.keys.push_back({static_cast<std::int32_t>(c), pair.i, pair.j});
  if (!path.pairs.empty())
    terms.sets.push_back({pairs_name(path.pairs.size() * sample.n_classes), terms.keys.size()});
  return terms;
}

ChosenTerms terms_to_average(const LabelledSample& sample, const Recipe& recipe, const Average& rule,
                             const Execution& execution, FitReport& report) {
  const auto ranked = pairs_to_keep(sample, recipe.term_rule, recipe.terms, execution, report);
  const auto max_pairs = static_cast<std::size_t>(rule.max_pairs);
  ChosenTerms chosen{.C = rule.svm.C};
  if (keeps_by(recipe.term_rule, PairRule::path)) {
    const PairPath path = find_pairs(sample, ranked, max_pairs / sample.n_classes, recipe.terms,
                                     recipe.weights, execution, report);
    chosen.terms = terms_of_path(sample, recipe.terms, path);
    for (const PathStep& step : path.steps) chosen.tried.push_back({step.name, step.C, 0, step.loss, false});
  } else {
    chosen.terms = nested_terms(sample, ranked, recipe.term_rule, recipe.terms, max_pairs);
  }
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, double> hsic;
  for (const RankedPair& pair : ranked) hsic[{pair.key.class_code, pair.key.i, pair.key.j}] = pair.hsic;
  for (const TermKey& key : chosen.terms.keys)
    chosen.hsic.push_back(key.is_pair() ? hsic[{key.class_code, key.i, key.j}] : 0);
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

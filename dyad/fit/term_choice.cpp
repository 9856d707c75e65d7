// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/term_choice.h"

#include <map>
#include <tuple>
#include <utility>

#include "dyad/base/stopwatch.h"
#include "dyad/pairs/tree_edges.h"

namespace dyad::internal {
namespace {

ChosenTerms terms_to_average(const LabelledSample& sample, const FitOptions& options,
                             const Execution& execution, FitReport& report) {
  const auto ranked = pairs_to_keep(sample, options, execution, report);
  ChosenTerms chosen{.terms = nested_terms(sample, ranked, options), .C = options.svm.C};
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, double> hsic;
  for (const RankedPair& pair : ranked) hsic[{pair.place.class_code, pair.place.i, pair.place.j}] = pair.hsic;
  for (const TermKey& place : chosen.terms.places)
    chosen.hsic.push_back(place.is_pair() ? hsic[{place.class_code, place.i, place.j}] : 0);
  return chosen;
}

}  // namespace

std::vector<TermKey> with_pairs(std::vector<TermKey> places, std::span<const TermKey> pairs) {
  places.insert(places.end(), pairs.begin(), pairs.end());
  return places;
}

Selection select_terms(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                       FitReport& report) {
  if (!is_generative(options.method)) return select(sample, options, execution, report);
  Selection selection{.C = options.svm.C};
  const Stopwatch watch(report.screen);
  if (options.method != Method::nb) selection.pairs = tree_edges(sample, options, execution);
  return selection;
}

ChosenTerms choose_terms(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                         FitReport& report) {
  if (averages(options)) return terms_to_average(sample, options, execution, report);
  Selection selection = select_terms(sample, options, execution, report);
  const auto singles = is_generative(options.method) ? univariate_keys(sample.n_classes, sample.n_features())
                                                     : single_keys(sample, options);
  ChosenTerms chosen{.terms = {with_pairs(singles, selection.pairs), {}},
                     .C = selection.C,
                     .tried = std::move(selection.tried)};
  chosen.hsic.resize(singles.size());
  chosen.hsic.insert(chosen.hsic.end(), selection.hsic.begin(), selection.hsic.end());
  chosen.hsic.resize(chosen.terms.places.size());
  return chosen;
}

}  // namespace dyad::internal

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/nested_terms.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dyad {
namespace {

constexpr std::array<double, 3> pair_shares{0.1, 0.3, 1};

/// Of each class the first pairs, in their order, without those of a feature that has one value only.
std::vector<std::vector<TermKey>> pairs_by_class(std::span<const RankedPair> ranked,
                                                 const LabelledSample& sample, std::size_t most) {
  std::vector<bool> varies;
  for (std::size_t j = 0; j < sample.n_features(); ++j) varies.push_back(!is_constant(sample, j));
  std::vector<std::vector<TermKey>> result(sample.n_classes);
  for (const auto& [place, hsic, p_value] : ranked)
    if (auto& own = result[static_cast<std::size_t>(place.class_code)];
        own.size() < most && varies[place.i] && varies[place.j])
      own.push_back(place);
  return result;
}

}  // namespace

std::size_t NestedTerms::first_univariate() const {
  return static_cast<std::size_t>(std::ranges::find(places, false, &TermKey::is_linear) - places.begin());
}

NestedTerms nested_terms(const LabelledSample& sample, std::span<const RankedPair> ranked,
                         const FitOptions& options) {
  NestedTerms terms;
  const std::size_t d = sample.n_features();
  const auto end_set = [&](const std::string& name) { terms.sets.push_back({name, terms.places.size()}); };
  if (options.linear_terms) {
    for (std::size_t j = 0; j < d; ++j)
      if (!sample.is_categorical(j)) terms.places.push_back({no_class, j, j});
    if (!terms.places.empty()) end_set("linear");
  }
  const auto univariate = univariate_keys(sample.n_classes, d);
  terms.places.insert(terms.places.end(), univariate.begin(), univariate.end());
  end_set(pairs_name(0));

  const bool given = options.method == Method::slb && options.pairs != PairRule::cv;
  const std::size_t most =
      given ? ranked.size() : static_cast<std::size_t>(options.max_pairs) / sample.n_classes;
  const auto by_class = pairs_by_class(ranked, sample, most);
  std::size_t longest = 0;
  for (const auto& pairs : by_class) longest = std::max(longest, pairs.size());
  const std::size_t first_pair = terms.places.size();
  std::size_t next = 0;
  for (const double share : pair_shares) {
    const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(longest)));
    for (; next < count; ++next)
      for (const auto& pairs : by_class)
        if (next < pairs.size()) terms.places.push_back(pairs[next]);
    if (terms.places.size() > terms.sets.back().n_terms)
      end_set(pairs_name(terms.places.size() - first_pair));
  }
  if (given || options.method == Method::slb_minus)
    terms.sets.erase(terms.sets.begin(), terms.sets.end() - 1);
  return terms;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/nested_terms.h"

#include "dyad/model/model.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

constexpr std::array<double, 3> pair_shares{0.1, 0.3, 1};

/// The first pairs of each class, in their order, without those of a constant feature.
std::vector<std::vector<TermKey>> pairs_by_class(std::span<const RankedPair> ranked,
                                                 const LabelledSample& sample, std::size_t most) {
  std::vector<bool> varies;
  for (std::size_t j = 0; j < sample.n_features(); ++j) varies.push_back(!is_constant(sample, j));
  std::vector<std::vector<TermKey>> result(sample.n_classes);
  for (const auto& [key, hsic, p_value] : ranked)
    if (auto& own = result[static_cast<std::size_t>(key.class_code)];
        own.size() < most && varies[key.i] && varies[key.j])
      own.push_back(key);
  return result;
}

}  // namespace

std::size_t NestedTerms::first_univariate() const { return linear_count(keys); }

NestedTerms nested_terms(const LabelledSample& sample, std::span<const RankedPair> ranked,
                         const TermRule& rule, const TermOptions& options, std::size_t max_pairs) {
  NestedTerms terms{.keys = single_keys(sample, options)};
  const auto end_set = [&](const std::string& name) { terms.sets.push_back({name, terms.keys.size()}); };
  if (const std::size_t n_linear = terms.first_univariate(); n_linear > 0)
    terms.sets.push_back({"linear", n_linear});
  end_set(pairs_name(0));

  const bool takes_all = std::holds_alternative<Screened>(rule) && !chooses_pairs(rule);
  const std::size_t most = takes_all ? ranked.size() : max_pairs / sample.n_classes;
  const auto by_class = pairs_by_class(ranked, sample, most);
  std::size_t longest = 0;
  for (const auto& pairs : by_class) longest = std::max(longest, pairs.size());
  const std::size_t first_pair = terms.keys.size();
  std::size_t next = 0;
  for (const double share : pair_shares) {
    const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(longest)));
    for (; next < count; ++next)
      for (const auto& pairs : by_class)
        if (next < pairs.size()) terms.keys.push_back(pairs[next]);
    if (terms.keys.size() > terms.sets.back().n_terms) end_set(pairs_name(terms.keys.size() - first_pair));
  }
  if (takes_all || std::holds_alternative<AllPairs>(rule))
    terms.sets.erase(terms.sets.begin(), terms.sets.end() - 1);
  return terms;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/kept_effects.h"

#include "dyad/base/gather.h"
#include "dyad/explanation/purified_effects.h"

namespace dyad {
namespace {

/// New numbers of features and terms.
class Renumbering {
 public:
  Renumbering(const PreparedTable& table, const KeptEffects& effects) : effects_(effects) {
    for (std::size_t k = 0; k < table.kept.size(); ++k)
      if (std::ranges::binary_search(effects.features, table.kept[k])) columns_.push_back(k);
    table_numbers_ = table.kept;
  }

  /// The numbers that the kept features had, ascending.
  [[nodiscard]] const std::vector<std::size_t>& columns() const { return columns_; }

  [[nodiscard]] bool keeps(std::size_t i, std::size_t j) const {
    const std::size_t a = table_numbers_[i];
    const std::size_t b = table_numbers_[j];
    return i == j ? std::ranges::binary_search(effects_.features, a) : effects_.pairs.contains({a, b});
  }

  /// The new number of a kept feature.
  [[nodiscard]] std::size_t operator()(std::size_t feature) const { return place_in(columns_, feature); }

  [[nodiscard]] TermKey renumbered(TermKey key) const {
    key.i = (*this)(key.i);
    key.j = (*this)(key.j);
    return key;
  }

 private:
  const KeptEffects& effects_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> table_numbers_;
};

/// Members with the kept pairs; `terms` are the numbers that the kept terms had, ascending.
PairPath restricted_path(PairPath path, const Renumbering& renumbering, std::span<const std::size_t> terms,
                         std::span<const TermKey> keys) {
  path.keys.assign(keys.begin(), keys.end());
  for (PathMember& member : path.members) {
    std::vector<std::size_t> pairs;
    for (const std::size_t t : member.pairs)
      if (std::ranges::binary_search(terms, t)) pairs.push_back(place_in(terms, t));
    member.pairs = std::move(pairs);
  }
  for (TableMember& member : path.tables) {
    std::erase_if(member.pairs, [&](const FeaturePair& pair) { return !renumbering.keeps(pair.i, pair.j); });
    for (FeaturePair& pair : member.pairs) pair = {renumbering(pair.i), renumbering(pair.j)};
  }
  return path;
}

ChosenTerms restricted_terms(const ChosenTerms& chosen, const Renumbering& renumbering) {
  const auto& keys = chosen.terms.keys;
  const auto terms =
      rows_where(keys.size(), [&](std::size_t t) { return renumbering.keeps(keys[t].i, keys[t].j); });
  ChosenTerms result{.hsic = gather(chosen.hsic, terms), .C = chosen.C, .tried = chosen.tried};
  for (const std::size_t t : terms) result.terms.keys.push_back(renumbering.renumbered(keys[t]));
  for (const NestedTerms::Set& set : chosen.terms.sets) {
    const std::size_t n_terms = place_in(terms, set.n_terms);
    const std::size_t before = result.terms.sets.empty() ? 0 : result.terms.sets.back().n_terms;
    if (n_terms > before) result.terms.sets.push_back({set.name, n_terms});
  }
  if (chosen.path) result.path = restricted_path(*chosen.path, renumbering, terms, result.terms.keys);
  return result;
}

/// A sample with the given columns alone.
LabelledSample columns_of(const LabelledSample& sample, std::span<const std::size_t> columns) {
  LabelledSample result = sample;
  keep_columns(result.X, columns);
  if (!result.levels.empty()) result.levels = gather(result.levels, columns);
  return result;
}

}  // namespace

KeptEffects largest_effects(const Model& model, std::size_t most, const Execution& execution) {
  const PurifiedEffects purified = purified_effects(model, execution);
  std::set<std::size_t> features;
  KeptEffects kept;
  for (const std::size_t e : largest_columns(purified.sizes)) {
    const Effect& effect = purified.effects[e];
    std::set<std::size_t> with = features;
    with.insert({effect.i, effect.j});
    if (with.size() + kept.pairs.size() + (effect.is_pair() ? 1 : 0) > most) continue;
    features = std::move(with);
    if (effect.is_pair()) kept.pairs.insert({effect.i, effect.j});
  }
  kept.features.assign(features.begin(), features.end());
  kept.are_all = features.size() + kept.pairs.size() == purified.effects.size();
  return kept;
}

std::unique_ptr<RestrictedTable> restricted(const PreparedTable& table, const ChosenTerms& chosen,
                                            const RowSource& rows, const KeptEffects& effects) {
  const Renumbering renumbering(table, effects);
  const std::vector<std::size_t>& columns = renumbering.columns();
  auto result = std::make_unique<RestrictedTable>();
  result->table = {columns_of(table.sample, columns), table.encoding, gather(table.kept, columns),
                   table.stats};
  TableStats& stats = result->table.stats;
  stats.axes = gather(stats.axes, columns);
  stats.level_priors = gather(stats.level_priors, columns);
  for (auto& of_class : stats.scalings) of_class = gather(of_class, columns);
  for (std::size_t k = 0; k < table.stats.counts.size(); ++k)
    if (const TermKey& key = table.stats.keys[k]; renumbering.keeps(key.i, key.j)) {
      result->keys.push_back(renumbering.renumbered(key));
      result->counts.push_back(table.stats.counts[k]);
    }
  stats.keys = result->keys;
  stats.counts = result->counts;
  result->chosen = restricted_terms(chosen, renumbering);
  result->rows = rows;
  if (rows.visit)
    result->rows.visit = [&rows, columns](const auto& use) {
      rows.visit([&](const LabelledSample& some) { use(columns_of(some, columns)); });
    };
  return result;
}

}  // namespace dyad

// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/term_densities.h"

#include "dyad/terms/term_context.h"
#include "dyad/terms/term_keys.h"

namespace dyad {

BinnedTerm bin_term(const TermContext& context, const TermKey& key) {
  if (!context.is_plain(key)) return bin_levels(context, key);
  return bin_rows(context, key, context.rows_of_term(key));
}

bool has_rows(const BinnedTerm& term) {
  if (const auto* const numbers = std::get_if<Binned>(&term)) return has_rows(*numbers);
  const auto& levels = std::get<BinnedLevels>(term);
  return std::ranges::all_of(levels.parts, [](const auto& part) { return has_rows(part.binned); });
}

FittedTerm fit_term(const TermContext& context, const TermKey& key) {
  const TableStats& stats = context.stats;
  if (stats.counts.empty()) return smooth_term(bin_term(context, key), context, key);
  const auto at = std::ranges::find(stats.keys, key) - stats.keys.begin();
  return smooth_term(stats.counts[static_cast<std::size_t>(at)], context, key);
}

FittedTerm smooth_term(const BinnedTerm& binned, const TermContext& context, const TermKey& key) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned)) return smooth_levels(*levels, context, key);
  return smoothed(std::get<Binned>(binned));
}

FittedTerm smooth_term_without(const BinnedTerm& binned, const TermContext& context, const TermKey& key,
                               std::span<const std::size_t> left_out) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned))
    return smooth_levels(*levels, context, key, left_out);
  return smooth_without(std::get<Binned>(binned), context.rows_of_term(key), left_out);
}

Term make_term(const TermContext& context, const TermKey& key, const FittedTerm& fitted) {
  Term term{key};
  term.floor = floor_of(key, context.options, context.log_spread);
  if (const auto* levels = std::get_if<FittedLevels>(&fitted)) {
    term.density = levels->grid;
    term.n_rows = levels->n_rows;
    return term;
  }
  const auto& plain = std::get<FittedNumbers>(fitted);
  term.density = std::visit([](const auto& kind) { return Density(kind.grid); }, plain);
  term.n_rows = row_count(plain);
  term.prior_rows = context.options.prior_rows;
  return term;
}

}  // namespace dyad

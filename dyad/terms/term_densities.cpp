// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/term_densities.h"

#include <algorithm>

#include "dyad/terms/table_stats.h"

namespace dyad::internal {

BinnedTerm bin_term(const TermContext& context, const TermKey& place) {
  if (!context.is_plain(place)) return bin_levels(context, place);
  return bin_rows(context, place, rows_of_term(context, place));
}

bool has_rows(const BinnedTerm& term) {
  if (const auto* const numbers = std::get_if<Binned>(&term)) return has_rows(*numbers);
  const auto& levels = std::get<BinnedLevels>(term);
  return std::ranges::all_of(levels.parts, [](const auto& part) { return has_rows(part->binned); });
}

FittedTerm fit_term(const TermContext& context, const TermKey& place) {
  if (context.more == nullptr || context.more->counts.empty())
    return smooth_term(bin_term(context, place), context, place);
  const auto at = std::ranges::find(context.more->places, place) - context.more->places.begin();
  return smooth_term(context.more->counts[static_cast<std::size_t>(at)], context, place);
}

FittedTerm smooth_term(const BinnedTerm& binned, const TermContext& context, const TermKey& place) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned)) return smooth_levels(*levels, context, place);
  return smooth_rows(std::get<Binned>(binned));
}

FittedTerm smooth_term_without(const BinnedTerm& binned, const TermContext& context, const TermKey& place,
                               std::span<const std::size_t> left_out) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned))
    return smooth_levels(*levels, context, place, left_out);
  return smooth_without(std::get<Binned>(binned), rows_of_term(context, place), left_out);
}

Term make_term(const TermContext& context, const TermKey& place, const FittedTerm& fitted) {
  Term term{.class_code = place.class_code, .i = place.i, .j = place.j, .floor = floor_of(context, place)};
  if (const auto* levels = std::get_if<FittedLevels>(&fitted)) {
    term.density = levels->grid;
    term.n_rows = levels->n_rows;
    return term;
  }
  const auto& plain = std::get<FittedGrid>(fitted);
  term.density = std::visit([](const auto& of) { return Density(of.grid); }, plain);
  term.n_rows = row_count(plain);
  term.prior_rows = context.options.prior_rows;
  return term;
}

}  // namespace dyad::internal

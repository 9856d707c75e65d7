// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/internal/term_densities.h"

#include <algorithm>

#include "dyad/model/internal/more_rows.h"

namespace dyad::internal {

BinnedTerm bin_term(const Ground& ground, const TermPlace& place) {
  if (!ground.is_plain(place)) return bin_levels(ground, place);
  return bin_rows(ground, place, rows_of_term(ground, place));
}

bool has_rows(const BinnedTerm& term) {
  if (const auto* const numbers = std::get_if<Binned>(&term)) return has_rows(*numbers);
  const auto& levels = std::get<BinnedLevels>(term);
  return std::ranges::all_of(levels.parts, [](const auto& part) { return has_rows(part->binned); });
}

FittedTerm fit_term(const Ground& ground, const TermPlace& place) {
  if (ground.more == nullptr || ground.more->counts.empty())
    return smooth_term(bin_term(ground, place), ground, place);
  const auto at = std::ranges::find(ground.more->places, place) - ground.more->places.begin();
  return smooth_term(ground.more->counts[static_cast<std::size_t>(at)], ground, place);
}

FittedTerm smooth_term(const BinnedTerm& binned, const Ground& ground, const TermPlace& place) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned)) return smooth_levels(*levels, ground, place);
  return smooth_rows(std::get<Binned>(binned));
}

FittedTerm smooth_term_without(const BinnedTerm& binned, const Ground& ground, const TermPlace& place,
                               std::span<const std::size_t> left_out) {
  if (const auto* levels = std::get_if<BinnedLevels>(&binned))
    return smooth_levels(*levels, ground, place, left_out);
  return smooth_without(std::get<Binned>(binned), rows_of_term(ground, place), left_out);
}

Term make_term(const Ground& ground, const TermPlace& place, const FittedTerm& fitted) {
  Term term{.class_code = place.class_code, .i = place.i, .j = place.j, .floor = floor_of(ground, place)};
  if (const auto* levels = std::get_if<FittedLevels>(&fitted)) {
    term.density = levels->grid;
    term.n_rows = levels->n_rows;
    return term;
  }
  const auto& plain = std::get<FittedGrid>(fitted);
  term.density = std::visit([](const auto& of) { return Density(of.grid); }, plain);
  term.n_rows = rows_behind(plain);
  term.prior_rows = ground.options.prior_rows;
  return term;
}

}  // namespace dyad::internal

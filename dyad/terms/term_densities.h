// Density of a term over numbers, categories, or numbers with gaps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/terms/level_terms.h"
#include "dyad/terms/number_terms.h"

namespace dyad {

using BinnedTerm = std::variant<Binned, BinnedLevels>;
using FittedTerm = std::variant<FittedNumbers, FittedLevels>;

[[nodiscard]] BinnedTerm bin_term(const TermContext& context, const TermKey& key);

/// True if all densities of a term have rows.
[[nodiscard]] bool has_rows(const BinnedTerm& term);

/// The density of a term: smoothed counts of the sample's rows, or of the table's if those have been counted.
[[nodiscard]] FittedTerm fit_term(const TermContext& context, const TermKey& key);

[[nodiscard]] FittedTerm smooth_term(const BinnedTerm& binned, const TermContext& context,
                                     const TermKey& key);

/// The density without the rows at `left_out` (ascending places in ScaledClass::rows), by subtraction.
[[nodiscard]] FittedTerm smooth_term_without(const BinnedTerm& binned, const TermContext& context,
                                             const TermKey& key, std::span<const std::size_t> left_out);

[[nodiscard]] Term make_term(const TermContext& context, const TermKey& key, const FittedTerm& fitted);

}  // namespace dyad

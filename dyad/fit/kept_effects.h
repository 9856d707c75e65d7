// Models with few effects: a fit restricted to the largest features and pairs of another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>

#include "dyad/fit/choose_terms.h"
#include "dyad/fit/weigh.h"

namespace dyad {

/// Features and pairs that a model may have.
struct KeptEffects {
  std::vector<std::size_t> features;                    ///< ascending
  std::set<std::pair<std::size_t, std::size_t>> pairs;  ///< i < j, both among the features
  bool are_all = false;                                 ///< whether no effect is left out
};

/// The largest purified effects of a model, `most` of them at most.
///
/// Effects are taken by their mean size over the training rows, largest first; a pair counts with those of
/// its features that are not taken yet, and is left out if there is no room for all.
[[nodiscard]] KeptEffects largest_effects(const Model& model, std::size_t most, const Execution& execution);

/// A table and the terms chosen for it, with some features and pairs alone, which are numbered anew.
struct RestrictedTable {
  PreparedTable table;  ///< its statistics refer to `keys` and `counts`
  std::vector<TermKey> keys;
  std::vector<BinnedTerm> counts;
  ChosenTerms chosen;
  RowSource rows;
};

/// Restricts a prepared table to effects of a model of it. `rows` must outlive the result.
[[nodiscard]] std::unique_ptr<RestrictedTable> restricted(const PreparedTable& table,
                                                          const ChosenTerms& chosen, const RowSource& rows,
                                                          const KeptEffects& effects);

}  // namespace dyad

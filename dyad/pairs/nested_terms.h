// The sets of terms that averaging chooses from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/labelled_sample.h"
#include "dyad/pairs/ranking.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/options.h"

namespace dyad {

/// Terms in such an order that each set is a leading part.
struct NestedTerms {
  struct Set {
    std::string name;
    std::size_t n_terms = 0;
  };
  std::vector<TermKey> keys;
  std::vector<Set> sets;  ///< ascending

  /// Number of the first term log p_y(x_i). They follow class by class, features in order.
  [[nodiscard]] std::size_t first_univariate() const;
};

/// Sets of terms: linear terms if options.linear_terms; all terms of one feature; then 10, 30 and 100 % of
/// each class's pairs.
///
/// `ranked` holds the pairs of all classes, largest HSIC first. Pairs of a constant feature are left out, and
/// at most `max_pairs` are taken, the same number of each class. If the rule
/// itself decides which pairs to keep, all of `ranked` are taken and there is one set.
[[nodiscard]] NestedTerms nested_terms(const LabelledSample& sample, std::span<const RankedPair> ranked,
                                       const TermRule& rule, const TermOptions& options,
                                       std::size_t max_pairs);

}  // namespace dyad

// The sets of terms that averaging chooses from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/exact_terms.h"

namespace dyad {

/// Terms in such an order that each set is a leading part.
struct NestedTerms {
  struct Set {
    std::string name;
    std::size_t n_terms = 0;
  };
  std::vector<TermKey> places;
  std::vector<Set> sets;  ///< ascending

  /// Where the terms log p_y(x_i) begin: class by class, features in order.
  [[nodiscard]] std::size_t first_univariate() const;
};

/// The features that are numbers themselves if options.linear_terms; with all densities of one feature; with those and the first 10, 30 and 100 percent of
/// each class's pairs. `ranked` holds the pairs of all classes, most important first; those of a constant feature are left out, and no more
/// than options.max_pairs are taken, the same number of each class. Where the options say which pairs to keep, all are taken, and the last
/// of these sets is the only one; so for SLB-.
[[nodiscard]] NestedTerms nested_terms(const LabelledSample& sample, std::span<const RankedPair> ranked,
                                       const FitOptions& options);

}  // namespace dyad

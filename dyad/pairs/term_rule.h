// Which terms a method has: the first half of a recipe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <variant>

#include "dyad/base/options.h"

namespace dyad {

/// Which of the pairs ranked by HSIC are kept.
enum class PairRule {
  cv,         ///< a share that inner cross-validation chooses, or several that averages are made of
  fdr,        ///< those with a q-value of at most `fdr`
  count,      ///< the `n_pairs` of largest HSIC
  threshold,  ///< those whose HSIC is at least `min_hsic`
  path        ///< the few that add something to averages: a path of growing sets (weights/pair_path.h)
};
inline constexpr Names<5> pair_rule_names{"cv", "fdr", "count", "threshold", "path"};

/// Terms of one feature alone (LU, NB).
struct Univariate {};

/// All pairs (SLB-).
struct AllPairs {};

/// The pairs of largest HSIC in each class (SLB).
struct Screened {
  PairRule keep = PairRule::cv;
  double fdr = 0.05;
  std::int64_t n_pairs = 10;
  double min_hsic = 0.01;
};

/// The edges of each class's maximum spanning tree of mutual information (TAN).
struct Tree {
  bool drops_weak_edges = false;  ///< TAN forest: edges of corrected information at most n^-beta go
  double beta = 0.5;
};

using TermRule = std::variant<Univariate, AllPairs, Screened, Tree>;

[[nodiscard]] inline bool keeps_by(const TermRule& rule, PairRule keep) {
  const auto* const screened = std::get_if<Screened>(&rule);
  return screened != nullptr && screened->keep == keep;
}

/// True if cross-validation or averages choose among the ranked pairs.
[[nodiscard]] inline bool chooses_pairs(const TermRule& rule) { return keeps_by(rule, PairRule::cv); }

}  // namespace dyad

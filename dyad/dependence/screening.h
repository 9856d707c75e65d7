// Step 1 of the method: which pairs of features depend on each other, class by class (paper, algorithm 1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dyad/base/engine.h"
#include "dyad/base/execution.h"
#include "dyad/base/options.h"
#include "dyad/data/table.h"

namespace dyad {

enum class PValueMethod { gamma, permutation };
inline constexpr Names<2> p_value_method_names{"gamma", "permutation"};

struct ScreenOptions {
  Engine engine = Engine::exact;
  double fdr = 0.05;
  double min_hsic = 0;
  PValueMethod p_value = PValueMethod::gamma;
  int permutations = 1000;
  std::uint64_t seed = 1;

  static void describe(auto& o, auto&& field) {
    field("engine", o.engine, engine_names, "how sums over rows are computed");
    field("fdr", o.fdr, fraction, "keep pairs with a q-value of at most this (false discovery rate)");
    field("min_hsic", o.min_hsic, non_negative, "keep only pairs whose HSIC is at least this");
    field("p_value", o.p_value, p_value_method_names, "how p-values are computed");
    field("permutations", o.permutations, at_least_one, "how often each pair is permuted");
    field("seed", o.seed, Interval{0, 0x1p53}, "of the permutations");
  }
};

/// One pair of features within one class.
struct ScreenedPair {
  std::size_t i = 0;  ///< i < j
  std::size_t j = 0;
  double hsic = 0;
  double p_value = 1;
  double q_value = 1;  ///< over all pairs of the class
  bool kept = false;
};

struct ScreenedClass {
  std::string label;
  std::size_t n_rows = 0;
  std::vector<ScreenedPair> pairs;  ///< all pairs, in the order of `pair_index`
};

/// Scores every pair of features in every class, on the values as they are. O(n^2 d^2) per class of n rows.
/// Throws std::invalid_argument if an option is out of range, a column is categorical or has a missing value,
/// the table has fewer than two classes, fewer than two features, or row weights.
[[nodiscard]] std::vector<ScreenedClass> screen_pairs(const Table& table, const ScreenOptions& options,
                                                      const Execution& execution = {});

}  // namespace dyad

// Step 1 of the method: which pairs of features depend on each other, class by class (paper, algorithm 1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/engine.h"
#include "dyad/base/execution.h"
#include "dyad/base/options.h"
#include "dyad/data/table.h"
#include "dyad/dependence/hsic.h"

namespace dyad {

enum class PValueMethod {
  gamma,       ///< the gamma approximation
  permutation  ///< with either engine of the exact HSIC; at most `most_permutation_rows` rows a class
};
inline constexpr Names<2> p_value_method_names{"gamma", "permutation"};

struct ScreenOptions {
  Engine engine = Engine::counts;
  int grid = 128;
  double fdr = 0.05;
  double min_hsic = 0;
  PValueMethod p_value = PValueMethod::gamma;
  int permutations = 1000;
  std::uint64_t seed = 1;

  static void describe(auto& o, auto&& field) {
    field("engine", o.engine, engine_names, engine_help);
    field("grid", o.grid, grid_range, grid_help);
    field("fdr", o.fdr, fraction, fdr_help);
    field("min_hsic", o.min_hsic, non_negative, min_hsic_help);
    field("p_value", o.p_value, p_value_method_names,
          "p-values by a gamma approximation, or by permutations");
    field("permutations", o.permutations, at_least_one,
          "number of permutations of each pair, with --p-value permutation");
    field("seed", o.seed, Interval{0, 0x1p53}, "seed of the permutations");
  }
};

/// Levels of a category that are told apart; the rarest of more are one.
[[nodiscard]] std::size_t most_screened_levels(const ScreenOptions& options);

/// One pair of features within one class.
struct ScreenedPair {
  std::size_t i = 0;  ///< i < j
  std::size_t j = 0;
  double hsic = 0;
  double p_value = 1;
  double q_value = 1;
  bool kept = false;
};

/// All pairs of one class, in the order of `pair_index`: what is held are the 24 bytes a pair that position
/// does not give.
struct ScreenedClass {
  std::string label;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::vector<Hsic> scores;
  std::vector<double> q_values;  ///< over all pairs of the class
  std::vector<bool> kept;

  [[nodiscard]] ScreenedPair pair(std::size_t k) const;
};

/// Scores every pair of features within class `code`, on the values as they are. O(n d^2) time for n rows of
/// the class with the counts engine, O(n^2 d^2) with the exact one; d^2 / 2 times 30 bytes. Throws
/// std::invalid_argument, whichever the class, if an option is out of range, a column is categorical or has a
/// missing value and the engine is exact or p-values are by permutation, the table has fewer than two
/// classes, fewer than two features, more than 2^32 pairs or row weights, or a class has too many rows to be
/// permuted.
[[nodiscard]] ScreenedClass screen_class(const Table& table, std::size_t code, const ScreenOptions& options,
                                         const Execution& execution = {});

/// The same of every class at once: for tables whose pairs fit into memory as often as there are classes.
[[nodiscard]] std::vector<ScreenedClass> screen_pairs(const Table& table, const ScreenOptions& options,
                                                      const Execution& execution = {});

/// Positions of the `count` pairs of largest HSIC (of all, if there are fewer), the largest first, equal ones
/// by position.
[[nodiscard]] std::vector<std::uint32_t> strongest_pairs(const ScreenedClass& screened, std::size_t count,
                                                         const Execution& execution = {});

}  // namespace dyad

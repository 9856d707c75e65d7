// What a model says of single features and of pairs: its terms by their features, and how much they matter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/model/model.h"

namespace dyad {

struct PurifiedEffects;

/// The terms with just these features, of all classes.
struct Effect {
  std::size_t i = 0;
  std::size_t j = 0;  ///< i <= j
  std::vector<std::size_t> terms;

  [[nodiscard]] bool is_pair() const { return i != j; }
  bool operator==(const Effect&) const = default;
};

/// Those of single features, ascending, then those of pairs, ascending.
[[nodiscard]] std::vector<Effect> effects_of(const Model& model);

/// Mean over rows of an absolute contribution to a score, with a 95 % interval for the rows that it is a mean
/// of.
struct Importance {
  double mean = 0;
  double low = 0;
  double high = 0;

  bool operator==(const Importance&) const = default;
};

/// By score, then term, effect or feature.
struct Importances {
  using ByScore = std::vector<std::vector<Importance>>;
  ByScore terms;
  ByScore effects;     ///< in the order of `PurifiedEffects`
  ByScore features;    ///< of the sum of all effects with the feature, those of pairs included
  std::size_t n_rows;  ///< that were taken
};

/// Rows that importances are means of, at most.
inline constexpr std::size_t most_importance_rows = 20000;

/// Importances over rows of X (as for `scores`), drawn at random by `seed` if there are more than
/// `most_rows`. The interval has the quantiles at 0.025 and 0.975 of 200 bootstrap means, groups of rows (50,
/// if there are as many) taken with replacement. Throws std::invalid_argument if X has no row.
[[nodiscard]] Importances importances(const Model& model, const MatrixView& X,
                                      std::size_t most_rows = most_importance_rows, std::uint64_t seed = 1,
                                      const Execution& execution = {});

/// Importances by effects that have been purified before.
[[nodiscard]] Importances importances(const Model& model, const PurifiedEffects& purified,
                                      const MatrixView& X, std::size_t most_rows = most_importance_rows,
                                      std::uint64_t seed = 1, const Execution& execution = {});

/// Parts of one score of rows by feature, n x n_features, by the terms' `values`, n x n_terms.
///
/// A feature has the contributions of its own terms and half of those of its pairs. O(n) a term with a
/// weight.
[[nodiscard]] Matrix feature_parts(const Model& model, const MatrixView& values, std::size_t score);

/// The one with the largest importance first, whichever the score; equal ones in their order.
[[nodiscard]] std::vector<std::size_t> by_importance(const Importances::ByScore& importances);

/// Columns by their largest absolute entry, largest first; equal ones in their order.
[[nodiscard]] std::vector<std::size_t> largest_columns(const Matrix& values);

}  // namespace dyad

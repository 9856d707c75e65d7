// A term of a model: a log density of one or two features within a class, a feature itself, or a free table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"
#include "dyad/density/level_density.h"
#include "dyad/model/free_table.h"

namespace dyad {

/// Class of a term that belongs to none.
inline constexpr std::int32_t no_class = -1;

/// Names the term log p_y(x_i, x_j), or log p_y(x_i) where i = j, or x_i where the class is no_class; or the
/// table of these features in the score of the class, of two classes that of the second.
struct TermKey {
  std::int32_t class_code = 0;
  std::size_t i = 0;
  std::size_t j = 0;  ///< i <= j
  bool is_table = false;

  bool operator==(const TermKey&) const = default;
  [[nodiscard]] bool is_pair() const { return i != j; }
  [[nodiscard]] bool is_linear() const { return class_code == no_class; }
  [[nodiscard]] bool is_density() const { return !is_linear() && !is_table; }
};

/// The kind of a term by its name.
[[nodiscard]] inline std::string_view kind_of(const TermKey& key) {
  return key.is_linear() ? "linear" : key.is_table ? "table" : "density";
}

/// The feature itself in place of a log density.
struct Linear {
  bool operator==(const Linear&) const = default;
};

using Density = std::variant<Kde1d, Kde2d, Grid1d, Grid2d, Linear, LevelDensity, FreeTable>;

/// log p_y(x_i, x_j), or log p_y(x_i) where i = j, floored; or x_i; or the value of the cell of x_i and x_j.
/// All in the coordinates of the model.
struct Term : TermKey {
  Density density;
  double floor = 0;       ///< smallest value
  double centre = 0;      ///< subtracted from the value before weighting
  double n_rows = 0;      ///< that the density is made of, by weight
  double prior_rows = 0;  ///< pseudo-observations mixed in
  double typical = 0;     ///< mean value of rows of the class
  double spread = 0;      ///< standard deviation of those; 0 where it is not known
};

/// weight (value - centre), limited to +-1e200, so that scores are finite however far away a value is.
[[nodiscard]] inline double contribution(double weight, double value, double centre) {
  constexpr double farthest = std::numeric_limits<double>::max();
  constexpr double most = 1e200;
  return std::clamp(weight * std::clamp(value - centre, -farthest, farthest), -most, most) + 0.0;  // never -0
}

/// The term x_i.
[[nodiscard]] Term linear_term(std::size_t i);

/// A free table of the features of `key` in the score of its class.
[[nodiscard]] Term table_term(TermKey key, FreeTable table);

/// Values of `term`, one of `terms`, for the rows of X, which are in the model's coordinates.
///
/// A value that was never met in training puts the term at its centre; a pair then follows its other feature.
void evaluate(std::span<const Term> terms, const Term& term, const MatrixView& X, std::span<double> out);

/// Values of a term for the rows of X, NaN where a value was never met in training.
void evaluate_met(const Term& term, const MatrixView& X, std::span<double> out);

/// value_t of every row of X, which has the model's features, in its coordinates, as columns: n x n_terms.
/// NaN is as for `scores`.
[[nodiscard]] Matrix term_values(std::span<const Term> terms, const MatrixView& X,
                                 const Execution& execution = {});

}  // namespace dyad

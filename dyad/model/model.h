// The model: a linear function of log densities, whatever the method that chose its terms and weights (paper, lemma 1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/coordinate.h"
#include "dyad/data/levels.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"
#include "dyad/density/level_density.h"
#include "dyad/linear/calibration.h"
#include "dyad/model/fit_options.h"

namespace dyad {

/// The feature itself in place of a log density.
struct Linear {
  bool operator==(const Linear&) const = default;
};

using Density = std::variant<Kde1d, Kde2d, Grid1d, Grid2d, Linear, LevelDensity>;

/// Class of a term that belongs to none.
inline constexpr std::int32_t no_class = -1;

/// log p_y(x_i, x_j), or log p_y(x_i) where i = j, floored; or x_i. All in the coordinates of the model.
struct Term {
  std::int32_t class_code = 0;  ///< y; no_class for x_i
  std::size_t i = 0;
  std::size_t j = 0;  ///< i <= j
  Density density;
  double floor = 0;       ///< smallest value
  double centre = 0;      ///< subtracted from the value before weighting
  double n_rows = 0;      ///< that the density is made of, by weight
  double prior_rows = 0;  ///< pseudo-observations mixed in
  double typical = 0;     ///< mean value of rows of the class
  double spread = 0;      ///< standard deviation of those; 0 where it is not known

  [[nodiscard]] bool is_pair() const { return i != j; }
  [[nodiscard]] bool is_linear() const { return class_code == no_class; }
};

/// weight (value - centre), limited to +-1e200, so that scores are finite however far away a value is.
[[nodiscard]] inline double contribution(double weight, double value, double centre) {
  constexpr double farthest = std::numeric_limits<double>::max();
  constexpr double most = 1e200;
  return std::clamp(weight * std::clamp(value - centre, -farthest, farthest), -most, most);
}

/// The term x_i.
[[nodiscard]] Term linear_term(std::size_t i);

/// A way of fitting weights that was tried: `loss` is that of scores of rows that it was not fitted to.
struct Setting {
  std::string terms;  ///< which
  double C = 1;
  double blend = 0;  ///< how much the weights of NB and TAN are preferred to 0
  double loss = 0;
  bool averaged = false;  ///< whether it is part of the model

  bool operator==(const Setting&) const = default;
};

/// How `Setting::terms` names all terms of one feature with so many pairs.
[[nodiscard]] std::string pairs_name(std::size_t n_pairs);

/// The number of pairs of a setting.
[[nodiscard]] std::size_t pairs_of(const Setting& setting);

/// Number of scores: 1 for two classes, else one a class.
[[nodiscard]] constexpr std::size_t score_count(std::size_t n_classes) {
  return n_classes == 2 ? 1 : n_classes;
}

/// The class that row i of `scores` speaks for: the second of two if its score is positive, else that of the largest score.
[[nodiscard]] std::int32_t winning_class(const Matrix& scores, std::size_t i);

/// score_k(x) = intercept_k + sum_t weights(k, t) (value_t(x) - centre_t), each `contribution` within its limits. Two classes have one score, positive for the
/// second class; K > 2 classes have one each, and the largest wins.
struct Model {
  FitOptions options;
  std::vector<std::string> features;
  std::vector<std::string> classes;
  std::size_t n_features = 0;
  std::vector<Levels> levels;           ///< of the features; empty if all are numbers
  std::vector<Coordinate> coordinates;  ///< of the features; empty for the values as they are
  std::vector<std::size_t>
      class_rows;  ///< per class the number of rows that its densities are made of, by weight
  std::vector<Matrix>
      samples;  ///< those rows per class, of the exact engine, in coordinates; empty for counts
  std::vector<Term> terms;
  Matrix weights;  ///< n_scores x n_terms
  std::vector<double> intercepts;
  std::vector<Calibration> calibrations;  ///< per score; empty if scores are as good as log odds
  Matrix costs;  ///< costs(a, b) of predicting class b for a row of class a; empty if the winner is predicted
  std::vector<Setting> settings;  ///< that were tried, best first; empty if one was given

  [[nodiscard]] std::size_t n_scores() const { return intercepts.size(); }
  [[nodiscard]] std::size_t n_classes() const { return class_rows.size(); }
};

/// Whether a feature is a number, not a category.
[[nodiscard]] bool is_number(const Model& model, std::size_t feature);

/// Number of terms of two features.
[[nodiscard]] std::size_t count_pairs(const Model& model);

/// The features that have terms and were missing in rows that the model was fitted to, ascending.
[[nodiscard]] std::vector<std::size_t> features_with_missing(const Model& model);

/// value_t of every row of X, which has the model's features, in its coordinates, as columns: n x n_terms. NaN is as for `scores`.
[[nodiscard]] Matrix term_values(std::span<const Term> terms, const MatrixView& X,
                                 const Execution& execution = {});

/// The same with NaN where a term has a value that no training row had.
[[nodiscard]] Matrix met_term_values(std::span<const Term> terms, const MatrixView& X,
                                     const Execution& execution = {});

/// n x n_scores. Rows have finite numbers, codes of the model's levels, or NaN for missing values. A value that no training row had, such
/// as a missing one where none was, makes a term its mean, and that of a pair what the other feature says alone.
[[nodiscard]] Matrix scores(const Model& model, const MatrixView& X, const Execution& execution = {});

/// The winning class of each row.
[[nodiscard]] std::vector<std::int32_t> classify(const Matrix& scores);

/// What the model predicts: the winning class of each row or, with costs, the class of least expected cost under `probabilities`, the
/// winner among equals.
[[nodiscard]] std::vector<std::int32_t> classify(const Model& model, const Matrix& scores);

/// n x n_classes, rows adding up to 1. Those of K > 2 classes are in proportion to exp(slope_k score_k + offset_k) or, with steps, to the
/// probability of each score (for NB and TAN of its log odds) against the rest. The winning class has the largest: where calibration says
/// otherwise, next to a boundary, it is raised to the largest. Not with costs, which decide by these probabilities.
[[nodiscard]] Matrix probabilities(const Model& model, const Matrix& scores);

/// Scores of K > 2 classes that are log likelihoods as log odds of each class against the rest.
[[nodiscard]] Matrix log_odds_against_rest(const Matrix& scores);

/// How one row's scores come about: score_k = intercept_k + sum_t contributions(k, t).
struct Explanation {
  std::vector<double> scores;
  std::vector<double> values;  ///< per term
  Matrix contributions;        ///< n_scores x n_terms: weight (value - centre)
};

/// Throws std::invalid_argument if the row does not have one value for each feature.
[[nodiscard]] Explanation explain(const Model& model, std::span<const double> row);

}  // namespace dyad

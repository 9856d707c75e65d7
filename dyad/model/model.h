// The model: a linear function of log densities, whatever the method that chose its terms and weights (paper,
// lemma 1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/engine.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/coordinate.h"
#include "dyad/data/levels.h"
#include "dyad/data/values.h"
#include "dyad/linear/calibration.h"
#include "dyad/model/monotone.h"
#include "dyad/model/row_counts.h"
#include "dyad/model/row_sketch.h"
#include "dyad/model/term.h"

namespace dyad {

/// A way of fitting weights that was tried: `loss` is that of scores of rows that it was not fitted to.
struct Setting {
  std::string terms;  ///< which
  double C = 1;
  double blend = 0;  ///< how much the weights of NB and TAN are preferred to 0
  double loss = 0;
  bool averaged = false;  ///< whether it is part of the model

  bool operator==(const Setting&) const = default;
};

/// The name in `Setting::terms` of all terms of one feature with `n_pairs` pairs.
[[nodiscard]] std::string pairs_name(std::size_t n_pairs);

/// The number of pairs of a setting.
[[nodiscard]] std::size_t pairs_of(const Setting& setting);

/// The class frequencies that probabilities refer to.
enum class ClassFrequencies {
  table,    ///< those of the training rows: probabilities are P(class | row)
  equal,    ///< equally frequent classes
  weighted  ///< frequencies multiplied by class weights
};
inline constexpr Names<3> class_frequencies_names{"table", "equal", "weighted"};

/// The options of a fit as name and text, in their order.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// Number of scores: 1 for two classes, else one a class.
[[nodiscard]] constexpr std::size_t score_count(std::size_t n_classes) {
  return n_classes == 2 ? 1 : n_classes;
}

/// score_k(x) = intercept_k + sum_t weights(k, t) (value_t(x) - centre_t), each `contribution` within its
/// limits. Two classes have one score, positive for the second class; K > 2 classes have one each, and the
/// largest wins.
struct Model {
  Engine engine = Engine::counts;  ///< that its densities were made by
  bool has_likelihoods = false;    ///< whether scores are log likelihoods (NB, TAN), not margins or log odds
  Provenance fitted_with;          ///< the options of the fit
  std::vector<std::string> features;
  std::vector<std::string> classes;
  ValueType label_type = ValueType::unknown;  ///< of the labels that the classes stand for
  std::size_t n_features = 0;
  std::vector<Levels> levels;           ///< of the features; empty if all are numbers
  std::vector<Coordinate> coordinates;  ///< of the features; empty for the values as they are
  std::vector<std::size_t> class_rows;  ///< per class, the number of rows in its densities, by weight
  std::vector<Matrix> samples;  ///< per class, these rows in coordinates (exact engine); empty for counts
  std::vector<Term> terms;
  Matrix weights;  ///< n_scores x n_terms
  std::vector<double> intercepts;
  std::vector<Calibration> calibrations;                         ///< per score; empty if scores are log odds
  ClassFrequencies class_frequencies = ClassFrequencies::table;  ///< that probabilities refer to
  Matrix costs;  ///< costs(a, b) of predicting class b for a row of class a; empty if the winner is predicted
  std::vector<Setting> settings;  ///< that were tried, best first; empty if one was given
  RowCounts row_counts;           ///< where the training rows lie
  RowSketch row_sketch;           ///< which rows those are
  std::vector<std::vector<std::size_t>> level_orders;  ///< of the features: codes as they are drawn, if that
                                                       ///< is not by name; empty if none has any
  std::vector<MonotoneFeature> monotone;               ///< along which the score never turns
  std::vector<double> novelty_scores;  ///< of training rows, by `novelty_scores_of`; empty if not known

  [[nodiscard]] std::size_t n_scores() const { return intercepts.size(); }
  [[nodiscard]] std::size_t n_classes() const { return class_rows.size(); }
};

/// The text of an option that the model was fitted with; empty if it was not written down.
[[nodiscard]] std::string_view option_of(const Model& model, std::string_view name);

/// The model with an entry "edit 1", "edit 2", .. for what was done to it.
[[nodiscard]] Model with_trace(Model model, const std::string& what);

/// The entries of `with_trace`, first to last.
[[nodiscard]] std::vector<std::string> edits_of(const Model& model);

/// True if a feature is a number, not a category.
[[nodiscard]] bool is_number(const Model& model, std::size_t feature);

/// Draws the levels of a category in an order, those not among the names last.
void order_levels(Model& model, std::size_t feature, std::span<const std::string> names);

/// The codes of a category as they are drawn.
[[nodiscard]] std::vector<std::size_t> drawn_levels(const Model& model, std::size_t feature);

/// Number of terms of two features.
[[nodiscard]] std::size_t count_pairs(const Model& model);

/// Adds free tables after all other terms, of weight 1 in the scores of their classes and 0 in others.
void append_tables(Model& model, std::vector<Term> tables);

/// The features that have terms and were missing in rows that the model was fitted to, ascending.
[[nodiscard]] std::vector<std::size_t> features_with_missing(const Model& model);

}  // namespace dyad

// Prediction: scores, classes and probabilities of new rows, and how a score comes about.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/coordinate.h"
#include "dyad/model/model.h"

namespace dyad {

/// body(first, rows) for blocks of consecutive rows of X in the model's coordinates, in parallel: memory does
/// not grow with rows times terms. `first` is the number of the block's first row in X.
void for_blocks_in_coordinates(const Model& model, const MatrixView& X, const Execution& execution,
                               std::string_view step,
                               const std::function<void(std::size_t first, const Matrix& rows)>& body);

/// The class of row i of `scores`: the second of two if its score is positive, else that of the largest
/// score.
[[nodiscard]] std::int32_t winning_class(const Matrix& scores, std::size_t i);

/// Scores of rows, n x n_scores.
///
/// Rows have finite numbers, codes of the model's levels, or NaN for missing values. A value that no training
/// row had gives a term its mean; a pair then has the value of its other feature alone.
[[nodiscard]] Matrix scores(const Model& model, const MatrixView& X, const Execution& execution = {});

/// The winning class of each row.
[[nodiscard]] std::vector<std::int32_t> classify(const Matrix& scores);

/// The predicted classes: the winning class of each row or, with costs, the class of least expected cost
/// under `probabilities`, the winner among equals.
[[nodiscard]] std::vector<std::int32_t> classify(const Model& model, const Matrix& scores);

/// Probabilities of the classes, n x n_classes; rows add up to 1.
///
/// Those of K > 2 classes are in proportion to exp(slope_k score_k +
/// offset_k) or, with steps, to the probability of each score (for NB and TAN of its log odds) against the
/// rest. The winning class has the largest: where calibration says otherwise, next to a boundary, it is
/// raised to the largest. Not with costs, which decide by these probabilities.
[[nodiscard]] Matrix probabilities(const Model& model, const Matrix& scores);

/// Scores of K > 2 classes that are log likelihoods as log odds of each class against the rest.
[[nodiscard]] Matrix log_odds_against_rest(const Matrix& scores);

/// Contributions of the terms to one score of rows, n x n_terms, by the terms' `values` of the same size.
[[nodiscard]] Matrix contributions(const Model& model, const MatrixView& values, std::size_t score);

/// The scores of a row and their parts: score_k = intercept_k + sum_t contributions(k, t).
struct Explanation {
  std::vector<double> scores;
  std::vector<double> values;  ///< per term
  Matrix contributions;        ///< n_scores x n_terms: weight (value - centre)
};

/// Throws std::invalid_argument if the row does not have one value for each feature.
[[nodiscard]] Explanation explain(const Model& model, std::span<const double> row);

}  // namespace dyad

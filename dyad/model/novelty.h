// Distance of rows from the training rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "dyad/base/execution.h"
#include "dyad/model/prediction.h"

namespace dyad {

/// A term of class c is surprised by a row if its log density there is low for that class: by (typical -
/// value) / spread, typical and spread the mean and standard deviation of its values over rows of class c
/// that its density has not seen. A class is as surprised as its most surprised term, and the novelty of a
/// row is the surprise of the class that is surprised the least. Classes without a term that varies do not
/// count.
struct Novelty {
  /// Term index where no density varies.
  static constexpr std::size_t no_term = static_cast<std::size_t>(-1);

  double score = 0;
  std::size_t term = no_term;  ///< the most surprised one of that class
  /// The share of new rows from the source of the training rows that have a larger score; NaN where it is not
  /// known.
  double p_value = std::numeric_limits<double>::quiet_NaN();
};

/// Novelty of each row of X, which has the form that `scores` takes.
///
/// Values that no training row had are ignored. Models without densities give 0.
[[nodiscard]] std::vector<Novelty> novelty(const Model& model, const MatrixView& X,
                                           const Execution& execution = {});

/// Some training rows, with the values that terms have for them as if they were new: a row is left out of the
/// densities of its class.
struct LeftOutRows {
  Matrix values;  ///< rows x terms; of densities alone
  std::vector<std::int32_t> y;
  std::vector<double> weights;  ///< rows of the table that each stands for
};

/// Sets `typical` and `spread` of all terms.
void set_typical_values(std::span<Term> terms, const LeftOutRows& rows);

/// Novelty scores of such rows that a new row exceeds with the probabilities 10^(-k / 16), k = 0, 1, ..
///
/// Of n rows the one with the r-th largest score is exceeded with the probability r / (n + 1), and scores are
/// linear between; the list ends at 1 / (n + 1). Empty if no density varies.
[[nodiscard]] std::vector<double> novelty_scores_of(std::span<const Term> terms, const LeftOutRows& rows,
                                                    std::size_t n_classes);

/// The probability that a new row has a larger novelty than `score`, by `novelty_scores_of`; of equal scores
/// the middle. No less than that of the last score; NaN without scores.
[[nodiscard]] double novelty_p_value(std::span<const double> scores, double score);

}  // namespace dyad

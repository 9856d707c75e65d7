// Distance of rows from the training rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/prediction.h"

namespace dyad {

/// A term of class c is surprised by a row if its log density there is low for that class: by (typical -
/// value) / spread, typical and spread the mean and standard deviation of its values over rows of class c. A
/// class is as surprised as its most surprised term, and the novelty of a row is the surprise of the class
/// that is surprised the least. Classes without a term that varies do not count.
struct Novelty {
  /// Term index where no density varies.
  static constexpr std::size_t no_term = static_cast<std::size_t>(-1);

  double score = 0;
  std::size_t term = no_term;  ///< the most surprised one of that class
};

/// Novelty of each row of X, which has the form that `scores` takes.
///
/// Values that no training row had are ignored. Models without densities give 0.
[[nodiscard]] std::vector<Novelty> novelty(const Model& model, const MatrixView& X,
                                           const Execution& execution = {});

/// Sets `typical` and `spread` of all terms, from at most some hundred rows of each class of the sample,
/// which is in the terms' coordinates.
void set_typical_values(std::vector<Term>& terms, const LabelledSample& sample, const Execution& execution);

}  // namespace dyad

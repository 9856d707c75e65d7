// Some terms of a model, as a model of the features that they have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "dyad/model/model.h"

namespace dyad::internal {

struct PartialModel {
  std::vector<std::size_t> features;    ///< of the model, ascending
  std::vector<Coordinate> coordinates;  ///< of these; empty for values as they are
  std::vector<Term>
      terms;  ///< the chosen ones, over `features`, then others that tell what they are where a value was never met
  std::vector<std::size_t> chosen;  ///< their places in the model
  Matrix weights;                   ///< n_scores x chosen
};

/// The terms for which `is_wanted`, perhaps none.
[[nodiscard]] PartialModel partial_model(const Model& model,
                                         const std::function<bool(const Term&)>& is_wanted);

/// Values of the chosen terms for rows of X, whose columns are `features`.
[[nodiscard]] Matrix values_of(const PartialModel& part, const Matrix& X);

/// n x n_scores: sums of the contributions of the chosen terms.
[[nodiscard]] Matrix partial_scores(const PartialModel& part, const Matrix& X);

}  // namespace dyad::internal

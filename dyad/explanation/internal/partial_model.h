// Some terms of a model, as a model of the features that they have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "dyad/model/model.h"

namespace dyad::internal {

struct PartialModel {
  std::vector<std::size_t> features;  ///< of the whole model, ascending: the columns of rows
  std::size_t n_chosen = 0;           ///< terms that were chosen, the first ones of `model`
  Model model;  ///< further terms, without weight, tell what the chosen ones are where a value was never met
};

/// The terms for which `is_wanted`, perhaps none, without intercepts. Scores are sums of their contributions.
[[nodiscard]] PartialModel partial_model(const Model& whole,
                                         const std::function<bool(const Term&)>& is_wanted);

}  // namespace dyad::internal

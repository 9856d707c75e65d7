// A model as Python holds it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "dyad/explanation/purified_effects.h"
#include "dyad/fit/fit.h"
#include "dyad/model/model.h"
#include "python/src/arrays.h"

namespace dyad::python {

/// A model and how its fit went, which no file keeps.
struct FittedModel {
  Model model;
  std::optional<FitReport> report;
  double seconds = 0;                                       ///< of the library's own work
  mutable std::shared_ptr<const PurifiedEffects> purified;  ///< once they were asked for
};

/// The effects of a model, found at the first call, which holds the GIL.
inline const PurifiedEffects& purified_of(const FittedModel& m) {
  if (m.purified == nullptr)
    m.purified = std::make_shared<const PurifiedEffects>(purified_effects(m.model, {.threads = 1}));
  return *m.purified;
}

/// Class, i and j of a term.
using Place = std::tuple<std::int32_t, std::size_t, std::size_t>;

/// Throws nb::type_error unless the rows are of floats, and std::invalid_argument unless they have the
/// model's features.
inline void require_columns_of(const Model& model, const Rows& X) {
  require_floats(X);
  if (X.shape(1) != model.n_features)
    throw std::invalid_argument("the model has " + std::to_string(model.n_features) +
                                " features, got rows of " + std::to_string(X.shape(1)));
}

}  // namespace dyad::python

// Rows with classes from NumPy arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "dyad/data/labelled_sample.h"
#include "dyad/data/row_weights.h"
#include "python/src/arrays.h"

namespace dyad::python {

/// Needs no GIL. Throws std::invalid_argument if sizes differ, a value is not finite or a class or weight is out of range.
inline LabelledSample sample_of(const Rows& X, const Values<std::int32_t>& y, std::size_t n_classes,
                                const std::optional<Values<double>>& sample_weight = {}) {
  const auto require_one_a_row = [&](std::size_t n, const char* what) {
    if (n != X.shape(0))
      throw std::invalid_argument(std::string(what) + ": expected one for each of " +
                                  std::to_string(X.shape(0)) + " rows, got " + std::to_string(n));
  };
  require_floats(X);
  require_one_a_row(y.shape(0), "y");
  LabelledSample sample{.X = matrix_of(X), .y = vector_of<std::int32_t>(y), .n_classes = n_classes};
  require_finite(sample.X, "X");
  for (const std::int32_t code : sample.y)
    if (code < 0 || static_cast<std::size_t>(code) >= n_classes)
      throw std::invalid_argument("y: no class " + std::to_string(code) + " of " + std::to_string(n_classes));
  if (sample_weight) {
    require_one_a_row(sample_weight->shape(0), "sample_weight");
    sample.weights = make_row_weights(vector_of<double>(*sample_weight));
  }
  return sample;
}

}  // namespace dyad::python

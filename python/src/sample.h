// Rows with classes from NumPy arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dyad/data/labelled_sample.h"
#include "dyad/data/levels.h"
#include "dyad/data/row_weights.h"
#include "python/src/arrays.h"

namespace dyad::python {

/// The names of each feature's levels, ascending, by code; none for a number. Empty if
/// all are numbers.
using LevelNames = std::vector<std::vector<std::string>>;

inline std::vector<Levels> levels_of(const LevelNames& names, std::size_t n_features) {
  if (!names.empty() && names.size() != n_features)
    throw std::invalid_argument("levels: expected those of each of " + std::to_string(n_features) +
                                " features, got " + std::to_string(names.size()));
  std::vector<Levels> levels;
  for (const auto& of_feature : names) {
    if (std::ranges::adjacent_find(of_feature, std::greater_equal<>()) != of_feature.end())
      throw std::invalid_argument("levels: names must be ascending and distinct");
    levels.push_back({.names = of_feature});
  }
  return levels;
}

/// Needs no GIL. Throws std::invalid_argument if sizes differ, a value is infinite or a class or weight is
/// out of range.
inline LabelledSample sample_of(const Rows& X, const Values<std::int32_t>& y, std::size_t n_classes,
                                const std::optional<Values<double>>& sample_weight = {},
                                const LevelNames& levels = {}, const Execution& execution = {}) {
  const auto require_one_a_row = [&](std::size_t n, const char* what) {
    if (n != X.shape(0))
      throw std::invalid_argument(std::string(what) + ": expected one for each of " +
                                  std::to_string(X.shape(0)) + " rows, got " + std::to_string(n));
  };
  require_floats(X);
  require_one_a_row(y.shape(0), "y");
  LabelledSample sample{
      .X = matrix_of(X, execution), .y = vector_of<std::int32_t>(y), .n_classes = n_classes};
  sample.levels = levels_of(levels, sample.n_features());
  require_not_infinite(sample.X, "X", 0, execution);
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

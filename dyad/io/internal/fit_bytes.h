// Options, coordinates, settings and costs in model files and state files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>

#include "dyad/data/coordinate.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/model/model.h"

namespace dyad::internal {

[[nodiscard]] inline bool are_distinct(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// Names, each once, and texts.
void exchange(auto& ar, Is<Provenance> auto& options) {
  std::set<std::string> names;
  ar.size(16, options);
  for (auto& [name, value] : options) {
    ar.text(name);
    ar.require(names.insert(name).second, "has the option " + quoted(name) + " twice");
    ar.text(value);
  }
}

/// None, or one for each feature.
void exchange(auto& ar, Is<std::vector<Coordinate>> auto& coordinates, std::size_t n_features) {
  const std::size_t n = ar.size(6 * sizeof(double), coordinates);
  ar.require(n == 0 || n == n_features, "has the wrong number of coordinates");
  for (auto& coordinate : coordinates) {
    ar.index(coordinate.curve, curve_names.size());
    ar.number(coordinate.lowest, coordinate.centre);
    ar.positive(coordinate.spread);
    ar.number(coordinate.mean);
    ar.positive(coordinate.deviation);
    ar.require(coordinate.curve != Curve::log || coordinate.lowest > 0,
               "has a logarithm of values that are not positive");
  }
}

void exchange(auto& ar, Is<std::vector<Setting>> auto& settings) {
  ar.size(5 * sizeof(double), settings);
  for (auto& setting : settings) {
    ar.text(setting.terms);
    ar.number(setting.C, setting.blend, setting.loss);
    ar.index(setting.averaged, 2);
  }
}

void exchange(auto& ar, Is<Matrix> auto& matrix, std::size_t n_rows, std::size_t n_cols) {
  ar.restore(matrix.n_rows, n_rows);
  ar.restore(matrix.n_cols, n_cols);
  ar.numbers(matrix.data, n_rows, n_cols);
}

/// None, or those of each class predicted for each.
void exchange_costs(auto& ar, Is<Matrix> auto& costs, std::size_t n_classes) {
  std::size_t n = costs.n_rows;
  ar.value(n);
  ar.resize(n, sizeof(double), costs.data);
  ar.require(n == 0 || n == n_classes, "has the wrong number of costs");
  exchange(ar, costs, n, n);
  ar.require(std::ranges::none_of(costs.data, [](double cost) { return cost < 0; }), "has a negative cost");
}

}  // namespace dyad::internal

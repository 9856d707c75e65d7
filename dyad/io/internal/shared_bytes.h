// Parts that model files and state files share: options, coordinates, settings, costs, and axes of densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>

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
    ar.require(names.insert(name).second, "has the option " + dyad::quoted(name) + " twice");
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

void exchange(auto& ar, Is<Scaling> auto& scaling) {
  ar.number(scaling.centre);
  ar.positive(scaling.scale);
}

/// An axis with the bandwidth of the kernel that it is made for.
void exchange(auto& ar, Is<Axis> auto& axis, auto& bandwidth) {
  ar.number(axis.origin);
  ar.positive(axis.step, bandwidth);
  ar.value(axis.size);
  ar.require(axis.size >= 2, "has an axis without cells");
  ar.require(axis.size <= 65536 && bandwidth / axis.step > 0.1 && bandwidth / axis.step < 1e6,
             "has an axis that no fit makes");
}

void exchange(auto& ar, Is<Frame2d> auto& frame) {
  exchange(ar, frame.x);
  exchange(ar, frame.y);
  ar.number(frame.kernel.shear);
  exchange(ar, frame.u, frame.kernel.h_u);
  exchange(ar, frame.v, frame.kernel.h_v);
}

void exchange_row_count(auto& ar, Is<double> auto& n_rows) {
  ar.number(n_rows);
  ar.require(n_rows >= 0, "has a negative number of rows");
}

/// Indices of the densities of cells and margins, each of as many numbers as its place has.
///
/// `exchange_index` exchanges the index of a part, or n_parts for none; `is_pair` tells which parts are of
/// two numbers.
void exchange_cells(auto& ar, Is<LevelDensity> auto& density, std::size_t n_parts, const auto& exchange_index,
                    const auto& is_pair) {
  const auto exchange_part = [&](auto& part, std::size_t n_numbers) {
    std::size_t index = part == LevelDensity::none ? n_parts : part;
    exchange_index(index);
    ar.require(index >= n_parts || n_numbers == (is_pair(index) ? 2U : 1U),
               "has the density of something else for a level");
    ar.restore(part, index == n_parts ? LevelDensity::none : index);
  };
  ar.resize(density.n_cells(), 1, density.cells);
  for (std::size_t cell = 0; cell < density.cells.size(); ++cell) {
    const bool has_x = density.x.has_numbers(cell / density.y.n_levels);
    const bool has_y = density.y.has_numbers(cell % density.y.n_levels);
    exchange_part(density.cells[cell], (has_x ? 1U : 0U) + (has_y ? 1U : 0U));
  }
  exchange_part(density.margin_x, density.x.is_number ? 1 : 0);
  exchange_part(density.margin_y, density.y.is_number ? 1 : 0);
}

/// Fails unless a logarithm is so small that what predictions make of it is finite, too, as all of a fit are.
void require_moderate(const auto& ar, double value) {
  ar.require(std::abs(value) <= 1e100, "has a logarithm that no fit makes");
}

}  // namespace dyad::internal

// Explanations of models: importances, curves, surfaces, densities and flips.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/explanation/shapes.h"
#include "python/src/arrays.h"
#include "python/src/fitted_model.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"

namespace dyad::python {
namespace {

using EffectValues = std::tuple<std::size_t, std::size_t, std::vector<std::size_t>>;
/// Feature, value, distance, class, and feature and value of a further change.
using FlipValues =
    std::tuple<std::size_t, double, double, std::int32_t, std::optional<std::pair<std::size_t, double>>>;

void require_feature(const Model& model, std::size_t feature) {
  if (feature >= model.n_features)
    throw std::invalid_argument("the model has " + std::to_string(model.n_features) + " features, got " +
                                std::to_string(feature));
}

void require_pair(const Model& model, std::size_t i, std::size_t j) {
  require_feature(model, j);
  if (i >= j)
    throw std::invalid_argument("expected a pair i < j, got " + std::to_string(i) + " and " +
                                std::to_string(j));
}

/// Numbers, NaN for a missing value, or codes of the feature's levels.
std::vector<double> values_of(const Model& model, std::size_t feature, const Values<double>& given) {
  require_feature(model, feature);
  auto values = vector_of<double>(given);
  for (const double value : values) {
    if (std::isinf(value)) throw std::invalid_argument("values must be finite or NaN");
    if (is_number(model, feature) || std::isnan(value)) continue;
    if (value < 0 || value >= static_cast<double>(model.levels[feature].size()) || value != std::floor(value))
      throw std::invalid_argument("feature " + std::to_string(feature) + " has no level " +
                                  number_text(value));
  }
  return values;
}

/// n_scores x n x 3: mean, low and high.
DoubleArray array_of_importances(const Importances::ByScore& by_score) {
  const std::size_t n = by_score.empty() ? 0 : by_score.front().size();
  std::vector<double> values;
  for (const auto& of_score : by_score)
    for (const Importance& importance : of_score)
      values.insert(values.end(), {importance.mean, importance.low, importance.high});
  return array_of(std::move(values), {by_score.size(), n, 3});
}

nb::tuple importances_of(const FittedModel& m, const Rows& X, std::size_t most_rows, std::uint64_t seed,
                         int n_threads) {
  require_columns_of(m.model, X);
  const PurifiedEffects& purified = purified_of(m);
  const Importances found = interruptible(n_threads, nb::none(), [&](const Execution& execution) {
    const ColumnMajor rows(X);
    require_not_infinite(rows.view(), "X");
    return importances(m.model, purified, rows.view(), most_rows, seed, execution);
  });
  return nb::make_tuple(array_of_importances(found.terms), array_of_importances(found.effects),
                        array_of_importances(found.features));
}

std::vector<std::vector<FlipValues>> flips_of(const FittedModel& m, const Rows& X, int n_threads,
                                              const std::vector<std::size_t>& immutable) {
  require_columns_of(m.model, X);
  for (const std::size_t feature : immutable) require_feature(m.model, feature);
  const auto found = interruptible(n_threads, nb::none(), [&](const Execution& execution) {
    const ColumnMajor rows(X);
    require_not_infinite(rows.view(), "X");
    return nearest_flips(m.model, rows.view(), execution, immutable);
  });
  std::vector<std::vector<FlipValues>> result(found.size());
  for (std::size_t row = 0; row < found.size(); ++row)
    for (const Flip& flip : found[row])
      result[row].emplace_back(
          flip.feature, flip.value, flip.distance, flip.class_code,
          flip.second ? std::optional(std::pair(flip.second->feature, flip.second->value)) : std::nullopt);
  return result;
}

std::vector<EffectValues> effects_and_terms(const FittedModel& m) {
  std::vector<EffectValues> result;
  for (const Effect& effect : purified_of(m).effects) result.emplace_back(effect.i, effect.j, effect.terms);
  return result;
}

/// n_scores x n_effects x n.
DoubleArray effects_of_rows(const FittedModel& m, const Rows& X, int n_threads) {
  require_columns_of(m.model, X);
  const PurifiedEffects& purified = purified_of(m);
  const std::vector<Matrix> found = interruptible(n_threads, nb::none(), [&](const Execution& execution) {
    const ColumnMajor rows(X);
    require_not_infinite(rows.view(), "X");
    return effect_values(m.model, purified, rows.view(), execution);
  });
  std::vector<double> values;
  for (const Matrix& of_score : found)
    values.insert(values.end(), of_score.data.begin(), of_score.data.end());
  return array_of(std::move(values), {found.size(), purified.effects.size(), X.shape(0)});
}

std::vector<double> positions(const Model& model, std::size_t feature, const std::vector<double>& points,
                              const std::vector<double>& values) {
  if (points.empty()) throw std::invalid_argument("positions: there is no point");
  return positions_among(model, feature, points, values);
}

/// shape(model, i, points) of a feature, without the GIL.
template <class Shape>
DoubleArray along(const FittedModel& m, std::size_t i, const Values<double>& points, const Shape& shape) {
  const auto x = values_of(m.model, i, points);
  static_cast<void>(purified_of(m));  // while the GIL is held
  return array_of(without_gil([&] { return shape(m.model, i, x); }));
}

/// shape(model, i, j, x, y) of a pair: x.size() x y.size() x columns.
template <class Shape>
DoubleArray across(const FittedModel& m, std::size_t i, std::size_t j, const Values<double>& x,
                   const Values<double>& y, const Shape& shape) {
  require_pair(m.model, i, j);
  const auto u = values_of(m.model, i, x);
  const auto v = values_of(m.model, j, y);
  static_cast<void>(purified_of(m));  // while the GIL is held
  Matrix values = without_gil([&] { return shape(m.model, i, j, u, v); });
  const auto n = static_cast<std::int64_t>(values.n_rows);
  const std::size_t n_columns = values.n_cols;
  return array_of(std::move(values.data), {u.size(), v.size(), n_columns},
                  {static_cast<std::int64_t>(v.size()), 1, n});
}

}  // namespace

void bind_explanation(nb::module_& module) {
  using namespace nb::literals;
  using Points = Values<double>;

  module.def(
      "order_levels",
      [](FittedModel& m, std::size_t feature, const std::vector<std::string>& names) {
        require_feature(m.model, feature);
        order_levels(m.model, feature, names);
      },
      "model"_a, "feature"_a, "names"_a, "Draws the levels of a category in the order of names.");
  module.def("effects", &effects_and_terms, "model"_a,
             "(i, j, numbers of terms) of each feature, where i = j, and of each pair.");
  module.def(
      "baselines", [](const FittedModel& m) { return purified_of(m).baselines; }, "model"_a,
      "What the effects of a row are added to for its scores.");
  module.def(
      "has_counted_rows", [](const FittedModel& m) { return purified_of(m).is_by_rows; }, "model"_a,
      "Whether effects are purified under the training rows rather than the model's densities.");
  module.def(
      "training_range",
      [](const FittedModel& m, std::size_t feature) -> std::optional<std::pair<double, double>> {
        require_feature(m.model, feature);
        if (m.model.row_counts.empty() || !m.model.row_counts.features[feature].range.has_numbers) return {};
        const ValueRange& range = m.model.row_counts.features[feature].range;
        return std::pair(range.low, range.high);
      },
      "model"_a, "feature"_a,
      "The least and the largest number of a feature in training, if they are known.");
  module.def("effect_values", &effects_of_rows, "model"_a, "X"_a, "n_threads"_a = 0,
             "Effects of rows, n_scores x n_effects x n.");
  module.def("importances", &importances_of, "model"_a, "X"_a, "most_rows"_a = most_importance_rows,
             "seed"_a = 1, "n_threads"_a = 0,
             "Of terms, effects and features mean absolute contributions to scores, and the ends of their "
             "intervals: three arrays of n_scores x n x 3.");
  module.def(
      "points",
      [](const FittedModel& m, std::size_t feature, std::size_t n_numbers) {
        require_feature(m.model, feature);
        if (n_numbers < 2) throw std::invalid_argument("points: at least 2 numbers are needed");
        return array_of(without_gil([&] { return points_of(m.model, feature, n_numbers); }));
      },
      "model"_a, "feature"_a, "n_numbers"_a,
      "Values at which a feature is drawn: numbers or all codes of levels, then NaN if some were missing.");
  module.def(
      "positions",
      [](const FittedModel& m, std::size_t feature, const Points& points, const Points& values) {
        return array_of(positions(m.model, feature, values_of(m.model, feature, points),
                                  values_of(m.model, feature, values)));
      },
      "model"_a, "feature"_a, "points"_a, "values"_a,
      "Places of values among the points of a feature in the model's coordinate.");
  module.def(
      "effect_curve",
      [](const FittedModel& m, std::size_t i, const Points& points) {
        return along(m, i, points,
                     [&](const Model& model, std::size_t feature, const std::vector<double>& x) {
                       return effect_curve(model, *m.purified, feature, x);
                     });
      },
      "model"_a, "i"_a, "points"_a, "The effect of feature i at points: n x n_scores.");
  module.def(
      "effect_surface",
      [](const FittedModel& m, std::size_t i, std::size_t j, const Points& x, const Points& y) {
        return across(m, i, j, x, y, [&](const Model& model, auto a, auto b, const auto& u, const auto& v) {
          return effect_surface(model, *m.purified, a, b, u, v);
        });
      },
      "model"_a, "i"_a, "j"_a, "x"_a, "y"_a,
      "The effect of the pair i < j at x and y: n_x x n_y x n_scores.");
  module.def(
      "log_densities",
      [](const FittedModel& m, std::size_t i, const Points& points) {
        return along(m, i, points, [](const Model& model, std::size_t feature, const std::vector<double>& x) {
          return log_densities(model, feature, x);
        });
      },
      "model"_a, "i"_a, "points"_a,
      "Log densities of feature i in the model's coordinate, n x n_classes; NaN of a class without one.");
  module.def(
      "log_densities",
      [](const FittedModel& m, std::size_t i, std::size_t j, const Points& x, const Points& y) {
        return across(m, i, j, x, y, [](const Model& model, auto a, auto b, const auto& u, const auto& v) {
          return log_densities(model, a, b, u, v);
        });
      },
      "model"_a, "i"_a, "j"_a, "x"_a, "y"_a,
      "Log densities of the pair i < j, n_x x n_y x n_classes; of a class without the pair those of "
      "independent features.");
  module.def("flips", &flips_of, "model"_a, "X"_a, "n_threads"_a = 0,
             "immutable"_a = std::vector<std::size_t>{},
             "Of each row (feature, value, distance, class, second) of nearest changes that change the "
             "prediction, nearest first; second is (feature, value) or None.");
  module.def(
      "cells_with_rows",
      [](const FittedModel& m, std::size_t i, std::size_t j, const Points& x, const Points& y) {
        return across(m, i, j, x, y, [&](const Model& model, auto a, auto b, const auto& u, const auto& v) {
          Matrix result(u.size() * v.size(), 1);
          std::ranges::copy(cells_with_rows(model, *m.purified, a, b, u, v), result.data.begin());
          return result;
        });
      },
      "model"_a, "i"_a, "j"_a, "x"_a, "y"_a,
      "1 where training rows lie in the cell around x and y of the pair i < j, else 0: n_x x n_y x 1.");
}

}  // namespace dyad::python

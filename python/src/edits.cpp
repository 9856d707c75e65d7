// Edits of models, effect by effect, and SHAP values.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/edits.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/explanation/shap.h"
#include "python/src/arrays.h"
#include "python/src/fitted_model.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"

namespace dyad::python {
namespace {

using EffectPlace = std::pair<std::size_t, std::size_t>;
using FeatureAndDirection = std::pair<std::size_t, std::string>;

/// The edited model, with the report of the fit.
template <class Edit>
FittedModel edited(const FittedModel& m, const Edit& edit) {
  return without_gil(
      [&] { return FittedModel{.model = edit(m.model), .report = m.report, .seconds = m.seconds}; });
}

FittedModel scaled(const FittedModel& m, const std::vector<EffectPlace>& effects, double factor) {
  std::vector<FeaturePair> places;
  for (const auto& [i, j] : effects) places.push_back({i, j});
  return edited(m, [&](const Model& model) { return with_scaled_effects(model, places, factor); });
}

FittedModel shaped(const FittedModel& m, const EffectPlace& effect, const std::vector<double>& x,
                   const std::vector<double>& y, const Rows& values) {
  require_floats(values);
  const EffectShape shape{x, y, matrix_of(values)};
  const FeaturePair place{effect.first, effect.second};
  return edited(m, [&](const Model& model) { return with_shape(model, place, shape); });
}

FittedModel monotone(const FittedModel& m, const std::vector<FeatureAndDirection>& given, bool leaves_trace) {
  std::vector<MonotoneFeature> features;
  for (const auto& [feature, direction] : given)
    features.push_back({feature, named<Direction>(direction_names, direction, "monotone")});
  return edited(m, [&](const Model& model) {
    if (leaves_trace) return with_monotone_features(model, features);
    Model nameless = model;
    nameless.features.clear();
    nameless = with_monotone_features(nameless, features);
    nameless.features = model.features;
    return nameless;
  });
}

std::vector<FeatureAndDirection> directions_of(const FittedModel& m) {
  std::vector<FeatureAndDirection> result;
  for (const auto& [feature, direction] : m.model.monotone)
    result.emplace_back(feature, name_of(direction_names, direction));
  return result;
}

/// The base of each score, and n_scores x n_features x n.
nb::tuple shap_of_rows(const FittedModel& m, const Rows& X, const Rows& background, int n_threads) {
  for (const Rows* rows : {&X, &background}) require_columns_of(m.model, *rows);
  const ShapValues found = interruptible(n_threads, nb::none(), [&](const Execution& execution) {
    const ColumnMajor rows(X);
    const ColumnMajor others(background);
    require_not_infinite(rows.view(), "X");
    require_not_infinite(others.view(), "background");
    return shap_values(m.model, rows.view(), others.view(), execution);
  });
  std::vector<double> values;
  for (const Matrix& of_score : found.values)
    values.insert(values.end(), of_score.data.begin(), of_score.data.end());
  return nb::make_tuple(array_of(std::vector<double>(found.base)),
                        array_of(std::move(values), {found.values.size(), X.shape(1), X.shape(0)}));
}

}  // namespace

void bind_edits(nb::module_& module) {
  using namespace nb::literals;
  module.def("scaled_effects", &scaled, "model"_a, "effects"_a, "factor"_a,
             "The model with some effects (i, j), i = j of a feature, times a factor.");
  module.def(
      "largest_effects",
      [](const FittedModel& m, std::size_t most) {
        return edited(m, [&](const Model& model) { return with_largest_effects(model, most); });
      },
      "model"_a, "most"_a, "The model with its largest effects alone.");
  module.def("with_shape", &shaped, "model"_a, "effect"_a, "x"_a, "y"_a, "values"_a,
             "The model with an effect (i, j) that has values at x, of a pair by x and y, by score.");
  module.def("monotone_features", &monotone, "model"_a, "features"_a, "leaves_trace"_a = true,
             "The model whose score is `increasing` or `decreasing` along (feature, direction).");
  module.def("directions", &directions_of, "model"_a, "(feature, direction) of monotone features.");
  module.def(
      "edits", [](const FittedModel& m) { return edits_of(m.model); }, "model"_a,
      "What was done to a model after its fit, first to last.");
  module.def("shap_values", &shap_of_rows, "model"_a, "X"_a, "background"_a, "n_threads"_a = 0,
             "The mean score over the background, and SHAP values, n_scores x n_features x n.");
}

}  // namespace dyad::python

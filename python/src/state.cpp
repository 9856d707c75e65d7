// States: fits to rows in parts.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/state.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dyad/base/stopwatch.h"
#include "dyad/io/state_file.h"
#include "python/src/arrays.h"
#include "python/src/files.h"
#include "python/src/fit_options.h"
#include "python/src/fitted_model.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"
#include "python/src/pickle.h"
#include "python/src/sample.h"

namespace dyad::python {
namespace {

Chunk chunk_from(const Rows& X, const Values<std::int32_t>& y, const std::vector<std::string>& features,
                 const std::vector<std::string>& classes, const LevelNames& levels,
                 const std::optional<Values<double>>& sample_weight, const std::string& label_type,
                 const std::vector<std::string>& level_types) {
  if (features.size() != X.shape(1)) throw std::invalid_argument("update: expected a name for each feature");
  // Weights are checked with the rows that they belong to.
  LabelledSample sample = sample_of(X, y, classes.size(), {}, levels);
  if (sample_weight && sample_weight->shape(0) != sample.n_rows())
    throw std::invalid_argument("sample_weight: expected one for each row");
  if (level_types.size() != sample.levels.size())
    throw std::invalid_argument("level_types: expected one for each feature with levels");
  std::vector<ValueType> types;
  for (const std::string& type : level_types)
    types.push_back(named<ValueType>(value_type_names, type, "level_types"));
  return {features,
          classes,
          std::move(sample.X),
          std::move(sample.levels),
          std::move(sample.y),
          sample_weight ? vector_of<double>(*sample_weight) : std::vector<double>(),
          named<ValueType>(value_type_names, label_type, "label_type"),
          std::move(types)};
}

void update(State& state, const Rows& X, const Values<std::int32_t>& y,
            const std::vector<std::string>& features, const std::vector<std::string>& classes,
            const LevelNames& levels, const std::optional<Values<double>>& sample_weight,
            const std::optional<std::uint64_t>& first_row, const std::string& label_type,
            const std::vector<std::string>& level_types, int n_threads) {
  interruptible(n_threads, nb::none(), [&](const Execution& execution) {
    state.update(chunk_from(X, y, features, classes, levels, sample_weight, label_type, level_types),
                 first_row.value_or(state.next_row()), execution);
  });
}

std::vector<std::string> feature_names(const State& state) {
  std::vector<std::string> names;
  for (const SurveyedFeature& feature : state.survey().features) names.push_back(feature.name);
  return names;
}

State plan(const State& state, const nb::dict& options, const std::optional<Values<double>>& class_weight,
           const std::optional<Rows>& costs, const std::optional<StructureNames>& structure,
           double max_seconds, std::size_t table_bytes, int n_threads, const nb::object& progress) {
  FitOptions fit_options = fit_options_from(options);
  set_splits_and_weights(fit_options, 0, {}, class_weight, costs);
  set_structure(fit_options, structure, feature_names(state));
  fit_options.max_seconds = max_seconds;
  return interruptible(n_threads, progress, [&](const Execution& execution) {
    return state.plan(std::move(fit_options), execution, table_bytes);
  });
}

/// work(execution, report), with the time that it took.
template <class Work>
FittedModel fitted_by(int n_threads, const nb::object& progress, const Work& work) {
  return interruptible(n_threads, progress, [&](const Execution& execution) {
    FittedModel result{.report = FitReport{}};
    const Stopwatch watch(result.seconds);
    result.model = work(execution, *result.report);
    return result;
  });
}

FittedModel finalize(const State& state, int n_threads, const nb::object& progress) {
  return fitted_by(n_threads, progress, [&](const Execution& execution, FitReport& report) {
    return state.finalize(execution, report);
  });
}

FittedModel fit_sample(const State& state, const nb::dict& options,
                       const std::optional<Values<double>>& class_weight, const std::optional<Rows>& costs,
                       const std::optional<StructureNames>& structure, double max_seconds, int n_threads,
                       const nb::object& progress) {
  FitOptions fit_options = fit_options_from(options);
  set_splits_and_weights(fit_options, 0, {}, class_weight, costs);
  set_structure(fit_options, structure, feature_names(state));
  fit_options.max_seconds = max_seconds;
  return fitted_by(n_threads, progress, [&](const Execution& execution, FitReport& report) {
    return state.fit_sample(fit_options, execution, report);
  });
}

nb::bytes packed(const State& state) {
  const std::string bytes = without_gil([&] { return state_bytes(state); });
  return nb::bytes(bytes.data(), bytes.size());
}

/// Throws std::invalid_argument if the bytes are no state.
State unpacked(const nb::bytes& bytes, const std::string& name) {
  const std::string_view view(bytes.c_str(), bytes.size());
  return without_gil([&] {
    try {
      return state_from_bytes(view, name);
    } catch (const std::runtime_error& error) {
      throw std::invalid_argument(error.what());
    }
  });
}

using SampleArrays = std::tuple<DoubleArray, std::vector<std::int32_t>, std::vector<double>, LevelNames>;

/// The rows of the sample: values, classes, how many rows each stands for, levels.
SampleArrays sample_arrays(const State& state) {
  const Survey survey = without_gil([&] { return in_order(state.survey()); });
  const LabelledSample sample = sample_of(survey);
  LevelNames levels;
  for (const Levels& column : sample.levels) levels.push_back(column.names);
  std::vector<double> totals(survey.classes.size());
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    totals[static_cast<std::size_t>(sample.y[i])] += survey.sample.weights[i];
  std::vector<double> weights;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    const auto c = static_cast<std::size_t>(sample.y[i]);
    weights.push_back(survey.sample.weights[i] * survey.class_weights[c] / totals[c]);
  }
  return {array_of(sample.X), sample.y, weights, levels};
}

/// The places of features whose levels may be numbers.
std::vector<std::size_t> categories_of_numbers(const State& state) {
  const std::vector<SurveyedFeature>& features = state.survey().features;
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const ValueType type = features[j].level_type;
    if (features[j].is_categorical() && (is_number(type) || type == ValueType::unknown)) found.push_back(j);
  }
  return found;
}

/// The places of features with such values.
template <FeatureValues kind>
std::vector<std::size_t> features_with(const State& state) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < state.survey().features.size(); ++j)
    if (values_of(state.survey(), j) == kind) found.push_back(j);
  return found;
}

nb::dict planned_options(const State& state) {
  return state.is_planned() ? options_dict(state.planned_options()) : nb::dict();
}

}  // namespace

void bind_state(nb::module_& module) {
  using namespace nb::literals;

  module.def("default_chunk_rows", &default_chunk_rows, "n_columns"_a,
             "Rows that a chunk of so many columns has unless there is a reason.");

  nb::class_<State>(module, "State", "What is known of the rows of a table that is not at hand as a whole.")
      .def(nb::init<std::size_t>(), "sample_rows"_a = 0)
      .def("update", &update, "X"_a, "y"_a, nb::kw_only(), "features"_a, "classes"_a,
           "levels"_a = LevelNames(), "sample_weight"_a = nb::none(), "first_row"_a = nb::none(),
           "label_type"_a = "unknown", "level_types"_a = std::vector<std::string>(), "n_threads"_a = 0)
      .def(
          "merge", [](State& state, const State& other) { without_gil([&] { state.merge(other); }); },
          "other"_a)
      .def("plan", &plan, "options"_a, nb::kw_only(), "class_weight"_a = nb::none(), "costs"_a = nb::none(),
           "structure"_a = nb::none(), "max_seconds"_a = 0.0, "table_bytes"_a = State::default_table_bytes,
           "n_threads"_a = 0, "progress"_a = nb::none())
      .def("finalize", &finalize, nb::kw_only(), "n_threads"_a = 0, "progress"_a = nb::none())
      .def("fit_sample", &fit_sample, "options"_a, nb::kw_only(), "class_weight"_a = nb::none(),
           "costs"_a = nb::none(), "structure"_a = nb::none(), "max_seconds"_a = 0.0, "n_threads"_a = 0,
           "progress"_a = nb::none())
      .def("copy", [](const State& state) { return without_gil([&] { return State(state); }); })
      .def_prop_ro("is_planned", &State::is_planned)
      .def_prop_ro(
          "has_all_rows", [](const State& state) { return state.survey().is_whole(); },
          "Whether all rows surveyed are in the sample.")
      .def_prop_ro("n_rows", &State::n_rows)
      .def_prop_ro("sample_rows", [](const State& state) { return state.survey().sample.size(); })
      .def_prop_ro("features", &feature_names)
      .def_prop_ro("categories_of_numbers", &categories_of_numbers,
                   "The places of features whose levels may be numbers.")
      .def_prop_ro("constant_features", &features_with<FeatureValues::constant>,
                   "The places of features with the same value in every row.")
      .def_prop_ro("empty_features", &features_with<FeatureValues::none>,
                   "The places of features without values.")
      .def_prop_ro(
          "classes", [](const State& state) { return classes_in_order(state.survey()); }, "Ascending.")
      .def_prop_ro("label_type",
                   [](const State& state) {
                     const Survey& survey = state.survey();
                     return label_type_name(survey.label_type, classes_in_order(survey));
                   })
      .def_prop_ro("options", &planned_options, "Those of a planned state; else empty.")
      .def_prop_ro(
          "structure",
          [](const State& state) {
            return structure_names(state.is_planned() ? state.planned_options().structure.texts
                                                      : Provenance());
          },
          "Given pairs, or None, and excluded features and pairs of a planned state: lists of names.")
      .def("sample", &sample_arrays,
           "The rows of the sample: values, classes, how many rows each stands for, levels.")
      .def("to_bytes", &packed)
      .def_static("from_bytes", &unpacked, "bytes"_a, "name"_a = "state")
      .def(
          "save",
          [](const State& state, const std::string& path) {
            on_file(path, [&] { save_state(state, path); });
          },
          "path"_a)
      .def("__getstate__", &packed)
      .def("__reduce_ex__", &reduced)
      .def("__setstate__", [](State& state, const nb::bytes& bytes) {
        new (&state) State(unpacked(bytes, "pickled state"));
      });
}

}  // namespace dyad::python

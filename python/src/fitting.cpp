// Fits of models and of their densities.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/fit.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/base/stopwatch.h"
#include "python/src/arrays.h"
#include "python/src/fit_options.h"
#include "python/src/fitted_model.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"
#include "python/src/sample.h"

namespace dyad::python {
namespace {

std::vector<std::size_t> row_numbers(const Values<std::int64_t>& rows, std::size_t n_rows) {
  for (std::size_t k = 0; k < rows.shape(0); ++k)
    if (rows(k) < 0 || static_cast<std::size_t>(rows(k)) >= n_rows)
      throw std::invalid_argument("a split names row " + std::to_string(rows(k)) + " of " +
                                  std::to_string(n_rows));
  return vector_of<std::size_t>(rows);
}

void set_names(Model& model, const std::vector<std::string>& features,
               const std::vector<std::string>& classes, const std::string& label_type) {
  if (features.size() != model.n_features || classes.size() != model.n_classes())
    throw std::invalid_argument("fit: expected a name for each feature and each class");
  model.features = features;
  model.classes = classes;
  model.label_type = named<ValueType>(value_type_names, label_type, "label_type");
}

FittedModel fit_rows(const Rows& X, const Values<std::int32_t>& y, std::size_t n_classes,
                     const nb::dict& options, const std::optional<Values<double>>& sample_weight,
                     const std::optional<std::vector<SplitRows>>& splits,
                     const std::optional<Values<double>>& class_weight, const std::optional<Rows>& costs,
                     const std::vector<std::string>& features, const std::vector<std::string>& classes,
                     const std::string& label_type, const LevelNames& levels,
                     const std::optional<StructureNames>& structure, double max_seconds, int n_threads,
                     const nb::object& progress) {
  FitOptions fit_options = fit_options_from(options);
  set_splits_and_weights(fit_options, X.shape(0), splits, class_weight, costs);
  set_structure(fit_options, structure, features);
  fit_options.max_seconds = max_seconds;
  return interruptible(n_threads, progress, [&](const Execution& execution) {
    LabelledSample sample = sample_of(X, y, n_classes, sample_weight, levels, execution);
    FittedModel result{.report = FitReport{}};
    {
      const Stopwatch watch(result.seconds);
      result.model = fit(std::move(sample), std::move(fit_options), execution, *result.report);
    }
    set_names(result.model, features, classes, label_type);
    return result;
  });
}

/// The terms that a fit with these options would have, or those of the given pairs and every feature, all of
/// weight 0.
FittedModel fit_term_densities(const Rows& X, const Values<std::int32_t>& y, std::size_t n_classes,
                               const nb::dict& options, const std::optional<std::vector<Place>>& pairs,
                               const std::optional<Values<double>>& sample_weight,
                               const std::optional<std::vector<SplitRows>>& splits,
                               const std::optional<Values<double>>& class_weight,
                               const std::vector<std::string>& features,
                               const std::vector<std::string>& classes, const std::string& label_type,
                               const LevelNames& levels, int n_threads, const nb::object& progress) {
  FitOptions fit_options = fit_options_from(options);
  set_splits_and_weights(fit_options, X.shape(0), splits, class_weight);
  return interruptible(n_threads, progress, [&](const Execution& execution) {
    const LabelledSample sample = sample_of(X, y, n_classes, sample_weight, levels, execution);
    FittedModel result{.report = FitReport{}};
    const Stopwatch watch(result.seconds);
    std::vector<TermKey> places;
    if (!pairs) places = choose_pairs(sample, fit_options, execution, *result.report);
    for (const auto& [code, i, j] : pairs.value_or(std::vector<Place>{})) {
      if (code < 0 || static_cast<std::size_t>(code) >= n_classes || i >= j || j >= sample.n_features())
        throw std::invalid_argument("fit_terms: pairs must be (class, i, j) with i < j, got (" +
                                    std::to_string(code) + ", " + std::to_string(i) + ", " +
                                    std::to_string(j) + ")");
      places.push_back({code, i, j});
    }
    result.model = fit_densities(sample, fit_options, places, execution, *result.report);
    set_names(result.model, features, classes, label_type);
    return result;
  });
}

/// Values of the densities that `fit_terms` makes for the rows themselves, by rows of other folds.
DoubleArray cross_fitted_terms(const Rows& X, const Values<std::int32_t>& y, std::size_t n_classes,
                               const nb::dict& options, const std::vector<Place>& pairs, int n_folds,
                               const std::optional<Values<double>>& sample_weight, const LevelNames& levels,
                               int n_threads, const nb::object& progress) {
  const FitOptions fit_options = fit_options_from(options);
  std::vector<TermKey> places;
  for (const auto& [code, i, j] : pairs) places.push_back({code, i, j});
  return array_of(interruptible(n_threads, progress, [&](const Execution& execution) {
    FitReport report;
    return cross_fitted_densities(sample_of(X, y, n_classes, sample_weight, levels), fit_options, places,
                                  n_folds, execution, report);
  }));
}

}  // namespace

void set_splits_and_weights(FitOptions& options, std::size_t n_rows,
                            const std::optional<std::vector<SplitRows>>& splits,
                            const std::optional<Values<double>>& class_weight,
                            const std::optional<Rows>& costs) {
  if (splits)
    for (const auto& [train, test] : *splits)
      options.inner_splits.push_back(
          {.inside = row_numbers(test, n_rows), .outside = row_numbers(train, n_rows)});
  if (class_weight) options.class_weight_values = vector_of<double>(*class_weight);
  if (!costs) return;
  require_floats(*costs);
  options.costs = matrix_of(*costs);
}

void set_structure(FitOptions& options, const std::optional<StructureNames>& structure,
                   const std::vector<std::string>& features) {
  if (structure) dyad::set_structure(options, {structure->first, structure->second}, features);
}

StructureNames structure_names(const Provenance& fitted_with) {
  NamedStructure named = named_structure(fitted_with);
  return {std::move(named.pairs), std::move(named.exclude)};
}

FitOptions fit_options_from(const nb::dict& given) {
  const FitOptions named = options_over(preset_options(Preset::automatic), given);
  std::optional<SettingsRule> settings;
  if (given.contains("settings")) settings = named.settings;
  FitOptions result =
      options_over(preset_options(named.preset, named.method, named.optimise, settings), given);
  if (!given.contains("pairs")) infer_pair_rule(result);
  require_valid(result);
  return result;
}

void bind_fitting(nb::module_& module) {
  using namespace nb::literals;

  module.def(
      "fit", &fit_rows, "X"_a, "y"_a, "n_classes"_a, "options"_a, nb::kw_only(),
      "sample_weight"_a = nb::none(), "splits"_a = nb::none(), "class_weight"_a = nb::none(),
      "costs"_a = nb::none(), "features"_a, "classes"_a, "label_type"_a = "unknown",
      "levels"_a = LevelNames(), "structure"_a = nb::none(), "max_seconds"_a = 0.0, "n_threads"_a = 0,
      "progress"_a = nb::none(),
      "Fits a model. Splits are (train, test) row numbers of the inner cross-validation; levels are the "
      "names that codes of each feature stand for, ascending, none for numbers; structure is (pairs or None, "
      "excluded features and pairs), each a list of names.");
  module.def("fit_terms", &fit_term_densities, "X"_a, "y"_a, "n_classes"_a, "options"_a, nb::kw_only(),
             "pairs"_a = nb::none(), "sample_weight"_a = nb::none(), "splits"_a = nb::none(),
             "class_weight"_a = nb::none(), "features"_a, "classes"_a, "label_type"_a = "unknown",
             "levels"_a = LevelNames(), "n_threads"_a = 0, "progress"_a = nb::none(),
             "Log densities of every feature and of pairs, given or chosen by the options: a model with zero "
             "weights.");
  module.def(
      "cross_fitted_terms", &cross_fitted_terms, "X"_a, "y"_a, "n_classes"_a, "options"_a, nb::kw_only(),
      "pairs"_a, "n_folds"_a, "sample_weight"_a = nb::none(), "levels"_a = LevelNames(), "n_threads"_a = 0,
      "progress"_a = nb::none(),
      "Log densities, as those of fit_terms with these pairs, of the rows themselves, each by the rows of "
      "other folds: n x n_terms.");
  module.attr("largest_class_weight") = largest_class_weight;
  module.def(
      "default_options", [](const nb::dict& options) { return options_dict(fit_options_from(options)); },
      "options"_a = nb::dict(),
      "All options of a fit with these ones: those left out are as the preset says.");
  module.def("describe_options", &options_description<FitOptions>,
             "Kind, allowed values or range, and help of each option of a fit, by name.");
}

}  // namespace dyad::python

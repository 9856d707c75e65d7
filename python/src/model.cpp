// Models: applied, saved and loaded.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/prediction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "dyad/data/table_notes.h"
#include "dyad/evaluation/dependence.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/summary.h"
#include "dyad/exports/export.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/model/description.h"
#include "dyad/model/novelty.h"
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

/// work(rows, execution), with `n_cols` columns, on rows that fit the model and without the GIL.
template <class Work>
DoubleArray on_rows(const Model& model, const Rows& X, std::size_t n_cols, int n_threads, const Work& work) {
  require_columns_of(model, X);
  constexpr std::size_t many_values = 10'000'000;  // of the counts engine, in a tenth of a second
  const bool is_long = model.engine == Engine::exact || X.shape(0) * model.terms.size() > many_values;
  return array_of(interruptible_if(is_long, n_threads, [&](const Execution& execution) {
    return by_columns(X, n_cols, execution, work);
  }));
}

/// work(scores) on scores of the model, without the GIL.
template <class Work>
auto on_scores(const Model& model, const Rows& scores, const Work& work) {
  require_floats(scores);
  if (scores.shape(1) != model.n_scores())
    throw std::invalid_argument("the model has " + std::to_string(model.n_scores()) + " scores a row, got " +
                                std::to_string(scores.shape(1)));
  return array_of(without_gil([&] { return work(matrix_of(scores)); }));
}

/// work(values) on values of the model's terms, for one of its scores, without the GIL.
template <class Work>
DoubleArray on_term_values(const Model& model, const Rows& values, std::size_t score, const Work& work) {
  require_floats(values);
  if (values.shape(1) != model.terms.size() || score >= model.n_scores())
    throw std::invalid_argument("the model has " + std::to_string(model.terms.size()) + " terms and " +
                                std::to_string(model.n_scores()) + " scores, got rows of " +
                                std::to_string(values.shape(1)) + " values and score " +
                                std::to_string(score));
  return array_of(without_gil([&] { return work(ColumnMajor(values).view()); }));
}

nb::dict report_of(const FittedModel& fitted) {
  nb::dict result;
  if (!fitted.report) return result;
  const FitReport& report = *fitted.report;
  result["converged"] = report.converged;
  result["gap"] = report.gap;
  result["hsic"] = report.hsic;
  result["iterations"] = report.iterations;
  nb::dict seconds;
  seconds["total"] = fitted.seconds;
  seconds["screen"] = report.screen;
  seconds["density"] = report.density;
  seconds["features"] = report.features;
  seconds["svm"] = report.svm;
  result["seconds"] = seconds;
  return result;
}

/// Throws std::invalid_argument if the bytes are not a model.
FittedModel from_bytes(std::string_view bytes, const std::string& name) {
  try {
    return {.model = model_from_bytes(bytes, name)};
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
}

FittedModel from_bytes(const nb::bytes& bytes, const std::string& name) {
  const std::string_view view(bytes.c_str(), bytes.size());
  return without_gil([&] { return from_bytes(view, name); });
}

/// The bytes for a file, a pickle or a copy. A model that could not be read again is a ValueError.
std::string bytes_of(const FittedModel& fitted, const std::string& name) {
  try {
    return readable_model_bytes(fitted.model, name);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
}

nb::bytes to_bytes(const FittedModel& fitted) {
  const std::string bytes = without_gil([&] { return bytes_of(fitted, "model"); });
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes exported(const FittedModel& fitted, const std::string& format, bool contributions) {
  const auto number = index_of_name(export_format_names, format, "to");
  const std::string bytes = without_gil([&] {
    return export_model(fitted.model, static_cast<ExportFormat>(number), {.contributions = contributions});
  });
  return nb::bytes(bytes.data(), bytes.size());
}

FittedModel load(const std::string& path) {
  const std::string bytes = on_file(path, [&] { return read_model_file(path); });
  return without_gil([&] { return from_bytes(std::string_view(bytes), path); });
}

void save(const FittedModel& fitted, const std::string& path) {
  const std::string bytes = without_gil([&] { return bytes_of(fitted, path); });
  on_file(path, [&] { write_file(path, bytes); });
}

std::vector<Place> places_of(const Model& model) {
  std::vector<Place> result;
  // Tables have the codes -2, -3, .. of the classes 0, 1, ..
  for (const Term& term : model.terms)
    result.emplace_back(term.is_table ? -2 - term.class_code : term.class_code, term.i, term.j);
  return result;
}

using SettingValues = std::tuple<std::string, double, double, double, bool>;

std::vector<SettingValues> settings_of(const Model& model) {
  std::vector<SettingValues> result;
  for (const Setting& setting : model.settings)
    result.emplace_back(setting.terms, setting.C, setting.blend, setting.loss, setting.averaged);
  return result;
}

std::vector<std::string> curves_of(const Model& model) {
  std::vector<std::string> result;
  for (const Coordinate& coordinate : model.coordinates)
    result.push_back(option_text(coordinate.curve, curve_names));
  return result;
}

using NamesAndOthers = std::pair<std::vector<std::string>, bool>;

std::vector<std::optional<NamesAndOthers>> levels_of(const Model& model) {
  std::vector<std::optional<NamesAndOthers>> result(model.levels.size());
  for (std::size_t j = 0; j < result.size(); ++j)
    if (!model.levels[j].is_number()) result[j] = {model.levels[j].names, model.levels[j].has_others};
  return result;
}

std::vector<double> centres_of(const Model& model) {
  std::vector<double> result;
  for (const Term& term : model.terms) result.push_back(term.centre);
  return result;
}

/// Codes of the levels that some distinct texts mean, as a model with these levels finds them.
std::vector<double> codes_of_texts(const std::vector<std::string>& names, bool has_others,
                                   const std::vector<std::string>& texts) {
  CategoricalColumn column{.levels = texts};
  for (std::size_t k = 0; k < texts.size(); ++k) column.codes.push_back(static_cast<std::int32_t>(k));
  return codes_of(Levels{names, has_others}, column);
}

void bind_values(nb::module_& module) {
  using namespace nb::literals;
  module.def("normal_form", nb::overload_cast<double>(&normal_form), "value"_a,
             "The name of a number as a label or level: 1.0 is 1.");
  module.def("level_codes", &codes_of_texts, "names"_a, "has_others"_a, "texts"_a,
             "Codes of the levels that texts mean; NaN, or the code of all others, for unknown ones.");
  module.def(
      "note_on_unknown",
      [](const std::string& feature, const std::vector<std::string>& names, bool has_others,
         std::size_t n_values, std::size_t n_known, const std::string& unknown) {
        return note_on_unknown(feature, {.names = names, .has_others = has_others},
                               {.n_values = n_values, .n_known = n_known, .unknown = unknown});
      },
      "feature"_a, "names"_a, "has_others"_a, "n_values"_a, "n_known"_a, "unknown"_a,
      "A warning that values of a column are no levels that the model knows; empty for one value.");
  module.def(
      "notes_on_table",
      [](const Rows& X, const std::vector<std::string>& names, const std::vector<std::size_t>& n_levels,
         const std::vector<std::string>& classes, const std::vector<std::uint64_t>& rows) {
        const ColumnMajor columns(X);
        std::vector<std::string> notes;
        for (std::size_t j = 0; j < names.size(); ++j)
          if (n_levels[j] > 0 ? looks_like_id(n_levels[j], columns.view().n_rows)
                              : looks_like_id(columns.view().column(j)))
            notes.push_back(note_on_id(names[j]));
        for (std::string& note : notes_on_classes(classes, rows)) notes.push_back(std::move(note));
        return notes;
      },
      "X"_a, "names"_a, "n_levels"_a, "classes"_a, "rows"_a,
      "What to warn of before a fit to rows of columns with so many levels (0 of numbers), and of classes.");
}

}  // namespace

void bind_model(nb::module_& module) {
  using namespace nb::literals;
  bind_values(module);

  nb::class_<FittedModel>(module, "Model",
                          "A fitted model: a linear function of log densities. Nothing changes it, so that "
                          "threads may share one.")
      .def_prop_ro("n_features", [](const FittedModel& m) { return m.model.n_features; })
      .def_prop_ro("features", [](const FittedModel& m) { return m.model.features; })
      .def_prop_ro("classes", [](const FittedModel& m) { return m.model.classes; })
      .def_prop_ro(
          "label_type",
          [](const FittedModel& m) { return label_type_name(m.model.label_type, m.model.classes); },
          "Type of the labels that classes stand for: `text`, `boolean`, `integer` or `real`.")
      .def_prop_ro("method", [](const FittedModel& m) { return option_of(m.model, "method"); })
      .def_prop_ro("options",
                   [](const FittedModel& m) { return options_dict(dyad::options_from(m.model.fitted_with)); })
      .def_prop_ro(
          "structure", [](const FittedModel& m) { return structure_names(m.model.fitted_with); },
          "Pairs that were given, or None, and excluded features and pairs: lists of names.")
      .def(
          "summary",
          [](const FittedModel& m, bool with_options) {
            return summary(m.model, purified_of(m), with_options);
          },
          "with_options"_a = false, "What `dyad info` tells about its file, with --options or without.")
      .def_prop_ro(
          "class_frequencies",
          [](const FittedModel& m) {
            return option_text(m.model.class_frequencies, class_frequencies_names);
          },
          "What probabilities refer to: `table` frequencies, `equal` ones, or `weighted` by class weights.")
      .def_prop_ro("class_rows",
                   [](const FittedModel& m) {
                     return std::vector<double>(m.model.class_rows.begin(), m.model.class_rows.end());
                   })
      .def_prop_ro(
          "terms", [](const FittedModel& m) { return places_of(m.model); },
          "(class, i, j) of each term, i = j for one feature; the class of the feature itself is -1.")
      .def_prop_ro(
          "settings", [](const FittedModel& m) { return settings_of(m.model); },
          "(terms, C, blend, loss, averaged) of each setting that was tried, the smallest loss first.")
      .def_prop_ro(
          "curves", [](const FittedModel& m) { return curves_of(m.model); },
          "Of each feature what its coordinate is made by; empty for values as they are.")
      .def_prop_ro(
          "levels", [](const FittedModel& m) { return levels_of(m.model); },
          "Of each feature (names, others), what its codes stand for and whether one more stands for all "
          "other levels; None of numbers. Empty if all are numbers.")
      .def_prop_ro(
          "centres", [](const FittedModel& m) { return array_of(centres_of(m.model)); }, nb::rv_policy::move)
      .def_prop_ro(
          "weights", [](const FittedModel& m) { return array_of(m.model.weights); }, nb::rv_policy::move,
          "n_scores x n_terms.")
      .def_prop_ro(
          "intercepts", [](const FittedModel& m) { return array_of(m.model.intercepts); },
          nb::rv_policy::move)
      .def_prop_ro(
          "costs", [](const FittedModel& m) { return array_of(m.model.costs); }, nb::rv_policy::move,
          "By true and predicted class; 0 x 0 if the winner of the scores is predicted.")
      .def_prop_ro("report", &report_of, "How the fit went; empty for a model that was loaded.")
      .def(
          "scores",
          [](const FittedModel& m, const Rows& X, int n_threads) {
            return on_rows(m.model, X, m.model.n_scores(), n_threads,
                           [&](const MatrixView& rows, const Execution& execution) {
                             return scores(m.model, rows, execution);
                           });
          },
          "X"_a, "n_threads"_a = 0, "Scores of rows, n x n_scores: one score for two classes.")
      .def(
          "term_values",
          [](const FittedModel& m, const Rows& X, int n_threads) {
            return on_rows(m.model, X, m.model.terms.size(), n_threads,
                           [&](const MatrixView& rows, const Execution& execution) {
                             if (m.model.coordinates.empty())
                               return term_values(m.model.terms, rows, execution);
                             const Matrix Z = in_coordinates(m.model.coordinates, rows, execution);
                             return term_values(m.model.terms, Z, execution);
                           });
          },
          "X"_a, "n_threads"_a = 0, "Values of the terms for rows, n x n_terms.")
      .def(
          "contributions",
          [](const FittedModel& m, const Rows& values, std::size_t score) {
            return on_term_values(m.model, values, score, [&](const MatrixView& rows) {
              return contributions(m.model, rows, score);
            });
          },
          "values"_a, "score"_a, "Contributions of the terms to a score, n x n_terms, by their values.")
      .def(
          "feature_parts",
          [](const FittedModel& m, const Rows& values, std::size_t score) {
            return on_term_values(m.model, values, score, [&](const MatrixView& rows) {
              return feature_parts(m.model, rows, score);
            });
          },
          "values"_a, "score"_a,
          "Parts of a score by feature, n x n_features, by the values of the terms; pairs count half each.")
      .def(
          "pair_hsic",
          [](const FittedModel& m, const Rows& X, const Values<std::int32_t>& y,
             const std::optional<Values<double>>& sample_weight, int n_threads) {
            require_columns_of(m.model, X);
            return array_of(interruptible(n_threads, nb::none(), [&](const Execution& execution) {
              LabelledSample sample = sample_of(X, y, m.model.n_classes(), sample_weight);
              sample.levels = m.model.levels;
              return hsic_of_terms(m.model, std::move(sample), execution);
            }));
          },
          "X"_a, "y"_a, "sample_weight"_a = nb::none(), "n_threads"_a = 0,
          "HSIC of each term of two features, over the rows of its class.")
      .def(
          "probabilities",
          [](const FittedModel& m, const Rows& scores) {
            return on_scores(m.model, scores,
                             [&](const Matrix& values) { return probabilities(m.model, values); });
          },
          "scores"_a, "Probabilities of the classes, n x n_classes.")
      .def(
          "classify",
          [](const FittedModel& m, const Rows& scores) {
            return on_scores(m.model, scores,
                             [&](const Matrix& values) { return classify(m.model, values); });
          },
          "scores"_a,
          "The class that is predicted for each row of scores: the winner, or that of least expected cost.")
      .def(
          "novelty",
          [](const FittedModel& m, const Rows& X, int n_threads) {
            return on_rows(m.model, X, 3, n_threads, [&](const MatrixView& rows, const Execution& execution) {
              Matrix result(rows.n_rows, 3);
              const auto of_rows = novelty(m.model, rows, execution);
              for (std::size_t i = 0; i < of_rows.size(); ++i) {
                result(i, 0) = of_rows[i].score;
                result(i, 1) =
                    of_rows[i].term == Novelty::no_term ? -1.0 : static_cast<double>(of_rows[i].term);
                result(i, 2) = of_rows[i].p_value;
              }
              return result;
            });
          },
          "X"_a, "n_threads"_a = 0,
          "Novelty of rows, the number of the term that it comes from, -1 for none, and the p-value, NaN "
          "where it "
          "is not known, n x 3.")
      .def("exported", &exported, "format"_a, "contributions"_a = false,
           "The bytes of the model in another format: json, c, js, sql or onnx.")
      .def("to_bytes", &to_bytes, "The bytes of a model file.")
      .def_static("from_bytes", nb::overload_cast<const nb::bytes&, const std::string&>(&from_bytes),
                  "bytes"_a, "name"_a = "model")
      .def("save", &save, "path"_a)
      .def_static("load", &load, "path"_a)
      .def("__getstate__", &to_bytes)
      .def("__reduce_ex__", &reduced)
      .def("__setstate__", [](FittedModel& m, const nb::bytes& state) {
        new (&m) FittedModel(from_bytes(state, "pickled model"));
      });
}

}  // namespace dyad::python

// Models: applied, written and read.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/model.h"

#include <cpp11.hpp>
#include <stdexcept>

#include "dyad/exports/export.h"
#include "dyad/fit/options.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/model/description.h"
#include "dyad/model/novelty.h"
#include "dyad/model/prediction.h"
#include "interruptible.h"
#include "module.h"

namespace dyad::r {
namespace {

using namespace cpp11::literals;

std::string_view view_of(const cpp11::raws& bytes) {
  return {reinterpret_cast<const char*>(RAW(bytes.data())), static_cast<std::size_t>(bytes.size())};
}

/// work(rows, execution) on rows that fit the model.
template <class Work>
auto on_rows(SEXP pointer, const Columns& X, int threads, const Work& work) {
  const Model& model = model_of(pointer);
  const MatrixView rows = dyad::r::view_of(X);
  if (rows.n_cols != model.n_features)
    throw std::invalid_argument("newdata: expected " + std::to_string(model.n_features) + " columns, got " +
                                std::to_string(rows.n_cols));
  return interruptible(threads, R_NilValue,
                       [&](const Execution& execution) { return work(model, rows, execution); });
}

List levels_of_features(const Model& model) {
  List result(static_cast<R_xlen_t>(model.levels.size()));
  for (std::size_t j = 0; j < model.levels.size(); ++j)
    result[static_cast<R_xlen_t>(j)] = List({"names"_nm = strings(model.levels[j].names),
                                             "has_others"_nm = cpp11::as_sexp(model.levels[j].has_others)});
  return result;
}

List terms_of(const Model& model) {
  std::vector<int> codes, is, js;
  std::vector<double> centres;
  std::vector<std::string_view> kinds;
  for (const Term& term : model.terms) {
    kinds.push_back(kind_of(term));
    codes.push_back(term.class_code == no_class ? NA_INTEGER : term.class_code + 1);
    is.push_back(static_cast<int>(term.i) + 1);
    js.push_back(static_cast<int>(term.j) + 1);
    centres.push_back(term.centre);
  }
  return {"kind"_nm = strings(kinds), "class"_nm = integers(codes), "i"_nm = integers(is),
          "j"_nm = integers(js), "centre"_nm = numbers(centres)};
}

List settings_of(const Model& model) {
  std::vector<std::string> terms;
  std::vector<double> costs, blends, losses;
  std::vector<int> averaged;
  for (const Setting& setting : model.settings) {
    terms.push_back(setting.terms);
    costs.push_back(setting.C);
    blends.push_back(setting.blend);
    losses.push_back(setting.loss);
    averaged.push_back(setting.averaged ? 1 : 0);
  }
  return {"terms"_nm = strings(terms), "C"_nm = numbers(costs), "blend"_nm = numbers(blends),
          "loss"_nm = numbers(losses), "averaged"_nm = integers(averaged)};
}

}  // namespace

/// True of the pointer of an object that comes from a file.
bool is_lost(SEXP pointer) { return TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrAddr(pointer) == nullptr; }

SEXP model_from_raw(const cpp11::raws& bytes, const std::string& name) {
  auto model = std::make_unique<Model>(model_from_bytes(view_of(bytes), name));
  return cpp11::external_pointer<Model>(model.release());
}

cpp11::writable::raws file_bytes(const std::string& path) { return raw_bytes(read_model_file(path)); }

SEXP write_bytes(const std::string& path, const cpp11::raws& bytes) {
  write_file(path, view_of(bytes));
  return R_NilValue;
}

List model_parts(SEXP pointer) {
  const Model& model = model_of(pointer);
  const Provenance options = provenance(options_from(model.fitted_with));
  std::vector<std::string> names, values;
  for (const auto& [name, value] : options) {
    names.push_back(name);
    values.push_back(value);
  }
  auto named_options = strings(values);
  named_options.names() = strings(names);
  const ValueType type =
      model.label_type == ValueType::unknown ? usual_type(model.classes) : model.label_type;
  return {"features"_nm = strings(model.features),
          "classes"_nm = strings(model.classes),
          "label_type"_nm = option_text(type, value_type_names).c_str(),
          "levels"_nm = levels_of_features(model),
          "terms"_nm = terms_of(model),
          "weights"_nm = matrix(model.weights),
          "intercepts"_nm = numbers(model.intercepts),
          "class_rows"_nm = numbers(std::vector<double>(model.class_rows.begin(), model.class_rows.end())),
          "class_frequencies"_nm = option_text(model.class_frequencies, class_frequencies_names).c_str(),
          "options"_nm = named_options,
          "settings"_nm = settings_of(model)};
}

std::string model_description(SEXP model) {
  return description(model_of(model)) + settings_text(model_of(model));
}

NewMatrix row_scores(SEXP model, const Columns& X, int threads) {
  return matrix(
      on_rows(model, X, threads, [](const Model& m, const MatrixView& rows, const Execution& execution) {
        return scores(m, rows, execution);
      }));
}

NewMatrix row_probabilities(SEXP model, const Columns& scores) {
  return matrix(probabilities(model_of(model), Matrix(dyad::r::view_of(scores))));
}

cpp11::writable::integers predicted_classes(SEXP model, const Columns& scores) {
  return integers(classify(model_of(model), Matrix(dyad::r::view_of(scores))), 1);
}

NewMatrix row_term_values(SEXP model, const Columns& X, int threads) {
  return matrix(
      on_rows(model, X, threads, [](const Model& m, const MatrixView& rows, const Execution& execution) {
        if (m.coordinates.empty()) return term_values(m.terms, rows, execution);
        const Matrix Z = in_coordinates(m.coordinates, rows, execution);
        return term_values(m.terms, Z, execution);
      }));
}

NewMatrix row_contributions(SEXP model, const Columns& values, int score) {
  return matrix(
      contributions(model_of(model), dyad::r::view_of(values), static_cast<std::size_t>(score - 1)));
}

List row_novelty(SEXP model, const Columns& X, int threads) {
  const auto found =
      on_rows(model, X, threads, [](const Model& m, const MatrixView& rows, const Execution& execution) {
        return novelty(m, rows, execution);
      });
  std::vector<double> scores;
  std::vector<double> p_values;
  std::vector<int> terms;
  for (const Novelty& of_row : found) {
    scores.push_back(of_row.score);
    p_values.push_back(std::isnan(of_row.p_value) ? NA_REAL : of_row.p_value);
    terms.push_back(of_row.term == Novelty::no_term ? NA_INTEGER : static_cast<int>(of_row.term) + 1);
  }
  return {"novelty"_nm = numbers(scores), "p_value"_nm = numbers(p_values), "term"_nm = integers(terms)};
}

cpp11::writable::raws exported(SEXP model, const std::string& format, bool contributions) {
  const auto to = named<ExportFormat>(export_format_names, format, "format");
  return raw_bytes(export_model(model_of(model), to, {.contributions = contributions}));
}

}  // namespace dyad::r

// Fits of models.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/fit.h"

#include <cpp11.hpp>
#include <stdexcept>

#include "dyad/base/stopwatch.h"
#include "dyad/evaluation/cross_validation.h"
#include "dyad/io/model_file.h"
#include "interruptible.h"
#include "module.h"
#include "options.h"

namespace dyad::r {
namespace {

using namespace cpp11::literals;

LabelledSample sample_of(const Columns& X, const cpp11::integers& y, std::size_t n_classes,
                         const Numbers& weights, const cpp11::list& levels) {
  LabelledSample sample{.X = Matrix(view_of(X)), .y = {y.begin(), y.end()}, .n_classes = n_classes};
  sample.levels = levels_of(levels);
  if (weights.size() > 0) sample.weights = make_row_weights(view_of(weights));
  return sample;
}

List report_of(const FitReport& report, double seconds) {
  const std::vector<double> times{seconds, report.screen, report.density, report.features, report.svm};
  auto named = numbers(times);
  named.names() = {"total", "screen", "density", "features", "svm"};
  return {"seconds"_nm = named, "converged"_nm = cpp11::as_sexp(report.converged),
          "gap"_nm = cpp11::as_sexp(report.gap), "iterations"_nm = static_cast<double>(report.iterations),
          "hsic"_nm = numbers(report.hsic)};
}

std::vector<NamedStructure::Names> names_of(SEXP lists) {
  std::vector<NamedStructure::Names> names;
  for (const SEXP list : cpp11::list(lists)) names.push_back(texts_of(cpp11::strings(list)));
  return names;
}

/// Sets the structure of a list of pairs, NULL for those of a rule, and of excluded features and pairs.
void set_structure(FitOptions& options, const cpp11::list& structure, const cpp11::strings& features) {
  NamedStructure named{.exclude = names_of(structure["exclude"])};
  if (const SEXP pairs = structure["pairs"]; pairs != R_NilValue) named.pairs = names_of(pairs);
  dyad::set_structure(options, named, texts_of(features));
}

}  // namespace

List fit_rows(const Columns& X, const cpp11::integers& y, const cpp11::list& options, const Numbers& weights,
              const Numbers& class_weights, const Columns& costs, const cpp11::strings& features,
              const cpp11::strings& classes, const std::string& label_type, const cpp11::list& levels,
              const cpp11::list& orders, const cpp11::list& structure, int threads, SEXP progress) {
  FitOptions fit_options = fit_options_from(options);
  set_structure(fit_options, structure, features);
  fit_options.class_weight_values = vector_of(class_weights);
  fit_options.costs = Matrix(view_of(costs));
  LabelledSample sample = sample_of(X, y, static_cast<std::size_t>(classes.size()), weights, levels);
  FitReport report;
  double seconds = 0;
  auto model = std::make_unique<Model>(interruptible(threads, progress, [&](const Execution& execution) {
    const Stopwatch watch(seconds);
    return fit(std::move(sample), std::move(fit_options), execution, report);
  }));
  model->features = texts_of(features);
  model->classes = texts_of(classes);
  model->label_type = named<ValueType>(value_type_names, label_type, "label_type");
  for (R_xlen_t j = 0; j < orders.size(); ++j)
    if (const auto names = texts_of(cpp11::strings(orders[j])); !names.empty())
      order_levels(*model, static_cast<std::size_t>(j), names);
  const std::string bytes = readable_model_bytes(*model, "model");
  return {"pointer"_nm = cpp11::external_pointer<Model>(model.release()), "bytes"_nm = raw_bytes(bytes),
          "report"_nm = report_of(report, seconds)};
}

List cross_validated(const Columns& X, const cpp11::integers& y, const cpp11::list& options,
                     const Numbers& weights, const cpp11::strings& features, const cpp11::strings& classes,
                     const cpp11::list& levels, const cpp11::list& structure, int folds, int repeats,
                     int threads, SEXP progress) {
  CrossValidationOptions cv{.folds = folds, .repeats = repeats, .fit = fit_options_from(options)};
  set_structure(cv.fit, structure, features);
  const LabelledSample sample = sample_of(X, y, static_cast<std::size_t>(classes.size()), weights, levels);
  const CrossValidation result = interruptible(
      threads, progress, [&](const Execution& execution) { return cross_validate(sample, cv, execution); });
  const auto column = [&](auto field) {
    std::vector<double> values;
    for (const FoldResult& fold : result.folds) values.push_back(static_cast<double>(fold.*field));
    return numbers(values);
  };
  return {"repeat"_nm = column(&FoldResult::repeat),    "fold"_nm = column(&FoldResult::fold),
          "error"_nm = column(&FoldResult::error),      "ber"_nm = column(&FoldResult::ber),
          "auc"_nm = column(&FoldResult::auc),          "log_loss"_nm = column(&FoldResult::log_loss),
          "pairs"_nm = column(&FoldResult::pairs_kept), "seconds"_nm = column(&FoldResult::seconds)};
}

}  // namespace dyad::r

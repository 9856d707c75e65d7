// Explanations of models, and the report page.
// SPDX-License-Identifier: BSD-3-Clause
#include <cpp11.hpp>
#include <stdexcept>

#include "dyad/evaluation/dependence.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/explanation/shapes.h"
#include "dyad/report/document.h"
#include "dyad/report/page.h"
#include "interruptible.h"
#include "module.h"
#include "options.h"
#include "plotly_mark.h"

namespace dyad::r {
namespace {

using namespace cpp11::literals;

std::size_t feature_at(const Model& model, int position) {
  if (position < 1 || static_cast<std::size_t>(position) > model.n_features)
    throw std::invalid_argument("feature: expected a position from 1 to " + std::to_string(model.n_features) +
                                ", got " + std::to_string(position));
  return static_cast<std::size_t>(position - 1);
}

/// Mean, low and high of each part, a matrix a score.
List importances_of(const Importances::ByScore& by_score) {
  List result(static_cast<R_xlen_t>(by_score.size()));
  for (std::size_t score = 0; score < by_score.size(); ++score) {
    Matrix values(by_score[score].size(), 3);
    for (std::size_t k = 0; k < values.n_rows; ++k) {
      values(k, 0) = by_score[score][k].mean;
      values(k, 1) = by_score[score][k].low;
      values(k, 2) = by_score[score][k].high;
    }
    result[static_cast<R_xlen_t>(score)] = matrix(values);
  }
  return result;
}

}  // namespace

List effect_places(SEXP model) {
  std::vector<int> is, js;
  for (const Effect& effect : effects_of(model_of(model))) {
    is.push_back(static_cast<int>(effect.i) + 1);
    js.push_back(static_cast<int>(effect.j) + 1);
  }
  return {"i"_nm = integers(is), "j"_nm = integers(js)};
}

List part_importances(SEXP model, const Columns& X, double seed, int threads) {
  const Model& m = model_of(model);
  const MatrixView rows = view_of(X);
  const Importances found = interruptible(threads, R_NilValue, [&](const Execution& execution) {
    return importances(m, rows, most_importance_rows, static_cast<std::uint64_t>(seed), execution);
  });
  return {"term"_nm = importances_of(found.terms), "effect"_nm = importances_of(found.effects),
          "feature"_nm = importances_of(found.features)};
}

NewNumbers drawn_points(SEXP model, int feature, int n_numbers) {
  const Model& m = model_of(model);
  return numbers(points_of(m, feature_at(m, feature), static_cast<std::size_t>(n_numbers)));
}

NewMatrix curve(SEXP model, int feature, const Numbers& points) {
  const Model& m = model_of(model);
  return matrix(effect_curve(m, feature_at(m, feature), view_of(points)));
}

NewMatrix surface(SEXP model, int i, int j, const Numbers& x, const Numbers& y) {
  const Model& m = model_of(model);
  return matrix(effect_surface(m, feature_at(m, i), feature_at(m, j), view_of(x), view_of(y)));
}

NewMatrix densities_along(SEXP model, int feature, const Numbers& points) {
  const Model& m = model_of(model);
  return matrix(log_densities(m, feature_at(m, feature), view_of(points)));
}

List row_flips(SEXP model, const Columns& X, int threads) {
  const Model& m = model_of(model);
  const MatrixView rows = view_of(X);
  const auto found = interruptible(
      threads, R_NilValue, [&](const Execution& execution) { return nearest_flips(m, rows, execution); });
  std::vector<int> numbers_of_rows, features, classes;
  std::vector<double> values, distances, second_values;
  std::vector<int> second_features;
  for (std::size_t row = 0; row < found.size(); ++row)
    for (const Flip& flip : found[row]) {
      numbers_of_rows.push_back(static_cast<int>(row) + 1);
      features.push_back(static_cast<int>(flip.feature) + 1);
      classes.push_back(flip.class_code + 1);
      values.push_back(flip.value);
      distances.push_back(flip.distance);
      second_features.push_back(flip.second ? static_cast<int>(flip.second->feature) + 1 : NA_INTEGER);
      second_values.push_back(flip.second ? flip.second->value : std::numeric_limits<double>::quiet_NaN());
    }
  return {"row"_nm = integers(numbers_of_rows),
          "feature"_nm = integers(features),
          "value"_nm = numbers(values),
          "class"_nm = integers(classes),
          "distance"_nm = numbers(distances),
          "second"_nm = integers(second_features),
          "second_value"_nm = numbers(second_values)};
}

List class_dependence(SEXP model, const Columns& X, const cpp11::integers& y, int threads) {
  constexpr std::size_t most_rows = 2000;
  const Model& m = model_of(model);
  const MatrixView rows = view_of(X);
  const std::vector<std::int32_t> codes(y.begin(), y.end());
  const auto found = interruptible(threads, R_NilValue, [&](const Execution& execution) {
    std::vector<std::size_t> features(m.n_features);
    for (std::size_t j = 0; j < features.size(); ++j) features[j] = j;
    const Matrix Z = m.coordinates.empty() ? Matrix(rows) : in_coordinates(m.coordinates, rows, execution);
    return dependence_of(m, Z, codes, features, most_rows, execution);
  });
  List result(static_cast<R_xlen_t>(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k)
    result[static_cast<R_xlen_t>(k)] =
        List({"hsic"_nm = numbers(found[k].hsic), "q"_nm = numbers(found[k].q)});
  return result;
}

std::string report_json(SEXP model, const Columns& X, const cpp11::integers& y, const std::string& title,
                        const cpp11::integers& rows, const cpp11::list& options, const Numbers& seconds,
                        int threads, SEXP progress) {
  const Model& m = model_of(model);
  ReportOptions report = options_over(ReportOptions{}, options);
  report.title = title;
  for (const int row : rows) report.rows.push_back(static_cast<std::size_t>(row - 1));
  if (seconds.size() > 0) {
    const auto steps = texts_of(cpp11::strings(seconds.names()));
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (steps[k] != "total") report.timings.push_back({"fit", steps[k], view_of(seconds)[k]});
  }
  const ReportRows report_rows{Matrix(view_of(X)), {y.begin(), y.end()}};
  return interruptible(threads, progress, [&](const Execution& execution) {
    return report_document(m, report_rows, report, execution);
  });
}

std::string page_html(const std::string& document, const std::string& title, const std::string& plotly) {
  std::string page = report_page(document, title);
  return page.replace(page.find(plotly_mark), plotly_mark.size(), plotly);
}

}  // namespace dyad::r

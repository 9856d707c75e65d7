// Curves and surfaces of a model.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cli/csv_field.h"
#include "cli/views.h"
#include "dyad/base/text.h"
#include "dyad/explanation/shapes.h"
#include "dyad/explanation/value_text.h"

namespace dyad::cli {
namespace {

constexpr std::size_t curve_points = 97;
constexpr std::size_t surface_points = 33;
constexpr std::size_t text_points = 17;

/// Values of the features and, row by row, what the model makes of them.
struct Shape {
  std::vector<std::size_t> features;
  Matrix values;         ///< one column a feature
  Matrix scores;         ///< one column a score
  Matrix log_densities;  ///< one column a class
};

Shape curve_of(const Model& model, std::size_t i, std::size_t n_points, bool by_terms) {
  const auto points = points_of(model, i, n_points);
  return {{i},
          Matrix(MatrixView{points.data(), points.size(), 1}),
          by_terms ? effect_curve(model, i, points) : effect_curve(model, purified_effects(model), i, points),
          log_densities(model, i, points)};
}

Shape surface_of(const Model& model, std::size_t i, std::size_t j, std::size_t n_points, bool by_terms) {
  const auto x = points_of(model, i, n_points);
  const auto y = points_of(model, j, n_points);
  Matrix values(x.size() * y.size(), 2);
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < y.size(); ++b) {
      values(a * y.size() + b, 0) = x[a];
      values(a * y.size() + b, 1) = y[b];
    }
  return {{i, j},
          std::move(values),
          by_terms ? effect_surface(model, i, j, x, y)
                   : effect_surface(model, purified_effects(model), i, j, x, y),
          log_densities(model, i, j, x, y)};
}

std::vector<double> row_of(const Matrix& values, std::size_t row) {
  std::vector<double> result;
  for (std::size_t k = 0; k < values.n_cols; ++k) result.push_back(values(row, k));
  return result;
}

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

std::string json_view(const Model& model, const Shape& shape) {
  Json points = Json::array();
  for (std::size_t row = 0; row < shape.values.n_rows; ++row) {
    Json values = Json::array();
    for (std::size_t k = 0; k < shape.features.size(); ++k)
      values.push_back(value_json(model, shape.features[k], shape.values(row, k)));
    Json densities = Json::array();
    for (const double value : row_of(shape.log_densities, row)) densities.push_back(number_or_null(value));
    points.push_back({{"values", std::move(values)},
                      {"score", per_score(row_of(shape.scores, row))},
                      {"log_densities", std::move(densities)}});
  }
  Json names = Json::array();
  for (const std::size_t feature : shape.features) names.push_back(model.features[feature]);
  return dumped({{"features", std::move(names)}, {"classes", model.classes}, {"points", std::move(points)}});
}

std::string csv_view(const Model& model, const Shape& shape) {
  std::string text;
  for (const std::size_t feature : shape.features)
    text += (text.empty() ? "" : ",") + csv_field(model.features[feature]);
  text += csv_columns(model, "score");
  for (const std::string& label : model.classes) text += "," + csv_field("log_density_" + label);
  text += "\n";
  for (std::size_t row = 0; row < shape.values.n_rows; ++row) {
    for (std::size_t k = 0; k < shape.features.size(); ++k)
      text += (k == 0 ? "" : ",") + value_csv(model, shape.features[k], shape.values(row, k));
    text += csv_numbers(row_of(shape.scores, row)) + csv_numbers(row_of(shape.log_densities, row)) + "\n";
  }
  return text;
}

std::string text_view(const Model& model, const Shape& shape) {
  std::string text = "what ";
  for (std::size_t k = 0; k < shape.features.size(); ++k)
    text += (k == 0 ? "" : " and ") + model.features[shape.features[k]];
  text +=
      fmt::format(" {} to the score; {}\n\n",
                  shape.features.size() > 1 ? "add together beyond each alone" : "adds", score_header(model));
  std::vector<ValueText> texts;
  for (const std::size_t feature : shape.features) texts.emplace_back(model, feature);
  for (std::size_t row = 0; row < shape.values.n_rows; ++row) {
    for (std::size_t k = 0; k < shape.features.size(); ++k)
      text += fmt::format("  {:>12}",
                          std::isnan(shape.values(row, k)) ? "missing" : texts[k](shape.values(row, k)));
    for (const double score : row_of(shape.scores, row)) text += fmt::format("  {:>10.4f}", score);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string shape_view(const Model& model, std::span<const std::string> features, Format format,
                       bool by_terms) {
  const bool is_text = format == Format::text;
  const std::size_t i = feature_named(model, features[0]);
  Shape shape;
  if (features.size() == 1) {
    shape = curve_of(model, i, is_text ? text_points : curve_points, by_terms);
  } else {
    const std::size_t j = feature_named(model, features[1]);
    if (i == j)
      throw std::invalid_argument("a pair needs two features, got " + dyad::quoted(features[0]) + " twice");
    shape = surface_of(model, std::min(i, j), std::max(i, j), is_text ? 7 : surface_points, by_terms);
  }
  if (format == Format::json) return json_view(model, shape);
  return format == Format::csv ? csv_view(model, shape) : text_view(model, shape);
}

}  // namespace dyad::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cli/csv_field.h"
#include "dyad/base/text.h"
#include "dyad/explanation/value_text.h"

namespace dyad::cli {

std::size_t feature_named(const Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.features, name);
  if (found == model.features.end())
    throw std::invalid_argument("the model has no feature " + dyad::quoted(name));
  return static_cast<std::size_t>(found - model.features.begin());
}

std::vector<std::size_t> features_named(const Model& model, std::span<const std::string> names) {
  std::vector<std::size_t> features;
  for (const std::string& name : names) features.push_back(feature_named(model, name));
  return features;
}

Json per_score(const Matrix& values, std::size_t column) { return per_score(values.column(column)); }

Json per_score(std::span<const double> values) {
  return values.size() == 1 ? Json(values[0]) : Json(std::vector<double>(values.begin(), values.end()));
}

std::vector<std::size_t> first_of(std::vector<std::size_t> order, std::size_t top) {
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

Json term_json(const Model& model, const Term& term) {
  return {
      {"kind", kind_of(term)},
      {"class", term.is_density() ? Json(model.classes[static_cast<std::size_t>(term.class_code)]) : Json()},
      {"features", names_json(model, term)}};
}

std::string term_text(const Model& model, const Term& term) {
  std::string features = model.features[term.i] + (term.is_pair() ? ", " + model.features[term.j] : "");
  if (term.is_linear()) return features;
  if (term.is_table && model.n_scores() == 1) return "table(" + features + ")";
  return (term.is_table ? "table(" : "log p(") + features + " | " +
         model.classes[static_cast<std::size_t>(term.class_code)] + ")";
}

std::string term_csv(const Model& model, const Term& term) {
  return std::string(kind_of(term)) + "," +
         (term.is_density() ? csv_field(model.classes[static_cast<std::size_t>(term.class_code)]) : "") +
         "," + csv_field(model.features[term.i]) + "," +
         (term.is_pair() ? csv_field(model.features[term.j]) : "");
}

std::string csv_columns(const Model& model, const std::string& name) {
  if (model.n_scores() == 1) return "," + name;
  std::string text;
  for (const std::string& label : model.classes) text += "," + csv_field(name + "_" + label);
  return text;
}

std::string csv_numbers(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += std::isnan(value) ? "," : fmt::format(",{}", value);
  return text;
}

std::string score_header(const Model& model) {
  if (model.n_scores() == 1) return fmt::format("positive speaks for class {}", model.classes[1]);
  std::string text = "columns: classes";
  for (const std::string& name : model.classes) text += " " + name;
  return text;
}

Json value_json(const Model& model, std::size_t feature, double value) {
  if (std::isnan(value)) return nullptr;
  return is_number(model, feature) ? Json(value) : Json(ValueText(model, feature)(value));
}

std::string value_csv(const Model& model, std::size_t feature, double value) {
  if (std::isnan(value)) return "";
  return is_number(model, feature) ? fmt::format("{}", value) : csv_field(ValueText(model, feature)(value));
}

}  // namespace dyad::cli

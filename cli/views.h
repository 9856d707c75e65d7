// What `dyad explain` prints of a model: views, each as text, JSON or CSV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/json.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {

enum class Format { text, json, csv };

/// Effects and their sizes over the training rows; JSON has the terms, too. `top` of each list, all for 0,
/// the largest first; so for all views.
[[nodiscard]] std::string effects_view(const Model& model, std::size_t top, Format format);

/// Terms and weights.
[[nodiscard]] std::string terms_view(const Model& model, std::size_t top, Format format);

/// A row of a table: its values, what the model makes of them, and the nearest changes of one or two
/// features that change what is predicted.
struct ExplainedRow {
  std::size_t number = 1;  ///< from 1
  Matrix values;           ///< 1 x n_features
  Explanation explanation;
  PurifiedEffects purified;
  Matrix effects;                     ///< n_scores x effects
  std::vector<double> probabilities;  ///< of the classes
  std::int32_t predicted = 0;
  std::vector<Flip> flips;
};

/// The row by effects; JSON has its terms, too.
[[nodiscard]] std::string row_view(const Model& model, const ExplainedRow& row, std::size_t top,
                                   Format format);

/// The row by terms.
[[nodiscard]] std::string row_terms_view(const Model& model, const ExplainedRow& row, std::size_t top,
                                         Format format);

/// Importances of features, pairs and terms; text has terms only `by_terms`.
[[nodiscard]] std::string importances_view(const Model& model, const PurifiedEffects& purified,
                                           const Importances& importances, std::size_t top, Format format,
                                           bool by_terms);

/// The curve of a feature with its densities, or the surface of a pair; the sums of their terms `by_terms`.
[[nodiscard]] std::string shape_view(const Model& model, std::span<const std::string> features, Format format,
                                     bool by_terms);

// --- what views share ---

/// The numbers of features by their names. Throws std::invalid_argument if the model has no such feature.
[[nodiscard]] std::size_t feature_named(const Model& model, const std::string& name);
[[nodiscard]] std::vector<std::size_t> features_named(const Model& model, std::span<const std::string> names);

/// One number for two classes, else a list with one a class.
[[nodiscard]] Json per_score(const Matrix& values, std::size_t column);
[[nodiscard]] Json per_score(std::span<const double> values);

/// The first `top` of an order, all if it is 0.
[[nodiscard]] std::vector<std::size_t> first_of(std::vector<std::size_t> order, std::size_t top);

/// The names of the features of a term or an effect.
template <class Part>
[[nodiscard]] Json names_json(const Model& model, const Part& part) {
  Json names = Json::array({model.features[part.i]});
  if (part.is_pair()) names.push_back(model.features[part.j]);
  return names;
}

/// Entries of terms and effects in a row of JSON.
[[nodiscard]] Json row_terms_json(const Model& model, const ExplainedRow& row,
                                  std::span<const std::size_t> shown);
[[nodiscard]] Json terms_json(const Model& model, std::span<const std::size_t> shown);

/// The nearest changes that flip a prediction.
[[nodiscard]] Json flips_json(const Model& model, std::span<const Flip> flips);
[[nodiscard]] std::string flips_text(const Model& model, const ExplainedRow& row);

[[nodiscard]] Json term_json(const Model& model, const Term& term);
[[nodiscard]] std::string term_text(const Model& model, const Term& term);

/// kind,class,feature_1,feature_2 of a term.
inline constexpr const char* term_csv_header = "kind,class,feature_1,feature_2";
[[nodiscard]] std::string term_csv(const Model& model, const Term& term);

/// Further columns of a header: `name` for two classes, else one a class, as in name_setosa.
[[nodiscard]] std::string csv_columns(const Model& model, const std::string& name);
[[nodiscard]] std::string csv_numbers(std::span<const double> values);

/// What each column of numbers speaks for.
[[nodiscard]] std::string score_header(const Model& model);

/// A value of a feature as tables have it; null if it is missing.
[[nodiscard]] Json value_json(const Model& model, std::size_t feature, double value);

/// The same as a field of a CSV file; empty if it is missing.
[[nodiscard]] std::string value_csv(const Model& model, std::size_t feature, double value);

}  // namespace dyad::cli

// Terms of a model, and what they contribute to the score of a row.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/views.h"
#include "dyad/explanation/value_text.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {
namespace {

std::string numbers_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("  {:>10.4f}", value);
  return text;
}

std::size_t term_width(const Model& model, const std::vector<std::size_t>& terms) {
  std::size_t width = 9;
  for (const std::size_t t : terms) width = std::max(width, term_text(model, model.terms[t]).size());
  return width;
}

std::string terms_csv(const Model& model, std::span<const std::size_t> shown) {
  std::string text = term_csv_header + csv_columns(model, "weight") + ",centre\n";
  for (const std::size_t t : shown)
    text += term_csv(model, model.terms[t]) + csv_numbers(model.weights.column(t)) +
            csv_numbers({&model.terms[t].centre, 1}) + "\n";
  return text + "intercept,,," + csv_numbers(model.intercepts) + ",\n";
}

std::string row_csv(const Model& model, const Explanation& explanation, std::span<const std::size_t> shown) {
  std::string text = std::string(term_csv_header) + ",value" + csv_columns(model, "weight") +
                     csv_columns(model, "contribution") + "\n";
  for (const std::size_t t : shown)
    text += term_csv(model, model.terms[t]) + csv_numbers({&explanation.values[t], 1}) +
            csv_numbers(model.weights.column(t)) + csv_numbers(explanation.contributions.column(t)) + "\n";
  const std::string no_weights(model.n_scores() + 1, ',');  // nor value
  text += "intercept,,," + no_weights + csv_numbers(model.intercepts) + "\n";
  return text + "score,,," + no_weights + csv_numbers(explanation.scores) + "\n";
}

std::string row_text(const Model& model, const ExplainedRow& row, const std::vector<std::size_t>& shown) {
  const Explanation& explanation = row.explanation;
  const std::size_t width = term_width(model, shown);
  std::string text = fmt::format("row {}: predicted {}; {}\n\n  {:<{}}  {:>10}  contribution\n", row.number,
                                 model.classes[static_cast<std::size_t>(row.predicted)], score_header(model),
                                 "term", width, "value");
  for (const std::size_t t : shown)
    text += fmt::format("  {:<{}}  {:>10.4f}{}\n", term_text(model, model.terms[t]), width,
                        explanation.values[t], numbers_text(explanation.contributions.column(t)));
  if (shown.size() < model.terms.size())
    text += fmt::format("  and {} smaller contributions (--top 0 shows all)\n",
                        model.terms.size() - shown.size());
  text += fmt::format("  {:<{}}  {:>10}{}\n", "intercept", width, "", numbers_text(model.intercepts));
  text += fmt::format("  {:<{}}  {:>10}{}\n", "score", width, "", numbers_text(explanation.scores));
  return text;
}

}  // namespace

Json terms_json(const Model& model, std::span<const std::size_t> shown) {
  Json terms = Json::array();
  for (const std::size_t t : shown) {
    Json term = term_json(model, model.terms[t]);
    term["weight"] = per_score(model.weights, t);
    term["centre"] = model.terms[t].centre;
    terms.push_back(std::move(term));
  }
  return terms;
}

Json row_terms_json(const Model& model, const ExplainedRow& row, std::span<const std::size_t> shown) {
  Json terms = Json::array();
  for (const std::size_t t : shown) {
    Json term = term_json(model, model.terms[t]);
    term["value"] = row.explanation.values[t];
    term["weight"] = per_score(model.weights, t);
    term["contribution"] = per_score(row.explanation.contributions, t);
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string terms_view(const Model& model, std::size_t top, Format format) {
  const auto shown = first_of(largest_columns(model.weights), top);
  if (format == Format::json) return effects_view(model, top, format);
  if (format == Format::csv) return terms_csv(model, shown);
  const std::size_t width = term_width(model, shown);
  std::string text = fmt::format("{} terms, {} of them pairs; {}\n\n  {:<{}}  {:>10}\n", model.terms.size(),
                                 count_pairs(model), score_header(model), "term", width, "weight");
  for (const std::size_t t : shown)
    text += fmt::format("  {:<{}}{}\n", term_text(model, model.terms[t]), width,
                        numbers_text(model.weights.column(t)));
  text += fmt::format("  {:<{}}{}\n", "intercept", width, numbers_text(model.intercepts));
  if (shown.size() < model.terms.size())
    text += fmt::format("  and {} terms of smaller weight (--top 0 shows all)\n",
                        model.terms.size() - shown.size());
  return text;
}

std::string row_terms_view(const Model& model, const ExplainedRow& row, std::size_t top, Format format) {
  const auto shown = first_of(largest_columns(row.explanation.contributions), top);
  if (format == Format::json) return row_view(model, row, top, format);
  if (format == Format::csv) return row_csv(model, row.explanation, shown);
  return row_text(model, row, shown) + flips_text(model, row);
}

}  // namespace dyad::cli

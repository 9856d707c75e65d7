// How much features, pairs and terms matter.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "cli/csv_field.h"
#include "cli/views.h"

namespace dyad::cli {
namespace {

using ByScore = Importances::ByScore;

/// One field of the importances of all scores, as `per_score` has them.
Json field_json(const ByScore& importances, std::size_t k, double Importance::*field) {
  std::vector<double> values;
  for (const auto& of_score : importances) values.push_back(of_score[k].*field);
  return per_score(values);
}

void add_importance(Json& entry, const ByScore& importances, std::size_t k) {
  entry["importance"] = field_json(importances, k, &Importance::mean);
  entry["low"] = field_json(importances, k, &Importance::low);
  entry["high"] = field_json(importances, k, &Importance::high);
}

std::string json_view(const Model& model, const std::vector<Effect>& effects, const Importances& importances,
                      std::size_t top) {
  Json of_effects = Json::array();
  for (const std::size_t e : first_of(by_importance(importances.effects), top)) {
    Json entry = {{"features", names_json(model, effects[e])}};
    add_importance(entry, importances.effects, e);
    of_effects.push_back(std::move(entry));
  }
  Json of_features = Json::array();
  for (const std::size_t j : first_of(by_importance(importances.features), top)) {
    Json entry = {{"feature", model.features[j]}};
    add_importance(entry, importances.features, j);
    of_features.push_back(std::move(entry));
  }
  Json of_terms = Json::array();
  for (const std::size_t t : first_of(by_importance(importances.terms), top)) {
    Json entry = term_json(model, model.terms[t]);
    add_importance(entry, importances.terms, t);
    of_terms.push_back(std::move(entry));
  }
  return dumped({{"rows", importances.n_rows},
                 {"effects", std::move(of_effects)},
                 {"features", std::move(of_features)},
                 {"terms", std::move(of_terms)}});
}

std::string csv_importance(const ByScore& importances, std::size_t k) {
  std::string text;
  for (const auto field : {&Importance::mean, &Importance::low, &Importance::high})
    for (const auto& of_score : importances) text += csv_numbers({&(of_score[k].*field), 1});
  return text + "\n";
}

std::string csv_view(const Model& model, const std::vector<Effect>& effects, const Importances& importances,
                     std::size_t top) {
  std::string text = std::string("of,") + term_csv_header + csv_columns(model, "importance") +
                     csv_columns(model, "low") + csv_columns(model, "high") + "\n";
  for (const std::size_t e : first_of(by_importance(importances.effects), top))
    text += "effect,,," + csv_field(model.features[effects[e].i]) + "," +
            (effects[e].is_pair() ? csv_field(model.features[effects[e].j]) : "") +
            csv_importance(importances.effects, e);
  for (const std::size_t j : first_of(by_importance(importances.features), top))
    text += "feature,,," + csv_field(model.features[j]) + "," + csv_importance(importances.features, j);
  for (const std::size_t t : first_of(by_importance(importances.terms), top))
    text += "term," + term_csv(model, model.terms[t]) + csv_importance(importances.terms, t);
  return text;
}

/// Lines of names and numbers, an interval behind each number.
template <class NameOf>
std::string lines(const ByScore& importances, std::span<const std::size_t> shown, const NameOf& name_of) {
  std::size_t width = 0;
  for (const std::size_t k : shown) width = std::max(width, name_of(k).size());
  std::string text;
  for (const std::size_t k : shown) {
    text += fmt::format("  {:<{}}", name_of(k), width);
    for (const auto& of_score : importances)
      text +=
          fmt::format("  {:>8.4f} ({:.4f} to {:.4f})", of_score[k].mean, of_score[k].low, of_score[k].high);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string importances_view(const Model& model, const PurifiedEffects& purified,
                             const Importances& importances, std::size_t top, Format format, bool by_terms) {
  const auto& effects = purified.effects;
  if (format == Format::json) return json_view(model, effects, importances, top);
  if (format == Format::csv) return csv_view(model, effects, importances, top);
  std::string text =
      fmt::format("mean absolute contribution over {} rows, with 95 % interval", importances.n_rows);
  if (model.n_scores() > 1) text += "; " + score_header(model);
  if (by_terms)
    return text + "\n\nterms\n" +
           lines(importances.terms, first_of(by_importance(importances.terms), top),
                 [&](std::size_t t) { return term_text(model, model.terms[t]); });
  text += "\n\nfeatures, and what pairs add to them\n";
  text += lines(importances.effects, first_of(by_importance(importances.effects), top), [&](std::size_t e) {
    return effects[e].is_pair() ? model.features[effects[e].i] + ", " + model.features[effects[e].j]
                                : model.features[effects[e].i];
  });
  text += "\nfeatures with all their pairs\n";
  text += lines(importances.features, first_of(by_importance(importances.features), top),
                [&](std::size_t j) { return model.features[j]; });
  return text;
}

}  // namespace dyad::cli

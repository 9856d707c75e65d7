// Effects of a model, and how they add up to the score of a row.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/csv_field.h"
#include "cli/views.h"
#include "dyad/explanation/value_text.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {
namespace {

constexpr std::size_t flips_shown = 5;

constexpr const char* by_densities_note =
    "the model holds no counts of training rows; effects are purified under its own densities";

std::string effect_name(const Model& model, const Effect& effect) {
  return effect.is_pair() ? model.features[effect.i] + ", " + model.features[effect.j]
                          : model.features[effect.i];
}

std::string value_text(const Model& model, std::size_t feature, double value) {
  return std::isnan(value) ? "missing" : ValueText(model, feature)(value);
}

/// `duration = 98`, or `day = 7, month = may`.
std::string effect_text(const Model& model, const Effect& effect, const Matrix& values) {
  const auto part = [&](std::size_t j) {
    return model.features[j] + " = " + value_text(model, j, values(0, j));
  };
  return effect.is_pair() ? part(effect.i) + ", " + part(effect.j) : part(effect.i);
}

/// Feature names of an effect as two fields.
std::string names_csv(const Model& model, const Effect& effect) {
  return csv_field(model.features[effect.i]) + "," +
         (effect.is_pair() ? csv_field(model.features[effect.j]) : "");
}

Json effect_json(const Model& model, const Effect& effect) {
  return {{"features", names_json(model, effect)}};
}

/// The sum of a row's effects: the score of the second of two classes; of more, the predicted class's score
/// less that of the runner-up.
struct Contrast {
  std::size_t first = 0;   ///< class that positive effects speak for
  std::size_t second = 0;  ///< class that negative ones speak for
  std::vector<double> effects;
  double baseline = 0;
  double score = 0;
};

Contrast contrast_of(const Model& model, const ExplainedRow& row) {
  Contrast result{.first = 1};
  const auto& scores = row.explanation.scores;
  if (model.n_scores() > 1) {
    result.first = static_cast<std::size_t>(row.predicted);
    result.second = result.first == 0 ? 1 : 0;
    for (std::size_t k = 0; k < scores.size(); ++k)
      if (k != result.first && scores[k] > scores[result.second]) result.second = k;
  }
  const auto difference = [&](const auto& value_of) {
    return model.n_scores() == 1 ? value_of(0) : value_of(result.first) - value_of(result.second);
  };
  for (std::size_t e = 0; e < row.purified.effects.size(); ++e)
    result.effects.push_back(difference([&](std::size_t k) { return row.effects(k, e); }));
  result.baseline = difference([&](std::size_t k) { return row.purified.baselines[k]; });
  result.score = difference([&](std::size_t k) { return scores[k]; });
  return result;
}

std::vector<std::size_t> largest_first(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return std::abs(values[k]); });
  return order;
}

std::string row_text(const Model& model, const ExplainedRow& row, std::size_t top) {
  const Contrast contrast = contrast_of(model, row);
  const auto shown = first_of(largest_first(contrast.effects), top);
  const auto probability = [&](std::size_t c) { return row.probabilities[c]; };
  const auto predicted = static_cast<std::size_t>(row.predicted);
  const std::size_t other = predicted == contrast.first ? contrast.second : contrast.first;
  std::string text =
      fmt::format("row {}: {} (probability {:.3f}), next {} ({:.3f})\n", row.number, model.classes[predicted],
                  probability(predicted), model.classes[other], probability(other));
  text += fmt::format("effects on the score; above 0 for {}, below for {}\n\n", model.classes[contrast.first],
                      model.classes[contrast.second]);
  std::size_t width = 8;
  for (const std::size_t e : shown)
    width = std::max(width, effect_text(model, row.purified.effects[e], row.values).size());
  const auto line = [&](const std::string& name, double value) {
    return fmt::format("  {:<{}}  {:>+8.2f}\n", name, width, value);
  };
  double rest = contrast.score - contrast.baseline;
  for (const std::size_t e : shown) {
    text += line(effect_text(model, row.purified.effects[e], row.values), contrast.effects[e]);
    rest -= contrast.effects[e];
  }
  if (const std::size_t n = contrast.effects.size() - shown.size(); n > 0)
    text += line(fmt::format("{} smaller", n), rest);
  text += line("baseline", contrast.baseline) + line("score", contrast.score);
  if (!row.purified.is_by_rows) text += fmt::format("  ({})\n", by_densities_note);
  return text;
}

std::string row_csv(const Model& model, const ExplainedRow& row, std::span<const std::size_t> shown) {
  std::string text = "feature_1,feature_2,value_1,value_2" + csv_columns(model, "contribution") + "\n";
  for (const std::size_t e : shown) {
    const Effect& effect = row.purified.effects[e];
    text += names_csv(model, effect) + "," + value_csv(model, effect.i, row.values(0, effect.i)) + "," +
            (effect.is_pair() ? value_csv(model, effect.j, row.values(0, effect.j)) : "") +
            csv_numbers(row.effects.column(e)) + "\n";
  }
  return text + "baseline,,," + csv_numbers(row.purified.baselines) + "\n";
}

Json row_effects_json(const Model& model, const ExplainedRow& row, std::span<const std::size_t> shown) {
  Json effects = Json::array();
  for (const std::size_t e : shown) {
    const Effect& effect = row.purified.effects[e];
    Json entry = effect_json(model, effect);
    entry["values"] = Json::array({value_json(model, effect.i, row.values(0, effect.i))});
    if (effect.is_pair()) entry["values"].push_back(value_json(model, effect.j, row.values(0, effect.j)));
    entry["contribution"] = per_score(row.effects, e);
    effects.push_back(std::move(entry));
  }
  return effects;
}

std::string row_json(const Model& model, const ExplainedRow& row, std::size_t top) {
  const auto terms = first_of(largest_columns(row.explanation.contributions), top);
  Json document = {{"predicted", model.classes[static_cast<std::size_t>(row.predicted)]},
                   {"score", per_score(row.explanation.scores)},
                   {"probabilities", row.probabilities},
                   {"baseline", per_score(row.purified.baselines)},
                   {"centred", row.purified.is_centred},
                   {"by_rows", row.purified.is_by_rows},
                   {"effects", row_effects_json(model, row, first_of(largest_columns(row.effects), top))},
                   {"intercept", per_score(model.intercepts)},
                   {"terms", row_terms_json(model, row, terms)},
                   {"flips", flips_json(model, row.flips)}};
  return dumped(document);
}

std::string effects_text(const Model& model, const PurifiedEffects& purified,
                         std::span<const std::size_t> shown) {
  std::size_t width = 8;
  for (const std::size_t e : shown) width = std::max(width, effect_name(model, purified.effects[e]).size());
  std::string text = fmt::format("mean size of {} effects over the training rows; {} of them carry 95 %",
                                 purified.effects.size(), count_that_carry(purified, 0.95));
  if (model.n_scores() > 1) text += "; " + score_header(model);
  text += "\n\n";
  const auto line = [&](const std::string& name, std::span<const double> values) {
    text += fmt::format("  {:<{}}", name, width);
    for (const double value : values) text += fmt::format("  {:>8.4f}", value);
    text += "\n";
  };
  for (const std::size_t e : shown) line(effect_name(model, purified.effects[e]), purified.sizes.column(e));
  if (const std::size_t n = purified.effects.size() - shown.size(); n > 0)
    text += fmt::format("  and {} smaller ones (--top 0 shows all)\n", n);
  line("baseline", purified.baselines);
  if (!purified.is_by_rows) text += fmt::format("  ({})\n", by_densities_note);
  return text;
}

std::string effects_csv(const Model& model, const PurifiedEffects& purified,
                        std::span<const std::size_t> shown) {
  std::string text = "feature_1,feature_2" + csv_columns(model, "size") + "\n";
  for (const std::size_t e : shown)
    text += names_csv(model, purified.effects[e]) + csv_numbers(purified.sizes.column(e)) + "\n";
  return text;
}

}  // namespace

Json flips_json(const Model& model, std::span<const Flip> flips) {
  Json list = Json::array();
  for (const Flip& flip : flips) {
    list.push_back({{"feature", model.features[flip.feature]},
                    {"value", value_json(model, flip.feature, flip.value)},
                    {"class", model.classes[static_cast<std::size_t>(flip.class_code)]},
                    {"distance", flip.distance}});
    if (flip.second)
      list.back()["second"] = {{"feature", model.features[flip.second->feature]},
                               {"value", value_json(model, flip.second->feature, flip.second->value)}};
  }
  return list;
}

std::string flips_text(const Model& model, const ExplainedRow& row) {
  if (row.flips.empty())
    return "\n  no change of one or two features was found that changes the prediction\n";
  std::string text = row.flips[0].second
                         ? "\n  no change of one feature changes the prediction; nearest changes of two\n"
                         : "\n  nearest changes of one feature that change the prediction\n";
  const auto change = [&](std::size_t feature, double value) {
    return model.features[feature] + " to " + ValueText(model, feature)(value);
  };
  for (const Flip& flip : std::span(row.flips).first(std::min(flips_shown, row.flips.size()))) {
    text += "  " + change(flip.feature, flip.value) +
            (flip.second ? " and " + change(flip.second->feature, flip.second->value) : "") + ": " +
            model.classes[static_cast<std::size_t>(flip.class_code)];
    const bool has_distance =
        !flip.second && is_number(model, flip.feature) && !std::isnan(row.values(0, flip.feature));
    text += has_distance ? fmt::format(" ({:.0f} % of its range away)\n", 100 * flip.distance) : "\n";
  }
  return text;
}

std::string effects_view(const Model& model, std::size_t top, Format format) {
  const PurifiedEffects purified = purified_effects(model);
  const auto shown = first_of(largest_columns(purified.sizes), top);
  if (format == Format::csv) return effects_csv(model, purified, shown);
  if (format == Format::text) return effects_text(model, purified, shown);
  Json effects = Json::array();
  for (const std::size_t e : shown) {
    Json entry = effect_json(model, purified.effects[e]);
    entry["size"] = per_score(purified.sizes, e);
    effects.push_back(std::move(entry));
  }
  return dumped({{"baseline", per_score(purified.baselines)},
                 {"by_rows", purified.is_by_rows},
                 {"effects_with_95_percent", count_that_carry(purified, 0.95)},
                 {"effects", std::move(effects)},
                 {"intercept", per_score(model.intercepts)},
                 {"terms", terms_json(model, first_of(largest_columns(model.weights), top))}});
}

std::string row_view(const Model& model, const ExplainedRow& row, std::size_t top, Format format) {
  if (format == Format::json) return row_json(model, row, top);
  if (format == Format::csv) return row_csv(model, row, first_of(largest_columns(row.effects), top));
  return row_text(model, row, top) + flips_text(model, row);
}

}  // namespace dyad::cli

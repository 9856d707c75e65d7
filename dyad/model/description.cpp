// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/description.h"

#include "dyad/base/text.h"
#include "dyad/data/values.h"

namespace dyad {
namespace {

constexpr std::size_t most_others = 3;  ///< settings listed that are not part of the model

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string line(std::string_view name, const std::string& value) {
  return "  " + padded(std::string(name), 16) + "  " + value + "\n";
}

/// Some of the texts in a row.
std::string list_text(const std::vector<std::string>& texts) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t k = 0; k < std::min(most, texts.size()); ++k) list += (k == 0 ? "" : ", ") + texts[k];
  return texts.size() > most ? list + " and " + std::to_string(texts.size() - most) + " more" : list;
}

std::string coordinates_line(const Model& model) {
  if (model.coordinates.empty()) return "";
  std::array<std::size_t, curve_names.size()> counts{};
  for (std::size_t j = 0; j < model.coordinates.size(); ++j)
    if (is_number(model, j)) ++counts[static_cast<std::size_t>(model.coordinates[j].curve)];
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) texts.push_back(std::to_string(counts[k]) + " " + std::string(curve_names[k]));
  return texts.empty() ? "" : line("coordinates", list_text(texts));
}

std::string levels_lines(const Model& model) {
  std::vector<std::string> categories;
  for (std::size_t j = 0; j < model.levels.size(); ++j)
    if (const Levels& levels = model.levels[j]; !levels.is_number())
      categories.push_back(model.features[j] + " (" + std::to_string(levels.names.size()) + " levels" +
                           (levels.has_others ? ", the others as one)" : ")"));
  std::vector<std::string> gaps;
  for (const std::size_t j : features_with_missing(model)) gaps.push_back(model.features[j]);
  std::string text;
  if (!categories.empty())
    text += line("categories", std::to_string(categories.size()) + ": " + list_text(categories));
  if (!gaps.empty()) text += line("missing values", std::to_string(gaps.size()) + ": " + list_text(gaps));
  return text;
}

std::string costs_lines(const Model& model) {
  std::string text;
  for (std::size_t a = 0; a < model.costs.n_rows; ++a) {
    std::string list;
    for (std::size_t b = 0; b < model.costs.n_cols; ++b)
      if (a != b || model.costs(a, b) != 0)
        list += (list.empty() ? "" : ", ") + number_text(model.costs(a, b)) + " as " + model.classes[b];
    text += line(a == 0 ? "costs" : "", model.classes[a] + ": " + list);
  }
  return text;
}

std::string monotone_line(const Model& model) {
  std::vector<std::string> texts;
  for (const auto& [feature, direction] : model.monotone)
    texts.push_back(model.features[feature] + " " + std::string(name_of(direction_names, direction)));
  return texts.empty() ? "" : line("monotone", list_text(texts));
}

std::string edits_lines(const Model& model) {
  std::string text;
  for (const std::string& edit : edits_of(model)) text += line(text.empty() ? "edited" : "", edit);
  return text;
}

std::string setting_line(const Setting& setting, std::size_t width) {
  return "    " + right_aligned(fixed_text(setting.loss, 4), 6) + "  " + padded(setting.terms, width) + " " +
         right_aligned(number_text(setting.C), 5) + "  " + right_aligned(number_text(setting.blend), 5) +
         (setting.averaged ? "" : "  not taken") + "\n";
}

}  // namespace

std::string_view measure_of_settings(const Model& model) {
  if (option_of(model, "settings") != "average") return "balanced error";
  return option_of(model, "optimise") == "auc" ? "1 - AUC" : "logistic loss";
}

std::string_view note_on_probabilities(ClassFrequencies frequencies) {
  switch (frequencies) {
    case ClassFrequencies::equal:
      return "Probabilities are those of equally frequent classes.";
    case ClassFrequencies::weighted:
      return "Probabilities are those of classes whose frequencies are multiplied by the class weights.";
    case ClassFrequencies::table:
      break;
  }
  return "";
}

std::string description(const Model& model) {
  std::string text = line("features", std::to_string(model.features.size()));
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    text += line(c == 0 ? "classes" : "",
                 model.classes[c] + " (" + std::to_string(model.class_rows[c]) + " rows)");
  text += line("terms", std::to_string(model.terms.size()) + ", " + std::to_string(count_pairs(model)) +
                            " of them pairs");
  for (const auto& [name, option] : {std::pair("given pairs", "given_pairs"), {"excluded", "exclude"}})
    if (const auto names = option_of(model, option); !names.empty()) text += line(name, std::string(names));
  text += levels_lines(model);
  text += coordinates_line(model);
  if (model.class_frequencies == ClassFrequencies::equal)
    text += line("probabilities", "of equally frequent classes");
  if (model.class_frequencies == ClassFrequencies::weighted)
    text += line("probabilities", "of classes whose frequencies are multiplied by the class weights");
  text += costs_lines(model);
  if (const std::string measured = held_out_text(model); !measured.empty()) {
    const std::size_t end = measured.find(';');
    text += line("quality", measured.substr(0, end)) + line("", measured.substr(end + 2));
  }
  text += monotone_line(model) + edits_lines(model);
  if (const auto limit = option_of(model, "search_ended_by"); !limit.empty())
    text += "  The search for better settings was ended by " + std::string(limit) +
            ": the model is the best found until then.\n";
  return text;
}

std::string held_out_text(const Model& model) {
  if (option_of(model, "held_out_folds").empty()) return "";
  const auto number = [&](std::string_view name, int digits, double unit = 1) {
    double value = 0;
    return parse_number(option_of(model, name), value) ? fixed_text(unit * value, digits) : std::string("-");
  };
  return "held-out error " + number("held_out_error", 1, 100) + " % +- " +
         number("held_out_error_se", 1, 100) + ", AUC " + number("held_out_auc", 4) + ", log loss " +
         number("held_out_log_loss", 4) + " by " + std::string(option_of(model, "held_out_folds")) +
         "-fold cross-validation; always " + std::string(option_of(model, "baseline_class")) + ": error " +
         number("baseline_error", 1, 100) + " %, log loss " + number("baseline_log_loss", 4);
}

std::string options_text(const Model& model) {
  std::string text;
  for (const auto& [name, value] : model.fitted_with) text += line(name, value);
  return text;
}

std::string settings_text(const Model& model) {
  if (model.settings.empty()) return "";
  const auto n_averaged = std::ranges::count(model.settings, true, &Setting::averaged);
  std::vector<Setting> shown;
  std::size_t n_others = 0;
  for (const Setting& setting : model.settings)
    if (setting.averaged || ++n_others <= most_others) shown.push_back(setting);
  std::size_t width = 14;
  for (const Setting& setting : shown) width = std::max(width, setting.terms.size());
  const bool is_average = option_of(model, "settings") == "average" && n_averaged > 1;
  std::string text =
      "  settings: the " +
      (is_average ? "mean of " + std::to_string(n_averaged) + " out" : std::string("one taken")) + " of " +
      std::to_string(model.settings.size()) + " that were tried; " + std::string(measure_of_settings(model)) +
      " by which settings were chosen\n      loss  " + padded("terms", width) + "     C  blend\n";
  for (const Setting& setting : shown) text += setting_line(setting, width);
  return text;
}

}  // namespace dyad

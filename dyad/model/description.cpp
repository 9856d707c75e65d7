// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/description.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "dyad/base/text.h"

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

std::string coordinates_line(const Model& model) {
  if (model.coordinates.empty()) return "";
  std::array<std::size_t, curve_names.size()> counts{};
  for (const Coordinate& coordinate : model.coordinates) ++counts[static_cast<std::size_t>(coordinate.curve)];
  std::string list;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0)
      list += (list.empty() ? "" : ", ") + std::to_string(counts[k]) + " " + std::string(curve_names[k]);
  return line("coordinates", list);
}

std::string setting_line(const Setting& setting) {
  std::array<char, 32> loss{};
  std::snprintf(loss.data(), loss.size(), "%6.4f", setting.loss);
  return "    " + std::string(loss.data()) + "  " + padded(setting.terms, 14) + " " +
         right_aligned(number_text(setting.C), 5) + "  " + right_aligned(number_text(setting.blend), 5) +
         (setting.averaged ? "" : "  not taken") + "\n";
}

std::string settings_lines(const Model& model) {
  if (model.settings.empty()) return "";
  std::string text = "  settings: the mean of " +
                     std::to_string(std::ranges::count(model.settings, true, &Setting::averaged)) +
                     " out of " + std::to_string(model.settings.size()) + " that were tried; " +
                     (model.options.optimise == Objective::auc ? "1 - AUC" : "logistic loss") +
                     " of rows held out\n      loss  terms              C  blend\n";
  std::size_t n_others = 0;
  for (const Setting& setting : model.settings)
    if (setting.averaged || ++n_others <= most_others) text += setting_line(setting);
  return text;
}

}  // namespace

std::string description(const Model& model) {
  std::string text = line("features", std::to_string(model.features.size()));
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    text += line(c == 0 ? "classes" : "",
                 model.classes[c] + " (" + std::to_string(model.class_rows[c]) + " rows)");
  text += line("terms", std::to_string(model.terms.size()) + ", " + std::to_string(count_pairs(model)) +
                            " of them pairs");
  text += coordinates_line(model);
  FitOptions::describe(model.options, [&](std::string_view name, const auto& value, const auto& allowed,
                                          auto) { text += line(name, option_text(value, allowed)); });
  return text + settings_lines(model);
}

}  // namespace dyad

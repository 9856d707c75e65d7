// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/summary.h"

#include "dyad/base/text.h"
#include "dyad/model/description.h"

namespace dyad {
namespace {

constexpr std::size_t effects_named = 10;

/// The largest effects, by the score to which each matters most.
std::string effects_lines(const Model& model, const PurifiedEffects& purified) {
  const auto order = largest_columns(purified.sizes);
  if (order.empty()) return "";
  const std::size_t n_effects = count_that_carry(purified, 1);
  std::string text = "  effects: " + std::to_string(n_effects) + ", of which " +
                     std::to_string(count_that_carry(purified, 0.95)) + " carry 95 %; mean size over the " +
                     (purified.is_by_rows ? "training rows\n" : "densities (no training rows are known)\n");
  for (const std::size_t e : std::span(order).first(std::min(effects_named, n_effects))) {
    const Effect& effect = purified.effects[e];
    const std::string name =
        model.features[effect.i] + (effect.is_pair() ? ", " + model.features[effect.j] : "");
    text += "    " + fixed_text(std::ranges::max(purified.sizes.column(e)), 4) + "  " + name + "\n";
  }
  return text;
}

}  // namespace

std::string summary(const Model& model, const PurifiedEffects& purified, bool with_options) {
  return description(model) + (with_options ? options_text(model) : "") + effects_lines(model, purified) +
         settings_text(model);
}

}  // namespace dyad

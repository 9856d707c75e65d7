// SPDX-License-Identifier: BSD-3-Clause
#include "cli/effect_flags.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cli/class_flags.h"
#include "dyad/base/nearest_name.h"
#include "dyad/base/text.h"

namespace dyad::cli {
namespace {

std::optional<std::size_t> place_of_feature(std::string_view name, std::span<const std::string> names) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

[[noreturn]] void refuse_name(const std::string& text, std::span<const std::string> names) {
  throw std::runtime_error("no feature is named " + dyad::quoted(text) + "; " +
                           advice_on_name(text, "the features are", names));
}

}  // namespace

CLI::Option* add_monotone_flag(CLI::App& command, std::vector<std::string>& flags) {
  return command
      .add_option("--monotone", flags,
                  "column of numbers along which the score of the second of two classes never falls "
                  "(increasing) or never rises (decreasing); may be repeated")
      ->type_name("COL=increasing|decreasing")
      ->allow_extra_args(false);
}

std::vector<MonotoneFeature> monotone_features(std::span<const std::string> flags,
                                               std::span<const std::string> names) {
  std::vector<MonotoneFeature> result;
  for (const std::string& flag : flags) {
    const auto [name, direction] = halves_of(flag, "--monotone COL=increasing or COL=decreasing");
    const auto found = std::ranges::find(direction_names, direction);
    if (found == direction_names.end())
      throw std::runtime_error("--monotone: expected increasing or decreasing, got " +
                               dyad::quoted(std::string(direction)));
    const auto feature = place_of_feature(name, names);
    if (!feature) refuse_name(std::string(name), names);
    result.push_back({*feature, static_cast<Direction>(found - direction_names.begin())});
  }
  return result;
}

FeaturePair effect_named(const std::string& text, std::span<const std::string> names) {
  if (const auto feature = place_of_feature(text, names)) return {*feature, *feature};
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::size_t next = text[std::min(at + 1, text.size() - 1)] == ' ' ? at + 2 : at + 1;
    const auto a = place_of_feature(std::string_view(text).substr(0, at), names);
    const auto b = next <= text.size() ? place_of_feature(std::string_view(text).substr(next), names) : a;
    if (a && b && *a != *b) return {std::min(*a, *b), std::max(*a, *b)};
  }
  refuse_name(text, names);
}

}  // namespace dyad::cli

// Flags that name features and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

#include "dyad/base/pairs.h"
#include "dyad/model/monotone.h"

namespace dyad::cli {

/// --monotone COL=increasing|decreasing, which may be repeated.
CLI::Option* add_monotone_flag(CLI::App& command, std::vector<std::string>& flags);

/// The features that values of --monotone name. Throws std::runtime_error with the value and what is wrong.
[[nodiscard]] std::vector<MonotoneFeature> monotone_features(std::span<const std::string> flags,
                                                             std::span<const std::string> names);

/// The names of columns.
[[nodiscard]] std::vector<std::string> column_names(const auto& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

/// The effect of a feature, `age`, or of a pair, `age,balance`. Throws std::runtime_error if there is none.
[[nodiscard]] FeaturePair effect_named(const std::string& text, std::span<const std::string> names);

}  // namespace dyad::cli

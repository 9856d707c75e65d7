// The groups of options in help texts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dyad::cli {

/// Options under one heading, each with whether it is a main one.
struct OptionGroup {
  std::string_view heading;
  std::vector<std::pair<const CLI::Option*, bool>> options;
};

/// The options in the groups, and the order, of one table in option_groups.cpp.
///
/// Options that the table does not name come first, as main ones under the heading "Options". Groups without
/// options are left out.
[[nodiscard]] std::vector<OptionGroup> grouped(std::span<const CLI::Option* const> options);

}  // namespace dyad::cli

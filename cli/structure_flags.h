// Flags that name pairs of features: those that terms have, and those that they have not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "dyad/fit/options.h"

namespace dyad::cli {

/// As given: features are known once the table is read.
struct StructureFlags {
  std::vector<std::string> pairs;    ///< A,B
  std::vector<std::string> exclude;  ///< COL or A,B
};

/// --pair, and --exclude for a feature or a pair: columns to leave out of a table are those of `table`, which
/// is null for a command without one.
void add_structure_flags(CLI::App& command, StructureFlags& flags, TableFlags* table);

/// Sets the structure for a table with these features, which have names.
///
/// Throws std::runtime_error naming the flag and what is wrong.
void apply_structure_flags(const StructureFlags& flags, const auto& features, FitOptions& options);
void apply_structure_flags(const StructureFlags& flags, const std::vector<std::string>& features,
                           FitOptions& options);

void apply_structure_flags(const StructureFlags& flags, const auto& features, FitOptions& options) {
  std::vector<std::string> names;
  for (const auto& feature : features) names.push_back(feature.name);
  apply_structure_flags(flags, names, options);
}

}  // namespace dyad::cli

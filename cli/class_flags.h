// Flags that name classes: what each weighs, and what it costs to take one for another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/flags.h"
#include "dyad/fit/options.h"

namespace dyad::cli {

/// As given: the classes are known once the table is read.
struct ClassFlags {
  std::vector<std::string> weights;  ///< CLASS=W
  std::vector<std::string> costs;    ///< TRUE:PREDICTED=COST
  std::string costs_path;            ///< a table of costs
};

/// --class-weights, --class-weight, --cost-of and --costs. `complete_options` applies the first. A class that
/// holds ':' or begins with a quote is put in double quotes, "" inside for a quote.
void add_class_flags(CLI::App& command, ClassFlags& flags);

/// Splits a text at its last '='. Throws std::runtime_error, with `form`, if there is none.
[[nodiscard]] std::pair<std::string_view, std::string_view> halves_of(std::string_view text,
                                                                      const char* form);

/// Sets class weights and costs for a table with these classes.
///
/// Throws std::runtime_error naming the flag and what is wrong: a class that is not there, a number that is
/// none, negative or not finite, a table that is not square.
void apply_class_flags(const ClassFlags& flags, std::span<const std::string> classes, FitOptions& options);

}  // namespace dyad::cli

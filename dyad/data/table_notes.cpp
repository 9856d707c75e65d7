// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/table_notes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyad/base/text.h"
#include "dyad/data/values.h"

namespace dyad {
namespace {

constexpr std::size_t fewest_id_rows = 20;
constexpr std::size_t most_numbers = 20;
constexpr std::uint64_t fewest_class_rows = 5;

}  // namespace

bool looks_like_id(std::span<const double> values) {
  std::size_t n_known = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (value != std::round(value)) return false;
    ++n_known;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (n_known < fewest_id_rows || !(high - low < 2 * static_cast<double>(n_known))) return false;
  std::vector<bool> is_met(2 * n_known);
  for (const double value : values) {
    if (std::isnan(value)) continue;
    const auto place = static_cast<std::size_t>(value - low);
    if (is_met[place]) return false;
    is_met[place] = true;
  }
  return true;
}

bool looks_like_id(std::size_t n_levels, std::size_t n_rows) {
  return n_rows >= fewest_id_rows && n_levels == n_rows;
}

std::string note_on_id(const std::string& column) {
  return "column " + quoted(column) +
         " has another value in every row, like an id, which says nothing about new rows; leave it out";
}

std::vector<std::string> notes_on_classes(std::span<const std::string> classes,
                                          std::span<const std::uint64_t> rows) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> notes;
  double number = 0;
  if (classes.size() > most_numbers &&
      std::ranges::all_of(classes, [&](const std::string& name) { return parse_number(name, number); }))
    notes.push_back("the label has " + std::to_string(classes.size()) +
                    " numbers, each taken as a class of its own; dyad predicts classes, not numbers");
  std::string names;
  std::size_t n_rare = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (rows[c] >= fewest_class_rows || ++n_rare > most_named) continue;
    names += (names.empty() ? "" : ", ") + quoted(classes[c]) + " (" + std::to_string(rows[c]) + ")";
  }
  if (n_rare > most_named) names += " and " + std::to_string(n_rare - most_named) + " more";
  if (n_rare > 0)
    notes.push_back("classes with fewer than five rows: " + names +
                    "; what is said of them is hardly more than a guess");
  return notes;
}

}  // namespace dyad

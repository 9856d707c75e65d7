// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/nearest_name.h"

#include <algorithm>
#include <vector>

#include "dyad/base/text.h"

namespace dyad {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  auto above = row;
  auto two_above = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest_name(std::span<const std::string> names, std::string_view unknown) {
  std::string_view best;
  std::size_t fewest = unknown.size() + 1;
  for (const std::string_view name : names) {
    const std::size_t longer = std::max(name.size(), unknown.size());
    const std::size_t difference = longer - std::min(name.size(), unknown.size());
    if (3 * difference > longer) continue;  // as many edits at least
    const std::size_t edits = edit_distance(unknown, name);
    if (3 * edits > longer || edits >= fewest) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::string list_of_names(std::span<const std::string> names) {
  constexpr std::size_t shown_at_each_end = 6;
  const bool cut = names.size() > 2 * shown_at_each_end;
  std::string list;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (cut && k == shown_at_each_end) {
      list += ", ...";
      k = names.size() - shown_at_each_end;
    }
    list += (k == 0 ? "" : ", ") + quoted(names[k]);
  }
  return list;
}

std::string advice_on_name(std::string_view unknown, std::string_view are,
                           std::span<const std::string> names) {
  const std::string_view meant = nearest_name(names, unknown);
  return (meant.empty() ? "" : "did you mean " + quoted(meant) + "? ") + std::string(are) + " " +
         list_of_names(names);
}

}  // namespace dyad

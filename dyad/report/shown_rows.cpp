// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/shown_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/data/row_weights.h"

namespace dyad {
namespace {

/// Largest less second largest probability of a row.
double lead(const Matrix& probabilities, std::size_t row) {
  double first = 0;
  double second = 0;
  for (std::size_t c = 0; c < probabilities.n_cols; ++c) {
    const double p = probabilities(row, c);
    second = std::max(second, std::min(first, p));
    first = std::max(first, p);
  }
  return first - second;
}

/// The first `count` rows in the order of their keys.
template <class Key>
std::vector<std::size_t> least(std::vector<std::size_t> rows, std::size_t count, const Key& key) {
  count = std::min(count, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](std::size_t row) { return std::pair(key(row), row); });
  rows.resize(count);
  return rows;
}

}  // namespace

std::vector<ShownRow> shown_rows(const Matrix& probabilities, std::span<const std::int32_t> predicted,
                                 std::span<const std::int32_t> labels, std::span<const std::size_t> chosen,
                                 std::size_t count) {
  std::map<std::size_t, std::string_view> why;  // the first reason stays
  for (const std::size_t row : chosen) why.emplace(row, "chosen");
  const std::size_t most = why.size() + count;
  const auto add = [&](std::span<const std::size_t> rows, std::string_view reason) {
    for (const std::size_t row : rows)
      if (why.size() < most) why.emplace(row, reason);
  };
  auto all = all_rows(probabilities.n_rows);
  std::vector<std::size_t> wrong;
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] != predicted[row]) wrong.push_back(row);
  const std::size_t third = (count + 2) / 3;
  add(least(std::move(wrong), third,
            [&](std::size_t row) { return -probabilities(row, static_cast<std::size_t>(predicted[row])); }),
      "wrong");
  add(least(all, third, [&](std::size_t row) { return lead(probabilities, row); }), "close");
  std::erase_if(all, [&](std::size_t row) { return why.contains(row); });
  add(gather(all, evenly_spaced(all.size(), most - why.size())), "other");
  std::vector<ShownRow> result;
  for (const auto& [row, reason] : why) result.push_back({row, reason});
  return result;
}

}  // namespace dyad

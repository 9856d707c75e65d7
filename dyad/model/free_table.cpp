// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/free_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace dyad {
namespace {

/// The share of the way from a to b at which x lies.
double share_between(double a, double b, double x) {
  return (x / 2 - a / 2) / (b / 2 - a / 2);  // a difference of the largest numbers would overflow
}

/// A table of one number with nodes: each cut becomes a jump.
FreeTable with_nodes(const FreeTable& table) {
  if (table.x.has_nodes) return table;
  FreeTable result{.x = {.has_nodes = true}};
  for (std::size_t k = 0; k < table.x.cuts.size(); ++k)
    for (const std::size_t bin : {k, k + 1}) {
      result.x.cuts.push_back(table.x.cuts[k]);
      result.values.push_back(table.values[bin]);
    }
  if (table.x.cuts.empty()) {
    result.x.cuts.push_back(0);
    result.values.push_back(table.values[0]);
  }
  result.values.push_back(table.values.back());
  return result;
}

/// The value at a number of a table with nodes, or the limit from below.
double value_at(const FreeTable& table, double x, bool from_below) {
  const auto& nodes = table.x.cuts;
  const auto first = std::ranges::lower_bound(nodes, x);
  if (from_below && first != nodes.end() && *first == x)
    return table.values[static_cast<std::size_t>(first - nodes.begin())];
  double value = 0;
  look_up(table, {&x, 1}, {}, {&value, 1});
  return value;
}

}  // namespace

BinPlace BinAxis::place(double value) const {
  if (std::isnan(value)) return {size() - 1};
  if (n_levels > 0)
    return {value >= 0 && value < static_cast<double>(n_levels) ? static_cast<std::size_t>(value) : n_levels};
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(cuts, value) - cuts.begin());
  if (!has_nodes) return {above};
  if (above == 0) return {0};
  if (above == cuts.size()) return {above - 1};
  return {above - 1, share_between(cuts[above - 1], cuts[above], value)};
}

void look_up(const FreeTable& table, std::span<const double> x, std::span<const double> y,
             std::span<double> out) {
  const std::size_t width = y.empty() ? 1 : table.y.size();
  const auto along_y = [&](std::size_t bin, const BinPlace& at) {
    const double* const row = &table.values[bin * width];
    return at.share > 0 ? std::lerp(row[at.bin], row[at.bin + 1], at.share) : row[at.bin];
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto [bin, share] = table.x.place(x[i]);
    const BinPlace at = y.empty() ? BinPlace{} : table.y.place(y[i]);
    out[i] = along_y(bin, at);
    if (share > 0) out[i] = std::lerp(out[i], along_y(bin + 1, at), share);
  }
}

FreeTable sum_of(const FreeTable& a, const FreeTable& b) {
  assert(a.y.size() == 2 && b.y.size() == 2 && a.x.n_levels == b.x.n_levels);
  if (a.x == b.x) {
    FreeTable sum = a;
    for (std::size_t k = 0; k < sum.values.size(); ++k) sum.values[k] += b.values[k];
    return sum;
  }
  const FreeTable f = with_nodes(a);
  const FreeTable g = with_nodes(b);
  FreeTable sum{.x = {.has_nodes = true}};
  std::ranges::set_union(f.x.cuts, g.x.cuts, std::back_inserter(sum.x.cuts));
  for (std::size_t k = 0; k < sum.x.cuts.size(); ++k) {
    const double x = sum.x.cuts[k];
    const bool from_below = k + 1 < sum.x.cuts.size() && sum.x.cuts[k + 1] == x;
    sum.values.push_back(value_at(f, x, from_below) + value_at(g, x, from_below));
  }
  sum.values.push_back(f.values.back() + g.values.back());
  return sum;
}

}  // namespace dyad

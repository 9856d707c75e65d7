// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/wilcoxon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "dyad/data/summary.h"

namespace dyad {
namespace {

/// Twice the rank of each |difference|, an integer also where ties share a mean rank.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& differences) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(differences[i]); });
  std::vector<std::size_t> ranks(differences.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && std::abs(differences[order[end]]) == std::abs(differences[order[begin]]))
      ++end;
    for (std::size_t k = begin; k < end; ++k) ranks[order[k]] = begin + 1 + end;
    begin = end;
  }
  return ranks;
}

/// P(sum of a random subset of the ranks <= sum), each rank in or out with probability 1/2.
double lower_tail(const std::vector<std::size_t>& ranks, std::size_t sum) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> share(total + 1, 0.0);
  share[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t s = reached + 1; s-- > 0;)
      share[s] = 0.5 * (share[s] + (s >= rank ? share[s - rank] : 0));
  }
  return std::accumulate(share.begin(), share.begin() + static_cast<std::ptrdiff_t>(sum) + 1, 0.0);
}

}  // namespace

WilcoxonTest wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b) {
  require_finite_pairs(a, b, "wilcoxon_signed_rank");
  constexpr std::size_t largest_exact = 50;
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) differences.push_back(a[i] - b[i]);
  if (differences.empty()) return {};

  const auto ranks = doubled_ranks(differences);
  std::size_t positive = 0;
  std::size_t total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    positive += differences[i] > 0 ? ranks[i] : 0;
    total += ranks[i];
    squares += static_cast<double>(ranks[i]) * static_cast<double>(ranks[i]);
  }
  WilcoxonTest test{.statistic = static_cast<double>(positive) / 2,
                    .exact = differences.size() <= largest_exact};
  if (test.exact) {
    test.p_value = std::min(1.0, 2 * lower_tail(ranks, std::min(positive, total - positive)));
    return test;
  }
  // The variance of a sum of ranks, each in or out, is the sum of their squares over 4.
  const double distance = std::abs(static_cast<double>(positive) - static_cast<double>(total) / 2) / 2;
  const double z = std::max(0.0, distance - 0.5) / (std::sqrt(squares / 4) / 2);
  test.p_value = std::erfc(z / std::numbers::sqrt2);
  return test;
}

std::vector<double> bonferroni(std::span<const double> p_values) {
  std::vector<double> adjusted;
  for (const double p : p_values) adjusted.push_back(std::min(1.0, p * static_cast<double>(p_values.size())));
  return adjusted;
}

}  // namespace dyad

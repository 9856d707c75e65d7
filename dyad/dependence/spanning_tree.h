// The maximum spanning tree of the features, and the forest left when weak edges go (paper, section 2.1: Chow
// and Liu 1968; Tan et al. 2011).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dyad {

struct Edge {
  std::size_t i = 0;  ///< i < j
  std::size_t j = 0;
  double weight = 0;

  bool operator==(const Edge&) const = default;
};

/// The d - 1 edges of the tree with the largest sum of weights; weights[pair_index(i, j, d)] belongs to the
/// pair (i, j). Equal weights are taken in the order of pair_index. Edges come heaviest first. O(d^2 log d).
/// Throws std::invalid_argument if the number of weights does not fit d or a weight is NaN.
[[nodiscard]] std::vector<Edge> maximum_spanning_tree(std::span<const double> weights, std::size_t d);

/// The forest with the largest sum of weights among some edges of d features, none of which is NaN. Equal
/// weights are taken in their order. Edges come heaviest first.
[[nodiscard]] std::vector<Edge> maximum_spanning_forest(std::vector<Edge> edges, std::size_t d);

/// The edges whose weight exceeds `threshold`.
[[nodiscard]] std::vector<Edge> remove_weak_edges(std::span<const Edge> tree, double threshold);

/// Threshold n^-beta of Tan et al. 2011, consistent for 0 < beta < 1.
[[nodiscard]] double forest_threshold(double n, double beta);

}  // namespace dyad

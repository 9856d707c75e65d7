// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/spanning_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"

namespace dyad {
namespace {

/// The representative of the component of k, halving the path on the way.
std::size_t component(std::vector<std::size_t>& parent, std::size_t k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]];
  return k;
}

}  // namespace

std::vector<Edge> maximum_spanning_tree(std::span<const double> weights, std::size_t d) {
  if (weights.size() != pair_count(d))
    throw std::invalid_argument("maximum_spanning_tree: " + std::to_string(d) + " features have " +
                                std::to_string(pair_count(d)) + " pairs, got " +
                                std::to_string(weights.size()) + " weights");
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) {
      edges.push_back({i, j, weights[pair_index(i, j, d)]});
      if (std::isnan(edges.back().weight))
        throw std::invalid_argument("maximum_spanning_tree: the weight of pair (" + std::to_string(i) + ", " +
                                    std::to_string(j) + ") is NaN");
    }
  return maximum_spanning_forest(std::move(edges), d);
}

std::vector<Edge> maximum_spanning_forest(std::vector<Edge> edges, std::size_t d) {
  std::ranges::stable_sort(edges, std::greater<>(), &Edge::weight);
  auto parent = all_rows(d);
  std::vector<Edge> tree;
  for (const Edge& edge : edges) {
    const std::size_t a = component(parent, edge.i);
    const std::size_t b = component(parent, edge.j);
    if (a == b) continue;
    parent[a] = b;
    tree.push_back(edge);
  }
  return tree;
}

std::vector<Edge> remove_weak_edges(std::span<const Edge> tree, double threshold) {
  std::vector<Edge> forest;
  std::ranges::copy_if(tree, std::back_inserter(forest),
                       [&](const Edge& edge) { return edge.weight > threshold; });
  return forest;
}

double forest_threshold(double n, double beta) { return std::pow(n, -beta); }

}  // namespace dyad

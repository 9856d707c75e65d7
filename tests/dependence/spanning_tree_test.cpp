// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/spanning_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dyad/base/pairs.h"
#include "tests/samples.h"

namespace dyad {
namespace {

/// True if the edges chosen by the bits of `choice` connect all d nodes without a cycle.
bool is_tree(const std::vector<Edge>& edges, std::uint32_t choice, std::size_t d) {
  std::vector<std::size_t> component(d);
  for (std::size_t k = 0; k < d; ++k) component[k] = k;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if ((choice >> e & 1U) == 0) continue;
    const std::size_t from = component[edges[e].i];
    const std::size_t to = component[edges[e].j];
    if (from == to) return false;
    std::ranges::replace(component, from, to);
  }
  return static_cast<std::size_t>(std::popcount(choice)) == d - 1;
}

TEST(SpanningTree, HasTheLargestWeightOfAllTrees) {
  const std::size_t d = 5;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto weights = test::normal_sample(pair_count(d), seed);
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) edges.push_back({i, j, weights[pair_index(i, j, d)]});
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint32_t choice = 0; choice < 1U << edges.size(); ++choice) {
      if (!is_tree(edges, choice, d)) continue;
      double sum = 0;
      for (std::size_t e = 0; e < edges.size(); ++e) sum += (choice >> e & 1U) != 0 ? edges[e].weight : 0;
      best = std::max(best, sum);
    }
    double sum = 0;
    for (const Edge& edge : maximum_spanning_tree(weights, d)) sum += edge.weight;
    EXPECT_NEAR(sum, best, 1e-12) << seed;
  }
}

TEST(SpanningTree, TakesEqualWeightsInOrder) {
  const std::vector<double> equal(pair_count(4), 1.0);
  const auto tree = maximum_spanning_tree(equal, 4);
  EXPECT_EQ(tree, (std::vector<Edge>{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}));
}

TEST(SpanningTree, OfOneOrNoFeatureIsEmpty) {
  EXPECT_TRUE(maximum_spanning_tree({}, 1).empty());
  EXPECT_TRUE(maximum_spanning_tree({}, 0).empty());
}

TEST(SpanningTree, BecomesAForestWithoutItsWeakEdges) {
  const std::vector<double> weights{0.5, 0.01, 0.3};
  const auto tree = maximum_spanning_tree(weights, 3);
  EXPECT_EQ(remove_weak_edges(tree, 0.4), (std::vector<Edge>{{0, 1, 0.5}}));
  EXPECT_EQ(remove_weak_edges(tree, 0), tree);
  EXPECT_TRUE(remove_weak_edges(tree, 0.5).empty());
  EXPECT_DOUBLE_EQ(forest_threshold(100, 0.5), 0.1);
}

TEST(SpanningTree, RejectsBadInput) {
  const std::vector<double> two{1, 2};
  const std::vector<double> broken{1, NAN, 2};
  EXPECT_THROW(maximum_spanning_tree(two, 3), std::invalid_argument);
  EXPECT_THROW(maximum_spanning_tree(broken, 3), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

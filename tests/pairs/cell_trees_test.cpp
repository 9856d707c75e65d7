// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/cell_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "dyad/base/random.h"
#include "dyad/dependence/spanning_tree.h"
#include "tests/oracles.h"

namespace dyad {
namespace {

using Edges = std::set<std::pair<std::size_t, std::size_t>>;

/// Chains of features in a random order of each class: x_{k+1} = 0.8 x_k + 0.6 noise.
LabelledSample chains(std::size_t n, std::size_t d, std::uint64_t seed) {
  LabelledSample sample{Matrix(n, d), {}, 2};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(i % 2));
    double x = random.normal();
    for (std::size_t k = 0; k < d; ++k) {
      sample.X(i, i % 2 == 0 ? k : (3 * k) % d) = x;
      x = 0.8 * x + 0.6 * random.normal();
    }
  }
  return sample;
}

std::vector<FeaturePair> all_pairs(std::size_t d) {
  std::vector<FeaturePair> pairs;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) pairs.push_back({i, j});
  return pairs;
}

HeldOutChances in_folds(std::size_t n, std::size_t n_folds) {
  HeldOutChances chances{{}, n_folds, {}};
  for (std::size_t i = 0; i < n; ++i) chances.folds.push_back((i / 2) % n_folds);
  return chances;
}

Edges of_class(std::span<const TermKey> edges, std::int32_t c) {
  Edges result;
  for (const TermKey& edge : edges)
    if (edge.class_code == c) result.emplace(edge.i, edge.j);
  return result;
}

/// The definition, from the rows of a class that count in a view.
Edges naive_tree(const LabelledSample& sample, const HeldOutChances& chances, std::size_t view,
                 std::int32_t c) {
  const std::size_t d = sample.n_features();
  std::vector<double> weights;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) {
      const FeatureCells a = feature_cells(sample, i);
      const FeatureCells b = feature_cells(sample, j);
      std::map<std::pair<int, int>, double> joint;
      std::map<int, double> of_a;
      std::map<int, double> of_b;
      double n = 0;
      for (std::size_t row = 0; row < sample.n_rows(); ++row) {
        if (sample.y[row] != c || !chances.counts(row, view)) continue;
        const double weight = WeightsView(sample.weights)[row];
        joint[{a.of_row[row], b.of_row[row]}] += weight;
        of_a[a.of_row[row]] += weight;
        of_b[b.of_row[row]] += weight;
        n += weight;
      }
      double information = 0;
      for (const auto& [cell, count] : joint)
        information += count / n * std::log(count * n / (of_a[cell.first] * of_b[cell.second]));
      const double freedom = static_cast<double>((of_a.size() - 1) * (of_b.size() - 1));
      const bool is_clear = 2 * n * information - freedom > 2 * std::sqrt(2 * freedom);
      weights.push_back(is_clear ? information - freedom / (2 * n) : 0);
    }
  Edges result;
  for (const Edge& edge : maximum_spanning_tree(weights, d))
    if (edge.weight > 0) result.emplace(edge.i, edge.j);
  return result;
}

TEST(CellTrees, AgreeWithTheDefinitionInEveryView) {
  LabelledSample sample = chains(240, 6, 1);
  for (const bool has_weights : {false, true}) {
    if (has_weights) {
      sample.weights.unit = 0.5;
      for (std::size_t i = 0; i < sample.n_rows(); ++i)
        sample.weights.counts.push_back(static_cast<std::uint32_t>(1 + i % 3));
    }
    const HeldOutChances chances = in_folds(sample.n_rows(), 3);
    const auto trees = cell_trees(sample, chances, all_pairs(6), {});
    ASSERT_EQ(trees.size(), 4U);
    for (std::size_t view = 0; view < trees.size(); ++view)
      for (const std::int32_t c : {0, 1})
        EXPECT_EQ(of_class(trees[view], c), naive_tree(sample, chances, view, c)) << view << " " << c;
  }
}

TEST(CellTrees, AreThePlantedChainsOfManyRows) {
  const LabelledSample sample = chains(4000, 5, 2);
  const auto trees = cell_trees(sample, in_folds(sample.n_rows(), 2), all_pairs(5), {});
  EXPECT_EQ(of_class(trees.back(), 0), (Edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(of_class(trees.back(), 1), (Edges{{0, 3}, {1, 3}, {1, 4}, {2, 4}}));
}

TEST(CellTrees, HaveAlmostNoEdgesOfIndependentFeatures) {
  LabelledSample sample{Matrix(600, 10), {}, 2};
  Random random(3);
  for (double& value : sample.X.data) value = random.normal();
  for (std::size_t i = 0; i < 600; ++i) sample.y.push_back(static_cast<std::int32_t>(i % 2));
  // 90 pairs of independent features, of which about one in forty is two standard deviations above.
  EXPECT_LE(cell_trees(sample, in_folds(600, 2), all_pairs(10), {}).back().size(), 8U);
}

TEST(CellTrees, AreTheSameOnAnyNumberOfThreads) {
  const LabelledSample sample = chains(200, 7, 4);
  const HeldOutChances chances = in_folds(200, 5);
  const auto expected = cell_trees(sample, chances, all_pairs(7), {.threads = 1});
  const auto found = cell_trees(sample, chances, all_pairs(7), {.threads = 3});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t view = 0; view < found.size(); ++view)
    for (const std::int32_t c : {0, 1}) EXPECT_EQ(of_class(found[view], c), of_class(expected[view], c));
}

TEST(CellTrees, LeaveOutPairsThatAreNotGiven) {
  const LabelledSample sample = chains(400, 5, 5);
  const std::vector<FeaturePair> some{{0, 1}, {2, 3}};
  for (const auto& edges : cell_trees(sample, in_folds(400, 2), some, {}))
    for (const TermKey& edge : edges)
      EXPECT_TRUE((edge.i == 0 && edge.j == 1) || (edge.i == 2 && edge.j == 3));
}

}  // namespace
}  // namespace dyad

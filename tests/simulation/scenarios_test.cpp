// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/simulation/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "tests/oracles.h"

namespace dyad {
namespace {

constexpr std::array<Scenario, 4> all_scenarios{Scenario::forest_normal, Scenario::forest_complex,
                                                Scenario::general_normal, Scenario::general_complex};

/// f(simulation, seed) for some seeds.
template <class F>
void for_seeds(Scenario scenario, const SimulationOptions& options, const F& f) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) f(Simulation(scenario, options, seed), seed);
}

std::size_t n_roots(const BayesNet& network) {
  return static_cast<std::size_t>(
      std::ranges::count_if(network.nodes(), [](const Node& node) { return parents_of(node).empty(); }));
}

bool same_node(const Node& a, const Node& b) {
  return std::ranges::equal(a, b, [](const Component& x, const Component& y) {
    return x.probability == y.probability && x.noise == y.noise && x.shift == y.shift &&
           x.parents == y.parents;
  });
}

class Scenarios : public testing::TestWithParam<Scenario> {
 protected:
  static bool is_forest() { return GetParam() <= Scenario::forest_complex; }
  static bool is_complex() {
    return GetParam() == Scenario::forest_complex || GetParam() == Scenario::general_complex;
  }
};

TEST_P(Scenarios, NodesHaveNoParentsOrAsManyAsTheStructureSays) {
  for_seeds(GetParam(), {}, [&](const Simulation& simulation, std::uint64_t) {
    for (const std::size_t c : {0U, 1U}) {
      const auto& nodes = simulation.network(c).nodes();
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        const auto parents = parents_of(nodes[j]);
        EXPECT_TRUE(parents.empty() || parents.size() == (is_forest() ? 1 : 3));
        for (const std::size_t parent : parents) EXPECT_LT(parent, j);
        EXPECT_EQ(nodes[j].size(), is_complex() && !parents.empty() ? 3 : 1);
      }
    }
  });
}

TEST_P(Scenarios, ClassesAreDrawnApart) {
  const Simulation simulation(GetParam(), {}, 1);
  unsigned different = 0;
  for (std::size_t j = 0; j < 20; ++j)
    different += same_node(simulation.network(0).nodes()[j], simulation.network(1).nodes()[j]) ? 0U : 1U;
  EXPECT_GT(different, 8);
}

TEST_P(Scenarios, RatioIsThatOfTheDefinition) {
  const Simulation simulation(GetParam(), {.d = 6, .shared = 0.25},
                              3);  // few nodes, or the definition underflows
  const LabelledSample rows = simulation.sample(300, 0.75);
  const auto ratio = simulation.log_likelihood_ratio(rows.X);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const auto log_density = [&](std::size_t c) {
      return oracle::log_network_density(simulation.network(c).nodes(), rows.X, i);
    };
    EXPECT_NEAR(ratio[i], log_density(1) - log_density(0), 1e-9 * (1 + std::abs(ratio[i])));
  }
}

TEST_P(Scenarios, BayesErrorIsThatOfTheRatiosSign) {
  const Simulation simulation(GetParam(), {.shared = 0.5}, 4);
  const double expected = simulation.bayes_error(100000);
  const LabelledSample rows = simulation.sample(100000, 0.5, 1);
  const auto ratio = simulation.log_likelihood_ratio(rows.X);
  double wrong = 0;
  for (std::size_t i = 0; i < rows.n_rows(); ++i) wrong += (ratio[i] > 0) == (rows.y[i] == 1) ? 0 : 1e-5;
  EXPECT_GT(expected, 0.001);
  EXPECT_NEAR(wrong, expected, 5 * std::sqrt(expected / 1e5));
}

INSTANTIATE_TEST_SUITE_P(Simulation, Scenarios, testing::ValuesIn(all_scenarios), [](const auto& tested) {
  std::string name(name_of(scenario_names, tested.param));
  std::erase(name, '-');
  return name;
});

TEST(Simulation, RootsAreTheShareAskedFor) {
  double roots = 0;
  for_seeds(Scenario::forest_normal, {.d = 200, .roots = 0.3, .root_places = RootPlaces::anywhere},
            [&](const Simulation& simulation, std::uint64_t) {
              roots += static_cast<double>(n_roots(simulation.network(0))) / 20;
            });
  EXPECT_NEAR(roots, 60, 6);
  for_seeds(Scenario::general_normal, {.roots = 0.4, .root_places = RootPlaces::first},
            [&](const Simulation& simulation, std::uint64_t) {
              for (const std::size_t c : {0U, 1U})
                for (std::size_t j = 0; j < 20; ++j)
                  EXPECT_EQ(parents_of(simulation.network(c).nodes()[j]).empty(), j < 8);
            });
}

TEST(Simulation, EveryEarlierNodeMayBeAParent) {
  std::set<std::size_t> parents;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Simulation simulation(Scenario::general_normal, {.d = 8}, seed);
    for (const std::size_t parent : parents_of(simulation.network(1).nodes()[7])) parents.insert(parent);
  }
  EXPECT_EQ(parents.size(), 7);
}

TEST(Simulation, ParentsAreOfTheWindow) {
  bool reached = false;
  for_seeds(Scenario::general_normal, {.roots = 0.2, .window = 5},
            [&](const Simulation& simulation, std::uint64_t) {
              const auto& nodes = simulation.network(0).nodes();
              for (std::size_t j = 0; j < nodes.size(); ++j)
                for (const std::size_t parent : parents_of(nodes[j])) {
                  EXPECT_LE(j - parent, 5);
                  reached = reached || j - parent == 5;
                }
            });
  EXPECT_TRUE(reached);
}

TEST(Simulation, StudentsMayMultiplyTheirParents) {
  for (const ForestMixture mixture : {ForestMixture::printed, ForestMixture::product}) {
    const Simulation simulation(Scenario::forest_complex, {.d = 2, .roots = 0, .forest_mixture = mixture}, 1);
    const Node& node = simulation.network(0).nodes()[1];
    EXPECT_EQ(node[0].multiplies, mixture == ForestMixture::product);
    EXPECT_FALSE(node[1].multiplies || node[2].multiplies);
    EXPECT_EQ(node[1].shift + node[2].shift, 0);
  }
}

TEST(Simulation, SharesNodes) {
  const SimulationOptions third{.d = 60, .shared = 1.0 / 3, .roots = 0.1};
  for_seeds(Scenario::general_complex, third, [](const Simulation& simulation, std::uint64_t) {
    std::size_t same = 0;
    for (std::size_t j = 0; j < 60; ++j)
      same += same_node(simulation.network(0).nodes()[j], simulation.network(1).nodes()[j]) ? 1U : 0U;
    EXPECT_GE(same, 20);
    EXPECT_LT(same, 30);
  });
  const Simulation equal(Scenario::forest_complex, {.shared = 1}, 1);
  for (const double ratio : equal.log_likelihood_ratio(equal.sample(100).X)) EXPECT_EQ(ratio, 0);
}

TEST(Simulation, ClassesMayHaveOrdersOfTheirOwn) {
  const Simulation simulation(Scenario::forest_normal, {.node_order = NodeOrder::own}, 1);
  const auto later_parents = [&](std::size_t c) {
    unsigned count = 0;
    const auto& nodes = simulation.network(c).nodes();
    for (std::size_t j = 0; j < nodes.size(); ++j)
      for (const std::size_t parent : parents_of(nodes[j])) count += parent > j ? 1U : 0U;
    return count;
  };
  EXPECT_GT(later_parents(1), 2);
}

TEST(Simulation, MixturesMayBeDrawnOncePerNode) {
  unsigned students = 0;
  unsigned normals = 0;
  for_seeds(Scenario::general_complex, {.mixture = MixtureDraw::node},
            [&](const Simulation& simulation, std::uint64_t) {
              for (const Node& node : simulation.network(0).nodes()) {
                if (parents_of(node).empty()) continue;
                students += node.size() == 1 && node.front().noise == Noise::student ? 1U : 0U;
                normals += node.size() == 2 && node.front().noise == Noise::normal ? 1U : 0U;
              }
            });
  EXPECT_NEAR(students, normals, 70);
  EXPECT_GT(students, 60);
}

TEST(Simulation, NormalNetworksHaveTheDensityOfTheirCovariance) {
  // x = A x + e with normal e: Q = (I - A)'(I - A) is the inverse of the covariance, and its determinant
  // is 1.
  const Simulation simulation(Scenario::general_normal, {.d = 7, .roots = 0.3}, 5);
  const LabelledSample rows = simulation.sample(50);
  const auto ratio = simulation.log_likelihood_ratio(rows.X);
  const auto half_distance = [&](std::size_t c, std::size_t i) {
    double sum = 0;
    const auto& nodes = simulation.network(c).nodes();
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      double e = rows.X(i, j);
      for (const std::size_t parent : parents_of(nodes[j])) e -= rows.X(i, parent);
      sum += e * e / 2;
    }
    return sum;
  };
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    EXPECT_NEAR(ratio[i], half_distance(0, i) - half_distance(1, i), 1e-10);
}

TEST(Simulation, DrawsTheSharesOfTheClasses) {
  const Simulation simulation(Scenario::forest_normal, {}, 1);
  const LabelledSample sample = simulation.sample(1001, 0.75);
  EXPECT_EQ(std::ranges::count(sample.y, 0), 751);
  EXPECT_EQ(sample.X.n_cols, 20);
  const auto first_hundred = std::ranges::count(std::span(sample.y).first(100), 0);
  EXPECT_GT(first_hundred, 55);
  EXPECT_LT(first_hundred, 95);
}

TEST(Simulation, RowsOfAClassComeFromItsNetwork) {
  // Both classes' rows are more probable in their own network, by far, in the mean.
  const Simulation simulation(Scenario::general_normal, {}, 2);
  const LabelledSample sample = simulation.sample(2000);
  const auto ratio = simulation.log_likelihood_ratio(sample.X);
  double of_first = 0;
  double of_second = 0;
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    (sample.y[i] == 0 ? of_first : of_second) += ratio[i] / 1000;
  EXPECT_LT(of_first, -1);
  EXPECT_GT(of_second, 1);
}

TEST(Simulation, FollowsItsSeed) {
  const Simulation simulation(Scenario::general_complex, {}, 7);
  const LabelledSample sample = simulation.sample(3000, 0.5, 0, {.threads = 1});
  const LabelledSample again =
      Simulation(Scenario::general_complex, {}, 7).sample(3000, 0.5, 0, {.threads = 3});
  EXPECT_EQ(again.X.data, sample.X.data);
  EXPECT_EQ(again.y, sample.y);
  EXPECT_NE(simulation.sample(3000, 0.5, 1).X.data, sample.X.data);
  EXPECT_NE(Simulation(Scenario::general_complex, {}, 8).sample(3000).X.data, sample.X.data);
}

TEST(Simulation, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(Simulation(Scenario::forest_normal, {.d = 0}, 1), std::invalid_argument);
  EXPECT_THROW(Simulation(Scenario::forest_normal, {.shared = 1.5}, 1), std::invalid_argument);
  EXPECT_THROW(Simulation(Scenario::forest_normal, {.shared = 0.5, .node_order = NodeOrder::own}, 1),
               std::invalid_argument);
  const Simulation simulation(Scenario::forest_normal, {}, 1);
  EXPECT_THROW(simulation.sample(3, 0.99), std::invalid_argument);
  EXPECT_THROW(simulation.sample(10, -0.1), std::invalid_argument);
  EXPECT_THROW(simulation.sample(10, std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

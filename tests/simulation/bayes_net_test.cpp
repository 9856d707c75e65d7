// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/simulation/bayes_net.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "tests/oracles.h"

namespace dyad {
namespace {

constexpr Component root{};
const double t_variance = 5.0 / 3;

/// A node given its parents, the first nodes of a network, which are roots; with closed forms of its mean and
/// variance.
struct Case {
  std::string name;
  std::size_t n_parents;
  Node node;
  std::function<double(const std::vector<double>& z)> mean;
  std::function<double(const std::vector<double>& z)> variance;

  [[nodiscard]] BayesNet network() const {
    std::vector<Node> nodes(n_parents, Node{root});
    nodes.push_back(node);
    return BayesNet(nodes);
  }
  [[nodiscard]] std::vector<double> parents_in(const Matrix& X, std::size_t i) const {
    std::vector<double> z;
    for (std::size_t j = 0; j < n_parents; ++j) z.push_back(X(i, j));
    return z;
  }
};

double sum(const std::vector<double>& z) { return z.size() == 1 ? z[0] : z[0] + z[1] + z[2]; }

const std::array<Case, 7> cases{{
    {"Root", 0, {root}, [](auto&) { return 0; }, [](auto&) { return 1; }},
    {"Normal", 1, {{.parents = {0}}}, sum, [](auto&) { return 1; }},
    {"NormalOfThree", 3, {{.parents = {0, 1, 2}}}, sum, [](auto&) { return 1; }},
    {"Scaled",
     1,
     {{.noise = Noise::student, .shift = 3, .scale = 0.5, .parents = {0}}},
     [](auto& z) { return z[0] + 3; },
     [](auto&) { return t_variance / 4; }},
    {"ComplexForest",
     1,
     {{.probability = 0.5, .noise = Noise::student, .parents = {0}},
      {.probability = 0.25, .shift = 1, .parents = {0}},
      {.probability = 0.25, .shift = -1, .parents = {0}}},
     sum,
     [](auto&) { return 0.5 * t_variance + 0.5 * (1 + 1); }},
    {"ProductForest",
     1,
     {{.probability = 0.5, .noise = Noise::student, .multiplies = true, .parents = {0}},
      {.probability = 0.25, .shift = 1, .parents = {0}},
      {.probability = 0.25, .shift = -1, .parents = {0}}},
     [](auto& z) { return z[0] / 2; },
     [](auto& z) { return 0.5 * t_variance * z[0] * z[0] + 0.5 * (2 + z[0] * z[0]) - z[0] * z[0] / 4; }},
    // The variance of means m_k with probability p_k is sum p_k (v_k + m_k^2) - (sum p_k m_k)^2, with means
    // less z1 + z2 + z3.
    {"ComplexGeneral",
     3,
     {{.probability = 0.5, .noise = Noise::student, .parents = {0, 1, 2}},
      {.probability = 0.25, .parents = {0, 1}},
      {.probability = 0.25, .parents = {1, 2}}},
     [](auto& z) { return sum(z) - 0.25 * (z[2] + z[0]); },
     [](auto& z) {
       const double between = 0.25 * (z[2] * z[2] + z[0] * z[0]) - std::pow(0.25 * (z[2] + z[0]), 2);
       return 0.5 * t_variance + 0.5 + between;
     }},
}};

class Conditional : public testing::TestWithParam<Case> {};

/// Mean of values and how many standard errors it is away from 0.
double standard_errors_from_zero(const std::vector<double>& values) {
  return oracle::mean(values) / (oracle::deviation(values) / std::sqrt(static_cast<double>(values.size())));
}

TEST_P(Conditional, HasTheMomentsOfItsClosedForm) {
  const Case& tested = GetParam();
  const Matrix X = tested.network().sample(400000, 1);
  std::vector<double> residuals;
  std::vector<double> squares;
  std::vector<double> with_parent;
  for (std::size_t i = 0; i < X.n_rows; ++i) {
    const auto z = tested.parents_in(X, i);
    const double residual = X(i, tested.n_parents) - tested.mean(z);
    residuals.push_back(residual);
    squares.push_back(residual * residual - tested.variance(z));
    with_parent.push_back(residual * (z.empty() ? 1 : z[0]));
  }
  EXPECT_LT(std::abs(standard_errors_from_zero(residuals)), 4);
  EXPECT_LT(std::abs(standard_errors_from_zero(squares)), 4);
  EXPECT_LT(std::abs(standard_errors_from_zero(with_parent)), 4);
}

TEST_P(Conditional, HasADensityWithTheSameMoments) {
  const Case& tested = GetParam();
  const BayesNet network = tested.network();
  const std::vector<double> all{0.7, -1.1, 0.4};
  const std::vector<double> z(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(tested.n_parents));
  // x = sinh(u): steps that grow with the tails of Student's t.
  constexpr int n_steps = 4000;
  constexpr double reach = 12;
  Matrix X(n_steps, tested.n_parents + 1);
  for (std::size_t i = 0; i < n_steps; ++i) {
    for (std::size_t j = 0; j < z.size(); ++j) X(i, j) = z[j];
    X(i, z.size()) = std::sinh(reach * (2 * (static_cast<double>(i) + 0.5) / n_steps - 1));
  }
  const auto log_density = network.log_density(X);
  double log_parents = 0;
  for (const double value : z) log_parents += std::log(oracle::normal_density(value));
  double total = 0;
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < n_steps; ++i) {
    const double x = X(i, z.size());
    const double mass = std::exp(log_density[i] - log_parents) * std::sqrt(1 + x * x) * 2 * reach / n_steps;
    total += mass;
    mean += mass * x;
    square += mass * x * x;
  }
  EXPECT_NEAR(total, 1, 1e-9);
  EXPECT_NEAR(mean, tested.mean(z), 1e-9);
  EXPECT_NEAR(square - mean * mean, tested.variance(z), 1e-6);
}

TEST_P(Conditional, HasTheDensityOfItsDefinition) {
  const BayesNet network = GetParam().network();
  const Matrix X = network.sample(200, 2);
  const auto log_density = network.log_density(X);
  for (std::size_t i = 0; i < X.n_rows; ++i)
    EXPECT_NEAR(log_density[i], oracle::log_network_density(network.nodes(), X, i), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(BayesNet, Conditional, testing::ValuesIn(cases),
                         [](const auto& tested) { return tested.param.name; });

TEST(BayesNet, DensityIsThatOfItsRows) {
  // Shares of rows in cells of the plane, against the density summed over the cell.
  const BayesNet network({{root},
                          {{.probability = 0.5, .noise = Noise::student, .parents = {0}},
                           {.probability = 0.5, .shift = 2, .scale = 0.5, .parents = {0}}}});
  constexpr std::size_t n = 200000;
  constexpr int cells = 6;
  constexpr int steps = 40;
  const Matrix X = network.sample(n, 3);
  for (int a = 0; a < cells; ++a)
    for (int b = 0; b < cells; ++b) {
      const double left = a - 3.0;
      const double low = b - 3.0;
      double observed = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (X(i, 0) >= left && X(i, 0) < left + 1 && X(i, 1) >= low && X(i, 1) < low + 1) observed += 1.0 / n;
      Matrix grid(steps * steps, 2);
      for (std::size_t k = 0; k < grid.n_rows; ++k) {
        grid(k, 0) = left + (static_cast<double>(k / steps) + 0.5) / steps;
        grid(k, 1) = low + (static_cast<double>(k % steps) + 0.5) / steps;
      }
      double expected = 0;
      for (const double value : network.log_density(grid)) expected += std::exp(value) / (steps * steps);
      EXPECT_NEAR(observed, expected, 4.5 * std::sqrt(expected / n) + 1e-5) << a << ", " << b;
    }
}

TEST(BayesNet, RowsDependOnTheSeedAlone) {
  const BayesNet network = cases.back().network();
  const Matrix X = network.sample(5000, 7, {.threads = 1});
  EXPECT_EQ(network.sample(5000, 7, {.threads = 3}).data, X.data);
  EXPECT_NE(network.sample(5000, 8).data, X.data);
  const Matrix fewer = network.sample(1500, 7);
  for (std::size_t i = 0; i < fewer.n_rows; ++i) EXPECT_EQ(fewer(i, 3), X(i, 3));
  EXPECT_EQ(network.log_density(X, {.threads = 1}), network.log_density(X, {.threads = 3}));
}

TEST(BayesNet, ParentsMayComeLater) {
  const BayesNet network({{{.shift = 1, .parents = {2}}}, {{.parents = {0}}}, {root}});
  const Matrix X = network.sample(100000, 1);
  EXPECT_NEAR(oracle::mean(X.column(1)), 1, 0.03);
  EXPECT_NEAR(oracle::deviation(X.column(1)), std::sqrt(3.0), 0.03);
}

TEST(BayesNet, FarRowsHaveAFiniteLogDensity) {
  const BayesNet network = cases.back().network();
  Matrix X(1, 4);
  X(0, 3) = 1e100;
  EXPECT_TRUE(std::isfinite(network.log_density(X)[0]));
}

void expect_refused(const std::vector<Node>& nodes, const std::string& message) {
  try {
    const BayesNet network(nodes);
    ADD_FAILURE() << "expected: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(BayesNet, MayBeAsDeepAsItHasNodes) {
  constexpr std::size_t n_nodes = 300'000;
  std::vector<Node> nodes(n_nodes, Node(1));
  for (std::size_t k = 0; k + 1 < n_nodes; ++k) nodes[k][0].parents = {k + 1};
  EXPECT_NO_THROW(BayesNet{nodes});
}

TEST(BayesNet, RefusesWhatIsNoNetwork) {
  expect_refused({{{.parents = {1}}}, {{.parents = {0}}}}, "node 0 is an ancestor of itself");
  expect_refused({{{.parents = {1}}}}, "node 0: there is no parent 1");
  expect_refused({{root}, {{.probability = 0.5}}}, "node 1: probabilities add up to 0.5");
  expect_refused({{}}, "node 0: probabilities add up to 0");
  expect_refused({{{.probability = -1}}}, "node 0: a probability is -1");
  expect_refused({{{.scale = 0}}}, "node 0: scale 0, shift 0; expected a positive scale and finite numbers");
  EXPECT_THROW(BayesNet({{root}}).log_density(Matrix(3, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace dyad

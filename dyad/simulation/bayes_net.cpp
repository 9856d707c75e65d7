// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/simulation/bayes_net.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "dyad/base/random.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

constexpr std::size_t block_rows = 1024;  ///< drawn from one stream
constexpr int degrees_of_freedom = 5;

void require_valid(const Node& node, std::size_t number, std::size_t n_nodes) {
  const std::string name = "node " + std::to_string(number);
  double total = 0;
  for (const Component& component : node) {
    if (!(component.probability > 0))
      throw std::invalid_argument(name + ": a probability is " + number_text(component.probability));
    if (!(component.scale > 0) || !std::isfinite(component.scale + component.shift))
      throw std::invalid_argument(name + ": scale " + number_text(component.scale) + ", shift " +
                                  number_text(component.shift) +
                                  "; expected a positive scale and finite numbers");
    for (const std::size_t parent : component.parents)
      if (parent >= n_nodes)
        throw std::invalid_argument(name + ": there is no parent " + std::to_string(parent));
    total += component.probability;
  }
  if (!(std::abs(total - 1) < 1e-9))
    throw std::invalid_argument(name + ": probabilities add up to " + number_text(total));
}

/// The nodes so that parents come before their children.
std::vector<std::size_t> parents_first(const std::vector<Node>& nodes) {
  enum class State { fresh, open, done };
  std::vector<State> states(nodes.size(), State::fresh);
  std::vector<std::size_t> path;  // to an ancestor; it may be as long as there are nodes
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (states[k] == State::fresh) path.push_back(k);
    while (!path.empty()) {
      const std::size_t node = path.back();
      const auto parents = parents_of(nodes[node]);
      states[node] = State::open;
      const auto next =
          std::ranges::find_if(parents, [&](std::size_t parent) { return states[parent] != State::done; });
      if (next == parents.end()) {
        states[node] = State::done;
        order.push_back(node);
        path.pop_back();
      } else if (states[*next] == State::fresh) {
        path.push_back(*next);
      } else {
        throw std::invalid_argument("node " + std::to_string(*next) + " is an ancestor of itself");
      }
    }
  }
  return order;
}

double draw_noise(Noise noise, Random& random) {
  const double z = random.normal();
  if (noise == Noise::normal) return z;
  double squares = 0;
  for (int k = 0; k < degrees_of_freedom; ++k) {
    const double u = random.normal();
    squares += u * u;
  }
  return z / std::sqrt(squares / degrees_of_freedom);
}

double log_noise_density(Noise noise, double x) {
  if (noise == Noise::normal) return -0.5 * (x * x + std::log(2 * std::numbers::pi));
  // Gamma(3) / (sqrt(5 pi) Gamma(5/2)) (1 + x^2 / 5)^-3
  const double log_factor = std::log(8 / (3 * std::numbers::pi * std::sqrt(5.0)));
  return log_factor - 3 * std::log1p(x * x / degrees_of_freedom);
}

const Component& drawn_component(const Node& node, Random& random) {
  if (node.size() == 1) return node.front();
  double left = random.uniform();
  for (const Component& component : node) {
    left -= component.probability;
    if (left < 0) return component;
  }
  return node.back();
}

/// Centre and spread of a component in one row.
struct Place {
  double centre;
  double spread;  ///< its sign does not matter: noise is symmetric
};

Place place_in_row(const Component& component, const MatrixView& X, std::size_t i) {
  double sum = 0;
  for (const std::size_t parent : component.parents) sum += X.column(parent)[i];
  if (component.multiplies) return {component.shift, component.scale * sum};
  return {component.shift + sum, component.scale};
}

double log_density_of_node(const Node& node, std::size_t j, const MatrixView& X, std::size_t i) {
  const auto log_term = [&](const Component& component) {
    const auto [centre, spread] = place_in_row(component, X, i);
    return std::log(component.probability / std::abs(spread)) +
           log_noise_density(component.noise, (X.column(j)[i] - centre) / spread);
  };
  double log_sum = log_term(node.front());
  for (const Component& component : std::span(node).subspan(1)) {
    const double term = log_term(component);
    const double larger = std::max(log_sum, term);
    log_sum = larger + std::log1p(std::exp(std::min(log_sum, term) - larger));
  }
  return log_sum;
}

/// body(first, end) for the blocks of rows.
template <class Body>
void for_blocks(std::size_t n_rows, const Execution& execution, const Body& body) {
  parallel_for((n_rows + block_rows - 1) / block_rows, execution, "", [&](std::size_t block) {
    const std::size_t first = block * block_rows;
    body(first, std::min(n_rows, first + block_rows));
  });
}

}  // namespace

std::vector<std::size_t> parents_of(const Node& node) {
  std::set<std::size_t> parents;
  for (const Component& component : node) parents.insert(component.parents.begin(), component.parents.end());
  return {parents.begin(), parents.end()};
}

BayesNet::BayesNet(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) require_valid(nodes_[k], k, nodes_.size());
  order_ = parents_first(nodes_);
}

Matrix BayesNet::sample(std::size_t n_rows, std::uint64_t seed, const Execution& execution) const {
  Matrix X(n_rows, nodes_.size());
  const Random random(seed);
  for_blocks(n_rows, execution, [&](std::size_t first, std::size_t end) {
    Random stream = random.split(first / block_rows);
    for (std::size_t i = first; i < end; ++i)
      for (const std::size_t j : order_) {
        const Component& component = drawn_component(nodes_[j], stream);
        const auto [centre, spread] = place_in_row(component, X, i);
        X(i, j) = centre + spread * draw_noise(component.noise, stream);
      }
  });
  return X;
}

std::vector<double> BayesNet::log_density(const MatrixView& X, const Execution& execution) const {
  if (X.n_cols != nodes_.size())
    throw std::invalid_argument("the rows have " + std::to_string(X.n_cols) + " values, the network has " +
                                std::to_string(nodes_.size()) + " nodes");
  std::vector<double> result(X.n_rows);
  for_blocks(X.n_rows, execution, [&](std::size_t first, std::size_t end) {
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      for (std::size_t i = first; i < end; ++i) result[i] += log_density_of_node(nodes_[j], j, X, i);
  });
  return result;
}

}  // namespace dyad

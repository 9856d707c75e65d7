// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/simulation/scenarios.h"

#include <algorithm>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

using Numbers = std::vector<std::size_t>;

/// Streams of a simulation's seed: those of the networks, then one a draw of rows.
constexpr std::uint64_t structure_stream = 0;
constexpr std::uint64_t first_draw_stream = 1;
constexpr std::uint64_t bayes_draw = ~std::uint64_t{0} - first_draw_stream;  ///< no draw that a user asks for

bool is_forest(Scenario scenario) {
  return scenario == Scenario::forest_normal || scenario == Scenario::forest_complex;
}

bool is_complex(Scenario scenario) {
  return scenario == Scenario::forest_complex || scenario == Scenario::general_complex;
}

std::size_t share_of(double share, std::size_t count) {
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(count)));
}

/// `count` of the items, without replacement.
Numbers drawn(Numbers items, std::size_t count, Random& random) {
  for (std::size_t k = 0; k < count; ++k) std::swap(items[k], items[k + random.below(items.size() - k)]);
  items.resize(count);
  return items;
}

/// The two normals of complex scenarios: around z + 1 and z - 1, or z1 + z2 and z2 + z3.
std::array<Component, 2> normal_cases(const Numbers& parents) {
  if (parents.size() == 1) return {{{.shift = 1, .parents = parents}, {.shift = -1, .parents = parents}}};
  return {{{.parents = {parents[0], parents[1]}}, {.parents = {parents[1], parents[2]}}}};
}

Node node_around(const Numbers& parents, Scenario scenario, const SimulationOptions& options,
                 Random& random) {
  if (parents.empty() || !is_complex(scenario)) return {{.parents = parents}};
  const bool product = is_forest(scenario) && options.forest_mixture == ForestMixture::product;
  Component student{.noise = Noise::student, .multiplies = product, .parents = parents};
  std::array<Component, 2> normals = normal_cases(parents);
  const bool by_row = options.mixture == MixtureDraw::row;
  if (!by_row && random.below(2) == 0) return {student};
  student.probability = 0.5;
  for (Component& normal : normals) normal.probability = by_row ? 0.25 : 0.5;
  if (!by_row) return {normals[0], normals[1]};
  return {student, normals[0], normals[1]};
}

/// A network whose nodes have parents among those before them in `order`.
std::vector<Node> draw_nodes(Scenario scenario, const SimulationOptions& options, const Numbers& order,
                             Random& random) {
  const std::size_t n_parents = is_forest(scenario) ? 1 : 3;
  std::vector<Node> nodes(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const bool root = options.root_places == RootPlaces::first ? place < share_of(options.roots, order.size())
                                                               : random.uniform() < options.roots;
    const std::size_t window = options.window == 0 ? place : static_cast<std::size_t>(options.window);
    const Numbers before(order.begin() + static_cast<std::ptrdiff_t>(place - std::min(place, window)),
                         order.begin() + static_cast<std::ptrdiff_t>(place));
    const Numbers parents = root || before.size() < n_parents ? Numbers{} : drawn(before, n_parents, random);
    nodes[order[place]] = node_around(parents, scenario, options, random);
  }
  return nodes;
}

std::vector<BayesNet> draw_networks(Scenario scenario, const SimulationOptions& options, Random random) {
  validate(options);
  if (options.shared > 0 && options.node_order == NodeOrder::own)
    throw std::invalid_argument("shared is " + number_text(options.shared) +
                                ", which needs the node order common to both classes");
  const auto d = static_cast<std::size_t>(options.d);
  Numbers order = all_rows(d);
  std::vector<Node> first = draw_nodes(scenario, options, order, random);
  if (options.node_order == NodeOrder::own) random.shuffle(order);
  std::vector<Node> second = draw_nodes(scenario, options, order, random);
  for (const std::size_t k : drawn(all_rows(d), share_of(options.shared, d), random)) second[k] = first[k];
  return {BayesNet(std::move(first)), BayesNet(std::move(second))};
}

}  // namespace

SimulationOptions calibrated_options(Scenario scenario) {
  if (is_forest(scenario)) return {};
  return {.roots = 0.35, .root_places = RootPlaces::first, .window = 9, .mixture = MixtureDraw::node};
}

Simulation::Simulation(Scenario scenario, const SimulationOptions& options, std::uint64_t seed)
    : networks_(draw_networks(scenario, options, Random(seed).split(structure_stream))), seed_(seed) {}

LabelledSample Simulation::sample(std::size_t n_rows, double imbalance, std::uint64_t draw,
                                  const Execution& execution) const {
  require_within(fraction, "imbalance", imbalance);
  const std::size_t n_first = share_of(imbalance, n_rows);
  if (n_first == 0 || n_first == n_rows)
    throw std::invalid_argument(std::to_string(n_rows) + " rows at imbalance " + number_text(imbalance) +
                                " leave a class without any");
  Random random = Random(seed_).split(first_draw_stream + draw);
  LabelledSample sample{.X = Matrix(n_rows, networks_.front().nodes().size()), .n_classes = 2};
  sample.y.assign(n_rows, 1);
  std::fill_n(sample.y.begin(), n_first, 0);
  random.shuffle(sample.y);
  const std::array<Matrix, 2> rows{networks_[0].sample(n_first, random.next(), execution),
                                   networks_[1].sample(n_rows - n_first, random.next(), execution)};
  parallel_for(sample.n_features(), execution, "", [&](std::size_t j) {
    std::array<std::size_t, 2> next{};
    for (std::size_t i = 0; i < n_rows; ++i) {
      const auto c = static_cast<std::size_t>(sample.y[i]);
      sample.X(i, j) = rows[c](next[c]++, j);
    }
  });
  return sample;
}

std::vector<double> Simulation::log_likelihood_ratio(const MatrixView& X, const Execution& execution) const {
  std::vector<double> ratio = networks_[1].log_density(X, execution);
  const std::vector<double> other = networks_[0].log_density(X, execution);
  for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] -= other[i];
  return ratio;
}

double Simulation::bayes_error(std::size_t n_rows, const Execution& execution) const {
  const LabelledSample rows = sample(n_rows, 0.5, bayes_draw, execution);
  double sum = 0;
  for (const double ratio : log_likelihood_ratio(rows.X, execution))
    sum += 1 / (1 + std::exp(std::abs(ratio)));
  return sum / static_cast<double>(n_rows);
}

}  // namespace dyad
